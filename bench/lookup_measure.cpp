#include "bench/lookup_measure.h"

#include <algorithm>
#include <map>
#include <vector>

#include "bench/ring_samples.h"
#include "spec/assert.h"

namespace shardcheck::bench {
namespace {

constexpr int kRepetitions = 15;
constexpr int kPassesEach = 8;

struct Timed {
  double ns_each;
  std::uint64_t checksum;
};

template <class Lookup>
Timed time_lookups(const std::vector<std::uint32_t>& positions, Lookup lookup) {
  std::uint64_t checksum = 0;
  const std::int64_t start_ns = thread_cpu_ns();
  for (int pass = 0; pass < kPassesEach; ++pass) {
    for (const std::uint32_t position : positions) {
      checksum += lookup(position);
    }
    // A pass must not be folded into the one before it, although it asks the same.
    asm volatile("" : "+r"(checksum)::"memory");
  }
  const auto passed = static_cast<double>(thread_cpu_ns() - start_ns);
  return {passed / static_cast<double>(positions.size()) / kPassesEach, checksum};
}

}  // namespace

Ratio measure_ring_lookup(std::size_t points) {
  const impl::Ring ring = ring_with_points(points);
  const std::shared_ptr<const impl::RingTable> table = ring.table();
  const std::map<std::uint32_t, impl::MemberIndex> tree = tree_of(ring);
  const std::vector<std::uint32_t> positions = uniform_positions(16'384);

  std::vector<double> subject;
  std::vector<double> baseline;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const Timed by_table = time_lookups(positions, [&](std::uint32_t position) { return table->owner_at(position); });
    const Timed by_tree = time_lookups(positions, [&](std::uint32_t position) {
      const auto found = tree.lower_bound(position);
      return found == tree.end() ? tree.begin()->second : found->second;
    });
    SHARDCHECK_ASSERT(by_table.checksum == by_tree.checksum);
    subject.push_back(by_table.ns_each);
    baseline.push_back(by_tree.ns_each);
  }
  return {.subject_ns = median(subject), .baseline_ns = median(baseline)};
}

}  // namespace shardcheck::bench
