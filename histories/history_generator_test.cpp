#include "histories/history_generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "histories/checker.h"
#include "histories/formats.h"
#include "histories/history_writer.h"

namespace shardcheck::histories {
namespace {

struct Case {
  std::string name;
  GeneratorOptions options;
};

std::vector<Case> cases() {
  return {
      {"one key", {.operations = 600}},
      {"many clients and keys", {.operations = 3'000, .clients = 32, .keys = 50, .pending = percent(1)}},
      {"deletes and compare-and-sets",
       {.operations = 2'000, .keys = 20, .deletes = percent(10), .compare_and_sets = percent(30)}},
      {"logs", {.operations = 2'000, .keys = 10, .pending = percent(2), .logs = percent(100)}},
      {"counters", {.operations = 2'000, .keys = 10, .counters = percent(100)}},
      {"all", {.operations = 3'000, .keys = 30, .deletes = percent(5), .logs = percent(30), .counters = percent(30)}},
  };
}

TEST(HistoryGenerator, makes_what_is_linearizable_unless_asked_otherwise) {
  HistoryBuilder builder;
  Checker checker;
  for (Case& test : cases()) {
    for (const bool is_bad : {false, true}) {
      SCOPED_TRACE(test.name + (is_bad ? ", bad" : ""));
      test.options.is_bad = is_bad;

      const Result<void> made = generate_history(test.options, builder);

      ASSERT_TRUE(made) << to_string(made.error());
      EXPECT_EQ(builder.history().operations.size(), test.options.operations);
      const CheckReport report = checker.check(builder.history(), {.explains = false});
      EXPECT_EQ(name_of(report.verdict), is_bad ? "not_linearizable" : "linearizable");
      EXPECT_EQ(report.count(Verdict::not_linearizable), is_bad ? 1U : 0U);
    }
  }
}

TEST(HistoryGenerator, makes_all_kinds_and_the_same_again) {
  const GeneratorOptions options{.operations = 5'000,
                                 .keys = 30,
                                 .pending = percent(5),
                                 .deletes = percent(10),
                                 .compare_and_sets = percent(10),
                                 .logs = percent(30),
                                 .counters = percent(30),
                                 .seed = 7};
  HistoryBuilder builder;
  HistoryBuilder again;

  ASSERT_TRUE(generate_history(options, builder));
  ASSERT_TRUE(generate_history(options, again));

  EXPECT_TRUE(is_same(builder.history(), again.history(), true));
  std::array<int, kOperationKinds> kinds{};
  int unknown = 0;
  for (const RecordedOperation& operation : builder.history().operations) {
    ++kinds[static_cast<std::size_t>(operation.kind)];
    unknown += operation.outcome == OutcomeKind::unknown ? 1 : 0;
  }
  for (const OperationKind kind : {OperationKind::read, OperationKind::write, OperationKind::remove,
                                   OperationKind::compare_and_set, OperationKind::append, OperationKind::increment}) {
    EXPECT_GT(kinds[static_cast<std::size_t>(kind)], 50) << name_of(kind);
  }
  EXPECT_NEAR(unknown, 250, 60);
}

TEST(HistoryGenerator, writes_what_can_be_read) {
  HistoryBuilder builder;
  ASSERT_TRUE(generate_history(cases().back().options, builder));
  std::string text;
  write_json_lines(builder.history(), text);

  const Result<History> read = parse_history(text, "h");

  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_TRUE(is_same(builder.history(), *read, true));
}

TEST(HistoryGenerator, refuses_shares_of_more_than_everything) {
  HistoryBuilder builder;

  EXPECT_TRUE(generate_history({.deletes = percent(40), .compare_and_sets = percent(60)}, builder));
  EXPECT_TRUE(generate_history({.logs = percent(40), .counters = percent(60)}, builder));
  EXPECT_FALSE(generate_history({.deletes = percent(41), .compare_and_sets = percent(60)}, builder));
  EXPECT_FALSE(generate_history({.logs = percent(41), .counters = percent(60)}, builder));
  EXPECT_FALSE(generate_history({.pending = percent(101)}, builder));
  EXPECT_FALSE(generate_history({.writes = percent(101)}, builder));
}

TEST(HistoryGenerator, names_the_keys_that_it_asks_for_only) {
  HistoryBuilder builder;

  ASSERT_TRUE(generate_history({.operations = 10, .keys = 10'000'000}, builder));

  EXPECT_LE(builder.history().values.size(), 100U);
}

TEST(HistoryGenerator, says_when_a_wrong_read_has_no_place) {
  HistoryBuilder builder;

  EXPECT_FALSE(generate_history({.operations = 3, .is_bad = true}, builder));
  EXPECT_FALSE(generate_history({.operations = 1'000, .logs = percent(100), .items_read_max = 1'000}, builder));
}

}  // namespace
}  // namespace shardcheck::histories
