#include "bench/lookup_measure.h"

#include <gtest/gtest.h>

namespace shardcheck::bench {
namespace {

// A wide margin below what is measured (over 10), so that a busy machine does not fail it.
TEST(LookupMeasure, the_ring_is_at_least_three_times_as_fast_as_a_map_at_20000_points) {
  const Ratio ratio = measure_ring_lookup(20'000);

  EXPECT_GT(ratio.subject_ns, 0);
  EXPECT_GT(ratio.speedup(), 3);
}

}  // namespace
}  // namespace shardcheck::bench
