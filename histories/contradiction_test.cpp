// Contradictions made by hand: the set, that all of it is needed and enough, and the sentence. And small random ones,
// against trying every order.
#include "histories/contradiction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "histories/checker.h"
#include "histories/oracle.h"
#include "histories/random_history.h"
#include "histories/story_fixture.h"

namespace shardcheck::histories {
namespace {

using enum OperationKind;

// The definition, word for word: what was known when the last answer was given, with everything forgotten but `kept`.
bool is_contradictory(const History& history, std::uint32_t last_index, const std::vector<std::uint32_t>& kept) {
  const RecordedOperation& last = history.operations[last_index];
  History known;
  known.values = history.values;
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    RecordedOperation operation = history.operations[i];
    const bool is_kept = std::ranges::find(kept, i) != kept.end();
    const bool returns_later =
        std::tuple(operation.returned_at, operation.return_line) > std::tuple(last.returned_at, last.return_line);
    if (operation.outcome == OutcomeKind::ok && (returns_later || !is_kept)) {
      operation.outcome = OutcomeKind::unknown;
    }
    if (!is_kept) {
      if (operation.invoked_at > last.returned_at || operation.kind == read) {
        continue;
      }
      operation.invoked_at = TrueTime{std::numeric_limits<std::int64_t>::min()};
    }
    known.operations.push_back(operation);
  }
  return !is_linearizable_by_brute_force(known);
}

bool is_minimal(const History& history, const Explanation& explanation) {
  for (std::size_t i = 0; i < explanation.contradiction.size(); ++i) {
    std::vector<std::uint32_t> fewer = explanation.contradiction;
    // A write behind the last answer is the other half of the contradiction; forgotten, it may have happened before.
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const std::uint32_t left_out = explanation.contradiction[i];
    History history_with_it = history;
    RecordedOperation& operation = history_with_it.operations[left_out];
    operation.invoked_at = std::min(operation.invoked_at, history.operations[explanation.operation].returned_at);
    if (is_contradictory(history_with_it, explanation.operation, fewer)) {
      return false;
    }
  }
  return true;
}

using Operations = std::vector<std::uint32_t>;

// Checks all but the expected values.
Explanation explained(const History& history) {
  const CheckReport report = check(history);
  EXPECT_EQ(report.verdict, Verdict::not_linearizable);
  if (report.keys.size() != 1 || !report.keys[0].explanation) {
    ADD_FAILURE() << "no explanation";
    return {};
  }
  const Explanation& explanation = *report.keys[0].explanation;
  EXPECT_TRUE(explanation.is_minimal);
  EXPECT_TRUE(is_contradictory(history, explanation.operation, explanation.contradiction));
  EXPECT_TRUE(is_minimal(history, explanation));
  return explanation;
}

TEST(Contradiction, of_a_stale_read) {
  const History history = story({"0 invoke write 7", "0 ok write 7", "2 invoke read null", "2 ok read 7",
                                 "0 invoke write 8", "0 ok write 8", "0 invoke write 9", "0 ok write 9",
                                 "1 invoke read null", "1 ok read 7", "1 invoke read null", "1 ok read 9"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{0, 3, 4}));
  EXPECT_EQ(explanation.sentence,
            "the read at line 10 returned 7, but 9 was acknowledged (line 8) before it began, and 7 was written before "
            "that (line 2)");
  EXPECT_EQ(explanation.line, 10U);
  EXPECT_EQ(explanation.prefix.answers, 4U);
  EXPECT_EQ(explanation.prefix.last_line, 8U);
  EXPECT_EQ(explanation.prefix.ends_at, TrueTime{8});
  EXPECT_EQ(explanation.window_begin, TrueTime{1});
  EXPECT_EQ(explanation.window_end, TrueTime{10});
}

TEST(Contradiction, of_a_lost_append) {
  const History history =
      story({R"(0 invoke append "1.")", R"(0 ok append "1.")", R"(0 invoke append "2.")", R"(0 ok append "2.")",
             "1 invoke read null", R"(1 ok read "1.2.")", R"(0 invoke append "3.")", R"(0 ok append "3.")",
             "1 invoke read null", R"(1 ok read "1.3.")"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{1, 4}));
  EXPECT_EQ(explanation.sentence,
            "the read at line 10 returned \"1.3.\", but the append of \"2.\" was acknowledged (line 4) before it "
            "began: the append is lost, as \"3.\", which was asked for later, is there");
}

TEST(Contradiction, of_a_resurrected_delete) {
  const History history = story({"0 invoke write 1", "0 ok write 1", "0 invoke del null", "0 ok del null",
                                 "1 invoke read null", "1 ok read null", "1 invoke read null", "1 ok read 1"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{0, 1, 3}));
  EXPECT_EQ(explanation.sentence,
            "the read at line 8 returned 1, but a delete was acknowledged (line 4) before it began, and 1 was written "
            "before that (line 2)");
}

// All of the deletes are needed: any one that is forgotten may have happened last.
TEST(Contradiction, of_a_delete_that_cannot_have_been_the_last_of_several) {
  const History history =
      story({"0 invoke write 1", "0 ok write 1", "0 invoke del null", "0 ok del null", "0 invoke write 2",
             "0 ok write 2", "0 invoke del null", "2 invoke del null", "2 ok del null", "0 ok del null",
             "0 invoke write 3", "0 ok write 3", "1 invoke read null", "1 ok read null"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{1, 3, 4, 5, 6}));
  EXPECT_EQ(explanation.sentence,
            "the read at line 14 returned nothing, but 3 was acknowledged (line 12) before it began, and the key was "
            "deleted 3 times, each time before that (lines 4, 10 and 9)");
}

TEST(Contradiction, of_twelve_deletes_names_each_of_them) {
  std::vector<std::string> lines;
  for (int i = 0; i < 12; ++i) {
    lines.insert(lines.end(), {"0 invoke write 1", "0 ok write 1", "0 invoke del null", "0 ok del null"});
  }
  lines.insert(lines.end(), {"0 invoke write 2", "0 ok write 2", "1 invoke read null", "1 ok read null"});

  const Explanation explanation = *check(story(lines)).keys[0].explanation;

  EXPECT_TRUE(explanation.is_minimal);
  EXPECT_EQ(explanation.contradiction.size(), 14U);
  EXPECT_EQ(explanation.sentence,
            "the read at line 52 returned nothing, but 2 was acknowledged (line 50) before it began, and the key was "
            "deleted 12 times, each time before that (lines 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44 and 48)");
}

// The delete may have come at any time before the last read but one took effect, and that one needs it.
TEST(Contradiction, of_deletes_that_others_have_used_up_names_all_that_matter) {
  std::vector<std::string> lines{"9 invoke write 1", "9 ok write 1"};
  for (int i = 0; i < 4; ++i) {
    lines.push_back(std::to_string(i) + " invoke del null");
  }
  for (int i = 0; i < 4; ++i) {
    lines.insert(lines.end(), {"8 invoke read null", "8 ok read null", "9 invoke write 1", "9 ok write 1"});
  }
  lines.insert(lines.end(), {"8 invoke read null", "8 ok read null"});

  const Explanation explanation = *check(story(lines)).keys[0].explanation;

  EXPECT_TRUE(explanation.is_minimal);
  EXPECT_EQ(explanation.sentence,
            "the read at line 24 returned nothing; no order of effects explains that together with these: 1 was "
            "written (lines 2, 10, 14, 18 and 22), nothing was read (lines 8, 12, 16 and 20)");
}

TEST(Contradiction, of_a_duplicate_increment) {
  const History history = story(
      {"0 invoke incr null", "0 ok incr 1", "1 invoke incr null", "1 ok incr 3", "0 invoke read null", "0 ok read 3"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{1}));
  EXPECT_EQ(explanation.sentence,
            "the increment at line 4 returned 3, but an increment had been asked for only twice by then: one took "
            "effect twice");
}

TEST(Contradiction, of_a_lost_increment) {
  const History history = story(
      {"0 invoke incr null", "0 ok incr 1", "0 invoke incr null", "1 invoke incr null", "0 ok incr 2", "1 ok incr 2"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{1, 2}));
  EXPECT_EQ(explanation.sentence,
            "the increment at line 6 returned 2, and so did the increment (line 5): one of the two is lost");
}

TEST(Contradiction, of_a_read_from_the_future) {
  const History history = story(
      {"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read 2", "0 invoke write 2", "0 ok write 2"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{1, 2}));
  EXPECT_EQ(explanation.sentence,
            "the read at line 4 returned 2, but nobody had asked to write 2 before (line 5 was the first to)");
}

TEST(Contradiction, of_a_read_of_what_was_refused_and_asked_for_again_later) {
  const History history = story(
      {"0 invoke write 1", "0 fail write 1", "1 invoke read null", "1 ok read 1", "0 invoke write 1", "0 ok write 1"});

  EXPECT_EQ(explained(history).sentence,
            "the read at line 4 returned 1, but its write was refused (line 2), and it was asked for again only "
            "afterwards (line 5)");
}

TEST(Contradiction, of_a_cas_from_a_value_that_was_never_there) {
  const History history = story({"0 invoke write 1", "0 ok write 1", "1 invoke cas [5,2]", "1 ok cas [5,2]"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{1}));
  EXPECT_EQ(explanation.sentence, "the cas at line 4 from 5 to 2 succeeded, but nobody had written 5");
}

TEST(Contradiction, of_a_value_that_was_never_written) {
  const History history = story(
      {"0 invoke write 1", "0 ok write 1", "0 invoke write 7", "0 fail write 7", "1 invoke read null", "1 ok read 7"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{2}));
  EXPECT_EQ(explanation.sentence, "the read at line 6 returned 7, but its write was refused (line 4)");
}

TEST(Contradiction, of_an_older_value_behind_a_newer_one) {
  const History history =
      story({"0 invoke write 1", "1 invoke write 2", "2 invoke read null", "2 ok read 1", "2 invoke read null",
             "2 ok read 2", "2 invoke read null", "2 ok read 1", "0 ok write 1", "1 ok write 2"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{2, 3, 4}));
  EXPECT_EQ(explanation.sentence,
            "the read at line 8 returned 1, but 2 was read (line 6) after 1 was read (line 4), and 1 came only once");
}

TEST(Contradiction, of_an_update_lost_by_cas) {
  const History history = story({"0 invoke write 1", "0 ok write 1", "0 invoke cas [1,2]", "1 invoke cas [1,3]",
                                 "0 ok cas [1,2]", "1 ok cas [1,3]"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{1, 2}));
  EXPECT_EQ(explanation.sentence,
            "the cas at line 6 from 1 to 3 succeeded, but so did the cas from 1 to 2 (line 5), and 1 was there only "
            "once: one update is lost");
}

TEST(Contradiction, of_a_duplicate_append) {
  const History history = story({"0 invoke append [1]", "0 ok append [1]", "0 invoke append [2]", "0 info append [2]",
                                 "1 invoke read null", "1 ok read [1,2,1]"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{2}));
  EXPECT_EQ(explanation.sentence,
            "the read at line 6 returned [1,2,1], where 1 stands twice, but it had been appended only once (line 1)");
}

TEST(Contradiction, of_two_reads_that_see_appends_in_different_orders) {
  const History history =
      story({R"(0 invoke append "1.")", R"(1 invoke append "2.")", R"(0 ok append "1.")", R"(1 ok append "2.")",
             "1 invoke read null", "0 invoke read null", R"(1 ok read "2.1.")", R"(0 ok read "1.2.")"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{2, 3}));
  EXPECT_EQ(
      explanation.sentence,
      "the read at line 8 returned \"1.2.\", but \"2.1.\" was read (line 7): the two show appends in different orders");
}

TEST(Contradiction, of_two_values_of_which_either_is_older) {
  const History history =
      story({"0 invoke write 1", "1 invoke write 2", "2 invoke read null", "3 invoke read null", "2 ok read 1",
             "3 ok read 2", "2 invoke read null", "3 invoke read null", "2 ok read 2", "3 ok read 1"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{2, 3, 4, 5}));
  EXPECT_EQ(explanation.sentence,
            "2 was read (line 6) before 1 was read (line 10), but 1 was read (line 5) before 2 was read (line 9), and "
            "each came only once");
}

TEST(Contradiction, of_a_write_that_was_never_there) {
  const History history = story({"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read null"});

  const Explanation explanation = explained(history);

  EXPECT_EQ(explanation.contradiction, (Operations{0, 1}));
  EXPECT_EQ(explanation.sentence,
            "the read at line 4 returned nothing, but 1 was acknowledged (line 2) before it began, and nothing was "
            "deleted");
}

TEST(Contradiction, is_told_in_the_words_of_whoever_recorded_it) {
  const History history = story({"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read null"});

  const CheckReport report = check(
      history, {.telling = {.names = [](std::uint32_t operation) { return "request " + std::to_string(operation); }}});

  ASSERT_TRUE(report.keys[0].explanation);
  EXPECT_EQ(report.keys[0].explanation->sentence,
            "the read (request 1) returned nothing, but 1 was acknowledged (request 0) before it began, and nothing "
            "was deleted");
}

TEST(Contradiction, is_perhaps_not_minimal_when_the_work_is_up) {
  const History history = story(
      {"0 invoke write 7", "0 ok write 7", "0 invoke write 9", "0 ok write 9", "1 invoke read null", "1 ok read 7"});
  Partition partition;
  partition.cut(history);
  KeyHistory whole;
  partition.key_history(0, whole);

  const Contradiction found =
      ContradictionFinder(whole, [](KeyHistory&) { return Verdict::not_linearizable; }, /*work_max=*/0).find(2);

  EXPECT_FALSE(found.is_minimal);
  EXPECT_EQ(found.operations, (Operations{0, 1, 2}));
}

struct Shape {
  std::string name;
  RandomHistoryShape shape;
};

std::vector<Shape> shapes() {
  return {
      {"register, unique values", {.kinds = {read, read, write}, .values = 0}},
      {"register with deletes", {.kinds = {read, read, write, remove}, .values = 3}},
      {"register, mostly pending", {.kinds = {read, write, remove}, .values = 2, .pending_one_in = 3}},
      {"compare-and-set", {.kinds = {read, write, compare_and_set}, .values = 0}},
      {"compare-and-set, repeated", {.kinds = {read, write, compare_and_set, remove}, .pending_one_in = 4}},
      {"counter", {.kinds = {read, increment, increment}, .pending_one_in = 4}},
      {"log of lists", {.kinds = {read, append}, .values = 0}},
      {"log of lists, repeated", {.kinds = {read, append}, .values = 2, .pending_one_in = 4}},
      {"log of strings", {.kinds = {read, append}, .values = 0, .pending_one_in = 4, .uses_strings = true}},
      {"all kinds", {.kinds = {read, read, write, remove, compare_and_set, append, increment}, .values = 2}},
  };
}

TEST(Contradiction, is_contradictory_and_minimal_on_2000_random_histories) {
  constexpr int kHistoriesOfEachShape = 200;
  Checker checker;
  HistoryBuilder builder;
  for (const Shape& shape : shapes()) {
    std::uint64_t seed = 0;
    for (int violated = 0; violated < kHistoriesOfEachShape;) {
      SCOPED_TRACE(shape.name + ", seed " + std::to_string(++seed));
      RandomNumbers random(seed);
      make_random_history(random, shape.shape, builder);
      const CheckReport report = checker.check(builder.history());
      if (report.verdict != Verdict::not_linearizable) {
        continue;
      }
      ++violated;
      ASSERT_TRUE(report.keys[0].explanation);
      const Explanation& explanation = *report.keys[0].explanation;
      ASSERT_TRUE(explanation.is_minimal);
      ASSERT_TRUE(is_contradictory(builder.history(), explanation.operation, explanation.contradiction));
      ASSERT_TRUE(is_minimal(builder.history(), explanation));
      ASSERT_FALSE(explanation.sentence.empty());
    }
  }
}

}  // namespace
}  // namespace shardcheck::histories
