#include "spec/split_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

Bounds bounds() {
  Bounds bounds = usual_bounds();
  bounds.tells_owner_splits = true;
  return bounds;
}

// Shard 0 of node A, split at 8 by the directory.
class SplitStory : public Story {
 public:
  SplitStory() : Story(bounds()) { create(kA, 50); }

  SplitStory& owner_splits(std::uint32_t at = 8, NodeId by = kA) {
    tell(by, OwnerSplit{kShard, Key{at}, epoch()});
    return *this;
  }
  SplitStory& directory_splits() {
    const Epoch parent = epoch();
    const DirectoryPosition here = next(position());
    record_of(kOtherShard) = record_of(kShard);
    record_of(kOtherShard).shard = kOtherShard;
    record_of(kOtherShard).range = keys(8, 16);
    record_of(kShard).range = keys(0, 8);
    record_of(kShard).epoch = record_of(kOtherShard).epoch = epoch_of(here);
    commit_at(here, RecordChange::bounds_changed, parent, MoverEpoch{}, kShard);
    commit_at(here, RecordChange::created, parent, MoverEpoch{}, kOtherShard).step();
    return *this;
  }
};

TEST(OwnerSplitsFirst, the_owner_first_and_the_directory_second) {
  SplitStory story;

  story.owner_splits().directory_splits();

  EXPECT_TRUE(accepts(story, ClauseId::D6));
}

TEST(OwnerSplitsFirst, a_split_that_the_owner_has_not_done_is_named) {
  SplitStory story;

  story.directory_splits();

  EXPECT_TRUE(rejects(story, ClauseId::D6, {"split range 0 [0, 16) at key 8", "node 0"}));
}

TEST(OwnerSplitsFirst, one_at_another_key_or_by_another_node_is_none) {
  SplitStory elsewhere, by_another;

  elsewhere.owner_splits(7).directory_splits();
  by_another.owner_splits(8, kB).directory_splits();

  EXPECT_TRUE(rejects(elsewhere, ClauseId::D6, {"at key 8"}));
  EXPECT_TRUE(rejects(by_another, ClauseId::D6, {"at key 8"}));
}

TEST(OwnerSplitsFirst, until_it_has_applied_the_entry_the_owner_accepts_the_epoch_of_the_parent) {
  SplitStory served, refused, applied;
  const Epoch parent{1};

  for (SplitStory* story : {&served, &refused, &applied}) {
    story->claim(kA, 50);
    story->owner_splits().directory_splits();
  }
  served.serve_under(parent, kA);
  refused.answer(kA, Signal::stale_epoch, parent, Epoch{2});
  applied.tell(kA, SplitApplied{kShard, kOtherShard, Epoch{2}});
  applied.answer(kA, Signal::stale_epoch, parent, Epoch{2});

  EXPECT_TRUE(accepts(served, ClauseId::D6));
  EXPECT_TRUE(rejects(refused, ClauseId::D6, {"node 0 answered stale_epoch", "range 0 [0, 16)"}));
  EXPECT_TRUE(accepts(applied, ClauseId::D6));
}

TEST(OwnerSplitsFirst, what_was_done_first_stays_so_when_the_owner_crashes_or_loses_its_disk) {
  SplitStory crashed, lost;

  crashed.owner_splits().tell(kA, Restarted{false});
  crashed.directory_splits();
  lost.owner_splits().tell(kA, Restarted{true});
  lost.directory_splits();
  lost.answer(kA, Signal::stale_epoch, Epoch{1}, Epoch{2});  // the parent was on that disk

  EXPECT_TRUE(accepts(crashed, ClauseId::D6));
  EXPECT_TRUE(accepts(lost, ClauseId::D6));
}

}  // namespace
}  // namespace shardcheck::story
