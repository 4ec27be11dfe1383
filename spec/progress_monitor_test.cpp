#include "spec/progress_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

constexpr NodeId kMover{6};

// A move of range 0 from node 0 to node 1 hangs since 10 ms; range 1 is node 2's, and its moves take 40 ms, 5 ms more
// for each round of replay and 10 ms for each copy.
Story with_stuck_move() {
  Bounds bounds = usual_bounds();
  bounds.undisturbed_move_within = milliseconds(40);
  bounds.replay_round = milliseconds(5);
  bounds.copy_within = milliseconds(10);
  bounds.quiet_after = milliseconds(50);
  bounds.directory = std::uint64_t{1} << kRouter.value;
  Story story(bounds);
  story.create(kA, 900, kShard, keys(0, 8)).create(kC, 900, kOtherShard, keys(8, 16)).step();
  return story.at(10).begin_move(kB);
}

Story& second(Story& story, RecordChange change, MovePhase phase) {
  ShardRecord& record = story.record_of(kOtherShard);
  record.phase = phase;
  record.mover = kMover;
  record.mover_epoch = MoverEpoch{1};
  return story.commit(change, record.epoch, MoverEpoch{1}, kOtherShard);
}

Story& second_move_begins(Story& story) {
  ShardRecord& record = story.record_of(kOtherShard);
  record.move = MoveId{story.position().value + 1};
  record.source = kC;
  record.target = NodeId{3};
  record.source_epoch = record.epoch;
  return second(story, RecordChange::move_begun, MovePhase::preparing);
}

Story& second_move_aborts(Story& story) { return second(story, RecordChange::move_aborted, MovePhase::aborted); }

TEST(StuckMove, another_move_is_decided_beside_it_in_time) {
  Story story = with_stuck_move();

  second_move_begins(story.at(20));
  second_move_aborts(story.at(60));

  EXPECT_TRUE(accepts(story, ClauseId::V2));
}

TEST(StuckMove, one_that_blocks_another_is_named) {
  Story story = with_stuck_move();

  second_move_begins(story.at(20));
  second_move_aborts(story.at(61));

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move 4 of range 1", "40.000 ms at most", "move 3 is not over"}));
}

TEST(StuckMove, rounds_and_copies_take_their_time) {
  Story story = with_stuck_move();
  second_move_begins(story.at(20));
  const MoveId move = story.record_of(kOtherShard).move;

  story.tell(NodeId{3}, CopyCreated{kOtherShard, keys(8, 16), move});
  story.tell(kMover, ReplayRound{move, kOtherShard, MoverEpoch{1}, 9});
  second_move_aborts(story.at(75));

  EXPECT_TRUE(accepts(story, ClauseId::V2));
}

TEST(StuckMove, a_copy_found_at_a_start_takes_no_time) {
  Story story = with_stuck_move();
  second_move_begins(story.at(20));
  const MoveId move = story.record_of(kOtherShard).move;

  story.tell(NodeId{3}, CopyCreated{kOtherShard, keys(8, 16), move, true});
  story.tell(kMover, ReplayRound{move, kOtherShard, MoverEpoch{1}, 9});
  second_move_aborts(story.at(75));

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move 4"}));
}

TEST(StuckMove, what_strikes_others_is_no_excuse) {
  Story story = with_stuck_move();
  second_move_begins(story.at(20)).tell(kB, FaultInjected{FaultKind::paused, TrueTime{900'000'000}});

  second_move_aborts(story.at(61));

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move 4"}));
}

TEST(StuckMove, who_was_struck_has_until_that_is_over) {
  for (const NodeId struck : {kC, NodeId{3}, kMover, kRouter}) {
    SCOPED_TRACE(struck.value);
    Story story = with_stuck_move();
    second_move_begins(story.at(20));
    story.tell(struck, FaultInjected{FaultKind::paused, TrueTime{30'000'000}});
    Story late = story;

    second_move_aborts(story.at(120));
    second_move_aborts(late.at(121));

    EXPECT_TRUE(accepts(story, ClauseId::V2));
    EXPECT_TRUE(rejects(late, ClauseId::V2, {"move 4"}));
  }
}

TEST(StuckMove, a_move_that_is_never_decided_is_named_at_the_end) {
  Story story = with_stuck_move();
  second_move_begins(story.at(20));

  story.finish(61);

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move 3", "61.000 ms"}));
}

TEST(StuckMove, a_move_that_is_alone_is_judged_by_the_same_time) {
  Story story = with_stuck_move();
  story.abort_move().finish_move();
  second_move_begins(story.at(20));
  Story late = story;

  second_move_aborts(story.at(60));
  second_move_aborts(late.at(61));

  EXPECT_TRUE(accepts(story, ClauseId::V2));
  EXPECT_TRUE(rejects(late, ClauseId::V2, {"of range 1", "40.000 ms at most"}));
}

}  // namespace
}  // namespace shardcheck::story
