// What is judged of the end of a move: cleanup, residue and the bounds of the range (M9, M10).
#include "spec/move_monitor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "spec/move_story.h"

namespace shardcheck::story {
namespace {

TEST(CleanupSafety, the_source_cleans_after_the_retention) {
  Story story = committed_at_10();

  // Its clock may run four milliseconds, twice the bound, faster than the directory's.
  story.at(106).tell(kA, CopyRemoved{kShard, keys(0, 16), story.move()});

  EXPECT_TRUE(accepts(story, ClauseId::M9));
}

TEST(CleanupSafety, cleaning_too_early_is_named) {
  Story story = committed_at_10();

  story.at(105).tell(kA, CopyRemoved{kShard, keys(0, 16), story.move()});

  EXPECT_TRUE(rejects(story, ClauseId::M9, {"node 0", "105.000 ms", "committed at 10.000 ms", "100.000 ms"}));
}

TEST(CleanupSafety, the_owner_never_removes_its_copy) {
  Story early, back = committed_at_10();
  const MoveId first = back.move();

  early.create(kA, 50).move_up_to_fence(kB).tell(kA, CopyRemoved{kShard, keys(0, 16), early.move()});
  back.at(200).begin_cleaning().finish_move().move_up_to_fence(kA).confirm_barrier(kB).commit_move(900);
  back.at(400).tell(kA, CopyRemoved{kShard, keys(0, 16), first});

  EXPECT_TRUE(rejects(early, ClauseId::M9, {"node 0", "it owns range 0", "epoch 1"}));
  EXPECT_TRUE(rejects(back, ClauseId::M9,
                      {"node 0", "kept as the source of move 2", "it owns range 0",
                       "move 2 had taken the range away at 10.000 ms, and it came back"}));
}

TEST(CleanupSafety, the_owner_never_erases_its_keys) {
  Story story;

  story.create(kA, 50).move_up_to_fence(kB).tell(kA, KeyErased{kShard, kKey, story.move()});

  EXPECT_TRUE(rejects(story, ClauseId::M9, {"node 0 erased key 5", "it owns"}));
}

TEST(CleanupSafety, a_target_removes_its_copy_only_after_the_abort) {
  Story open, aborted;

  open.create(kA, 50).move_up_to_fence(kB).tell(kB, CopyRemoved{kShard, keys(0, 16), open.move()});
  aborted.create(kA, 50).move_up_to_fence(kB).abort_move();
  aborted.tell(kB, CopyRemoved{kShard, keys(0, 16), aborted.move()});

  EXPECT_TRUE(rejects(open, ClauseId::M9, {"node 1, the target of move 2", "still open"}));
  EXPECT_TRUE(accepts(aborted, ClauseId::M9));
}

TEST(CleanupSafety, a_copy_kept_for_ever_is_named) {
  Story story = committed_at_10().heal().at(200).begin_cleaning().finish_move();

  story.at(900).tell(kA, CopyHeld{kShard, keys(0, 16), CopyState::retained, MoveId{2}});

  EXPECT_TRUE(rejects(story, ClauseId::M9,
                      {"node 0", "retained copy", "kept as the source of move 2", "owned by node 1", "in no move"}));
}

TEST(CleanupSafety, a_member_keeps_its_copy_until_it_is_none) {
  Story story;
  story.create(kA, 500);
  story.record_of(kShard).members.insert(kA);
  story.commit(RecordChange::members_changed, story.epoch());
  story.tell(kB, CopyRemoved{kShard, keys(0, 16), MoveId{}});
  EXPECT_TRUE(accepts(story, ClauseId::M9));

  story.record_of(kShard).members.insert(kB);
  story.commit(RecordChange::members_changed, story.epoch());
  story.tell(kB, CopyRemoved{kShard, keys(0, 16), MoveId{}});

  EXPECT_TRUE(rejects(story, ClauseId::M9,
                      {"node 1", "kept as a member of a replica set", "though the directory still has it in"}));
}

// A range of A's, of which this node is a member and begins a copy.
Story begun_as_member(NodeId node) {
  Story story;
  story.create(kA, 500);
  story.record_of(kShard).members.insert(node);
  story.commit(RecordChange::members_changed, story.epoch());
  return story.tell(node, CopyCreated{kShard, keys(0, 16), MoveId{}});
}

// A member that lost its disk begins again with nothing, and may then hear late of a time before it was a member.
TEST(CleanupSafety, a_member_may_forget_the_empty_copy_that_it_began_without_its_memory) {
  Story empty = begun_as_member(kB);
  Story filled = begun_as_member(kB);
  Story twice = begun_as_member(kB);

  empty.tell(kB, CopyRemoved{kShard, keys(0, 16), MoveId{}});
  filled.apply(kB, version(1, 1), ApplyCause::replication).tell(kB, CopyRemoved{kShard, keys(0, 16), MoveId{}});
  twice.tell(kB, CopyRemoved{kShard, keys(0, 16), MoveId{}}).tell(kB, CopyRemoved{kShard, keys(0, 16), MoveId{}});

  EXPECT_TRUE(accepts(empty, ClauseId::M9));
  EXPECT_TRUE(rejects(filled, ClauseId::M9, {"node 1 removed its copy", "still has it in the replica set"}));
  EXPECT_TRUE(rejects(twice, ClauseId::M9, {"node 1 removed its copy", "still has it in the replica set"}));
}

// The same of an owner.
TEST(CleanupSafety, an_owner_may_forget_the_empty_copy_that_it_began_without_its_memory) {
  Story empty = begun_as_member(kA);
  Story filled = begun_as_member(kA);
  Story twice = begun_as_member(kA);

  empty.tell(kA, CopyRemoved{kShard, keys(0, 16), MoveId{}});
  filled.apply(kA, version(1, 1), ApplyCause::replication).tell(kA, CopyRemoved{kShard, keys(0, 16), MoveId{}});
  twice.tell(kA, CopyRemoved{kShard, keys(0, 16), MoveId{}}).tell(kA, CopyRemoved{kShard, keys(0, 16), MoveId{}});

  EXPECT_TRUE(accepts(empty, ClauseId::M9));
  EXPECT_TRUE(rejects(filled, ClauseId::M9, {"node 0 removed its copy", "but it owns range 0"}));
  EXPECT_TRUE(rejects(twice, ClauseId::M9, {"node 0 removed its copy", "but it owns range 0"}));
}

TEST(CleanupSafety, a_replica_that_nobody_counts_is_residue) {
  Story story;
  story.create(kA, 900).heal();

  story.at(800).tell(kB, CopyHeld{kShard, keys(0, 16), CopyState::replica, MoveId{}});

  EXPECT_TRUE(rejects(story, ClauseId::M9,
                      {"node 1", "replica copy", "kept as a member of a replica set", "no member of its replica set"}));
}

TEST(RangeConfinement, changes_inside_of_the_range_are_accepted) {
  Story story;
  story.create(kA, 50, kShard, keys(0, 8)).create(kC, 50, kOtherShard, keys(8, 16)).step().move_up_to_fence(kB);

  story.apply(kB, version(1, 1), ApplyCause::backfill).abort_move().tell(kB, KeyErased{kShard, kKey, story.move()});

  EXPECT_TRUE(accepts(story, ClauseId::M10));
}

TEST(RangeConfinement, the_key_past_the_end_is_not_the_moves) {
  Story erased, copied;
  erased.create(kA, 50, kShard, keys(0, 8)).create(kA, 50, kOtherShard, keys(8, 16)).step().move_up_to_fence(kB);
  copied.create(kA, 50, kShard, keys(0, 8)).create(kA, 50, kOtherShard, keys(8, 16)).step().move_up_to_fence(kB);

  erased.tell(kA, KeyErased{kShard, Key{8}, erased.move()});
  copied.apply(kB, version(1, 1), ApplyCause::replay, {}, Key{8});

  EXPECT_TRUE(rejects(erased, ClauseId::M10, {"node 0 erased key 8", "[0, 8)"}));
  EXPECT_TRUE(rejects(copied, ClauseId::M10, {"move 3", "key 8", "node 1"}));
}

TEST(RangeConfinement, a_copy_is_begun_and_removed_within_the_range) {
  Story begun, removed;
  begun.create(kA, 50, kShard, keys(0, 8)).create(kA, 50, kOtherShard, keys(8, 16)).step().begin_move(kB);
  removed.create(kA, 50, kShard, keys(0, 8)).create(kA, 50, kOtherShard, keys(8, 16)).step().begin_move(kB);

  begun.tell(kB, CopyCreated{kShard, keys(0, 9), begun.move()});
  removed.abort_move().tell(kB, CopyRemoved{kShard, keys(0, 9), removed.move()});

  EXPECT_TRUE(rejects(begun, ClauseId::M10, {"node 1", "[0, 9)", "[0, 8)"}));
  EXPECT_TRUE(rejects(removed, ClauseId::M10, {"node 1", "[0, 9)", "[0, 8)"}));
}

// A key past the end of the key space is in no table, and still judged.
TEST(RangeConfinement, the_key_past_all_keys_is_judged_too) {
  Story story;
  story.create(kA, 50).move_up_to_fence(kB);

  story.tell(kB, KeyErased{kShard, Key{16}, story.move()});

  EXPECT_TRUE(rejects(story, ClauseId::M10, {"key 16", "[0, 16)"}));
}

}  // namespace
}  // namespace shardcheck::story
