#include "histories/checker.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "histories/random_history.h"
#include "histories/story_fixture.h"
#include "histories/witness.h"

namespace shardcheck::histories {
namespace {

Verdict verdict_of(const std::vector<std::string>& lines) { return check(story(lines)).verdict; }

TEST(Checker, accepts_a_read_of_the_last_write) {
  EXPECT_EQ(verdict_of({"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read 1"}),
            Verdict::linearizable);
}

TEST(Checker, accepts_an_empty_append_that_never_returned_and_was_read) {
  EXPECT_EQ(verdict_of({"0 invoke append []", "0 info append []", "1 invoke read null", "1 ok read []"}),
            Verdict::linearizable);
  EXPECT_EQ(verdict_of({"0 invoke append \"\"", "0 info append \"\"", "1 invoke read null", "1 ok read \"\""}),
            Verdict::linearizable);
  EXPECT_EQ(verdict_of({"0 invoke append []", "0 info append []", "1 invoke read null", "1 ok read [1]"}),
            Verdict::not_linearizable);
}

TEST(Checker, rejects_a_stale_read) {
  const History history = story({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2",
                                 "1 invoke read null", "1 ok read 1", "1 invoke read null", "1 ok read 2"});

  const CheckReport report = check(history);

  EXPECT_EQ(report.verdict, Verdict::not_linearizable);
  ASSERT_EQ(report.keys.size(), 1U);
  EXPECT_EQ(history.values.string_of(report.keys[0].key), "k");
  EXPECT_EQ(report.keys[0].operations, 4U);
  ASSERT_TRUE(report.keys[0].explanation);
  EXPECT_EQ(report.keys[0].explanation->operation, 2U);
  EXPECT_EQ(report.keys[0].explanation->line, 6U);
  EXPECT_EQ(
      report.keys[0].explanation->sentence,
      "the read at line 6 returned 1, but 2 was acknowledged (line 4) before it began, and 1 was written before that "
      "(line 2)");
}

TEST(Checker, rejects_a_read_from_the_future) {
  EXPECT_EQ(verdict_of({"1 invoke read null", "1 ok read 1", "0 invoke write 1", "0 ok write 1"}),
            Verdict::not_linearizable);
}

TEST(Checker, rejects_a_read_from_the_future_of_a_write_that_never_returned) {
  EXPECT_EQ(verdict_of({"1 invoke read null", "1 ok read 1", "0 invoke write 1"}), Verdict::not_linearizable);
}

TEST(Checker, rejects_a_value_that_nobody_wrote) {
  EXPECT_EQ(verdict_of({"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read 7"}),
            Verdict::not_linearizable);
}

TEST(Checker, rejects_a_value_whose_write_failed) {
  EXPECT_EQ(verdict_of({"0 invoke write 1", "0 fail write 1", "1 invoke read null", "1 ok read 1"}),
            Verdict::not_linearizable);
}

TEST(Checker, rejects_a_resurrected_delete) {
  EXPECT_EQ(verdict_of({"0 invoke write 1", "0 ok write 1", "0 invoke del null", "0 ok del null", "1 invoke read null",
                        "1 ok read null", "1 invoke read null", "1 ok read 1"}),
            Verdict::not_linearizable);
}

TEST(Checker, accepts_a_delete_and_a_new_write) {
  EXPECT_EQ(verdict_of({"0 invoke write 1", "0 ok write 1", "0 invoke del null", "0 ok del null", "1 invoke read null",
                        "1 ok read null", "0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read 1"}),
            Verdict::linearizable);
}

TEST(Checker, rejects_a_lost_append) {
  EXPECT_EQ(verdict_of({R"(0 invoke append "1.")", R"(0 ok append "1.")", R"(0 invoke append "2.")",
                        R"(0 ok append "2.")", "1 invoke read null", R"(1 ok read "2.")"}),
            Verdict::not_linearizable);
}

TEST(Checker, accepts_concurrent_appends_in_either_order) {
  EXPECT_EQ(verdict_of({R"(0 invoke append "1.")", R"(1 invoke append "2.")", R"(0 ok append "1.")",
                        R"(1 ok append "2.")", "1 invoke read null", R"(1 ok read "2.1.")"}),
            Verdict::linearizable);
}

TEST(Checker, rejects_two_reads_that_disagree_about_the_order_of_appends) {
  EXPECT_EQ(
      verdict_of({R"(0 invoke append "1.")", R"(1 invoke append "2.")", R"(0 ok append "1.")", R"(1 ok append "2.")",
                  "1 invoke read null", "0 invoke read null", R"(1 ok read "2.1.")", R"(0 ok read "1.2.")"}),
      Verdict::not_linearizable);
}

TEST(Checker, rejects_an_append_that_took_effect_twice) {
  EXPECT_EQ(
      verdict_of({R"(0 invoke append "1.")", R"(0 info append "1.")", "1 invoke read null", R"(1 ok read "1.1.")"}),
      Verdict::not_linearizable);
}

TEST(Checker, takes_a_number_as_an_item_of_a_list) {
  EXPECT_EQ(verdict_of({"0 invoke append 1", "0 ok append 1", "0 invoke append [2]", "0 ok append [2]",
                        "1 invoke read null", "1 ok read [1,2]"}),
            Verdict::linearizable);
  EXPECT_EQ(verdict_of({"0 invoke append 1", "0 ok append 1", "0 invoke append [2]", "0 ok append [2]",
                        "1 invoke read null", "1 ok read [2,1]"}),
            Verdict::not_linearizable);
}

TEST(Checker, rejects_a_duplicate_increment) {
  EXPECT_EQ(verdict_of({"0 invoke incr null", "1 invoke incr null", "0 ok incr 1", "1 ok incr 1"}),
            Verdict::not_linearizable);
}

TEST(Checker, rejects_an_increment_that_skips_a_number) {
  EXPECT_EQ(verdict_of({"0 invoke incr null", "0 ok incr 1", "1 invoke incr null", "1 ok incr 3"}),
            Verdict::not_linearizable);
}

TEST(Checker, accepts_a_skipped_number_when_an_increment_never_returned) {
  EXPECT_EQ(
      verdict_of({"2 invoke incr null", "0 invoke incr null", "0 ok incr 1", "1 invoke incr null", "1 ok incr 3"}),
      Verdict::linearizable);
}

TEST(Checker, lets_an_operation_that_never_returned_take_effect_late_or_never) {
  const std::vector<std::string> beginning{"0 invoke write 1", "0 info write 1", "1 invoke read null",
                                           "1 ok read null"};
  std::vector<std::string> late = beginning;
  late.insert(late.end(), {"1 invoke read null", "1 ok read 1"});
  std::vector<std::string> twice = late;
  twice.insert(twice.end(), {"1 invoke read null", "1 ok read null"});

  EXPECT_EQ(verdict_of(beginning), Verdict::linearizable);
  EXPECT_EQ(verdict_of(late), Verdict::linearizable);
  EXPECT_EQ(verdict_of(twice), Verdict::not_linearizable);
}

TEST(Checker, rejects_a_compare_and_set_from_a_value_that_was_gone) {
  EXPECT_EQ(verdict_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2", "1 invoke cas [1,3]",
                        "1 ok cas [1,3]"}),
            Verdict::not_linearizable);
}

TEST(Checker, accepts_a_failed_compare_and_set_whatever_the_value) {
  EXPECT_EQ(verdict_of({"0 invoke write 1", "0 ok write 1", "1 invoke cas [1,3]", "1 fail cas [1,3]",
                        "1 invoke read null", "1 ok read 1"}),
            Verdict::linearizable);
}

TEST(Checker, takes_operations_that_touch_at_one_instant_as_concurrent) {
  HistoryBuilder builder;
  const ValueId key = builder.values().string("k");
  const ValueId one = builder.values().number(1);
  const std::uint32_t write = builder.invoke(
      TrueTime{0}, {.process = builder.values().number(0), .key = key, .kind = OperationKind::write, .argument = one});
  builder.ok(TrueTime{5}, write);
  const std::uint32_t read =
      builder.invoke(TrueTime{5}, {.process = builder.values().number(1), .key = key, .kind = OperationKind::read});
  builder.ok(TrueTime{6}, read, kAbsent);

  EXPECT_EQ(check(builder.history()).verdict, Verdict::linearizable);
}

TEST(Checker, judges_every_key_by_itself) {
  HistoryBuilder builder;
  ValueTable& values = builder.values();
  for (int key = 0; key < 3; ++key) {
    const std::uint32_t read = builder.invoke(
        TrueTime{key}, {.process = values.number(0), .key = values.number(key), .kind = OperationKind::read});
    builder.ok(TrueTime{key}, read, key == 1 ? values.number(9) : kAbsent);
  }

  const CheckReport all = check(builder.history());
  const CheckReport first = check(builder.history(), {.stops_at_first_violation = true});

  EXPECT_EQ(all.verdict, Verdict::not_linearizable);
  ASSERT_EQ(all.keys.size(), 3U);
  EXPECT_EQ(all.keys[0].verdict, Verdict::linearizable);
  EXPECT_EQ(all.keys[1].verdict, Verdict::not_linearizable);
  EXPECT_EQ(all.keys[2].verdict, Verdict::linearizable);
  EXPECT_EQ(first.keys.size(), 2U);
}

TEST(Witness, is_no_order_that_lacks_or_repeats_an_operation_or_goes_against_time_or_answers) {
  const ValueTable values;
  const ValueId one = ValueTable::small_number(1);
  const KeyHistory history{.key = kAbsent,
                           .values = &values,
                           .operations = {{.kind = OperationKind::write, .argument = one, .invoked = 0, .returned = 1},
                                          {.kind = OperationKind::read, .observed = one, .invoked = 2, .returned = 4},
                                          {.kind = OperationKind::remove, .invoked = 3, .returned = 5},
                                          {.kind = OperationKind::remove, .invoked = 6}}};
  const auto explains = [&history](std::vector<std::uint32_t> order) { return Witness().explains(history, order); };

  EXPECT_TRUE(explains({0, 1, 2}));
  EXPECT_TRUE(explains({0, 1, 2, 3}));
  EXPECT_FALSE(explains({0, 1}));        // an operation that returned is missing
  EXPECT_FALSE(explains({0, 1, 1, 2}));  // one is there twice
  EXPECT_FALSE(explains({0, 2, 1}));     // the read would see nothing
  EXPECT_FALSE(explains({1, 0, 2}));     // the same, and the write had returned before
  EXPECT_FALSE(explains({0, 1, 3, 2}));  // the last delete was invoked after the other one had returned
}

TEST(Checker, gives_the_same_steps_and_verdicts_when_reused) {
  Checker checker;
  HistoryBuilder builder;
  RandomNumbers random(7);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    make_random_history(random, {.kinds = {OperationKind::read, OperationKind::append}, .operations_max = 40}, builder);
    const CheckReport reused = checker.check(builder.history());
    const CheckReport fresh = check(builder.history());
    ASSERT_EQ(reused.keys.size(), 1U);
    EXPECT_EQ(reused.verdict, fresh.verdict);
    EXPECT_EQ(reused.keys[0].steps, fresh.keys[0].steps);
  }
}

}  // namespace
}  // namespace shardcheck::histories
