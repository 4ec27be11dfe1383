#include "histories/classify.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/checker.h"
#include "histories/classify_fixture.h"
#include "histories/classify_parts.h"
#include "histories/oracle.h"
#include "histories/random_history.h"

namespace shardcheck::histories {
namespace {

TEST(Classify, a_stale_read_by_another_process_is_sequential) {
  const Classification found =
      classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2", "0 invoke write 3",
                  "0 ok write 3", "1 invoke read null", "1 ok read 1", "1 invoke read null", "1 ok read 3"});

  EXPECT_EQ(found.is_sequential, Holds::yes);
  EXPECT_EQ(found.has_monotonic_reads, Holds::yes);
  EXPECT_EQ(found.reads_its_writes, Holds::yes);
  EXPECT_EQ(found.stale_reads.count, 1U);
  EXPECT_EQ(found.stale_reads.line, 8U);
  EXPECT_EQ(found.worst.time, Duration{3});
  EXPECT_EQ(found.worst.time_line, 8U);
  EXPECT_EQ(found.worst.versions, 2U);
  EXPECT_EQ(found.lost_writes.count, 0U);  // the last read shows something newer
}

TEST(Classify, a_process_that_misses_its_own_write_is_not_sequential) {
  const Classification found = classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2",
                                           "0 invoke read null", "0 ok read 1", "0 invoke read null", "0 ok read 2"});

  EXPECT_EQ(found.is_sequential, Holds::no);
  EXPECT_EQ(found.reads_its_writes, Holds::no);
  EXPECT_EQ(found.own_writes_missed.count, 1U);
  EXPECT_EQ(found.own_writes_missed.line, 6U);
  EXPECT_EQ(found.has_monotonic_reads, Holds::yes);
  EXPECT_EQ(found.lost_writes.count, 0U);
}

TEST(Classify, a_process_that_reads_backwards_is_not_sequential) {
  const Classification found =
      classes_of({"0 invoke write 1", "1 invoke write 2", "2 invoke read null", "2 ok read 1", "2 invoke read null",
                  "2 ok read 2", "2 invoke read null", "2 ok read 1", "0 ok write 1", "1 ok write 2"});

  EXPECT_EQ(found.is_sequential, Holds::no);
  EXPECT_EQ(found.has_monotonic_reads, Holds::no);
  EXPECT_EQ(found.reads_backwards.count, 1U);
  EXPECT_EQ(found.reads_backwards.line, 8U);
  EXPECT_EQ(found.stale_reads.count, 1U);
  EXPECT_EQ(found.stale_reads.line, 8U);
}

TEST(Classify, a_value_that_nobody_wrote_is_counted) {
  const Classification found = classes_of(
      {"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read 7", "1 invoke read null", "1 ok read 8"});

  EXPECT_EQ(found.is_sequential, Holds::no);
  EXPECT_EQ(found.never_written.count, 2U);
  EXPECT_EQ(found.never_written.line, 4U);
}

TEST(Classify, an_absent_key_behind_an_acknowledged_write_is_stale) {
  const Classification found = classes_of({"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read null"});

  EXPECT_EQ(found.stale_reads.count, 1U);
  EXPECT_EQ(found.worst.time, Duration{1});
  EXPECT_EQ(found.lost_writes.count, 0U);
}

TEST(Classify, lost_and_duplicated_appends_are_counted) {
  const Classification found =
      classes_of({R"(0 invoke append "1.")", R"(0 ok append "1.")", R"(0 invoke append "2.")", R"(0 ok append "2.")",
                  "0 invoke read null", R"(0 ok read "1.2.")", "0 invoke read null", R"(0 ok read "1.1.9.")",
                  "1 invoke read null", R"(1 ok read "1.1.9.")"});

  EXPECT_EQ(found.lost_appends.count, 1U);
  EXPECT_EQ(found.lost_appends.line, 4U);
  EXPECT_EQ(found.duplicated_appends.count, 1U);
  EXPECT_EQ(found.duplicated_appends.line, 8U);
  EXPECT_EQ(found.never_written.count, 2U);
  EXPECT_EQ(found.stale_reads.count, 0U);  // it misses nothing but the lost one
  EXPECT_EQ(found.has_monotonic_reads, Holds::no);
  EXPECT_EQ(found.reads_its_writes, Holds::no);
  EXPECT_EQ(found.is_sequential, Holds::no);
}

TEST(Classify, a_read_that_misses_appends_is_stale_where_a_later_read_shows_them) {
  const Classification found =
      classes_of({R"(0 invoke append "1.")", R"(0 ok append "1.")", R"(0 invoke append "2.")", R"(0 ok append "2.")",
                  "1 invoke read null", "1 ok read null", "1 invoke read null", R"(1 ok read "1.2.")"});

  EXPECT_EQ(found.stale_reads.count, 1U);
  EXPECT_EQ(found.stale_reads.line, 6U);
  EXPECT_EQ(found.worst.versions, 2U);
  EXPECT_EQ(found.worst.time, Duration{3});
  EXPECT_EQ(found.lost_appends.count, 0U);
}

TEST(Classify, of_a_piece_that_was_appended_twice_and_is_shown_once_one_is_lost) {
  const Classification found =
      classes_of({R"(0 invoke append "1.")", R"(0 ok append "1.")", R"(0 invoke append "1.")", R"(0 ok append "1.")",
                  "1 invoke read null", R"(1 ok read "1.1.")", "1 invoke read null", R"(1 ok read "1.")",
                  "1 invoke read null", R"(1 ok read "1.")"});

  EXPECT_EQ(found.lost_appends.count, 1U);
  EXPECT_EQ(found.lost_appends.line, 2U);
  EXPECT_EQ(found.stale_reads.count, 0U);
}

TEST(Classify, appends_without_a_separator_are_told_apart_where_none_is_the_beginning_of_another) {
  const Classification found =
      classes_of({R"(0 invoke append "ab")", R"(0 ok append "ab")", R"(0 invoke append "c")", R"(0 ok append "c")",
                  "1 invoke read null", R"(1 ok read "abc")", "1 invoke read null", R"(1 ok read "ab")",
                  "1 invoke read null", R"(1 ok read "ab")"});

  EXPECT_EQ(found.untold, Untold::nothing);
  EXPECT_EQ(found.has_monotonic_reads, Holds::no);
  EXPECT_EQ(found.reads_its_writes, Holds::yes);
  EXPECT_EQ(found.lost_appends.count, 1U);
  EXPECT_EQ(found.lost_appends.line, 4U);
}

TEST(Classify, says_why_nothing_is_counted) {
  const Classification pieces = classes_of({R"(0 invoke append "a")", R"(0 ok append "a")", R"(0 invoke append "ab")",
                                            R"(0 ok append "ab")", "1 invoke read null", R"(1 ok read "a")"});
  const Classification mixture = classes_of(
      {"0 invoke write 1", "0 ok write 1", "0 invoke incr null", "0 ok incr 2", "1 invoke read null", "1 ok read 1"});

  EXPECT_EQ(pieces.untold, Untold::pieces);
  EXPECT_EQ(mixture.untold, Untold::mixture);
}

TEST(Classify, a_value_that_comes_back_behind_a_delete_is_a_resurrected_delete) {
  const Classification found = classes_of(
      {"0 invoke write 1", "0 ok write 1", "0 invoke del null", "0 ok del null", "1 invoke read null", "1 ok read 1"});

  EXPECT_EQ(found.resurrected_deletes.count, 1U);
  EXPECT_EQ(found.resurrected_deletes.line, 6U);
  EXPECT_EQ(found.stale_reads.count, 0U);
  EXPECT_EQ(found.lost_writes.count, 0U);
  EXPECT_EQ(found.worst.versions, 1U);
}

TEST(Classify, a_value_that_was_or_may_have_been_written_again_is_no_resurrected_delete) {
  const Classification again =
      classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke del null", "0 ok del null", "0 invoke write 1",
                  "1 invoke read null", "1 ok read 1", "1 invoke read null", "1 ok read 7"});
  const Classification concurrent =
      classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke del null", "1 invoke read null", "1 ok read 1",
                  "0 ok del null", "1 invoke read null", "1 ok read 7"});

  EXPECT_EQ(again.resurrected_deletes.count, 0U);
  EXPECT_EQ(concurrent.resurrected_deletes.count, 0U);
}

TEST(Classify, a_cas_from_a_value_that_was_never_there_is_no_read) {
  const Classification found = classes_of({"0 invoke write 1", "0 ok write 1", "1 invoke cas [7,8]", "1 ok cas [7,8]"});

  EXPECT_EQ(found.never_there.count, 1U);
  EXPECT_EQ(found.never_there.line, 4U);
  EXPECT_EQ(found.never_written.count, 0U);
}

TEST(Classify, lost_and_duplicated_increments_are_counted) {
  const Classification found = classes_of({"0 invoke incr null", "1 invoke incr null", "0 ok incr 1", "1 ok incr 1",
                                           "1 invoke read null", "1 ok read 4", "0 invoke read null", "0 ok read 0"});

  EXPECT_EQ(found.lost_increments.count, 1U);
  EXPECT_EQ(found.lost_increments.line, 4U);
  EXPECT_EQ(found.duplicated_increments.count, 2U);
  EXPECT_EQ(found.duplicated_increments.line, 6U);
  EXPECT_EQ(found.own_writes_missed.count, 1U);
  EXPECT_EQ(found.own_writes_missed.line, 8U);
  EXPECT_EQ(found.stale_reads.count, 1U);
  EXPECT_EQ(found.worst.versions, 1U);
}

TEST(Classify, is_undecided_when_no_time_is_left) {
  const History history = story({"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read 7"});

  const Classification found = classify(history, key_of(history), {.is_out_of_time = [] { return true; }});

  EXPECT_EQ(found.is_sequential, Holds::undecided);
  EXPECT_EQ(found.never_written.count, 0U);
  EXPECT_EQ(found.shortage, Shortage::time);
}

TEST(Classify, counts_nothing_without_memory_for_it) {
  const History history = story({"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read 7"});

  const Classification found = classify(history, key_of(history), {.memory_bytes_max = 500});

  EXPECT_EQ(found.shortage, Shortage::memory);
  EXPECT_EQ(found.never_written.count, 0U);
}

TEST(Classify, sequential_consistency_is_undecided_without_memory_for_it) {
  const History history =
      story({"0 invoke write 1", "1 invoke write 2", "2 invoke read null", "2 ok read 1", "2 invoke read null",
             "2 ok read 2", "2 invoke read null", "2 ok read 1", "0 ok write 1", "1 ok write 2"});

  EXPECT_EQ(is_sequentially_consistent(history, key_of(history), 1'000, 100), Holds::undecided);
  EXPECT_EQ(is_sequentially_consistent(history, key_of(history), 1'000), Holds::no);
}

TEST(Classify, a_read_is_stale_when_only_another_read_tells_that_a_newer_value_was_there) {
  const Classification found = classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "1 invoke read null",
                                           "1 ok read 2", "2 invoke read null", "2 ok read 1"});

  EXPECT_EQ(found.stale_reads.count, 1U);
  EXPECT_EQ(found.stale_reads.line, 7U);
  EXPECT_EQ(found.worst.time, Duration{1});
  EXPECT_EQ(found.worst.versions, 1U);
  EXPECT_EQ(found.worst.versions_line, 7U);
}

// The third read is stale. That makes it no witness that 2 was gone.
TEST(Classify, a_read_of_what_is_there_is_not_stale_because_a_stale_one_saw_something_else) {
  const Classification found =
      classes_of({"0 invoke write 1", "1 invoke write 2", "2 invoke read null", "2 ok read 1", "3 invoke read null",
                  "3 ok read 2", "4 invoke read null", "4 ok read 1", "5 invoke read null", "5 ok read 2"});

  EXPECT_EQ(found.stale_reads.count, 1U);
  EXPECT_EQ(found.stale_reads.line, 8U);
}

TEST(Classify, a_read_that_overlaps_the_one_that_saw_something_newer_is_not_stale) {
  const Classification found = classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "1 invoke read null",
                                           "2 invoke read null", "1 ok read 2", "2 ok read 1"});

  EXPECT_EQ(found.stale_reads.count, 0U);
}

// Positions count invocations and returns from 0: the stale read, of which the return is line 8, is the first suspect.
TEST(Classify, the_first_stale_return_is_where_a_register_certainly_stops_being_linearizable) {
  const History stale =
      story({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2", "1 invoke read null",
             "2 invoke read null", "2 ok read 2", "1 ok read 1", "1 invoke read null", "1 ok read 7"});
  const History unknown = story({"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read 7"});
  const History good = story({"0 invoke write 1", "0 ok write 1", "1 invoke read null", "1 ok read 1"});

  EXPECT_EQ(first_stale_return(key_of(stale)), std::optional<Position>(7));
  EXPECT_EQ(first_stale_return(key_of(unknown)), std::optional<Position>(3));
  EXPECT_EQ(first_stale_return(key_of(good)), std::nullopt);
}

TEST(Classify, a_value_that_may_have_been_written_again_is_not_stale) {
  const Classification found = classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "3 invoke write 1",
                                           "1 invoke read null", "1 ok read 2", "2 invoke read null", "2 ok read 1"});

  EXPECT_EQ(found.stale_reads.count, 0U);
}

// The same operations with the time taken away: each process one after the other, all else concurrent, tried by brute
// force over all ways to interleave processes.
class Interleavings {
 public:
  explicit Interleavings(const History& history) : history_(history) {
    for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
      const auto process = static_cast<std::size_t>(history.values.number_of(history.operations[i].process));
      left_.resize(std::max(left_.size(), process + 1));
      left_[process].push_back(i);
    }
    order_.values = history.values;
  }

  bool any_is_right() {
    for (std::vector<std::uint32_t>& process : left_) {
      if (process.empty()) {
        continue;
      }
      const std::uint32_t next = process.front();
      process.erase(process.begin());
      RecordedOperation operation = history_.operations[next];
      const auto at = static_cast<std::int64_t>(order_.operations.size());
      operation.invoked_at = TrueTime{2 * at};
      operation.returned_at = TrueTime{2 * at + 1};
      order_.operations.push_back(operation);
      const bool is_right = any_is_right();
      order_.operations.pop_back();
      process.insert(process.begin(), next);
      if (is_right) {
        return true;
      }
    }
    return order_.operations.size() == history_.operations.size() && is_linearizable_by_brute_force(order_);
  }

 private:
  const History& history_;
  std::vector<std::vector<std::uint32_t>> left_;
  History order_;
};

TEST(Classify, sequential_consistency_agrees_with_trying_every_interleaving) {
  using enum OperationKind;
  const std::vector<std::pair<std::string, RandomHistoryShape>> shapes{
      {"register", {.kinds = {read, read, write}, .operations_max = 6, .values = 0}},
      {"register with deletes and cas",
       {.kinds = {read, read, write, remove, compare_and_set}, .operations_max = 6, .values = 2, .pending_one_in = 4}},
      {"counter", {.kinds = {read, increment}, .operations_max = 6, .pending_one_in = 4}},
      {"log", {.kinds = {read, append}, .operations_max = 6, .values = 2, .pending_one_in = 4}}};
  HistoryBuilder builder;
  for (const auto& [name, shape] : shapes) {
    std::uint64_t sequential = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      RandomNumbers random(seed);
      make_random_history(random, shape, builder);
      const bool expected = Interleavings(builder.history()).any_is_right();
      ASSERT_EQ(is_sequentially_consistent(builder.history(), key_of(builder.history()), 100'000),
                expected ? Holds::yes : Holds::no);
      sequential += expected ? 1 : 0;
    }
    EXPECT_GT(sequential, 50U);
    EXPECT_LT(sequential, 495U);
  }
}

}  // namespace
}  // namespace shardcheck::histories
