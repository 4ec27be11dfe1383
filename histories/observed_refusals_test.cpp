// Compare-and-sets that failed because they found another value: the checker against trying every order.
#include <gtest/gtest.h>

#include <string>

#include "histories/checker.h"
#include "histories/history_writer.h"
#include "histories/oracle.h"
#include "histories/random_history.h"

namespace shardcheck::histories {
namespace {

using enum OperationKind;

// The search alone, in windows of two operations and no attempt to do without.
const CheckOptions kCutEverywhere{
    .only_searches = true, .cutting = {.operations_in_one = 0, .steps_for_each_operation = 0, .window_operations = 1}};

TEST(ObservedRefusals, are_judged_as_by_trying_every_order) {
  const std::uint64_t histories = random_histories_wanted(20'000);
  Checker checker;
  HistoryBuilder builder;
  std::uint64_t linearizable = 0;

  for (std::uint64_t seed = 1; seed <= histories; ++seed) {
    RandomNumbers random(seed * 1'000'033);
    make_random_history(random,
                        {.kinds = {read, write, compare_and_set, compare_and_set, remove},
                         .values = seed % 3,
                         .pending_one_in = seed % 2 == 0 ? 8U : 3U,
                         .wrong_one_in = 4,
                         .observes_refusals = true},
                        builder);
    const bool expected = is_linearizable_by_brute_force(builder.history());
    const CheckReport report = checker.check(builder.history());
    if (report.verdict != (expected ? Verdict::linearizable : Verdict::not_linearizable)) {
      std::string text;
      write_json_lines(builder.history(), text);
      FAIL() << "checker: " << name_of(report.verdict) << ", oracle: " << expected << ", seed " << seed << "\n" << text;
    }
    ASSERT_EQ(checker.check(builder.history(), kCutEverywhere).verdict, report.verdict) << "when cut, seed " << seed;
    linearizable += expected ? 1 : 0;
  }

  EXPECT_GT(linearizable, histories / 10);
  EXPECT_LT(linearizable, histories * 19 / 20);
}

TEST(ObservedRefusals, contradict_when_the_expected_value_was_there_all_the_time) {
  HistoryBuilder builder;
  ValueTable& values = builder.values();
  const ValueId client = values.number(0);
  const ValueId key = values.string("k");
  builder.ok(TrueTime{2}, builder.invoke(TrueTime{1}, {client, key, write, values.number(1)}));
  const auto cas = builder.invoke(TrueTime{3}, {client, key, compare_and_set, values.number(2), values.number(1)});
  builder.refused(TrueTime{4}, cas, true);

  const CheckReport report = check(builder.history());

  EXPECT_EQ(report.verdict, Verdict::not_linearizable);
  ASSERT_TRUE(report.keys[0].explanation);
  EXPECT_EQ(report.keys[0].explanation->sentence,
            "the cas at line 4 did not find 1; no order of effects explains that together with these: 1 was written "
            "(line 2)");
}

}  // namespace
}  // namespace shardcheck::histories
