#include "spec/liveness_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

Story healed_at_100() {
  Story story;
  story.create(kA, 50).at(100).heal();
  return story;
}

TEST(EventualService, requests_late_enough_after_the_last_fault_are_answered) {
  Story story = healed_at_100();

  story.at(301).write(1);
  story.invoke(request(1), OperationKind::compare_and_set, number(3), number(7)).refused(request(1)).finish(900);

  EXPECT_TRUE(accepts(story, ClauseId::V1));
  EXPECT_EQ(story.findings().checks(ClauseId::V1), 2U);
}

TEST(EventualService, a_request_that_was_given_up_is_named) {
  Story story = healed_at_100();

  story.at(301).invoke(request(1), OperationKind::read).at(400).unknown(request(1));

  EXPECT_TRUE(rejects(story, ClauseId::V1, {"request 1 of client 0", "301.000 ms", "unknown", "100.000 ms"}));
}

TEST(EventualService, a_refused_write_was_not_served) {
  Story story = healed_at_100();

  story.at(301).invoke(request(1), OperationKind::write, number(1)).refused(request(1));

  EXPECT_TRUE(rejects(story, ClauseId::V1, {"returned refused"}));
}

TEST(EventualService, a_request_that_is_never_answered_is_named) {
  Story story = healed_at_100();

  story.at(301).invoke(request(1), OperationKind::read).finish(501);

  EXPECT_TRUE(rejects(story, ClauseId::V1, {"request 1 of client 0", "never answered"}));
}

// Traps: earlier requests, requests that the end of the run cut off, lost ranges, and faults that went on.
TEST(EventualService, what_had_no_time_or_no_data_is_not_judged) {
  Story early = healed_at_100(), cut_off = healed_at_100(), lost = healed_at_100(), faulty = healed_at_100();

  early.at(250).invoke(request(1), OperationKind::read).at(400).unknown(request(1)).finish(900);
  cut_off.at(301).invoke(request(1), OperationKind::read).finish(400);
  lost.report_lost().at(301).invoke(request(1), OperationKind::read).at(400).unknown(request(1)).finish(900);
  faulty.at(301).tell(kA, FaultInjected{FaultKind::crashed}).invoke(request(1), OperationKind::read);
  faulty.unknown(request(1)).finish(900);

  EXPECT_EQ(early.findings().checks(ClauseId::V1), 0U);
  EXPECT_EQ(cut_off.findings().checks(ClauseId::V1), 0U);
  EXPECT_EQ(lost.findings().checks(ClauseId::V1), 0U);
  EXPECT_EQ(faulty.findings().checks(ClauseId::V1), 0U);
  EXPECT_TRUE(early.findings().is_clean() && cut_off.findings().is_clean());
  EXPECT_TRUE(lost.findings().is_clean() && faulty.findings().is_clean());
}

// A and B keep copies of one range, C of none.
Story two_copies() {
  Story story;
  story.record_of(kShard).members.insert(kA);
  story.record_of(kShard).members.insert(kB);
  return story;
}
Story& begin(Story& story) {
  ShardRecord& record = story.record_of(kShard);
  record.range = keys(0, 16);
  record.owner = kA;
  record.epoch = Epoch{1};
  return story.commit(RecordChange::created, Epoch{});
}
Story& ask_in_vain(Story& story) {
  return story.at(100).heal().at(301).invoke(request(1), OperationKind::read).at(400).unknown(request(1)).finish(900);
}

TEST(EventualService, a_range_with_a_copy_left_is_served_though_its_owner_never_comes_back) {
  Story story = two_copies();

  begin(story).at(50).tell(kA, FaultInjected{FaultKind::lost_for_good});
  ask_in_vain(story);

  EXPECT_TRUE(rejects(story, ClauseId::V1, {"request 1 of client 0", "unknown"}));
}

TEST(EventualService, the_disk_of_somebody_without_a_copy_excuses_nothing) {
  Story story = two_copies();

  begin(story).at(40).tell(kC, FaultInjected{FaultKind::disk_lost}).at(50);
  story.tell(kA, FaultInjected{FaultKind::lost_for_good});
  ask_in_vain(story);

  EXPECT_TRUE(rejects(story, ClauseId::V1, {"request 1 of client 0"}));
}

// Whatever it had must be elsewhere.
TEST(EventualService, a_node_that_left_excuses_nothing) {
  Story story;

  story.create(kA, 50).at(60).tell(kA, Left{});
  ask_in_vain(story);

  EXPECT_TRUE(rejects(story, ClauseId::V1, {"request 1 of client 0", "unknown"}));
}

// A member that lost its disk, left, and came back with a copy has one.
TEST(EventualService, who_joined_again_after_its_disk_was_lost_has_a_copy) {
  Story story = two_copies();

  begin(story).at(20).tell(kB, FaultInjected{FaultKind::disk_lost});
  story.record_of(kShard).members.erase(kB);
  story.commit(RecordChange::members_changed, Epoch{1});
  story.record_of(kShard).members.insert(kB);
  story.commit(RecordChange::members_changed, Epoch{1});
  story.at(50).tell(kA, FaultInjected{FaultKind::lost_for_good});
  ask_in_vain(story);

  EXPECT_TRUE(rejects(story, ClauseId::V1, {"request 1 of client 0"}));
}

// Traps: the only copy, and one of which the other went with a disk, whole or in a part of what was split since.
TEST(EventualService, a_range_without_any_copy_left_is_not_judged) {
  Story only, other, part = two_copies();
  only.record_of(kShard).members.insert(kA);
  other = two_copies();

  begin(only).at(50).tell(kA, FaultInjected{FaultKind::lost_for_good});
  begin(other).at(40).tell(kB, FaultInjected{FaultKind::disk_lost});
  other.at(50).tell(kA, FaultInjected{FaultKind::lost_for_good});
  begin(part).at(40).tell(kB, FaultInjected{FaultKind::disk_lost});
  part.record_of(kOtherShard) = part.record_of(kShard);
  part.record_of(kOtherShard).shard = kOtherShard;
  part.record_of(kOtherShard).range = keys(4, 16);
  part.record_of(kShard).range = keys(0, 4);
  part.record_of(kShard).epoch = part.record_of(kOtherShard).epoch = Epoch{2};
  part.commit_at(next(part.position()), RecordChange::bounds_changed, Epoch{1}, MoverEpoch{}, kShard);
  part.commit_at(part.position(), RecordChange::created, Epoch{1}, MoverEpoch{}, kOtherShard).step();
  part.at(50).tell(kA, FaultInjected{FaultKind::lost_for_good});

  for (Story* story : {&only, &other, &part}) {
    ask_in_vain(*story);
    EXPECT_EQ(story->findings().checks(ClauseId::V1), 0U);
    EXPECT_TRUE(story->findings().is_clean());
  }
}

TEST(MoveProgress, a_move_that_ends_is_accepted) {
  Story story = healed_at_100();

  story.begin_move(kB).abort_move().finish_move().finish(900);

  EXPECT_TRUE(accepts(story, ClauseId::V2));
}

TEST(MoveProgress, a_move_that_never_ends_is_named) {
  Story story;

  story.create(kA, 50).begin_move(kB).advance_to(MovePhase::copying).at(100).heal().finish(600);

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move 2", "phase copying", "600.000 ms", "100.000 ms", "500.000 ms"}));
}

TEST(MoveProgress, a_move_is_aborted_though_its_target_never_comes_back) {
  Story story;

  story.create(kA, 50).begin_move(kB).advance_to(MovePhase::copying);
  story.at(50).tell(kB, FaultInjected{FaultKind::lost_for_good}).at(100).heal().finish(600);

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move 2", "phase copying"}));
}

TEST(MoveProgress, a_move_that_waits_for_a_living_side_is_not_excused_by_the_other) {
  Story switched, cleaning;

  switched.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).commit_move(900);
  switched.at(50).tell(kA, FaultInjected{FaultKind::lost_for_good}).at(100).heal().finish(750);
  cleaning.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).commit_move(900).begin_cleaning();
  cleaning.at(50).tell(kB, FaultInjected{FaultKind::lost_for_good}).at(100).heal().finish(750);

  EXPECT_TRUE(rejects(switched, ClauseId::V2, {"phase switched"}));
  EXPECT_TRUE(rejects(cleaning, ClauseId::V2, {"phase cleaning"}));
}

TEST(MoveProgress, only_what_is_undone_at_its_target_may_wait_for_a_node_that_left) {
  Story aborted, cleaning;

  aborted.create(kA, 50).begin_move(kB).abort_move();
  aborted.at(50).tell(kB, Left{}).at(100).heal().finish(900);
  cleaning.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).commit_move(900).begin_cleaning();
  cleaning.at(50).tell(kA, Left{}).at(100).heal().finish(750);

  EXPECT_TRUE(accepts(aborted, ClauseId::V2));
  EXPECT_TRUE(rejects(cleaning, ClauseId::V2, {"phase cleaning"}));
}

TEST(MoveProgress, a_decided_move_may_wait_for_who_never_comes_back) {
  Story aborted, switched, cleaning;

  aborted.create(kA, 50).begin_move(kB).abort_move();
  aborted.at(50).tell(kB, FaultInjected{FaultKind::lost_for_good}).at(100).heal().finish(900);
  switched.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).commit_move(900);
  switched.at(50).tell(kB, FaultInjected{FaultKind::lost_for_good}).at(100).heal().finish(900);
  cleaning.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).commit_move(900).begin_cleaning();
  cleaning.at(50).tell(kA, FaultInjected{FaultKind::lost_for_good}).at(100).heal().finish(900);

  EXPECT_TRUE(accepts(aborted, ClauseId::V2));
  EXPECT_TRUE(accepts(switched, ClauseId::V2));
  EXPECT_TRUE(accepts(cleaning, ClauseId::V2));
}

// Traps: a young move, a committed one that waits for its retention, and a run that was never quiet.
TEST(MoveProgress, a_move_that_still_has_time_is_not_judged) {
  Story young = healed_at_100(), retaining = healed_at_100(), restless;

  young.at(500).begin_move(kB).finish(900);
  retaining.at(101).move_up_to_fence(kB).confirm_barrier(kA).commit_move(900).finish(650);
  restless.create(kA, 50).begin_move(kB).finish(900);

  EXPECT_EQ(young.findings().checks(ClauseId::V2), 0U);
  EXPECT_EQ(retaining.findings().checks(ClauseId::V2), 0U);
  EXPECT_EQ(restless.findings().checks(ClauseId::V2), 0U);
  EXPECT_TRUE(young.findings().is_clean() && retaining.findings().is_clean() && restless.findings().is_clean());
}

}  // namespace
}  // namespace shardcheck::story
