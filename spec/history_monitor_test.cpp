#include "spec/history_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

Value list(std::initializer_list<std::uint16_t> items) {
  Value value;
  value.kind = ValueKind::list;
  for (const std::uint16_t item : items) {
    value.items[value.list_length++] = item;
  }
  return value;
}

// Lost is what is not there in the end: the reads of these stories come after Healed.
struct FinalStory : Story {
  FinalStory() { heal(); }
};

TEST(NoLostWrite, the_latest_write_is_read) {
  FinalStory story;

  story.read(absent()).write(1).read(number(1)).write(2).read(number(2)).remove().read(absent());

  EXPECT_TRUE(accepts(story, ClauseId::M1));
}

TEST(NoLostWrite, reading_a_superseded_value_is_named) {
  FinalStory story;

  story.write(1).write(2).read(number(1));

  EXPECT_TRUE(
      rejects(story, ClauseId::M1,
              {"the final read of key 5 (request 3 of client 3, begun at", "saw 1, written by request 1 of client 3",
               "after that request 2 of client 3 had written 2 (asked for at"}));
}

TEST(NoLostWrite, a_stale_read_before_everything_is_healed_is_no_loss) {
  Story story;

  story.write(1).write(2).read(number(1)).heal().read(number(2));

  EXPECT_TRUE(accepts(story, ClauseId::M1));
}

TEST(NoLostWrite, absence_needs_a_delete) {
  FinalStory story;

  story.remove().write(1).read(absent());

  EXPECT_TRUE(rejects(story, ClauseId::M1,
                      {"request 3", "found nothing, but request", "had written", "no delete can have followed"}));
}

TEST(NoLostWrite, a_compare_and_set_that_saw_a_superseded_value_is_named) {
  FinalStory story;
  story.write(1).write(2);

  story.invoke(request(1), OperationKind::compare_and_set, number(3), number(1)).ok(request(1));

  EXPECT_TRUE(rejects(story, ClauseId::M1, {"request 1 of client 0", "saw 1", "had written"}));
}

// Traps: writes that overlap have no order, and an unanswered write or delete may take effect at any later time.
TEST(NoLostWrite, overlapping_and_unanswered_operations_are_given_the_benefit) {
  FinalStory overlap, late_write, late_delete, running_delete;

  overlap.invoke(request(1), OperationKind::write, number(1)).write(2).ok(request(1)).read(number(1)).read(number(1));
  late_write.invoke(request(1), OperationKind::write, number(1)).unknown(request(1)).write(2).read(number(1));
  late_delete.invoke(request(1), OperationKind::remove).unknown(request(1)).write(2).read(absent());
  running_delete.write(1).invoke(request(1), OperationKind::remove).write(2).read(absent()).ok(request(1));

  EXPECT_TRUE(accepts(overlap, ClauseId::M1));
  EXPECT_TRUE(accepts(late_write, ClauseId::M1));
  EXPECT_TRUE(accepts(late_delete, ClauseId::M1));
  EXPECT_TRUE(accepts(running_delete, ClauseId::M1));
}

// A refused delete explains nothing.
TEST(NoLostWrite, a_refused_delete_is_no_excuse) {
  FinalStory story;

  story.invoke(request(1), OperationKind::remove).write(2).refused(request(1)).read(absent());

  EXPECT_TRUE(rejects(story, ClauseId::M1, {"found nothing"}));
}

TEST(NoLostWrite, what_is_reported_lost_is_not_judged) {
  FinalStory story;

  story.create(kA, 50).write(1).report_lost().read(absent());

  EXPECT_EQ(story.findings().checks(ClauseId::M1), 0U);
  EXPECT_TRUE(story.findings().is_clean());
}

// Two writes of one value cannot be told apart: the general checker judges such keys.
TEST(NoLostWrite, ambiguous_and_mixed_keys_are_left_out) {
  FinalStory twice, mixed;

  twice.write(1).write(2).write(1).write(3).read(number(2));
  mixed.write(1).append(4).increment(7).read(number(9));

  EXPECT_TRUE(twice.findings().is_clean());
  EXPECT_TRUE(mixed.findings().is_clean());
}

TEST(NoResurrection, a_deleted_value_stays_away_until_a_put) {
  Story story;

  story.write(1).remove().read(absent()).write(2).read(number(2));

  EXPECT_TRUE(accepts(story, ClauseId::M2));
}

TEST(NoResurrection, a_deleted_value_that_is_read_again_is_named) {
  Story story;

  story.write(1).remove().read(number(1));

  EXPECT_TRUE(rejects(story, ClauseId::M2, {"saw 1", "had deleted it (asked for at"}));
}

// Trap: a put that was never answered may follow the delete.
TEST(NoResurrection, an_unanswered_put_may_follow_the_delete) {
  Story story;

  story.invoke(request(1), OperationKind::write, number(1)).unknown(request(1)).remove().read(number(1));

  EXPECT_TRUE(accepts(story, ClauseId::M2));
}

TEST(NoLostWrite, lists_keep_their_items_and_their_order) {
  FinalStory story;

  story.append(1).append(2).read(list({1, 2})).append(3).read(list({1, 2, 3}));

  EXPECT_TRUE(accepts(story, ClauseId::M1));
  EXPECT_TRUE(accepts(story, ClauseId::M3));
}

TEST(NoLostWrite, a_lost_append_is_named) {
  FinalStory story;

  story.append(1).append(2).read(list({2}));

  EXPECT_TRUE(rejects(story, ClauseId::M1, {"showed [2]", "request 1 of client 3 had appended [1]"}));
}

TEST(NoLostWrite, an_append_that_was_read_and_then_replaced_is_named) {
  FinalStory story;
  story.invoke(request(1), OperationKind::append, list_of_one(1)).unknown(request(1));
  story.invoke(request(2, 1), OperationKind::append, list_of_one(2));

  story.read(list({1})).read(list({2, 1}));

  EXPECT_TRUE(rejects(story, ClauseId::M1, {"showed [2 1]", "had shown [1]"}));
}

// Trap: a delete starts the list anew, and what it took is not missed.
TEST(NoLostWrite, a_deleted_list_begins_again) {
  FinalStory story, resurrected;

  story.append(1).remove().append(2).read(list({2})).append(3).read(list({2, 3}));
  resurrected.append(1).remove().append(2).read(list({1, 2}));

  EXPECT_TRUE(accepts(story, ClauseId::M1));
  EXPECT_TRUE(rejects(resurrected, ClauseId::M2, {"[1 2]", "item 1 had been appended by", "had deleted it"}));
}

TEST(NoDuplicateApply, an_item_appended_once_and_read_twice_is_named) {
  Story story;

  story.append(1).append(2).read(list({1, 2, 1}));

  EXPECT_TRUE(rejects(story, ClauseId::M3, {"[1 2 1]", "item 1 is there twice"}));
}

TEST(NoDuplicateApply, a_counter_counts_each_increment_once) {
  FinalStory story;

  story.increment(1).increment(2).read(number(2));
  story.invoke(request(1), OperationKind::increment).unknown(request(1)).increment(4).read(number(4));

  EXPECT_TRUE(accepts(story, ClauseId::M3));
  EXPECT_TRUE(accepts(story, ClauseId::M1));
}

TEST(NoDuplicateApply, a_number_given_twice_is_named) {
  Story story;
  story.invoke(request(1), OperationKind::increment).invoke(request(1, 1), OperationKind::increment);

  story.ok(request(1), number(1)).ok(request(1, 1), number(1));

  EXPECT_TRUE(rejects(
      story, ClauseId::M3,
      {"the incr of key 5 (request 1 of client 1", "gave 1, which request 1 of client 0 had been given already"}));
}

TEST(NoDuplicateApply, a_counter_past_all_increments_is_named) {
  Story story;

  story.increment(1).read(number(2));

  EXPECT_TRUE(rejects(story, ClauseId::M3, {"gave 2", "only 1 increments"}));
}

TEST(NoLostWrite, a_counter_that_forgot_an_increment_is_named) {
  FinalStory reads, counts;

  reads.increment(1).read(absent());
  counts.increment(1).increment(2);
  counts.invoke(request(1), OperationKind::increment).invoke(request(1, 1), OperationKind::increment);
  counts.ok(request(1), number(2));

  EXPECT_TRUE(rejects(reads, ClauseId::M1, {"gave 0", "1 increments"}));
  EXPECT_TRUE(counts.findings().is_violated(ClauseId::M1));
}

TEST(NoDuplicateApply, one_request_has_one_version) {
  Story once, twice;
  const Version first{Epoch{1}, LogPosition{1}}, second{Epoch{6}, LogPosition{1}};

  once.create(kA, 50).apply(kA, first, ApplyCause::client, request(1)).begin_move(kB);
  once.apply(kB, first, ApplyCause::replay, request(1)).apply(kA, second, ApplyCause::client, request(2));
  twice.create(kA, 50).apply(kA, first, ApplyCause::client, request(1));
  twice.apply(kB, second, ApplyCause::client, request(1));

  EXPECT_TRUE(once.findings().is_clean());
  EXPECT_TRUE(rejects(twice, ClauseId::M3, {"request 1 of client 0", "version 1.1 at node 0", "version 6.1"}));
}

// Trap: what a disk took with it may be applied anew.
TEST(NoDuplicateApply, a_lost_disk_takes_its_effects_with_it) {
  Story story;
  story.create(kA, 50).apply(kA, {Epoch{1}, LogPosition{4}}, ApplyCause::client, request(1));

  story.tell(kA, Restarted{true}).at(60).grant(kB, 90);
  story.apply(kB, {Epoch{2}, LogPosition{1}}, ApplyCause::client, request(1));

  EXPECT_TRUE(story.findings().is_clean());
}

// What the old owner had executed and passed on to nobody may take effect anew under the new one.
TEST(NoDuplicateApply, a_failover_forgets_what_the_new_owner_never_had) {
  Story lost, late, kept;

  lost.create(kA, 50).apply(kA, {Epoch{1}, LogPosition{1}}, ApplyCause::client, request(1));
  lost.at(60).grant(kB, 120).apply(kB, {Epoch{2}, LogPosition{1}}, ApplyCause::client, request(1));
  kept.create(kA, 50).apply(kA, {Epoch{1}, LogPosition{1}}, ApplyCause::client, request(1));
  kept.apply(kB, {Epoch{1}, LogPosition{1}}, ApplyCause::replication, request(1));
  kept.at(60).grant(kB, 120).apply(kB, {Epoch{2}, LogPosition{2}}, ApplyCause::client, request(1));

  late.create(kA, 50);
  late.record_of(kShard).members.insert(kB);
  late.at(60).grant(kB, 120).apply(kA, {Epoch{1}, LogPosition{1}}, ApplyCause::client, request(1));
  late.apply(kB, {Epoch{2}, LogPosition{1}}, ApplyCause::client, request(1));

  EXPECT_TRUE(lost.findings().is_clean());
  EXPECT_TRUE(late.findings().is_clean());
  EXPECT_TRUE(rejects(kept, ClauseId::M3, {"request 1", "node 0", "again", "node 1"}));
}

}  // namespace
}  // namespace shardcheck::story
