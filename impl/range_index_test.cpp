#include "impl/range_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace shardcheck::impl {
namespace {

using namespace std::string_literals;

// What a range index must say, by the means of the standard library.
class MapOfRanges {
 public:
  explicit MapOfRanges(const std::vector<std::string>& starts) {
    for (const std::string& start : starts) {
      range_of_start_.emplace(start, static_cast<std::uint32_t>(range_of_start_.size()));
    }
  }
  std::uint32_t range_of(const std::string& key) const { return std::prev(range_of_start_.upper_bound(key))->second; }

 private:
  std::map<std::string, std::uint32_t> range_of_start_;
};

RangeIndex index_of(const std::vector<std::string>& starts) {
  const std::vector<std::string_view> views(starts.begin(), starts.end());
  return RangeIndex(views);
}

// Of few letters, among them the least and the greatest byte, behind a beginning that many share: strings that are
// equal in their first eight bytes, prefixes of one another, or differ by zero bytes at the end only are common.
rc::Gen<std::string> any_key() {
  const auto beginning =
      rc::gen::element(""s, ""s, "user:"s, "user:0000"s, "tenant-with-a-long-name/"s, "\0\0"s, "\xff\xff\xff\xff"s);
  const auto rest = rc::gen::container<std::string>(rc::gen::element('\0', '\xff', 'a', 'b', '\x7f', '\x80'));
  return rc::gen::map(rc::gen::pair(beginning, rest), [](const auto& parts) { return parts.first + parts.second; });
}

// All behind one beginning in a third of the cases, which is then left out of the comparison.
std::vector<std::string> any_starts() {
  const auto common = *rc::gen::element(""s, ""s, "common/beginning/"s);
  std::vector<std::string> starts{""};
  for (const std::string& key : *rc::gen::container<std::vector<std::string>>(any_key())) {
    starts.push_back(common + key);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

RC_GTEST_PROP(RangeIndex, it_answers_like_a_map_of_the_boundaries, ()) {
  const std::vector<std::string> starts = any_starts();
  std::vector<std::string> keys = *rc::gen::container<std::vector<std::string>>(any_key());
  for (const std::string& start : starts) {
    keys.push_back(start);
    keys.push_back(start + '\0');
    keys.push_back(start.substr(0, start.size() / 2));
    keys.push_back(start + "a");
  }
  const MapOfRanges expected(starts);

  const RangeIndex index = index_of(starts);

  RC_ASSERT(index.size() == starts.size());
  const std::vector<std::string_view> asked(keys.begin(), keys.end());
  std::vector<std::uint32_t> batched(asked.size());
  index.ranges_of(asked, batched);
  for (std::size_t number = 0; number < keys.size(); ++number) {
    RC_ASSERT(index.range_of(asked[number]) == expected.range_of(keys[number]));
    RC_ASSERT(batched[number] == expected.range_of(keys[number]));
  }
}

TEST(RangeIndex, one_range_has_every_key) {
  const RangeIndex index = index_of({""});

  EXPECT_EQ(index.range_of(""), 0U);
  EXPECT_EQ(index.range_of("anything"), 0U);
}

TEST(RangeIndex, a_boundary_belongs_to_the_range_that_it_starts) {
  const RangeIndex index = index_of({"", "user:1", "user:2"});

  EXPECT_EQ(index.range_of("user:0999"), 0U);
  EXPECT_EQ(index.range_of("user:1"), 1U);
  EXPECT_EQ(index.range_of("user:1999"), 1U);
  EXPECT_EQ(index.range_of("user:2"), 2U);
  EXPECT_EQ(index.range_of("user"), 0U);
  EXPECT_EQ(index.range_of("v"), 2U);
}

TEST(RangeIndex, zero_bytes_at_the_end_count) {
  const RangeIndex index = index_of({"", "a", "a\0"s, "a\0\0\0\0\0\0\0\0"s});

  EXPECT_EQ(index.range_of("a"), 1U);
  EXPECT_EQ(index.range_of("a\0"s), 2U);
  EXPECT_EQ(index.range_of("a\0\0\0\0\0\0\0"s), 2U);
  EXPECT_EQ(index.range_of("a\0\0\0\0\0\0\0\0"s), 3U);
}

}  // namespace
}  // namespace shardcheck::impl
