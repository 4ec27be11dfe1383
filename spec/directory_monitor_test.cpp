#include "spec/directory_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

Story two_halves() {
  Story story;
  story.create(kA, 50, kShard, keys(0, 8)).create(kB, 50, kOtherShard, keys(8, 16)).step();
  return story;
}

TEST(DirectoryTiling, two_halves_tile_the_key_space) { EXPECT_TRUE(accepts(two_halves(), ClauseId::D1)); }

TEST(DirectoryTiling, a_gap_between_two_ranges_is_named) {
  Story story;

  story.create(kA, 50, kShard, keys(0, 8)).create(kB, 50, kOtherShard, keys(9, 16)).step();

  EXPECT_TRUE(rejects(story, ClauseId::D1, {"a gap at key 8", "range 1 [9, 16)"}));
}

TEST(DirectoryTiling, a_half_that_keeps_the_split_key_overlaps) {
  Story story = two_halves();

  story.record_of(kShard).range = keys(0, 9);
  story.record_of(kShard).epoch = epoch_of(next(story.position()));
  story.commit(RecordChange::bounds_changed, Epoch{1});

  // Node 1 did not release key 8, but node 0 now owns it: the lease says so as well.
  ASSERT_FALSE(story.findings().is_clean());
  EXPECT_TRUE(story.findings().is_violated(ClauseId::D1));
}

TEST(DirectoryTiling, the_last_key_must_be_covered) {
  Story story;

  story.create(kA, 50, kShard, keys(0, 15)).step();

  EXPECT_TRUE(rejects(story, ClauseId::D1, {"end at key 15", "key space at 16"}));
}

TEST(DirectoryTiling, an_empty_range_is_none) {
  Story story = two_halves();

  story.create(kA, 50, ShardId{2}, keys(8, 8)).step();

  EXPECT_TRUE(rejects(story, ClauseId::D1, {"range 2 has the empty range [8, 8)"}));
}

TEST(DirectoryTiling, only_a_lost_range_may_be_without_owner) {
  Story lost, owned_by_nobody;

  lost.create(kA, 50).report_lost();
  owned_by_nobody.create(kNoNode, 50);

  EXPECT_TRUE(accepts(lost, ClauseId::D1));
  EXPECT_TRUE(rejects(owned_by_nobody, ClauseId::D1, {"range 0 [0, 16) has no owner"}));
}

// Trap: in the middle of a step the ranges do not tile, and a merged shard leaves no hole.
TEST(DirectoryTiling, split_and_merge_are_judged_when_their_step_is_whole) {
  Story story;
  story.create(kA, 50);

  ShardRecord& left = story.record_of(kShard);
  ShardRecord& right = story.record_of(kOtherShard);
  right = left;
  right.shard = kOtherShard;
  left.range = keys(0, 8);
  right.range = keys(8, 16);
  left.epoch = right.epoch = Epoch{2};
  story.commit_at(DirectoryPosition{2}, RecordChange::bounds_changed, Epoch{1}, {}, kShard);
  story.commit_at(DirectoryPosition{2}, RecordChange::created, Epoch{1}, {}, kOtherShard).step();
  left.range = keys(0, 16);
  left.epoch = Epoch{3};
  story.commit_at(DirectoryPosition{3}, RecordChange::bounds_changed, Epoch{2}, {}, kShard);
  story.commit_at(DirectoryPosition{3}, RecordChange::removed, Epoch{2}, {}, kOtherShard).step();

  EXPECT_TRUE(accepts(story, ClauseId::D1));
  EXPECT_TRUE(accepts(story, ClauseId::D2));
}

TEST(EpochMonotonic, each_grant_has_the_epoch_of_its_position) {
  Story story;

  story.create(kA, 50).at(60).grant(kB, 100).at(120).grant(kA, 200);

  EXPECT_TRUE(accepts(story, ClauseId::D2));
}

TEST(EpochMonotonic, a_split_that_keeps_the_parents_epoch_is_named) {
  Story story;
  story.create(kA, 50);

  story.record_of(kShard).range = keys(0, 8);
  story.record_of(kOtherShard) = story.record_of(kShard);
  story.record_of(kOtherShard).shard = kOtherShard;
  story.record_of(kOtherShard).range = keys(8, 16);
  story.commit_at(DirectoryPosition{2}, RecordChange::bounds_changed, Epoch{1}, {}, kShard);
  story.commit_at(DirectoryPosition{2}, RecordChange::created, Epoch{1}, {}, kOtherShard).step();

  EXPECT_TRUE(rejects(story, ClauseId::D2, {"range 0 [0, 8)", "under epoch 1", "covers keys of range 0 [0, 16)"}));
}

// Two metadata shards that count grants for themselves have no common order, even where every epoch grows.
TEST(EpochMonotonic, an_epoch_that_is_no_position_is_named) {
  Story story;
  story.create(kA, 50).at(60);

  story.record_of(kShard).epoch = Epoch{9};
  story.commit(RecordChange::granted, Epoch{1});

  EXPECT_TRUE(rejects(story, ClauseId::D2, {"range 0", "position 2", "epoch 9"}));
}

TEST(EpochMonotonic, a_merge_must_be_above_both_halves) {
  Story story = two_halves();

  story.record_of(kShard).range = keys(0, 16);
  story.record_of(kShard).epoch = Epoch{2};  // above its own epoch 1 only
  story.at(60).commit_at(DirectoryPosition{3}, RecordChange::bounds_changed, Epoch{1}, {}, kShard);
  story.commit_at(DirectoryPosition{3}, RecordChange::removed, Epoch{2}, {}, kOtherShard).step();

  EXPECT_TRUE(rejects(story, ClauseId::D2, {"under epoch 2", "covers keys of range 1 [8, 16)", "node 1"}));
}

TEST(EpochMonotonic, an_owner_changed_without_a_grant_is_named) {
  Story story;
  story.create(kA, 50).at(60);

  story.record_of(kShard).owner = kB;
  story.record_of(kShard).phase = MovePhase::preparing;
  story.commit(RecordChange::move_begun, Epoch{1});

  EXPECT_TRUE(rejects(story, ClauseId::D2, {"node 0", "node 1", "kept epoch 1"}));
}

TEST(EpochMonotonic, a_log_that_loses_its_tail_issues_an_epoch_again) {
  Story story;
  story.create(kA, 10).at(20).grant(kB, 30).at(40);

  story.record_of(kShard).owner = kC;
  story.commit_at(DirectoryPosition{2}, RecordChange::granted, Epoch{2}, {}, kShard).step();

  EXPECT_TRUE(rejects(story, ClauseId::D2, {"epoch 2", "node 1", "node 2"}));
}

TEST(EpochMonotonic, positions_never_go_back) {
  Story story;
  story.create(kA, 10).begin_move(kB).abort_move();

  story.record_of(kShard).phase = MovePhase::none;
  story.commit_at(DirectoryPosition{2}, RecordChange::move_finished, Epoch{1}, {}, kShard);

  EXPECT_TRUE(rejects(story, ClauseId::D2, {"position 2", "position 3"}));
}

TEST(DirectoryCas, a_whole_move_follows_the_legal_order) {
  Story story;

  story.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).commit_move(100).begin_cleaning().finish_move();

  EXPECT_TRUE(accepts(story, ClauseId::D3));
}

// Trap: the owner died and the range was granted anew during its move; the move must still be ended.
TEST(DirectoryCas, a_move_whose_range_was_granted_anew_may_be_aborted) {
  Story story;
  story.create(kA, 50).begin_move(kB).at(60).grant(kC, 100);

  story.record_of(kShard).phase = MovePhase::aborted;
  story.commit(RecordChange::move_aborted, story.record_of(kShard).source_epoch);

  EXPECT_TRUE(accepts(story, ClauseId::D3));
}

TEST(DirectoryCas, a_grant_planned_on_an_older_epoch_is_named) {
  Story story;
  story.create(kA, 10).at(20).grant(kB, 30).at(40);

  story.record_of(kShard).owner = kC;
  story.record_of(kShard).epoch = Epoch{3};
  story.commit(RecordChange::granted, Epoch{1});

  EXPECT_TRUE(rejects(story, ClauseId::D3, {"position 3", "planned on epoch 1", "at epoch 2"}));
}

TEST(DirectoryCas, a_move_commits_only_on_the_epoch_it_is_pinned_to) {
  Story story;
  story.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).at(60).grant(kA, 70);

  story.at(80).commit_move(100);

  EXPECT_TRUE(rejects(story, ClauseId::D3, {"move 2", "pinned to epoch 1", "epoch 6"}));
}

TEST(DirectoryCas, a_move_does_not_advance_when_its_range_was_granted_anew) {
  Story story;
  story.create(kA, 50).begin_move(kB).at(60).grant(kA, 100);

  story.record_of(kShard).phase = MovePhase::copying;
  story.commit(RecordChange::move_advanced, Epoch{1});

  EXPECT_TRUE(rejects(story, ClauseId::D3, {"planned on epoch 1", "at epoch 3"}));
}

TEST(DirectoryCas, an_abort_planned_on_neither_epoch_is_named) {
  Story story;
  story.create(kA, 50).begin_move(kB);

  story.record_of(kShard).phase = MovePhase::aborted;
  story.commit(RecordChange::move_aborted, Epoch{7});

  EXPECT_TRUE(rejects(story, ClauseId::D3, {"planned on epoch 7", "at epoch 1"}));
}

TEST(DirectoryCas, a_move_begins_by_preparing) {
  Story story;
  story.create(kA, 50);

  story.record_of(kShard).phase = MovePhase::fenced;
  story.record_of(kShard).move = MoveId{2};
  story.commit(RecordChange::move_begun, Epoch{1});

  EXPECT_TRUE(rejects(story, ClauseId::D3, {"move 2", "begins in phase fenced"}));
}

TEST(DirectoryCas, a_second_move_of_a_range_is_refused) {
  Story story;
  story.create(kA, 50).begin_move(kB);

  story.begin_move(kC);

  EXPECT_TRUE(rejects(story, ClauseId::D3, {"move 3", "while move 2", "preparing"}));
}

TEST(DirectoryCas, a_move_does_not_go_back_a_phase_nor_switch_before_the_fence) {
  Story back, early;

  back.create(kA, 50).begin_move(kB).advance_to(MovePhase::catching_up).advance_to(MovePhase::copying);
  early.create(kA, 50).begin_move(kB).advance_to(MovePhase::copying).confirm_barrier(kA).commit_move(100);

  EXPECT_TRUE(rejects(back, ClauseId::D3, {"catching_up to phase copying"}));
  EXPECT_TRUE(rejects(early, ClauseId::D3, {"copying to phase switched"}));
}

TEST(DirectoryCas, a_newer_mover_may_take_over_in_the_same_phase) {
  Story story;
  story.create(kA, 50).begin_move(kB).advance_to(MovePhase::copying);

  story.record_of(kShard).mover_epoch = MoverEpoch{2};
  story.commit(RecordChange::move_advanced, Epoch{1}, MoverEpoch{2});

  EXPECT_TRUE(accepts(story, ClauseId::D3));
}

}  // namespace
}  // namespace shardcheck::story
