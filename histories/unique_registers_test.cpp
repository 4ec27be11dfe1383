#include "histories/unique_registers.h"

#include <gtest/gtest.h>

#include <string>

namespace shardcheck::histories {
namespace {

KeyOperation operation(OperationKind kind, std::int64_t value, Position invoked, Position returned) {
  KeyOperation made{.kind = kind, .invoked = invoked, .returned = returned};
  const ValueId id = value == 0 ? kAbsent : ValueTable::small_number(value);
  (kind == OperationKind::read ? made.observed : made.argument) = id;
  return made;
}
KeyOperation write(std::int64_t value, Position invoked, Position returned) {
  return operation(OperationKind::write, value, invoked, returned);
}
KeyOperation read(std::int64_t value, Position invoked, Position returned) {
  return operation(OperationKind::read, value, invoked, returned);
}

KeyOperation remove(Position invoked, Position returned) {
  return operation(OperationKind::remove, 0, invoked, returned);
}
KeyOperation compare_and_set(std::int64_t from, std::int64_t to, Position invoked, Position returned) {
  KeyOperation made = operation(OperationKind::compare_and_set, to, invoked, returned);
  made.expected = from == 0 ? kAbsent : ValueTable::small_number(from);
  return made;
}

std::optional<Verdict> verdict_of(std::vector<KeyOperation> operations) {
  const ValueTable values;
  const MaybeDecision decision =
      UniqueRegisters().decide({.key = kAbsent, .values = &values, .operations = std::move(operations)});
  return decision ? std::optional(decision->verdict) : std::nullopt;
}

TEST(UniqueRegisters, accept_zones_behind_one_another) {
  EXPECT_EQ(verdict_of({read(0, 0, 1), write(1, 2, 3), read(1, 4, 5), write(2, 6, 7), read(2, 8, 9)}),
            Verdict::linearizable);
}

TEST(UniqueRegisters, reject_overlapping_forward_zones) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), write(2, 2, 3), read(1, 4, 5), read(2, 6, 7)}), Verdict::not_linearizable);
}

TEST(UniqueRegisters, reject_a_write_within_the_zone_of_another_value) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)}), Verdict::not_linearizable);
}

TEST(UniqueRegisters, accept_a_write_that_reaches_out_of_the_zone_of_another_value) {
  EXPECT_EQ(verdict_of({write(2, 0, 3), write(1, 1, 2), read(1, 4, 5)}), Verdict::linearizable);
  EXPECT_EQ(verdict_of({write(1, 0, 1), write(2, 2, 5), read(1, 3, 4)}), Verdict::linearizable);
}

TEST(UniqueRegisters, reject_the_initial_absence_after_a_write) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), read(0, 2, 3)}), Verdict::not_linearizable);
  EXPECT_EQ(verdict_of({write(1, 0, 2), read(0, 1, 3)}), Verdict::linearizable);
}

TEST(UniqueRegisters, reject_values_from_nowhere_and_from_the_future) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), read(2, 2, 3)}), Verdict::not_linearizable);
  EXPECT_EQ(verdict_of({read(1, 0, 1), write(1, 2, 3)}), Verdict::not_linearizable);
}

TEST(UniqueRegisters, leave_other_histories_to_others) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), write(1, 2, 3)}), std::nullopt);
  EXPECT_EQ(verdict_of({write(1, 0, kNever)}), std::nullopt);
  EXPECT_EQ(verdict_of({compare_and_set(0, 1, 0, 1)}), std::nullopt);
  EXPECT_EQ(verdict_of({operation(OperationKind::append, 1, 0, 1)}), std::nullopt);
}

TEST(UniqueRegisters, accept_an_absence_that_a_delete_or_a_write_of_nothing_made) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), remove(2, 3), read(0, 4, 5)}), Verdict::linearizable);
  EXPECT_EQ(verdict_of({write(1, 0, 1), write(0, 2, 3), read(0, 4, 5)}), Verdict::linearizable);
  EXPECT_EQ(verdict_of({write(1, 0, 1), remove(2, kNever), read(0, 4, 5)}), Verdict::linearizable);
}

TEST(UniqueRegisters, reject_an_absence_behind_the_only_delete_and_a_write) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), remove(2, 3), write(2, 4, 5), read(0, 6, 7)}), Verdict::not_linearizable);
}

TEST(UniqueRegisters, reject_a_delete_or_an_absence_within_the_zone_of_a_value) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), remove(2, 3), read(1, 4, 5)}), Verdict::not_linearizable);
  EXPECT_EQ(verdict_of({remove(0, 10), write(1, 1, 2), read(0, 3, 4), read(1, 5, 6)}), Verdict::not_linearizable);
}

TEST(UniqueRegisters, take_one_delete_for_two_absences_only_where_no_value_must_stand_between) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), remove(2, kNever), read(0, 3, 4), write(2, 5, 8), read(0, 6, 7)}),
            Verdict::linearizable);
  EXPECT_EQ(verdict_of({write(1, 0, 1), remove(2, kNever), read(0, 3, 4), write(2, 5, 6), read(0, 7, 8)}),
            Verdict::not_linearizable);
  EXPECT_EQ(
      verdict_of({write(1, 0, 1), remove(2, kNever), read(0, 3, 4), remove(5, kNever), write(2, 6, 7), read(0, 8, 9)}),
      Verdict::linearizable);
}

TEST(UniqueRegisters, take_the_delete_that_returns_first) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), remove(2, 11), remove(3, 6), read(0, 4, 5), write(2, 7, 8), read(0, 9, 10)}),
            Verdict::linearizable);
}

TEST(UniqueRegisters, accept_compare_and_sets_in_a_chain) {
  EXPECT_EQ(verdict_of({compare_and_set(2, 3, 0, 6), compare_and_set(1, 2, 1, 5), write(1, 2, 3), read(3, 4, 7)}),
            Verdict::linearizable);
}

TEST(UniqueRegisters, reject_chains_that_branch_run_in_circles_or_begin_nowhere) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), compare_and_set(1, 2, 2, 3), compare_and_set(1, 3, 4, 5)}),
            Verdict::not_linearizable);
  EXPECT_EQ(verdict_of({compare_and_set(1, 2, 0, 2), compare_and_set(2, 1, 1, 3)}), Verdict::not_linearizable);
  EXPECT_EQ(verdict_of({compare_and_set(1, 2, 0, 1)}), Verdict::not_linearizable);
}

TEST(UniqueRegisters, reject_a_chain_against_the_order_of_time) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), compare_and_set(1, 2, 2, 3), read(1, 4, 5)}), Verdict::not_linearizable);
  EXPECT_EQ(verdict_of({write(1, 0, 1), compare_and_set(2, 3, 2, 3), compare_and_set(1, 2, 4, 5)}),
            Verdict::not_linearizable);
}

TEST(UniqueRegisters, reject_a_write_between_the_links_of_a_chain) {
  EXPECT_EQ(verdict_of({write(1, 0, 1), write(2, 2, 3), compare_and_set(1, 3, 4, 5)}), Verdict::not_linearizable);
}

}  // namespace
}  // namespace shardcheck::histories
