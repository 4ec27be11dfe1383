// What is lost and not only stale, and what follows from a loss or from one stale read.
#include <gtest/gtest.h>

#include "histories/classify_fixture.h"
#include "histories/random_history.h"

namespace shardcheck::histories {
namespace {

TEST(ClassifyLost, one_stale_read_is_no_lost_write) {
  const Classification at_the_end =
      classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2", "0 invoke write 3",
                  "0 ok write 3", "1 invoke read null", "1 ok read 1"});
  const Classification before_a_fresh_one =
      classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2", "0 invoke write 3",
                  "0 ok write 3", "1 invoke read null", "1 ok read 1", "1 invoke read null", "1 ok read 3"});

  EXPECT_EQ(at_the_end.stale_reads.count, 1U);
  EXPECT_EQ(at_the_end.lost_writes.count, 0U);
  EXPECT_EQ(before_a_fresh_one.stale_reads.count, 1U);
  EXPECT_EQ(before_a_fresh_one.lost_writes.count, 0U);
}

TEST(ClassifyLost, of_a_chain_of_writes_that_two_reads_miss_the_last_is_lost) {
  const Classification found =
      classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2", "0 invoke write 3",
                  "0 ok write 3", "1 invoke read null", "1 ok read 1", "2 invoke read null", "2 ok read 1"});

  EXPECT_EQ(found.stale_reads.count, 2U);
  EXPECT_EQ(found.lost_writes.count, 1U);
  EXPECT_EQ(found.lost_writes.line, 6U);
}

TEST(ClassifyLost, a_write_that_may_have_been_overwritten_before_the_second_read_is_not_lost) {
  const Classification found =
      classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2", "1 invoke read null",
                  "1 ok read 1", "0 invoke write 3", "0 ok write 3", "1 invoke read null", "1 ok read 1"});

  EXPECT_EQ(found.stale_reads.count, 2U);
  EXPECT_EQ(found.lost_writes.count, 0U);
}

TEST(ClassifyLost, a_cas_from_something_older_proves_that_a_write_is_lost) {
  const Classification found =
      classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2", "1 invoke cas [1,3]",
                  "1 ok cas [1,3]", "1 invoke read null", "1 ok read 3"});

  EXPECT_EQ(found.lost_writes.count, 1U);
  EXPECT_EQ(found.lost_writes.line, 4U);
}

TEST(ClassifyLost, one_read_at_the_end_that_misses_the_newest_appends_is_stale) {
  const Classification found =
      classes_of({"0 invoke append 1", "0 ok append 1", "0 invoke append 2", "0 ok append 2", "0 invoke append 3",
                  "0 ok append 3", "1 invoke read null", "1 ok read [1]"});

  EXPECT_EQ(found.stale_reads.count, 1U);
  EXPECT_EQ(found.stale_reads.line, 8U);
  EXPECT_EQ(found.worst.versions, 2U);
  EXPECT_EQ(found.lost_appends.count, 0U);
}

TEST(ClassifyLost, an_append_is_lost_where_one_read_shows_a_later_one_or_two_reads_miss_it) {
  const Classification gap =
      classes_of({"0 invoke append 1", "0 ok append 1", "0 invoke append 2", "0 ok append 2", "0 invoke append 3",
                  "0 ok append 3", "1 invoke read null", "1 ok read [1,3]"});
  const Classification twice =
      classes_of({"0 invoke append 1", "0 ok append 1", "0 invoke append 2", "0 ok append 2", "1 invoke read null",
                  "1 ok read [1]", "1 invoke read null", "1 ok read [1]"});

  EXPECT_EQ(gap.lost_appends.count, 1U);
  EXPECT_EQ(gap.lost_appends.line, 4U);
  EXPECT_EQ(gap.stale_reads.count, 0U);
  EXPECT_EQ(twice.lost_appends.count, 1U);
  EXPECT_EQ(twice.lost_appends.line, 4U);
  EXPECT_EQ(twice.stale_reads.count, 0U);
}

TEST(ClassifyLost, what_misses_nothing_but_a_lost_increment_is_not_stale) {
  const Classification found =
      classes_of({"0 invoke incr null", "0 ok incr 1", "1 invoke incr null", "1 ok incr 1", "1 invoke incr null",
                  "1 ok incr 2", "0 invoke read null", "0 ok read 2", "0 invoke read null", "0 ok read 1"});

  EXPECT_EQ(found.lost_increments.count, 1U);
  EXPECT_EQ(found.lost_increments.line, 4U);
  EXPECT_EQ(found.stale_reads.count, 1U);  // the last read misses one that is not lost
  EXPECT_EQ(found.stale_reads.line, 10U);
}

TEST(ClassifyLost, the_return_from_a_stale_value_is_not_backwards) {
  const Classification value =
      classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2", "1 invoke read null",
                  "1 ok read 2", "1 invoke read null", "1 ok read 1", "1 invoke read null", "1 ok read 2"});
  const Classification absent =
      classes_of({"0 invoke write 1", "0 ok write 1", "0 invoke read null", "0 ok read 1", "0 invoke read null",
                  "0 ok read null", "0 invoke read null", "0 ok read 1"});

  EXPECT_EQ(value.reads_backwards.count, 1U);
  EXPECT_EQ(value.reads_backwards.line, 8U);
  EXPECT_EQ(absent.reads_backwards.count, 1U);
  EXPECT_EQ(absent.reads_backwards.line, 6U);
}

// Of two values whose order nobody knows, one of the two ways is back.
TEST(ClassifyLost, of_concurrent_writes_each_return_to_both_counts_once) {
  const Classification found = classes_of({"0 invoke write 1", "1 invoke write 2", "2 invoke read null", "2 ok read 1",
                                           "2 invoke read null", "2 ok read 2", "2 invoke read null", "2 ok read 1",
                                           "2 invoke read null", "2 ok read 2", "0 ok write 1", "1 ok write 2"});

  EXPECT_EQ(found.reads_backwards.count, 1U);
  EXPECT_EQ(found.reads_backwards.line, 8U);
}

TEST(ClassifyLost, sequential_consistency_implies_what_each_process_sees) {
  using enum OperationKind;
  const std::vector<std::pair<std::string, RandomHistoryShape>> shapes{
      {"register", {.kinds = {read, read, write}, .operations_max = 7, .values = 0}},
      {"register with deletes and cas",
       {.kinds = {read, read, write, remove, compare_and_set}, .operations_max = 7, .values = 2, .pending_one_in = 4}},
      {"counter", {.kinds = {read, increment}, .operations_max = 7, .pending_one_in = 4}},
      {"log", {.kinds = {read, append}, .operations_max = 7, .values = 2, .pending_one_in = 4}}};
  HistoryBuilder builder;
  for (const auto& [name, shape] : shapes) {
    std::uint64_t stale = 0;
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      RandomNumbers random(seed);
      make_random_history(random, shape, builder);
      const Classification found = classify(builder.history(), key_of(builder.history()));
      if (found.is_sequential == Holds::yes) {
        ASSERT_EQ(found.has_monotonic_reads, Holds::yes);
        ASSERT_EQ(found.reads_its_writes, Holds::yes);
        ASSERT_EQ(found.reads_backwards.count + found.own_writes_missed.count, 0U);
        stale += found.stale_reads.count;
      }
    }
    EXPECT_GT(stale, 10U);
  }
}

}  // namespace
}  // namespace shardcheck::histories
