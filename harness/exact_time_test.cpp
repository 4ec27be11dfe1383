#include "harness/exact_time.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace shardcheck::harness {
namespace {

TEST(ExactTime, has_as_many_decimals_as_it_needs) {
  EXPECT_EQ(exact_milliseconds(0), "0ms");
  EXPECT_EQ(exact_milliseconds(1), "0.000001ms");
  EXPECT_EQ(exact_milliseconds(4'800'000), "4.8ms");
  EXPECT_EQ(exact_milliseconds(20'000'000), "20ms");
  EXPECT_EQ(exact_milliseconds(-1'500'000), "-1.5ms");
  EXPECT_EQ(exact_milliseconds(-1), "-0.000001ms");
  EXPECT_EQ(exact_milliseconds(1'000'000'999'999), "1000000.999999ms");
  EXPECT_EQ(exact_milliseconds(std::numeric_limits<std::int64_t>::min()), "-9223372036854.775808ms");
}

TEST(ExactTime, is_read_back) {
  EXPECT_EQ(parse_milliseconds("0ms"), 0);
  EXPECT_EQ(parse_milliseconds("-0ms"), 0);
  EXPECT_EQ(parse_milliseconds("0.000001ms"), 1);
  EXPECT_EQ(parse_milliseconds("4.8ms"), 4'800'000);
  EXPECT_EQ(parse_milliseconds("4.800000ms"), 4'800'000);
  EXPECT_EQ(parse_milliseconds("-1.5ms"), -1'500'000);
  EXPECT_EQ(parse_milliseconds("1000000000ms"), 1'000'000'000'000'000);
}

TEST(ExactTime, survives_printing_and_parsing) {
  for (const std::int64_t nanoseconds : {0L, 1L, -1L, 999'999L, 1'000'000L, -1'000'001L, 123'456'789'012L}) {
    SCOPED_TRACE(nanoseconds);
    EXPECT_EQ(parse_milliseconds(exact_milliseconds(nanoseconds)), nanoseconds);
  }
}

TEST(ExactTime, refuses_what_is_no_time) {
  for (const char* text :
       {"",        "ms",    "-ms",   "5",           "5s",    "5 ms",         " 5ms",
        "5ms ",    ".5ms",  "5.ms",  "5.1234567ms", "--5ms", "+5ms",         "5.-1ms",
        "5.1.2ms", "1e3ms", "0x5ms", "nanms",       "infms", "1000000001ms", "99999999999999999999999ms",
        "5,5ms"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(parse_milliseconds(text), std::nullopt);
  }
}

}  // namespace
}  // namespace shardcheck::harness
