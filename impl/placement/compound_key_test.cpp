#include "impl/placement/compound_key.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "impl/placement/ring.h"

namespace shardcheck::impl {
namespace {

using namespace std::string_literals;

// Parts that trip a naive encoding: empty, zero bytes, the marks themselves, one the beginning of another, bytes above
// 7F.
const std::array kParts{""s,   "a"s,  "a\0"s,  "a\0\1"s, "a\0\xff"s, "ab"s,
                        "\0"s, "\1"s, "\xff"s, "a/b"s,   "b"s,       "\xff\xff"s};

std::vector<CompoundKey> many_keys() {
  std::vector<CompoundKey> keys;
  for (const std::string& partition : kParts) {
    keys.push_back({.partition = partition});
    for (const std::string& first : kParts) {
      keys.push_back({.partition = partition, .order = {first}});
      for (const std::string& second : kParts) {
        keys.push_back({.partition = partition, .order = {first, second}});
      }
    }
  }
  return keys;
}

TEST(CompoundKey, written_keys_are_read_back) {
  for (const CompoundKey& key : many_keys()) {
    ASSERT_EQ(compound_key_from(to_bytes(key)).value(), key);
  }
}

TEST(CompoundKey, written_keys_are_in_the_order_of_their_parts_and_all_different) {
  std::vector<CompoundKey> keys = many_keys();
  std::ranges::sort(keys);

  for (std::size_t index = 1; index < keys.size(); ++index) {
    ASSERT_LT(to_bytes(keys[index - 1]), to_bytes(keys[index])) << index;
  }
}

TEST(CompoundKey, joining_parts_would_make_one_key_of_two) {
  EXPECT_NE(to_bytes({.partition = "a", .order = {"b/c"}}), to_bytes({.partition = "a/b", .order = {"c"}}));
}

TEST(CompoundKey, all_keys_of_one_partition_have_one_owner_and_partitions_have_many) {
  Ring ring({.parameters = {.virtual_nodes = 100}});
  for (const std::string name : {"A", "B", "C", "D"}) {
    ASSERT_TRUE(ring.add({.name = name}));
  }

  std::set<std::string_view> owners;
  for (int user = 0; user < 50; ++user) {
    std::set<std::string_view> owners_of_user;
    for (const std::string& part : kParts) {
      const std::string bytes = to_bytes({.partition = fmt::format("user:{}", user), .order = {part, part}});
      owners_of_user.insert(owner_of_compound(ring, bytes).value());
    }
    EXPECT_EQ(owners_of_user.size(), 1U) << user;
    owners.merge(owners_of_user);
  }
  EXPECT_EQ(owners.size(), 4U);
}

TEST(CompoundKey, a_range_holds_the_keys_that_begin_with_it_and_no_others) {
  const std::vector<CompoundKey> keys = many_keys();
  for (const CompoundKey& beginning : keys) {
    const CompoundRange range = range_of(beginning);
    for (const CompoundKey& key : keys) {
      const bool begins = key.partition == beginning.partition && key.order.size() >= beginning.order.size() &&
                          std::equal(beginning.order.begin(), beginning.order.end(), key.order.begin());
      const std::string bytes = to_bytes(key);
      ASSERT_EQ(bytes >= range.first && bytes < range.end, begins);
    }
  }
}

TEST(CompoundKey, what_was_not_written_so_is_an_error_with_its_place) {
  EXPECT_EQ(to_string(compound_key_from("a"s).error()), "byte 1: the last part has no end");
  EXPECT_EQ(to_string(compound_key_from(""s).error()), "byte 0: the last part has no end");
  EXPECT_EQ(to_string(compound_key_from("a\0"s).error()), "byte 1: a zero byte is followed by neither 01 nor FF");
  EXPECT_EQ(to_string(compound_key_from("a\0\2"s).error()), "byte 1: a zero byte is followed by neither 01 nor FF");
  EXPECT_EQ(placed_by("a"), "a");
}

}  // namespace
}  // namespace shardcheck::impl
