#include "spec/value.h"

#include <gtest/gtest.h>

#include <limits>

#include "spec/key_model.h"

namespace shardcheck {
namespace {

using Model = KeyModel<InlineValues>;

TEST(Value, prints_what_it_holds) {
  EXPECT_EQ(to_string(absent()), "nil");
  EXPECT_EQ(to_string(number(-7)), "-7");
  EXPECT_EQ(to_string(InlineValues::append(list_of_one(1), list_of_one(4))), "[1 4]");
}

TEST(KeyModel, write_then_read_returns_the_value) {
  const auto written = Model::apply({}, OperationKind::write, absent(), number(7), absent());
  const auto seen = Model::apply({}, OperationKind::read, written.after, absent(), absent());

  EXPECT_EQ(written.outcome, OutcomeKind::ok);
  EXPECT_EQ(seen.answer, number(7));
  EXPECT_EQ(seen.after, number(7));
}

TEST(KeyModel, delete_makes_the_key_absent) {
  const auto removed = Model::apply({}, OperationKind::remove, number(7), absent(), absent());

  EXPECT_EQ(removed.outcome, OutcomeKind::ok);
  EXPECT_EQ(removed.after, absent());
}

TEST(KeyModel, compare_and_set_takes_effect_only_on_the_expected_value) {
  const auto taken = Model::apply({}, OperationKind::compare_and_set, number(1), number(2), number(1));
  const auto refused = Model::apply({}, OperationKind::compare_and_set, number(3), number(2), number(1));

  EXPECT_EQ(taken.outcome, OutcomeKind::ok);
  EXPECT_EQ(taken.after, number(2));
  EXPECT_EQ(refused.outcome, OutcomeKind::refused);
  EXPECT_EQ(refused.after, number(3));
}

TEST(KeyModel, the_largest_number_is_not_incremented) {
  const Value largest = number(std::numeric_limits<std::int64_t>::max());
  const auto refused = Model::apply({}, OperationKind::increment, largest, absent(), absent());

  EXPECT_EQ(refused.outcome, OutcomeKind::refused);
  EXPECT_EQ(refused.after, largest);
}

TEST(KeyModel, increment_counts_an_absent_key_as_zero_and_refuses_a_list) {
  const auto first = Model::apply({}, OperationKind::increment, absent(), absent(), absent());
  const auto refused = Model::apply({}, OperationKind::increment, list_of_one(1), absent(), absent());

  EXPECT_EQ(first.answer, number(1));
  EXPECT_EQ(refused.outcome, OutcomeKind::refused);
  EXPECT_EQ(refused.after, list_of_one(1));
}

TEST(KeyModel, append_is_refused_by_a_full_list_and_changes_nothing) {
  Value list = list_of_one(0);
  for (std::uint16_t item = 1; item < Value::kListLengthMax; ++item) {
    list = Model::apply({}, OperationKind::append, list, list_of_one(item), absent()).after;
  }

  const auto refused = Model::apply({}, OperationKind::append, list, list_of_one(99), absent());

  EXPECT_EQ(list.list_length, Value::kListLengthMax);
  EXPECT_EQ(refused.outcome, OutcomeKind::refused);
  EXPECT_EQ(refused.after, list);
}

}  // namespace
}  // namespace shardcheck
