#include "impl/placement/hot_keys.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "impl/placement/heavy_hitters.h"
#include "impl/placement/ring.h"

namespace shardcheck::impl {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(HotKeys, a_key_that_is_not_spread_is_written_and_read_as_itself) {
  const HotKeys hot;

  EXPECT_THAT(hot.keys_to_write("user:1", 77), ElementsAre("user:1"));
  EXPECT_THAT(hot.keys_to_read("user:1", 77), ElementsAre("user:1"));
  EXPECT_EQ(hot.parts_of("user:1"), 1U);
}

TEST(HotKeys, reads_of_a_salted_key_ask_every_part_that_was_written_whenever_it_was) {
  HotKeys hot;
  std::set<std::string> written{"likes"};  // before it was hot
  for (const std::uint32_t parts : {2U, 5U, 16U}) {
    ASSERT_TRUE(hot.salt("likes", parts).has_value());
    for (std::uint64_t token = 0; token < 100; ++token) {
      const std::vector<std::string> keys = hot.keys_to_write("likes", token);
      ASSERT_EQ(keys.size(), 1U);
      written.insert(keys[0]);
    }

    const std::vector<std::string> read = hot.keys_to_read("likes", 3);
    EXPECT_EQ(read.size(), parts);
    EXPECT_EQ(std::set<std::string>(read.begin(), read.end()), written) << parts;
  }
}

TEST(HotKeys, reads_of_a_copied_key_ask_one_that_every_write_goes_to) {
  HotKeys hot;
  ASSERT_TRUE(hot.copy("front page", 7).has_value());

  std::set<std::string> asked;
  for (std::uint64_t token = 0; token < 100; ++token) {
    const std::vector<std::string> read = hot.keys_to_read("front page", token);
    ASSERT_EQ(read.size(), 1U);
    EXPECT_THAT(hot.keys_to_write("front page", token * 31), Contains(read[0]));
    asked.insert(read[0]);
  }
  EXPECT_EQ(asked.size(), 7U);
  EXPECT_EQ(hot.keys_to_write("front page", 0)[0], "front page");
}

TEST(HotKeys, parts_of_different_keys_are_different) {
  const std::string zero(1, '\0');
  std::set<std::string> parts;
  std::size_t count = 0;
  for (const std::string& key : {std::string("a"), std::string("a#1"), std::string("a1"), std::string("1"),
                                 std::string("11"), "a" + zero, "a" + zero + "\1" + "1"}) {
    for (std::uint32_t part = 0; part < 20; ++part) {
      parts.insert(HotKeys::part_key(key, part));
      ++count;
    }
  }

  EXPECT_EQ(parts.size(), count);
}

TEST(HotKeys, a_spread_that_would_lose_sight_of_data_is_refused_and_changes_nothing) {
  HotKeys hot;
  EXPECT_FALSE(hot.salt("likes", 1).has_value());
  EXPECT_FALSE(hot.salt("likes", kHotKeyPartsMax + 1).has_value());
  EXPECT_FALSE(hot.copy(std::string(1, '\0') + "x", 4).has_value());
  EXPECT_FALSE(hot.settle("likes").has_value());
  ASSERT_TRUE(hot.salt("likes", 8).has_value());

  EXPECT_FALSE(hot.salt("likes", 4).has_value());
  EXPECT_FALSE(hot.copy("likes", 16).has_value());
  EXPECT_EQ(hot.parts_of("likes"), 8U);

  ASSERT_TRUE(hot.settle("likes").has_value());
  EXPECT_THAT(hot.keys_to_read("likes", 1), ElementsAre("likes"));
  EXPECT_TRUE(hot.copy("likes", 4).has_value());
}

int heaviest_load(const Ring& ring, const HotKeys& hot, const std::vector<std::string>& writes) {
  std::map<std::string_view, int> loads;
  std::uint64_t token = 0;
  for (const std::string& key : writes) {
    for (const std::string& written : hot.keys_to_write(key, ++token)) {
      ++loads[ring.owner(written).value()];
    }
  }
  return std::ranges::max_element(loads, {}, [](const auto& load) { return load.second; })->second;
}

// Half of all writes are to one key: the sketch finds it, salting spreads it, and the heaviest member comes down to
// little more than its share.
TEST(HotKeys, the_sketch_finds_the_hot_key_and_salting_takes_it_off_one_member) {
  Ring ring({.parameters = {.virtual_nodes = 1'000}});
  for (int number = 0; number < 8; ++number) {
    ASSERT_TRUE(ring.add({.name = fmt::format("node-{}", number)}));
  }
  std::vector<std::string> writes;
  HeavyHitters sketch(200);
  for (int number = 0; number < 8'000; ++number) {
    writes.push_back(number % 2 == 0 ? "likes:1" : fmt::format("likes:{}", number));
    sketch.offer(writes.back());
  }
  HotKeys hot;
  const int before = heaviest_load(ring, hot, writes);

  for (const HeavyHitter& hitter : sketch.surely_above(20)) {
    ASSERT_TRUE(hot.salt(hitter.key, 256).has_value());
  }

  EXPECT_EQ(hot.parts_of("likes:1"), 256U);
  EXPECT_EQ(hot.parts_of("likes:3"), 1U);
  EXPECT_GT(before, 4'000);
  EXPECT_LT(heaviest_load(ring, hot, writes), 1'500);
}

}  // namespace
}  // namespace shardcheck::impl
