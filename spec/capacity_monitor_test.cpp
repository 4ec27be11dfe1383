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
  bounds.lag_at_fence_max = 2;
  bounds.lag_of_longer_pause_max = 8;
  bounds.splits_first_max = 2;
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

TEST(MoveProgress, a_copy_that_is_found_at_a_start_is_not_begun_once_more) {
  Story story = moving();

  story.tell(kB, CopyCreated{kShard, keys(0, 16), story.move()});
  story.tell(kB, CopyCreated{kShard, keys(0, 16), story.move(), true});

  EXPECT_TRUE(accepts(story, ClauseId::V2));
}

TEST(MoveProgress, a_copy_that_is_begun_again_and_again_is_named) {
  Story story = moving();

  story.tell(kB, CopyCreated{kShard, keys(0, 16), story.move()});
  EXPECT_TRUE(accepts(story, ClauseId::V2));
  story.tell(kB, CopyCreated{kShard, keys(0, 16), story.move()});

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"node 1", "3th time"}));
}

Story& decide(Story& story, CatchUpDecision decision, std::uint8_t splits = 0) {
  return story.tell(kC, CatchUpDecided{story.move(), kShard, MoverEpoch{1}, decision, splits});
}

TEST(MoveProgress, what_throttling_cost_is_the_sum_of_what_each_write_waited) {
  Story story = moving();
  decide(story, CatchUpDecision::throttle);
  story.tell(kA, WriteThrottled{story.move(), kShard, milliseconds(4)});
  story.tell(kA, WriteThrottled{story.move(), kShard, milliseconds(3)});

  Story other = story;
  story.tell(kA, ThrottleEnded{story.move(), kShard, 2, milliseconds(7)});
  other.tell(kA, ThrottleEnded{story.move(), kShard, 2, milliseconds(4)});

  EXPECT_TRUE(accepts(story, ClauseId::V2));
  EXPECT_TRUE(rejects(other, ClauseId::V2, {"node 0", "2 writes", "4.000 ms", "7.000 ms"}));
}

TEST(MoveProgress, what_throttling_cost_is_counted_anew_by_a_source_that_restarted) {
  Story story = moving();
  decide(story, CatchUpDecision::throttle);
  story.tell(kA, WriteThrottled{story.move(), kShard, milliseconds(4)});
  story.tell(kA, Crashed{}).tell(kA, Restarted{false});
  story.tell(kA, WriteThrottled{story.move(), kShard, milliseconds(3)});

  story.tell(kA, ThrottleEnded{story.move(), kShard, 1, milliseconds(3)});

  EXPECT_TRUE(accepts(story, ClauseId::V2));
}

TEST(MoveProgress, a_range_is_split_first_so_often_and_no_more) {
  Story story = moving();

  decide(story, CatchUpDecision::split_first, 1);
  EXPECT_TRUE(accepts(story, ClauseId::V2));
  decide(story, CatchUpDecision::split_first, 2);

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move 2", "2 times"}));
}

TEST(MoveProgress, one_key_is_not_split_first) {
  Story story = bounded();
  story.create(kA, 500, kShard, keys(0, 1)).create(kB, 500, kOtherShard, keys(1, 16)).step().begin_move(kB);

  decide(story, CatchUpDecision::split_first);

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move", "no halves"}));
}

TEST(MoveProgress, a_move_that_its_mover_gave_up_is_not_committed_by_it) {
  Story story = moving();
  for (const MovePhase phase : {MovePhase::copying, MovePhase::catching_up}) {
    story.advance_to(phase);
  }
  decide(story, CatchUpDecision::split_first);
  story.advance_to(MovePhase::fenced).confirm_barrier(kA);
  Story taken_over = story;

  story.commit_move(500);
  taken_over.record_of(kShard).mover_epoch = MoverEpoch{2};
  taken_over.commit(RecordChange::move_advanced, story.epoch(), MoverEpoch{2});
  taken_over.record_of(kShard).phase = MovePhase::switched;
  taken_over.record_of(kShard).owner = kB;
  taken_over.record_of(kShard).epoch = epoch_of(next(taken_over.position()));
  taken_over.commit(RecordChange::move_committed, taken_over.record_of(kShard).source_epoch, MoverEpoch{2});

  EXPECT_TRUE(rejects_among_others(story, ClauseId::V2, {"mover epoch 1", "given it up"}));
  EXPECT_FALSE(taken_over.findings().is_violated(ClauseId::V2));
}

TEST(BoundedPause, a_fence_is_asked_for_when_little_is_left) {
  Story story = moving();

  story.tell(kC, FenceDecided{story.move(), kShard, MoverEpoch{1}, 2});
  EXPECT_TRUE(accepts(story, ClauseId::V5));
  story.tell(kC, FenceDecided{story.move(), kShard, MoverEpoch{1}, 3});

  EXPECT_TRUE(rejects(story, ClauseId::V5, {"move 2", "3 entries", "may be 2"}));
}

TEST(BoundedPause, a_longer_pause_is_accepted_for_what_is_stated_and_no_more) {
  Story story = moving();
  Story beyond = moving();
  for (Story* each : {&story, &beyond}) {
    decide(*each, CatchUpDecision::longer_pause);
  }

  story.tell(kC, FenceDecided{story.move(), kShard, MoverEpoch{1}, 8});
  beyond.tell(kC, FenceDecided{story.move(), kShard, MoverEpoch{1}, 9});

  EXPECT_TRUE(accepts(story, ClauseId::V5));
  EXPECT_TRUE(rejects(beyond, ClauseId::V5, {"9 entries", "longer pause", "may be 8"}));
}

// It tells less than it told before: what is left is what its last round left.
TEST(BoundedPause, a_longer_pause_is_judged_by_what_the_last_round_left) {
  Story story = moving();
  round_of_replay(story);
  decide(story, CatchUpDecision::longer_pause);

  story.tell(kC, FenceDecided{story.move(), kShard, MoverEpoch{1}, 8});

  EXPECT_TRUE(rejects(story, ClauseId::V5, {"30 entries", "may be 8"}));
}

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

  EXPECT_TRUE(rejects(without_tail.at(14).claim(kB, 400), ClauseId::V5, {"range 0", "4.000 ms", "at most 3.000 ms"}));
  EXPECT_TRUE(rejects(with_tail.at(16).claim(kB, 400), ClauseId::V5, {"4 entries left", "at most 5.000 ms"}));
}

TEST(BoundedPause, entries_beyond_the_stated_bound_are_given_no_time) {
  Story story = moving();
  for (const MovePhase phase : {MovePhase::copying, MovePhase::catching_up}) {
    story.advance_to(phase);
  }
  decide(story, CatchUpDecision::longer_pause);
  story.tell(kC, FenceDecided{story.move(), kShard, MoverEpoch{1}, 40}).advance_to(MovePhase::fenced);
  story.at(10).tell(kA, AdmissionStopped{story.move(), kShard});
  story.tell(kA, BarrierConfirmed{story.move(), kShard, at(44)}).commit_move(500);

  story.at(18).claim(kB, 400);

  const std::uint64_t checks_of_fence_and_pause = 2;
  EXPECT_EQ(story.findings().checks(ClauseId::V5), checks_of_fence_and_pause);
  EXPECT_TRUE(rejects(story, ClauseId::V5, {"40 entries"}));
}

TEST(BoundedPause, nothing_is_promised_when_there_are_faults) {
  Story story = stopped_at_10(0);

  story.tell(kC, FaultInjected{FaultKind::delayed}).at(90).claim(kB, 400);

  EXPECT_EQ(story.findings().checks(ClauseId::V5), 0U);
}

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
