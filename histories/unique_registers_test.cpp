#include "histories/unique_registers.h"

#include <gtest/gtest.h>

#include <string>

#include "histories/checker.h"
#include "histories/oracle.h"
#include "histories/random_history.h"

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

std::optional<Verdict> verdict_of(std::vector<KeyOperation> operations) {
  const ValueTable values;
  return UniqueRegisters().decide({.key = kAbsent, .values = &values, .operations = std::move(operations)});
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
  EXPECT_EQ(verdict_of({operation(OperationKind::remove, 0, 0, 1)}), std::nullopt);
  EXPECT_EQ(verdict_of({write(0, 0, 1)}), std::nullopt);
}

TEST(UniqueRegisters, agree_with_the_search_on_longer_histories) {
  constexpr int kHistories = 5'000;
  Checker checker;
  HistoryBuilder builder;
  int linearizable = 0;

  for (int seed = 1; seed <= kHistories; ++seed) {
    SCOPED_TRACE(seed);
    RandomNumbers random(static_cast<std::uint64_t>(seed));
    make_random_history(random,
                        {.kinds = {OperationKind::read, OperationKind::write},
                         .operations_max = 60,
                         .clients = 6,
                         .values = 0,
                         .wrong_one_in = 40},
                        builder);
    const CheckReport fast = checker.check(builder.history(), {.explains = false});
    const CheckReport searched = checker.check(builder.history(), {.explains = false, .only_searches = true});
    ASSERT_EQ(fast.verdict, searched.verdict);
    EXPECT_NE(searched.keys[0].method, "zones");
    linearizable += fast.verdict == Verdict::linearizable ? 1 : 0;
  }

  EXPECT_GT(linearizable, kHistories / 10);
  EXPECT_LT(linearizable, kHistories * 9 / 10);
}

}  // namespace
}  // namespace shardcheck::histories
