#include "histories/model_search.h"

#include <gtest/gtest.h>

#include <string>

#include "histories/model_fixture.h"

namespace shardcheck::histories {
namespace {

using enum SmallOperation::Kind;

constexpr std::uint64_t kHistoriesOfEach = 50'000;

std::uint64_t returned_in(const SmallHistory& history, const std::vector<std::uint32_t>& order) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(order, [&](std::uint32_t index) { return history[index].returned_at.has_value(); }));
}

// The search with `model` against the oracle with `plain`, which gives the meaning. `is_exact`: the longest prefix is
// the longest there is.
template <SequentialModel Model, SequentialModel Plain>
void compare_with_oracle(Model model, Plain plain, const std::vector<SmallOperation::Kind>& kinds, bool is_exact) {
  RandomNumbers random(kinds.size());
  std::uint64_t linearizable = 0;
  for (std::uint64_t number = 0; number < kHistoriesOfEach; ++number) {
    const SmallHistory history = random_small_history(random, 6, kinds);
    const PermutationOracle oracle(plain, history);
    const ModelReport report = check(history, model);
    const PartitionVerdict& found = report.partitions.at(0);

    const Verdict expected = oracle.is_linearizable() ? Verdict::linearizable : Verdict::not_linearizable;
    ASSERT_EQ(report.verdict, expected) << "history " << number;
    ASSERT_TRUE(is_order_of_effects(plain, history, found.longest_prefix)) << "history " << number;
    if (is_exact || oracle.is_linearizable()) {
      ASSERT_EQ(returned_in(history, found.longest_prefix), oracle.most()) << "history " << number;
    }
    linearizable += oracle.is_linearizable() ? 1U : 0U;
  }
  EXPECT_GT(linearizable, kHistoriesOfEach / 10);
  EXPECT_LT(linearizable, kHistoriesOfEach * 9 / 10);
}

TEST(ModelSearch, register_with_compare_and_set_is_as_trying_every_order) {
  compare_with_oracle(RegisterModel{}, RegisterModel{}, {read, write, compare_and_set, read}, true);
}

TEST(ModelSearch, register_that_says_what_is_read_only_is_as_trying_every_order) {
  compare_with_oracle(HelpedRegisterModel{}, RegisterModel{}, {read, write, compare_and_set, read}, true);
}

TEST(ModelSearch, queue_is_as_trying_every_order) {
  compare_with_oracle(QueueModel{}, QueueModel{}, {enqueue, dequeue}, true);
}

TEST(ModelSearch, lossy_set_with_an_arbitrary_pop_is_as_trying_every_order) {
  compare_with_oracle(LossySetModel{}, LossySetModel{}, {add, pop, pop}, true);
}

TEST(ModelSearch, states_that_all_hash_alike_are_told_apart) {
  compare_with_oracle(LossySetModel{.hash_mask = 0}, LossySetModel{}, {add, pop, pop}, true);
}

TEST(ModelSearch, two_registers_as_one_state_are_as_trying_every_order) {
  compare_with_oracle(TwoRegistersModel{}, TwoRegistersModel{}, {read, write, compare_and_set, read}, true);
}

TEST(ModelSearch, registers_that_say_what_commutes_are_as_trying_every_order) {
  compare_with_oracle(CommutingRegistersModel{}, TwoRegistersModel{}, {read, write, compare_and_set, read}, false);
}

TEST(ModelSearch, partitions_are_judged_as_the_whole_is) {
  RandomNumbers random(17);
  for (std::uint64_t number = 0; number < kHistoriesOfEach; ++number) {
    const SmallHistory history = random_small_history(random, 12, {read, write, compare_and_set});
    const Verdict whole = check(history, TwoRegistersModel{}).verdict;

    ASSERT_EQ(check(history, CommutingRegistersModel{}).verdict, whole) << "history " << number;
    ASSERT_EQ(check(history, PartitionedRegistersModel{}).verdict, whole) << "history " << number;
    ASSERT_EQ(check(history, PartitionedRegistersModel{}, {.judges_all = true}).verdict, whole) << "history " << number;
  }
}

TEST(ModelSearch, dequeue_of_the_second_is_rejected_with_the_longest_prefix) {
  const SmallHistory history{
      {.process = 1, .invoked_at = TrueTime{10}, .returned_at = TrueTime{20}, .operation = {enqueue, 0, 7}},
      {.process = 1, .invoked_at = TrueTime{30}, .returned_at = TrueTime{40}, .operation = {enqueue, 0, 8}},
      {.process = 2, .invoked_at = TrueTime{50}, .returned_at = TrueTime{60}, .operation = {dequeue, 0, 0, 0, 8}}};
  const ModelReport report = check(history, QueueModel{});

  EXPECT_EQ(report.verdict, Verdict::not_linearizable);
  EXPECT_EQ(report.partitions[0].longest_prefix, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(report.partitions[0].operations, 3U);
}

TEST(ModelSearch, dequeue_of_the_second_is_accepted_where_the_two_touch_in_time) {
  const SmallHistory history{
      {.process = 1, .invoked_at = TrueTime{10}, .returned_at = TrueTime{20}, .operation = {enqueue, 0, 7}},
      {.process = 1, .invoked_at = TrueTime{20}, .returned_at = TrueTime{40}, .operation = {enqueue, 0, 8}},
      {.process = 2, .invoked_at = TrueTime{50}, .returned_at = TrueTime{60}, .operation = {dequeue, 0, 0, 0, 8}}};
  const ModelReport report = check(history, QueueModel{});

  EXPECT_EQ(report.verdict, Verdict::linearizable);
  EXPECT_EQ(report.partitions[0].longest_prefix, (std::vector<std::uint32_t>{1, 0, 2}));
}

TEST(ModelSearch, what_never_returned_may_explain_an_answer_and_need_not_happen) {
  const SmallHistory history{
      {.process = 1, .invoked_at = TrueTime{10}, .returned_at = {}, .operation = {enqueue, 0, 7}},
      {.process = 2, .invoked_at = TrueTime{10}, .returned_at = {}, .operation = {enqueue, 0, 8}},
      {.process = 3, .invoked_at = TrueTime{50}, .returned_at = TrueTime{60}, .operation = {dequeue, 0, 0, 0, 8}}};
  const ModelReport report = check(history, QueueModel{});

  EXPECT_EQ(report.verdict, Verdict::linearizable);
  EXPECT_EQ(report.partitions[0].longest_prefix, (std::vector<std::uint32_t>{1, 2}));
}

TEST(ModelSearch, nothing_at_all_is_linearizable) {
  EXPECT_EQ(check(SmallHistory{}, QueueModel{}).verdict, Verdict::linearizable);
  EXPECT_EQ(check(SmallHistory{}, PartitionedRegistersModel{}).verdict, Verdict::linearizable);
}

}  // namespace
}  // namespace shardcheck::histories
