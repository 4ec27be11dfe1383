// Limits, threads, and histories that are too large for an oracle.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "histories/model_fixture.h"
#include "histories/model_search.h"

namespace shardcheck::histories {
namespace {

using enum SmallOperation::Kind;

// Sixteen enqueues at once, then one dequeue that nothing explains: every order has to be refuted.
SmallHistory hard_history(std::uint32_t keys) {
  SmallHistory history;
  for (std::uint32_t key = 0; key < keys; ++key) {
    for (std::uint32_t i = 1; i <= 16; ++i) {
      history.push_back({.process = i,
                         .invoked_at = TrueTime{1},
                         .returned_at = TrueTime{9},
                         .operation = {.kind = enqueue, .key = key, .argument = i}});
    }
    history.push_back({.process = 1,
                       .invoked_at = TrueTime{10},
                       .returned_at = TrueTime{11},
                       .operation = {.kind = dequeue, .key = key, .answer = 99}});
  }
  return history;
}

struct ManyQueuesModel : QueueModel {
  std::uint32_t partition(const SmallOperation& operation) const { return operation.key; }
};

void expect_short(const ModelReport& report, Shortage shortage) {
  EXPECT_EQ(report.verdict, Verdict::undecided);
  EXPECT_EQ(report.partitions.at(0).verdict, Verdict::undecided);
  EXPECT_EQ(report.partitions.at(0).shortage, shortage) << name_of(report.partitions.at(0).shortage);
  EXPECT_EQ(report.partitions.at(0).longest_prefix.size(), 16U);
}

TEST(ModelLimits, steps_that_run_out_leave_it_undecided) {
  const ModelReport report = check(hard_history(1), QueueModel{}, {.steps_max = 10'000});

  expect_short(report, Shortage::steps);
  EXPECT_LE(report.steps(), 10'001U);
}

TEST(ModelLimits, memory_that_runs_out_leaves_it_undecided) {
  const ModelReport report = check(hard_history(1), QueueModel{}, {.memory_bytes_max = 4'000'000});

  expect_short(report, Shortage::memory);
  EXPECT_LE(report.partitions[0].memory_bytes, 8'000'000U);
}

TEST(ModelLimits, time_that_runs_out_leaves_it_undecided) {
  std::uint64_t looks = 0;
  const ModelReport report = check(hard_history(1), QueueModel{}, {.is_out_of_time = [&] { return ++looks > 100; }});

  expect_short(report, Shortage::time);
}

TEST(ModelLimits, a_decided_partition_stays_decided) {
  SmallHistory history = hard_history(1);
  history.insert(history.begin(), {.process = 1,
                                   .invoked_at = TrueTime{1},
                                   .returned_at = TrueTime{2},
                                   .operation = {.kind = enqueue, .key = 5, .argument = 1}});
  const ModelReport report = check(history, ManyQueuesModel{}, {.steps_max = 10'000});

  EXPECT_EQ(report.verdict, Verdict::undecided);
  ASSERT_EQ(report.partitions.size(), 2U);
  EXPECT_EQ(report.partitions[0].verdict, Verdict::linearizable);
  EXPECT_EQ(report.partitions[1].verdict, Verdict::undecided);
}

TEST(ModelLimits, threads_change_nothing_in_the_report) {
  RandomNumbers random(3);
  for (int number = 0; number < 200; ++number) {
    SmallHistory history = random_small_history(random, 200, {read, write, compare_and_set});
    for (Timed<SmallOperation>& timed : history) {
      timed.operation.key = static_cast<std::uint32_t>(random.below(20));
    }
    for (const bool all : {false, true}) {
      const ModelReport one = check(history, PartitionedRegistersModel{}, {.judges_all = all});
      const ModelReport four = check(history, PartitionedRegistersModel{}, {.threads = 4, .judges_all = all});

      ASSERT_EQ(one.verdict, four.verdict) << "history " << number;
      ASSERT_EQ(one.steps(), four.steps()) << "history " << number;
      ASSERT_EQ(one.partitions.size(), four.partitions.size()) << "history " << number;
    }
  }
}

TEST(ModelLimits, partitions_behind_the_first_violated_one_are_left_out_unless_asked_for) {
  SmallHistory history;
  for (std::uint32_t key = 0; key < 3; ++key) {
    history.push_back({.process = 1,
                       .invoked_at = TrueTime{1},
                       .returned_at = TrueTime{2},
                       .operation = {.kind = read, .key = key, .answer = key == 1 ? 9U : 0U}});
  }

  const ModelReport first = check(history, PartitionedRegistersModel{});
  ASSERT_EQ(first.partitions.size(), 2U);
  EXPECT_EQ(first.partitions[1].first_operation, 1U);
  const ModelReport all = check(history, PartitionedRegistersModel{}, {.judges_all = true});
  ASSERT_EQ(all.partitions.size(), 3U);
  EXPECT_EQ(all.partitions[1].verdict, Verdict::not_linearizable);
  EXPECT_EQ(all.partitions[2].verdict, Verdict::linearizable);
}

TEST(ModelLimits, a_violation_that_is_easy_is_not_waited_for_behind_a_hard_partition) {
  SmallHistory history = hard_history(2);
  history.push_back({.process = 1,
                     .invoked_at = TrueTime{1},
                     .returned_at = TrueTime{2},
                     .operation = {.kind = dequeue, .key = 7, .answer = 5}});
  const ModelReport report = check(history, ManyQueuesModel{}, {.threads = 2});

  EXPECT_EQ(report.verdict, Verdict::not_linearizable);
  ASSERT_EQ(report.partitions.size(), 1U);
  EXPECT_EQ(report.partitions[0].first_operation, 34U);
}

struct ThrowingModel : PartitionedRegistersModel {
  void step(State state, const SmallOperation& operation, Answer answer, auto emit) const {
    if (operation.key == 1) {
      throw std::runtime_error("the model of key 1");
    }
    RegisterModel::step(state, operation, answer, emit);
  }
};

TEST(ModelLimits, what_a_model_throws_arrives_at_the_caller) {
  SmallHistory history;
  for (std::uint32_t key = 0; key < 3; ++key) {
    history.push_back({.process = 1,
                       .invoked_at = TrueTime{1},
                       .returned_at = TrueTime{2},
                       .operation = {.kind = write, .key = key, .argument = 1}});
  }

  EXPECT_THROW(check(history, ThrowingModel{}), std::runtime_error);
  EXPECT_THROW(check(history, ThrowingModel{}, {.threads = 3}), std::runtime_error);
}

TEST(ModelLimits, a_long_history_of_a_queue_takes_steps_in_proportion) {
  SmallHistory history;
  for (std::uint32_t i = 1; i <= 50'000; ++i) {
    const std::int64_t at = 10 * std::int64_t{i};
    history.push_back({.process = 1,
                       .invoked_at = TrueTime{at},
                       .returned_at = TrueTime{at + 12},
                       .operation = {.kind = enqueue, .argument = i}});
    history.push_back({.process = 2,
                       .invoked_at = TrueTime{at + 1},
                       .returned_at = TrueTime{at + 15},
                       .operation = {.kind = dequeue, .answer = i}});
  }
  const ModelReport report = check(history, QueueModel{});

  EXPECT_EQ(report.verdict, Verdict::linearizable);
  EXPECT_LE(report.steps(), 4 * history.size());
}

TEST(ModelLimits, many_equal_pending_operations_are_not_tried_in_all_orders) {
  SmallHistory history;
  for (std::uint32_t i = 0; i < 200; ++i) {
    history.push_back(
        {.process = i, .invoked_at = TrueTime{1}, .returned_at = {}, .operation = {.kind = enqueue, .argument = 1}});
  }
  history.push_back({.process = 300,
                     .invoked_at = TrueTime{2},
                     .returned_at = TrueTime{3},
                     .operation = {.kind = dequeue, .answer = 2}});

  const ModelReport report = check(history, QueueModel{});

  EXPECT_EQ(report.verdict, Verdict::not_linearizable);
  EXPECT_LE(report.steps(), 1'000U);
}

}  // namespace
}  // namespace shardcheck::histories
