// What a checker does when there is too little of something, and in which order it judges keys.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "histories/checker.h"
#include "histories/random_history.h"
#include "histories/story_fixture.h"

namespace shardcheck::histories {
namespace {

// Compare-and-sets in a circle leave the search much to try.
void add_hard_key(HistoryBuilder& builder, std::int64_t key) {
  RandomNumbers random(1);
  ValueTable& values = builder.values();
  std::vector<std::uint32_t> calls;
  for (int i = 0; i < 24; ++i) {
    calls.push_back(builder.invoke(TrueTime{key * 1'000 + i},
                                   {.process = values.number(key * 100 + i),
                                    .key = values.number(key),
                                    .kind = i < 2 ? OperationKind::write : OperationKind::compare_and_set,
                                    .argument = values.number(static_cast<std::int64_t>(random.below(5))),
                                    .expected = values.number(static_cast<std::int64_t>(random.below(5)))}));
  }
  for (const std::uint32_t call : calls) {
    builder.ok(TrueTime{key * 1'000 + 100 + static_cast<std::int64_t>(call)}, call);
  }
}

void add_key_with_one_read(HistoryBuilder& builder, std::int64_t key, ValueId observed) {
  ValueTable& values = builder.values();
  const std::uint32_t read = builder.invoke(
      TrueTime{key * 1'000}, {.process = values.number(key), .key = values.number(key), .kind = OperationKind::read});
  builder.ok(TrueTime{key * 1'000 + 1}, read, observed);
}

TEST(CheckerLimits, finds_a_violation_that_is_easy_before_it_searches_a_key_that_is_hard) {
  HistoryBuilder builder;
  add_hard_key(builder, 0);
  add_key_with_one_read(builder, 1, kAbsent);
  add_key_with_one_read(builder, 2, builder.values().number(9));
  add_key_with_one_read(builder, 3, kAbsent);

  const CheckReport report = check(builder.history(), {.stops_at_first_violation = true});

  EXPECT_EQ(report.verdict, Verdict::not_linearizable);
  ASSERT_EQ(report.keys.size(), 2U);
  EXPECT_EQ(report.keys[0].number, 1U);
  EXPECT_EQ(report.keys[0].verdict, Verdict::linearizable);
  EXPECT_EQ(report.keys[1].number, 2U);
  EXPECT_EQ(report.keys[1].verdict, Verdict::not_linearizable);
  EXPECT_TRUE(report.keys[1].explanation);
}

TEST(CheckerLimits, decides_easy_keys_before_time_runs_out_in_a_hard_one) {
  HistoryBuilder builder;
  add_hard_key(builder, 0);
  add_key_with_one_read(builder, 1, kAbsent);
  int looks = 0;

  const CheckReport report = check(builder.history(), {.is_out_of_time = [&looks] { return ++looks > 5; }});

  ASSERT_EQ(report.keys.size(), 2U);
  EXPECT_EQ(report.keys[0].shortage, Shortage::time);
  EXPECT_EQ(report.keys[1].verdict, Verdict::linearizable);
}

TEST(CheckerLimits, takes_no_more_steps_for_a_key_than_it_may_however_many_rounds) {
  // All orders of the appends have to be tried.
  HistoryBuilder builder;
  ValueTable& values = builder.values();
  std::int64_t time = 0;
  for (std::int64_t key = 0; key < 2; ++key) {
    std::vector<std::uint32_t> calls;
    for (int i = 0; i < 12; ++i) {
      calls.push_back(
          builder.invoke(TrueTime{++time}, {.process = values.number(i),
                                            .key = values.number(key),
                                            .kind = i == 0 ? OperationKind::write : OperationKind::append,
                                            .argument = values.string(std::string(1, static_cast<char>('a' + i)))}));
    }
    for (const std::uint32_t call : calls) {
      builder.ok(TrueTime{++time}, call);
    }
    const std::uint32_t read = builder.invoke(
        TrueTime{++time}, {.process = values.number(0), .key = values.number(key), .kind = OperationKind::read});
    builder.ok(TrueTime{++time}, read, values.string("ax"));
  }

  const CheckReport report = check(builder.history(), {.steps_max = 100'000, .explains = false, .only_searches = true});

  ASSERT_EQ(report.keys.size(), 2U);
  for (const KeyVerdict& key : report.keys) {
    EXPECT_EQ(key.verdict, Verdict::undecided);
    EXPECT_EQ(key.shortage, Shortage::steps);
    EXPECT_LE(key.steps, 100'100U);
  }
}

TEST(CheckerLimits, needs_no_search_where_nothing_was_answered) {
  const CheckReport report = check(story({"0 invoke write 1", "1 invoke read null", "1 info read null"}));

  EXPECT_EQ(report.verdict, Verdict::linearizable);
  EXPECT_EQ(report.keys[0].method, "trivial");
}

History hard_history() {
  HistoryBuilder builder;
  add_hard_key(builder, 0);
  return builder.history();
}

TEST(CheckerLimits, is_undecided_when_steps_run_out) {
  const CheckReport report = check(hard_history(), {.steps_max = 10});

  EXPECT_EQ(report.verdict, Verdict::undecided);
  EXPECT_EQ(report.keys[0].shortage, Shortage::steps);
  EXPECT_GE(report.keys[0].steps, 10U);
}

// That nobody wrote it is seen without a search; whether all before it can be explained would take one.
TEST(CheckerLimits, explains_what_is_certain_where_it_cannot_be_told_whether_it_is_the_first) {
  HistoryBuilder builder;
  add_hard_key(builder, 0);
  ValueTable& values = builder.values();
  const TrueTime late{1'000'000};
  const std::uint32_t read =
      builder.invoke(late, {.process = values.number(99), .key = values.number(0), .kind = OperationKind::read});
  builder.ok(late, read, values.number(77'777));

  const CheckReport hasty = check(builder.history(), {.steps_max = 10});
  EXPECT_EQ(hasty.verdict, Verdict::not_linearizable);
  ASSERT_TRUE(hasty.keys[0].explanation);
  EXPECT_FALSE(hasty.keys[0].explanation->is_first);
  EXPECT_EQ(hasty.keys[0].explanation->contradiction, std::vector{read});
  EXPECT_EQ(hasty.keys[0].explanation->sentence, "the read at line 50 returned 77777, but nobody had written 77777");

  // There is something before it, in truth.
  const CheckReport patient = check(builder.history());
  ASSERT_TRUE(patient.keys[0].explanation);
  EXPECT_TRUE(patient.keys[0].explanation->is_first);
  EXPECT_LT(patient.keys[0].explanation->operation, read);
}

TEST(CheckerLimits, is_undecided_when_memory_runs_out) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{4'000}}) {
    SCOPED_TRACE(bytes);
    const CheckReport report = check(hard_history(), {.memory_bytes_max = bytes});

    EXPECT_EQ(report.verdict, Verdict::undecided);
    EXPECT_EQ(report.keys[0].shortage, Shortage::memory);
  }
}

// The search remembers nothing here, and yet needs memory for every operation.
TEST(CheckerLimits, counts_the_memory_of_what_a_search_sets_up) {
  std::vector<std::string> lines;
  for (int i = 0; i < 4'000; ++i) {
    const std::string value = std::to_string(i / 2 % 3);
    lines.push_back(i % 2 == 0 ? "0 invoke write " + value : "0 ok write " + value);
  }
  lines.insert(lines.end(), {"0 invoke read null", "0 ok read " + std::to_string(1'999 % 3)});
  const History history = story(lines);

  const CheckReport little = check(history, {.memory_bytes_max = 270'000, .only_searches = true});
  EXPECT_EQ(little.verdict, Verdict::undecided);
  EXPECT_EQ(little.keys[0].shortage, Shortage::memory);
  EXPECT_EQ(check(history, {.memory_bytes_max = 1'000'000, .only_searches = true}).verdict, Verdict::linearizable);
}

TEST(CheckerLimits, is_undecided_when_time_runs_out) {
  const CheckReport report = check(hard_history(), {.is_out_of_time = [] { return true; }});

  EXPECT_EQ(report.verdict, Verdict::undecided);
  EXPECT_EQ(report.keys[0].shortage, Shortage::time);
}

TEST(CheckerLimits, keeps_the_keys_decided_before_time_ran_out) {
  HistoryBuilder builder;
  ValueTable& values = builder.values();
  for (int key = 0; key < 3; ++key) {
    const std::uint32_t read = builder.invoke(
        TrueTime{key}, {.process = values.number(0), .key = values.number(key), .kind = OperationKind::read});
    builder.ok(TrueTime{key}, read, kAbsent);
  }
  int looks = 0;

  const CheckReport report = check(builder.history(), {.is_out_of_time = [&looks] { return ++looks > 2; }});

  EXPECT_EQ(report.verdict, Verdict::undecided);
  ASSERT_EQ(report.keys.size(), 3U);
  EXPECT_EQ(report.keys[0].verdict, Verdict::linearizable);
  EXPECT_EQ(report.keys[0].shortage, Shortage::none);
  EXPECT_EQ(report.keys[2].verdict, Verdict::undecided);
  EXPECT_EQ(report.keys[2].shortage, Shortage::time);
}

}  // namespace
}  // namespace shardcheck::histories
