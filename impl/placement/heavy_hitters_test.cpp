#include "impl/placement/heavy_hitters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Exact = std::map<std::string, std::uint64_t>;

std::uint64_t next(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t word = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

// Everything that the header guarantees, against exact counts.
void expect_bounds(const HeavyHitters& sketch, const Exact& exact, std::size_t capacity) {
  std::uint64_t total = 0;
  for (const auto& [key, count] : exact) {
    const HeavyHitter estimate = sketch.estimate(key);
    ASSERT_LE(estimate.count_min(), count) << key;
    ASSERT_GE(estimate.count, count) << key;
    ASSERT_LE(estimate.error, sketch.total() / capacity) << key;
    total += count;
  }
  ASSERT_EQ(sketch.total(), total);
  ASSERT_LE(sketch.least(), total / capacity);
}

// The rank of a key is about uniform in its logarithm, so that counts fall as 1 / rank.
std::string skewed_key(std::uint64_t& state) {
  const std::uint64_t top = std::uint64_t{1} << next(state) % 14;
  return fmt::format("key:{}", top + next(state) % top);
}

TEST(HeavyHitters, bounds_hold_at_every_moment_of_a_skewed_stream) {
  HeavyHitters sketch(64);
  Exact exact;
  std::uint64_t state = 1;

  for (int step = 1; step <= 40'000; ++step) {
    const std::string key = skewed_key(state);
    sketch.offer(key);
    ++exact[key];
    if (step % 2'000 == 0 || step < 20) {
      expect_bounds(sketch, exact, 64);
    }
  }
}

// The worst order: every new key throws out the one before, and the heavy one comes now and then.
TEST(HeavyHitters, bounds_hold_when_nearly_all_keys_are_different) {
  HeavyHitters sketch(10);
  Exact exact;

  for (int step = 0; step < 5'000; ++step) {
    const std::string key = step % 9 == 0 ? "heavy" : fmt::format("one:{}", step);
    sketch.offer(key);
    ++exact[key];
  }

  expect_bounds(sketch, exact, 10);
  EXPECT_GE(sketch.estimate("heavy").count, exact["heavy"]);
  EXPECT_THAT(sketch.surely_above(200), IsEmpty());
}

TEST(HeavyHitters, every_key_above_a_capacitys_share_has_a_counter) {
  HeavyHitters sketch(20);
  std::uint64_t state = 7;
  Exact exact;
  for (int step = 0; step < 30'000; ++step) {
    const std::string key = next(state) % 4 == 0 ? fmt::format("hot:{}", next(state) % 3) : skewed_key(state);
    sketch.offer(key);
    ++exact[key];
  }

  std::size_t heavy = 0;
  for (const auto& [key, count] : exact) {
    if (count > sketch.total() / 20) {
      EXPECT_LT(sketch.estimate(key).error, sketch.estimate(key).count) << key;
      EXPECT_GT(sketch.estimate(key).count, sketch.total() / 20) << key;
      ++heavy;
    }
  }
  EXPECT_GE(heavy, 3U);
}

TEST(HeavyHitters, keys_surely_above_a_share_are_exactly_the_hot_ones) {
  HeavyHitters sketch(100);
  std::uint64_t state = 3;
  for (int step = 0; step < 50'000; ++step) {
    const std::uint64_t die = next(state) % 100;
    sketch.offer(die < 20 ? "hottest" : die < 30 ? "hot" : fmt::format("cold:{}", next(state) % 20'000));
  }

  std::vector<std::string> found;
  for (const HeavyHitter& hitter : sketch.surely_above(50)) {
    found.push_back(hitter.key);
  }
  EXPECT_THAT(found, ElementsAre("hottest", "hot"));
}

// One counter for two keys that take turns: the bound is met exactly, a narrower one would be wrong.
TEST(HeavyHitters, the_bound_is_as_narrow_as_can_be) {
  HeavyHitters sketch(1);
  for (int step = 0; step < 100; ++step) {
    sketch.offer(step % 2 == 0 ? "a" : "b");
  }

  EXPECT_EQ(sketch.estimate("b"), (HeavyHitter{.key = "b", .count = 100, .error = 99}));
  EXPECT_EQ(sketch.estimate("a"), (HeavyHitter{.key = "a", .count = 100, .error = 100}));
  EXPECT_EQ(sketch.least(), 100U);
}

TEST(HeavyHitters, counts_are_exact_while_there_are_counters_left) {
  HeavyHitters sketch(3);
  sketch.offer("a", 5);
  sketch.offer("b");
  sketch.offer("a", 2);
  sketch.offer("c", 0);

  EXPECT_EQ(sketch.estimate("a"), (HeavyHitter{.key = "a", .count = 7, .error = 0}));
  EXPECT_EQ(sketch.estimate("c"), (HeavyHitter{.key = "c", .count = 0, .error = 0}));
  EXPECT_EQ(sketch.least(), 0U);
  EXPECT_EQ(sketch.total(), 8U);
}

}  // namespace
}  // namespace shardcheck::impl
