#include "spec/log_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

constexpr LogPosition at(std::uint64_t position) { return LogPosition{position}; }

// A's range moves to B: the copy's snapshot is at position 5.
Story captured_at_5() {
  Bounds bounds = usual_bounds();
  bounds.log_entries_max = 8;
  Story story(bounds);
  story.create(kA, 500).begin_move(kB).tell(kB, CopyCreated{kShard, keys(0, 16), story.move()});
  return story.tell(kA, CaptureOpened{story.move(), kShard, at(5)});
}

TEST(LogOutlivesCopy, a_log_kept_from_the_snapshot_on_and_replayed_in_order_is_accepted) {
  Story story = captured_at_5();

  story.tell(kA, LogTrimmed{kShard, at(5), 6}).tell(kB, Replayed{story.move(), kShard, at(5), at(8)});
  story.tell(kB, Replayed{story.move(), kShard, at(7), at(9)}).tell(kA, LogTrimmed{kShard, at(9), 8});

  EXPECT_TRUE(accepts(story, ClauseId::M11));
}

TEST(LogOutlivesCopy, a_log_trimmed_while_the_copy_needs_it_is_named) {
  Story story = captured_at_5();

  story.tell(kA, LogTrimmed{kShard, at(6), 8});

  EXPECT_TRUE(rejects(story, ClauseId::M11, {"node 0", "range 0", "position 6", "up to 5"}));
}

TEST(LogOutlivesCopy, a_log_over_its_bound_may_be_trimmed_all_the_same) {
  Story story = captured_at_5();

  story.tell(kA, LogTrimmed{kShard, at(12), 9});

  EXPECT_TRUE(accepts(story, ClauseId::M11));
}

TEST(LogOutlivesCopy, replay_that_goes_on_behind_a_gap_is_named) {
  Story story = captured_at_5();

  story.tell(kB, Replayed{story.move(), kShard, at(5), at(7)}).tell(kB, Replayed{story.move(), kShard, at(8), at(9)});

  EXPECT_TRUE(rejects(story, ClauseId::M11, {"node 1", "from position 9 on", "ends at 7"}));
}

TEST(LogOutlivesCopy, a_copy_that_is_begun_anew_has_a_snapshot_of_its_own) {
  Story story = captured_at_5();
  story.tell(kA, LogTrimmed{kShard, at(12), 9}).tell(kB, CopyCreated{kShard, keys(0, 16), story.move()});

  story.tell(kA, CaptureOpened{story.move(), kShard, at(20)});
  story.tell(kB, Replayed{story.move(), kShard, at(20), at(21)});

  EXPECT_TRUE(accepts(story, ClauseId::M11));
  story.tell(kB, Replayed{story.move(), kShard, at(22), at(23)});
  EXPECT_TRUE(rejects(story, ClauseId::M11, {"ends at 21"}));
}

TEST(LogOutlivesCopy, once_the_move_is_over_nobody_needs_the_log) {
  Story story = captured_at_5();

  story.abort_move().tell(kA, LogTrimmed{kShard, at(9), 8});

  EXPECT_EQ(story.findings().checks(ClauseId::M11), 0U);
}

}  // namespace
}  // namespace shardcheck::story
