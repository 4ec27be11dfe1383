#include "histories/value_table.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "histories/search_values.h"

namespace shardcheck::histories {
namespace {

TEST(ValueTable, gives_equal_values_equal_ids_and_others_others) {
  ValueTable values;
  const ValueId text = values.string("1");
  const ValueId item = values.number(1);
  const std::array<ValueId, 1> items{item};

  EXPECT_EQ(values.string("1"), text);
  EXPECT_EQ(values.list(items), values.list(items));
  EXPECT_NE(text, item);
  EXPECT_NE(values.list(items), item);
  EXPECT_NE(values.string(""), kAbsent);
  EXPECT_NE(values.string(""), values.list({}));
  EXPECT_NE(values.number(0), kAbsent);
}

TEST(ValueTable, keeps_numbers_of_all_sizes) {
  ValueTable values;
  for (const std::int64_t n :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{0x7fffffff}, std::int64_t{0x80000000},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    SCOPED_TRACE(n);
    const ValueId id = values.number(n);
    EXPECT_EQ(values.kind(id), StoredKind::number);
    EXPECT_EQ(values.number_of(id), n);
    EXPECT_EQ(values.number(n), id);
    EXPECT_EQ(values.find_number(n), id);
  }
  EXPECT_EQ(values.find_number(-7), std::nullopt);
}

TEST(ValueTable, keeps_ids_while_it_grows_and_forgets_them_when_cleared) {
  ValueTable values;
  for (int i = 0; i < 10'000; ++i) {
    values.string("value " + std::to_string(i));
  }
  const std::uint32_t size = values.size();

  EXPECT_EQ(values.string("value 4711"), values.string("value 4711"));
  EXPECT_EQ(values.size(), size);
  EXPECT_EQ(values.string_of(values.string("value 4711")), "value 4711");
  values.clear();
  EXPECT_EQ(values.size(), 1U);
}

TEST(ValueTable, prints_json) {
  ValueTable values;
  const std::array<ValueId, 3> items{kAbsent, values.number(-5), values.string("a\"\\\n")};

  EXPECT_EQ(values.to_text(values.list(items)), R"([null,-5,"a\"\\\u000a"])");
}

TEST(ValueTable, hashes_a_sequence_as_its_parts_together) {
  for (const std::string text : {"", "a", "abcd", "abcdefghijk", "\x00\xff"}) {
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      SCOPED_TRACE(text + " cut at " + std::to_string(cut));
      const SequenceHash left = hash_of_bytes(text.substr(0, cut));
      const SequenceHash right = hash_of_bytes(text.substr(cut));
      EXPECT_EQ(left.followed_by(right, text.size() - cut), hash_of_bytes(text));
    }
  }
  EXPECT_NE(hash_of_bytes("ab"), hash_of_bytes("ba"));
}

TEST(SearchValues, find_a_concatenation_among_the_values_read) {
  ValueTable base;
  const ValueId a = base.string("1.");
  const ValueId b = base.string("2.");
  const ValueId whole = base.string("1.2.1.");
  SearchValues values;
  values.reset(base);

  EXPECT_EQ(values.append(kAbsent, a), a);
  const ValueId ab = values.append(a, b);
  EXPECT_GE(ab.value, base.size());
  EXPECT_EQ(values.append(ab, a), whole);
  EXPECT_EQ(values.append(a, b), ab);
  EXPECT_NE(values.append(b, a), ab);
}

TEST(SearchValues, take_pieces_cut_differently_for_the_same_content) {
  ValueTable base;
  const ValueId x = base.string("x");
  const ValueId xx = base.string("xx");
  const ValueId xxx = base.string("xxx");
  SearchValues values;
  values.reset(base);

  const ValueId five = values.append(values.append(xx, xx), x);

  EXPECT_EQ(values.append(xxx, xx), five);
  EXPECT_EQ(values.append(xx, xxx), five);
  EXPECT_NE(values.append(five, x), five);
  EXPECT_EQ(values.length_of(five), 5U);
}

TEST(SearchValues, increment_beyond_the_small_numbers) {
  ValueTable base;
  const ValueId large = base.number(0x7fffffff);
  const ValueId largest = base.number(std::numeric_limits<std::int64_t>::max());
  SearchValues values;
  values.reset(base);

  EXPECT_EQ(values.increment(kAbsent), ValueTable::small_number(1));
  EXPECT_EQ(values.increment(large), values.increment(large));
  EXPECT_NE(values.increment(large), large);
  EXPECT_NE(values.increment(values.increment(large)), values.increment(large));
  EXPECT_FALSE(values.can_increment(largest));
  EXPECT_FALSE(values.can_append(large, large));
}

}  // namespace
}  // namespace shardcheck::histories
