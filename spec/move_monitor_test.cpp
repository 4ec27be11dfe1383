#include "spec/move_monitor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "spec/move_story.h"

namespace shardcheck::story {
namespace {

TEST(VersionMonotonic, newer_versions_and_repeated_replay_are_accepted) {
  Story story;
  story.create(kA, 50).apply(kA, version(1, 1)).apply(kA, version(1, 2)).begin_move(kB);

  story.apply(kB, version(1, 2), ApplyCause::backfill).apply(kB, version(1, 2), ApplyCause::replay);

  EXPECT_TRUE(accepts(story, ClauseId::M4));
}

TEST(VersionMonotonic, backfill_over_a_newer_version_is_named) {
  Story story;
  story.create(kA, 50).begin_move(kB).apply(kB, version(1, 7), ApplyCause::replay);

  story.apply(kB, version(1, 3), ApplyCause::backfill);

  EXPECT_TRUE(rejects(story, ClauseId::M4, {"node 1", "key 5", "version 1.3", "version 1.7"}));
}

TEST(VersionMonotonic, a_chunk_over_a_dual_write_that_was_applied_early_is_named) {
  Story story;
  story.create(kA, 50).begin_move(kB).apply(kB, version(1, 7), ApplyCause::dual_write);
  story.apply(kB, version(1, 7), ApplyCause::dual_write);
  EXPECT_TRUE(accepts(story, ClauseId::M4));

  story.apply(kB, version(1, 6), ApplyCause::backfill);

  EXPECT_TRUE(rejects(story, ClauseId::M4, {"node 1", "version 1.6", "version 1.7"}));
}

TEST(VersionMonotonic, a_client_write_needs_a_version_of_its_own) {
  Story story;

  story.create(kA, 50).apply(kA, version(1, 7)).apply(kA, version(1, 7));

  EXPECT_TRUE(rejects(story, ClauseId::M4, {"node 0", "version 1.7"}));
}

// Trap: a new copy, an erased key and a lost disk begin again; a crash does not.
TEST(VersionMonotonic, a_copy_that_is_begun_again_may_hold_older_versions) {
  Story story;
  story.create(kA, 50).begin_move(kB).apply(kB, version(1, 7), ApplyCause::replay);

  story.tell(kB, CopyCreated{kShard, keys(0, 16), story.move()}).apply(kB, version(1, 3), ApplyCause::backfill);
  story.tell(kB, KeyErased{kShard, kKey, story.move()}).apply(kB, version(1, 2), ApplyCause::backfill);
  story.tell(kB, Restarted{true}).apply(kB, version(1, 1), ApplyCause::backfill);

  EXPECT_TRUE(story.findings().is_clean());
  story.tell(kB, Restarted{false}).apply(kB, version(1, 0), ApplyCause::backfill);
  EXPECT_TRUE(rejects(story, ClauseId::M4, {"version 1.0", "version 1.1"}));
}

TEST(CutoverContentEqual, equal_content_of_the_pinned_epoch_is_accepted) {
  Story story = committed_at_10();

  story.tell(kRouter, CutoverContent{story.move(), kShard, {1, 2, 3, Epoch{1}}, {1, 2, 3, Epoch{1}}});

  EXPECT_TRUE(accepts(story, ClauseId::M5));
}

TEST(CutoverContentEqual, a_missing_tombstone_is_named) {
  Story story = committed_at_10();

  story.tell(kRouter, CutoverContent{story.move(), kShard, {1, 2, 3, Epoch{1}}, {1, 0, 3, Epoch{1}}, 1, {Key{7}}});

  EXPECT_TRUE(rejects(story, ClauseId::M5, {"move 2", "differs from the source's in key 7, tombstones kept"}));
}

TEST(CutoverContentEqual, content_of_another_epoch_is_named) {
  Story story = committed_at_10();

  story.tell(kRouter, CutoverContent{story.move(), kShard, {1, 2, 3, Epoch{4}}, {1, 2, 3, Epoch{4}}});

  EXPECT_TRUE(rejects(story, ClauseId::M5, {"epoch 4", "pinned to epoch 1"}));
}

TEST(FenceBeforeSwitch, a_source_that_stops_at_the_barrier_is_accepted) {
  EXPECT_TRUE(accepts(committed_at_10().serve(kB), ClauseId::M6));
}

TEST(FenceBeforeSwitch, an_effect_after_the_barrier_is_named) {
  Story served, applied;

  served.create(kA, 50).move_up_to_fence(kB).at(2).confirm_barrier(kA).at(3).confirm_barrier(kA).at(4).serve(kA);
  applied.create(kA, 50).move_up_to_fence(kB).at(2).confirm_barrier(kA).apply(kA, version(1, 9));

  EXPECT_TRUE(rejects(served, ClauseId::M6, {"node 0 served request", "at 4.000 ms", "barrier of move 2 at 2.000 ms"}));
  EXPECT_TRUE(rejects(applied, ClauseId::M6, {"node 0 applied version 1.9 of request", "move 2 at 2.000 ms"}));
}

// Trap: after a committed abort the source serves again, even if its confirmation is repeated late.
TEST(FenceBeforeSwitch, an_abort_after_the_barrier_lifts_it) {
  Story story;
  story.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).abort_move();

  story.confirm_barrier(kA).serve(kA).apply(kA, version(1, 9)).finish_move();

  EXPECT_TRUE(accepts(story, ClauseId::M6));
}

// Trap: the range moved away and came back; a repeated confirmation of the first move promises nothing any more.
TEST(FenceBeforeSwitch, a_range_that_came_back_is_served) {
  Story story = committed_at_10();
  const MoveId first = story.move();
  story.at(150).tell(kA, CopyRemoved{kShard, keys(0, 16), first}).begin_cleaning().finish_move();

  story.move_up_to_fence(kA).confirm_barrier(kB).at(160).commit_move(600);
  story.tell(kA, BarrierConfirmed{first, kShard, LogPosition{9}}).serve(kA);

  EXPECT_TRUE(accepts(story, ClauseId::M6));
}

TEST(FenceBeforeSwitch, a_commit_without_a_barrier_is_named) {
  Story story;

  story.create(kA, 5).move_up_to_fence(kB).at(10).commit_move(50).confirm_barrier(kA);

  EXPECT_TRUE(rejects(story, ClauseId::M6, {"move 2", "source node 0 had not confirmed"}));
}

TEST(DestInactive, the_target_serves_after_the_commit) {
  EXPECT_TRUE(accepts(committed_at_10().serve(kB), ClauseId::M7));
}

// Trap: it carries the epoch that the move ended.
TEST(DestInactive, what_the_source_handed_on_is_served_under_the_grant_of_that_move) {
  Story story = committed_at_10();

  story.tell(
      kB,
      Served{
          kShard, kKey, story.epoch(), Epoch{1}, story.epoch(), {request(1), 1}, OperationKind::write, story.move()});

  EXPECT_TRUE(accepts(story, ClauseId::M7));
  EXPECT_GT(story.findings().checks(ClauseId::L3), 0U);
}

TEST(DestInactive, what_the_source_handed_on_is_served_under_no_other_grant) {
  Story before, after = committed_at_10();
  before.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).at(3).abort_move();
  const MoveId first = after.move();
  after.at(150).tell(kA, CopyRemoved{kShard, keys(0, 16), first}).begin_cleaning().finish_move();
  after.move_up_to_fence(kA).confirm_barrier(kB).at(160).commit_move(600);

  before.tell(kB,
              Served{kShard, kKey, Epoch{1}, Epoch{1}, Epoch{1}, {request(1), 1}, OperationKind::write, before.move()});
  after.tell(
      kA,
      Served{kShard, kKey, after.epoch(), after.epoch(), after.epoch(), {request(1), 1}, OperationKind::write, first});

  const auto& violations = before.findings().violations();  // L5 among them: it acted without a grant
  EXPECT_NE(std::ranges::find(violations, ClauseId::M7, &Violation::clause), violations.end());
  EXPECT_TRUE(rejects(after, ClauseId::M7, {"node 0 served a write", "handed on to node 1"}));
}

TEST(DestInactive, the_target_serves_nothing_before) {
  Story story;

  story.create(kA, 5).move_up_to_fence(kB).at(10).serve_under(Epoch{6}, kB);

  // L5 among them: it acted without a grant.
  EXPECT_TRUE(rejects_among_others(story, ClauseId::M7, {"node 1 served key 5", "target of move 2", "fenced"}));
}

TEST(CrashResume, an_aborted_move_ends_without_residue) {
  Story story;
  story.create(kA, 50).move_up_to_fence(kB).abort_move().finish_move().heal();

  story.at(900).tell(kA, CopyHeld{kShard, keys(0, 16), CopyState::owned, MoveId{}}).finish(900);

  EXPECT_TRUE(accepts(story, ClauseId::M8));
}

TEST(CrashResume, a_move_is_decided_once) {
  Story after_abort, after_commit, twice = committed_at_10();

  after_abort.create(kA, 5).move_up_to_fence(kB).confirm_barrier(kA).abort_move().at(10).commit_move(50);
  after_commit = committed_at_10();
  after_commit.abort_move();
  twice.record_of(kShard).epoch = Epoch{7};
  twice.commit(RecordChange::move_committed, Epoch{6});

  EXPECT_TRUE(rejects(after_abort, ClauseId::M8, {"move 2", "aborted and then committed"}));
  EXPECT_TRUE(rejects(after_commit, ClauseId::M8, {"move 2", "committed and then aborted"}));
  EXPECT_TRUE(twice.findings().is_violated(ClauseId::M8));
}

TEST(CrashResume, an_older_mover_is_refused) {
  Story story;
  story.create(kA, 50).begin_move(kB);
  story.record_of(kShard).mover_epoch = MoverEpoch{2};
  story.record_of(kShard).phase = MovePhase::copying;
  story.commit(RecordChange::move_advanced, Epoch{1}, MoverEpoch{2});

  story.record_of(kShard).phase = MovePhase::aborted;
  story.commit(RecordChange::move_aborted, Epoch{1}, MoverEpoch{1});

  EXPECT_TRUE(rejects(story, ClauseId::M8, {"move 2", "mover epoch 1", "mover epoch 2"}));
}

// Trap: a source whose fence ran out is no mover, and may propose the abort.
TEST(CrashResume, the_source_may_propose_the_abort) {
  Story story;
  story.create(kA, 50).move_up_to_fence(kB);

  story.record_of(kShard).phase = MovePhase::aborted;
  story.commit(RecordChange::move_aborted, Epoch{1}, MoverEpoch{0});

  EXPECT_TRUE(accepts(story, ClauseId::M8));
}

TEST(CrashResume, a_fence_or_a_staging_copy_that_remains_is_named) {
  Story fenced, staging;
  fenced.create(kA, 50).move_up_to_fence(kB).abort_move().finish_move().heal().at(900);
  staging.create(kA, 50).move_up_to_fence(kB).abort_move().finish_move().heal().at(900);

  fenced.tell(kA, CopyHeld{kShard, keys(0, 16), CopyState::fenced, MoveId{2}});
  staging.tell(kB, CopyHeld{kShard, keys(0, 16), CopyState::staging, MoveId{2}});

  EXPECT_TRUE(rejects(fenced, ClauseId::M8, {"node 0", "fenced copy", "move 2"}));
  EXPECT_TRUE(rejects(staging, ClauseId::M8, {"node 1", "staging copy", "move 2"}));
}

TEST(CrashResume, two_copies_that_think_they_are_owned_are_named) {
  Story story = committed_at_10().begin_cleaning().finish_move().heal().at(900);

  story.tell(kB, CopyHeld{kShard, keys(0, 16), CopyState::owned, MoveId{}});
  story.tell(kA, CopyHeld{kShard, keys(0, 16), CopyState::owned, MoveId{}});

  EXPECT_TRUE(rejects(story, ClauseId::M8, {"node 0", "so-called owned copy", "record the range is owned by node 1"}));
}

// Traps: a run that was never quiet, a move that is still young, and data that is reported lost.
TEST(CrashResume, copies_of_a_running_move_are_no_residue) {
  Story restless, young, lost;

  restless.create(kA, 50).move_up_to_fence(kB).abort_move().finish_move().at(900);
  restless.tell(kB, CopyHeld{kShard, keys(0, 16), CopyState::staging, MoveId{2}});
  young.create(kA, 50).heal().at(900).move_up_to_fence(kB).at(950);
  young.tell(kB, CopyHeld{kShard, keys(0, 16), CopyState::staging, MoveId{2}});
  lost.create(kA, 50).begin_move(kB).report_lost().heal().at(900);
  lost.tell(kB, CopyHeld{kShard, keys(0, 16), CopyState::staging, MoveId{2}});

  EXPECT_TRUE(restless.findings().is_clean());
  EXPECT_TRUE(young.findings().is_clean());
  EXPECT_TRUE(lost.findings().is_clean());
}

TEST(CrashResume, a_source_that_forgets_its_barrier_in_a_restart_and_serves_again_is_named) {
  Story story;
  story.create(kA, 500).move_up_to_fence(kB).confirm_barrier(kA).tell(kA, Restarted{false});

  story.serve(kA);

  EXPECT_TRUE(story.findings().is_violated(ClauseId::M6));
  EXPECT_TRUE(story.findings().is_violated(ClauseId::M8));
}

}  // namespace
}  // namespace shardcheck::story
