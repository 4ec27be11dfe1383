#include "spec/capacity_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

constexpr LogPosition at(std::uint64_t position) { return LogPosition{position}; }

// Two rounds of replay and two copies a move; a pause of 3 ms and 2 ms more for each 4 entries; room for 24 keys.
Story bounded() {
  Bounds bounds = usual_bounds();
  bounds.replay_rounds_max = 2;
  bounds.copies_per_move_max = 2;
  bounds.pause_without_tail = milliseconds(3);
  bounds.replay_round = milliseconds(2);
  bounds.entries_per_round = 4;
  bounds.node_keys_max = 24;
  return Story(bounds);
}

Story moving() {
  Story story = bounded();
  story.create(kA, 500).begin_move(kB).tell(kB, CopyCreated{kShard, keys(0, 16), story.move()});
  return story.tell(kA, CaptureOpened{story.move(), kShard, at(4)});
}

Story& round_of_replay(Story& story, MoverEpoch mover = MoverEpoch{1}) {
  return story.tell(kC, ReplayRound{story.move(), kShard, mover, 30});
}

// --- V2: the budget ------------------------------------------------------------------------------------------------

TEST(MoveProgress, a_copy_that_is_behind_for_too_many_rounds_is_named) {
  Story story = moving();

  round_of_replay(story);
  round_of_replay(story);
  EXPECT_TRUE(accepts(story, ClauseId::V2));
  round_of_replay(story);

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move 2", "3th round", "30 entries behind"}));
}

TEST(MoveProgress, a_throttled_source_is_followed_once_more_and_no_longer) {
  Story story = moving();
  round_of_replay(story);
  round_of_replay(story);

  story.tell(kC, CatchUpDecided{story.move(), kShard, MoverEpoch{1}, CatchUpDecision::throttle});
  story.tell(kA, WriteThrottled{story.move(), kShard, milliseconds(4)});
  round_of_replay(story);
  round_of_replay(story);
  EXPECT_TRUE(accepts(story, ClauseId::V2));
  story.tell(kC, CatchUpDecided{story.move(), kShard, MoverEpoch{1}, CatchUpDecision::throttle});
  round_of_replay(story);

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"3th round"}));
}

TEST(MoveProgress, another_mover_counts_anew_and_an_older_one_not_at_all) {
  Story story = moving();
  round_of_replay(story);
  round_of_replay(story);
  story.record_of(kShard).mover_epoch = MoverEpoch{2};
  story.commit(RecordChange::move_advanced, story.epoch(), MoverEpoch{2});

  round_of_replay(story, MoverEpoch{1});
  round_of_replay(story, MoverEpoch{2});
  round_of_replay(story, MoverEpoch{2});

  EXPECT_TRUE(accepts(story, ClauseId::V2));
}

TEST(MoveProgress, a_write_that_waits_although_nobody_throttled_is_named) {
  Story story = moving();

  story.tell(kA, WriteThrottled{story.move(), kShard, milliseconds(4)});

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"node 0", "4.000 ms"}));
}

TEST(MoveProgress, a_move_that_is_given_up_is_told_to_be) {
  Story story = moving();
  round_of_replay(story);
  round_of_replay(story);

  story.tell(kC, MoveGaveUp{story.move(), kShard, GiveUpReason::outrun});
  story.record_of(kShard).phase = MovePhase::aborted;
  story.commit(RecordChange::move_aborted, story.epoch());

  EXPECT_TRUE(accepts(story, ClauseId::V2));
}

TEST(MoveProgress, a_move_that_is_given_up_in_silence_is_named) {
  Story story = moving();
  round_of_replay(story);
  round_of_replay(story);

  story.record_of(kShard).phase = MovePhase::aborted;
  story.commit(RecordChange::move_aborted, story.epoch());

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move 2", "nobody said"}));
}

TEST(MoveProgress, a_copy_that_is_begun_again_and_again_is_named) {
  Story story = moving();

  story.tell(kB, CopyCreated{kShard, keys(0, 16), story.move()});
  EXPECT_TRUE(accepts(story, ClauseId::V2));
  story.tell(kB, CopyCreated{kShard, keys(0, 16), story.move()});

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"node 1", "3th time"}));
}

// --- V5 ------------------------------------------------------------------------------------------------------------

// Stopped at 10 ms with `tail` entries to replay, and committed.
Story stopped_at_10(std::uint64_t tail) {
  Story story = moving();
  for (const MovePhase phase : {MovePhase::copying, MovePhase::catching_up, MovePhase::fenced}) {
    story.advance_to(phase);
  }
  story.at(10).tell(kA, AdmissionStopped{story.move(), kShard});
  story.tell(kA, BarrierConfirmed{story.move(), kShard, at(4 + tail)});
  return story.commit_move(500);
}

TEST(BoundedPause, a_pause_within_its_bound_is_accepted) {
  Story without_tail = stopped_at_10(0);
  Story with_tail = stopped_at_10(5);

  EXPECT_TRUE(accepts(without_tail.at(13).claim(kB, 400), ClauseId::V5));
  EXPECT_TRUE(accepts(with_tail.at(17).claim(kB, 400), ClauseId::V5));
}

TEST(BoundedPause, a_longer_pause_is_named) {
  Story without_tail = stopped_at_10(0);
  Story with_tail = stopped_at_10(4);

  EXPECT_TRUE(rejects(without_tail.at(14).claim(kB, 400), ClauseId::V5, {"shard 0", "4.000 ms", "at most 3.000 ms"}));
  EXPECT_TRUE(rejects(with_tail.at(16).claim(kB, 400), ClauseId::V5, {"4 entries left", "at most 5.000 ms"}));
}

TEST(BoundedPause, nothing_is_promised_when_there_are_faults) {
  Story story = stopped_at_10(0);

  story.tell(kC, FaultInjected{FaultKind::delayed}).at(90).claim(kB, 400);

  EXPECT_EQ(story.findings().checks(ClauseId::V5), 0U);
}

// --- V6 ------------------------------------------------------------------------------------------------------------

TEST(SourceSpaceFreed, a_node_that_has_room_is_accepted_and_one_that_has_none_is_named) {
  Story story = bounded();
  story.create(kA, 500, kShard, keys(0, 8)).create(kB, 500, kOtherShard, keys(8, 16)).step();

  story.tell(kB, CopyCreated{kShard, keys(0, 8), MoveId{9}});
  EXPECT_TRUE(accepts(story, ClauseId::V6));

  Bounds tight = usual_bounds();
  tight.node_keys_max = 12;
  Story full(tight);
  full.create(kA, 500, kShard, keys(0, 8)).create(kB, 500, kOtherShard, keys(8, 16)).step();
  full.tell(kB, CopyCreated{kShard, keys(0, 8), MoveId{9}});
  EXPECT_TRUE(rejects(full, ClauseId::V6, {"node 1", "holds 16 keys", "room for 12"}));
}

TEST(SourceSpaceFreed, what_was_removed_or_lost_takes_no_room) {
  Story story = bounded();
  story.create(kA, 500).tell(kB, CopyCreated{kShard, keys(0, 16), MoveId{9}});

  story.tell(kB, CopyRemoved{kShard, keys(0, 16), MoveId{9}}).tell(kB, CopyCreated{kShard, keys(0, 16), MoveId{10}});
  story.tell(kB, Restarted{true}).tell(kB, CopyCreated{kShard, keys(0, 16), MoveId{11}});

  EXPECT_TRUE(accepts(story, ClauseId::V6));
}

TEST(SourceSpaceFreed, an_old_copy_that_is_kept_for_ever_is_named) {
  Story story = moving().move_up_to_fence(kB).confirm_barrier(kA).at(10).commit_move(500);
  story.heal().at(200).begin_cleaning().finish_move();

  story.at(900).tell(kA, CopyHeld{kShard, keys(0, 16), CopyState::retained, MoveId{2}});

  EXPECT_GT(story.findings().checks(ClauseId::V6), 0U);
  EXPECT_TRUE(story.findings().is_violated(ClauseId::V6));
}

}  // namespace
}  // namespace shardcheck::story
