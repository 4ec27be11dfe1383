#include "histories/register_transactions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "histories/checker.h"
#include "histories/formats.h"
#include "histories/random_numbers.h"

namespace shardcheck::histories {
namespace {

std::string verdict_of(const std::string& text, const ReadOptions& options = {}) {
  const Result<History> history = parse_history(text, "h", options);
  return history ? std::string(name_of(check(*history).verdict)) : to_string(history.error());
}

std::string line(int process, const std::string& type, const std::string& steps) {
  return "{:process " + std::to_string(process) + ", :type :" + type + ", :f :txn, :value [" + steps + "]}\n";
}

TEST(RegisterTransactions, take_effect_as_a_whole) {
  const std::string writes = line(0, "invoke", "[:write :x 1] [:write :y 1]") +
                             line(1, "invoke", "[:read :x nil] [:read :y nil]") +
                             line(0, "ok", "[:write :x 1] [:write :y 1]");

  EXPECT_EQ(verdict_of(writes + line(1, "ok", "[:read :x 1] [:read :y 1]")), "linearizable");
  EXPECT_EQ(verdict_of(writes + line(1, "ok", "[:read :x 0] [:read :y 0]"), {.initial = "0"}), "linearizable");
  EXPECT_EQ(verdict_of(writes + line(1, "ok", "[:read :x 0] [:read :y 1]"), {.initial = "0"}), "not_linearizable");
  EXPECT_EQ(verdict_of(writes + line(1, "ok", "[:read :x 0] [:read :y nil]"), {.initial = "0"}), "linearizable");
}

TEST(RegisterTransactions, that_do_not_fit_together_are_refused) {
  const std::string invoked = line(0, "invoke", "[:write :x 1]");

  EXPECT_EQ(verdict_of(invoked + line(0, "ok", "[:write :x 2]")),
            "h:2: the answer is not to the transaction that was invoked in line 1");
  EXPECT_EQ(verdict_of(invoked + invoked), "h:2: process 0 invokes again, though its transaction has not returned");
  EXPECT_EQ(verdict_of(line(0, "ok", "[:write :x 1]")), "h:1: process 0 returns, though it has invoked nothing");
  EXPECT_EQ(verdict_of(line(0, "invoke", "[:write :x]")),
            "h:1: a step of a transaction is neither [:read key value] nor [:write key value]");
  EXPECT_EQ(verdict_of(invoked + "{:process 1, :type :invoke, :f :read, :value nil}"),
            "h:2: transactions and operations of single keys are mixed");
}

// Every order of every choice of those that may have happened.
bool is_possible_by_brute_force(const History& history) {
  std::vector<std::size_t> order(history.transactions.size());
  std::iota(order.begin(), order.end(), 0U);
  do {
    for (std::size_t count = 0; count <= order.size(); ++count) {
      std::vector<ValueId> values(3);
      bool is_right = true;
      for (std::size_t i = 0; i < order.size() && is_right; ++i) {
        const RegisterTransaction& one = history.transactions[order[i]];
        const bool is_taken = i < count;
        is_right = is_taken || one.outcome != OutcomeKind::ok;
        for (std::size_t j = i + 1; j < count && is_taken; ++j) {
          const RegisterTransaction& later = history.transactions[order[j]];
          is_right &= later.outcome != OutcomeKind::ok || later.returned_at >= one.invoked_at;
        }
        for (const RegisterStep& step : one.steps) {
          ValueId& value = values[static_cast<std::size_t>(history.values.number_of(step.key))];
          if (is_taken && step.is_write) {
            value = step.value;
          } else if (is_taken && step.is_known && one.outcome == OutcomeKind::ok) {
            is_right &= value == step.value;
          }
        }
      }
      if (is_right) {
        return true;
      }
    }
  } while (std::ranges::next_permutation(order).found);
  return false;
}

History random_history(RandomNumbers& random) {
  History history;
  for (std::int64_t i = 0; i < 5; ++i) {
    const std::int64_t start = i * 2 + static_cast<std::int64_t>(random.below(2));
    RegisterTransaction transaction{.process = history.values.number(i),
                                    .steps = {},
                                    .outcome = random.one_in(5) ? OutcomeKind::unknown : OutcomeKind::ok,
                                    .invoke_line = 1,
                                    .return_line = 1,
                                    .invoked_at = TrueTime{start},
                                    .returned_at = TrueTime{start + static_cast<std::int64_t>(random.below(6))}};
    for (std::uint64_t steps = 1 + random.below(2); steps > 0; --steps) {
      const ValueId key = history.values.number(static_cast<std::int64_t>(random.below(3)));
      const std::uint64_t value = random.below(3);
      const bool is_write = random.one_in(2);
      const ValueId id = value == 0 ? kAbsent : history.values.number(static_cast<std::int64_t>(value));
      transaction.steps.push_back({.key = key, .value = id, .is_write = is_write, .is_known = true});
    }
    history.transactions.push_back(std::move(transaction));
  }
  return history;
}

TEST(RegisterTransactions, are_judged_as_by_trying_every_order) {
  RandomNumbers random(5);
  int possible = 0;
  for (int i = 0; i < 3'000; ++i) {
    SCOPED_TRACE(i);
    const History history = random_history(random);
    const bool expected = is_possible_by_brute_force(history);
    ASSERT_EQ(name_of(judge_transactions(history, {}).verdict), expected ? "linearizable" : "not_linearizable");
    possible += expected ? 1 : 0;
  }
  EXPECT_GT(possible, 300);
  EXPECT_LT(possible, 2'700);
}

TEST(RegisterTransactions, are_undecided_when_the_budget_is_spent) {
  const std::string transaction = line(0, "invoke", "[:write :x 1]") + line(0, "ok", "[:write :x 1]");
  const Result<History> history = parse_history(transaction + transaction, "h");
  ASSERT_TRUE(history) << to_string(history.error());

  EXPECT_EQ(judge_transactions(*history, {.steps_max = 0}).verdict, Verdict::undecided);
}

}  // namespace
}  // namespace shardcheck::histories
