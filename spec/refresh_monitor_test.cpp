#include "spec/refresh_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

constexpr NodeId kDirectory{6};

// Stale signals at node 0 name epochs 2 and then 3 to the router. It follows directory 6 and knows of a grant within
// 40 ms.
Story followed() {
  Bounds bounds = usual_bounds();
  bounds.watchers = 1U << kRouter.value;
  bounds.directory = 1U << kDirectory.value;
  bounds.staleness_max = milliseconds(40);
  Story story(bounds);
  story.create(kA, 5).at(10).grant(kB, 12);
  return story;
}
Story told_of_2() {
  Story story;
  story.create(kA, 5).at(10).grant(kB, 12);
  return story.hop(HopCause::first, kA, Epoch{1}, 1).answer(kA, Signal::stale_epoch, Epoch{1}, Epoch{2});
}
// As a split does: the same owner under a new epoch.
void change_bounds(Story& story) {
  ShardRecord& record = story.record_of(kShard);
  const Epoch before = record.epoch;
  record.epoch = epoch_of(next(story.position()));
  story.commit(RecordChange::bounds_changed, before);
}
constexpr RefreshStarted kFor2{HopCause::stale, Epoch{2}};
constexpr RefreshStarted kFor3{HopCause::stale, Epoch{3}};

TEST(NoMetadataStampede, one_read_for_each_grant_that_a_signal_named_is_accepted) {
  Story story = told_of_2();

  story.tell(kRouter, kFor2).tell(kRouter, RefreshEnded{true});
  story.at(20).grant(kC, 500).hop(HopCause::stale, kA, Epoch{2}, 2);
  story.answer(kA, Signal::stale_epoch, Epoch{2}, Epoch{3}, kNoNode, 2);
  story.tell(kRouter, kFor3).tell(kRouter, RefreshEnded{true});

  EXPECT_TRUE(accepts(story, ClauseId::R3));
}

TEST(NoMetadataStampede, a_second_read_for_the_same_grant_is_named) {
  Story story = told_of_2();

  story.tell(kRouter, kFor2).tell(kRouter, RefreshEnded{true}).tell(kRouter, kFor2);

  EXPECT_TRUE(rejects(story, ClauseId::R3, {"router 7 began its 2th read", "0 restarts, 1 new grants"}));
}

Story overloaded_at_a() {
  Story story;
  story.create(kA, 5).hop(HopCause::first, kA, Epoch{1}, 1);
  return story.tell(kA, Answered{kShard, kKey, Epoch{1}, Epoch{1}, {request(1), 1}, Signal::transient, kNoNode, true});
}

TEST(NoMetadataStampede, the_node_that_was_overloaded_is_asked_again) {
  EXPECT_TRUE(accepts(overloaded_at_a().hop(HopCause::transient, kA, Epoch{1}, 2), ClauseId::R3));
}

TEST(NoMetadataStampede, asking_another_node_because_one_was_overloaded_is_named) {
  Story story = overloaded_at_a();

  story.hop(HopCause::transient, kB, Epoch{1}, 2);

  EXPECT_TRUE(rejects_among_others(story, ClauseId::R3, {"router 7", "to node 1", "node 0 was overloaded"}));
}

TEST(NoMetadataStampede, what_the_map_has_learnt_meanwhile_counts) {
  Story story = overloaded_at_a();

  story.at(10).grant(kB, 12).hop(HopCause::transient, kB, Epoch{2}, 2);

  EXPECT_TRUE(accepts(story, ClauseId::R3));
}

TEST(NoMetadataStampede, reading_the_directory_because_a_node_was_overloaded_is_named) {
  Story story = overloaded_at_a();

  story.tell(kRouter, RefreshStarted{HopCause::transient, Epoch{}});

  EXPECT_TRUE(rejects(story, ClauseId::R3, {"router 7", "transient"}));
}

// Traps: what went unanswered is asked again, and a restart forgets what was read.
TEST(NoMetadataStampede, an_unanswered_read_and_a_restart_are_reasons_to_read_again) {
  Story unanswered = told_of_2(), restarted = told_of_2();

  unanswered.tell(kRouter, kFor2).tell(kRouter, RefreshEnded{false}).tell(kRouter, kFor2);
  restarted.tell(kRouter, kFor2).tell(kRouter, Restarted{false}).tell(kRouter, kFor2);

  EXPECT_TRUE(accepts(unanswered, ClauseId::R3));
  EXPECT_TRUE(accepts(restarted, ClauseId::R3));
}

// A record that was read alone may no longer hold the key when its range was split.
TEST(NoMetadataStampede, a_change_of_bounds_is_one_more_reason_for_who_reads_single_records) {
  Story once = told_of_2(), twice = told_of_2();
  for (Story* story : {&once, &twice}) {
    change_bounds(*story);
    story->tell(kRouter, kFor2).tell(kRouter, RefreshEnded{true}).tell(kRouter, kFor2);
  }
  twice.tell(kRouter, RefreshEnded{true}).tell(kRouter, kFor2);

  EXPECT_TRUE(accepts(once, ClauseId::R3));
  EXPECT_TRUE(rejects_among_others(twice, ClauseId::R3, {"router 7 began its 3th read"}));
}

TEST(NoMetadataStampede, a_change_of_bounds_is_no_reason_for_who_follows_the_whole_map) {
  Story story = followed();
  story.hop(HopCause::first, kA, Epoch{1}, 1).answer(kA, Signal::stale_epoch, Epoch{1}, Epoch{2});
  change_bounds(story);
  story.tell(kRouter, kFor2).tell(kRouter, RefreshEnded{true}).tell(kRouter, kFor2);

  EXPECT_TRUE(rejects_among_others(story, ClauseId::R3, {"router 7 began its 2th read"}));
}

TEST(NoMetadataStampede, two_reads_at_a_time_are_named) {
  Story story = told_of_2();

  story.tell(kRouter, kFor2).tell(kRouter, kFor2);

  EXPECT_TRUE(rejects(story, ClauseId::R3, {"router 7", "while it was reading it already"}));
}

TEST(NoMetadataStampede, a_read_after_a_transient_error_is_named) {
  Story story = told_of_2();

  story.tell(kRouter, RefreshStarted{HopCause::transient});

  EXPECT_TRUE(rejects(story, ClauseId::R3, {"router 7", "because of a transient error"}));
}

TEST(NoMetadataStampede, a_read_for_a_grant_that_no_signal_named_is_named) {
  Story story = told_of_2();

  story.tell(kRouter, kFor3);

  EXPECT_TRUE(rejects(story, ClauseId::R3, {"router 7", "epoch 3", "no stale signal had named"}));
}

// Trap: a router without a cache reads before each operation, which no error made it do.
TEST(NoMetadataStampede, reads_that_no_error_caused_are_not_counted) {
  Story story = told_of_2();

  story.tell(kRouter, RefreshStarted{HopCause::first}).tell(kRouter, RefreshStarted{HopCause::first});
  story.tell(kRouter, kFor2);

  EXPECT_TRUE(accepts(story, ClauseId::R3));
}

TEST(BoundedStaleness, an_older_grant_is_used_for_as_long_as_a_refresh_may_take) {
  Story within = followed(), learnt = followed();

  within.at(50).hop(HopCause::first, kA, Epoch{1}, 1);
  learnt.at(90).hop(HopCause::first, kB, Epoch{2}, 1);

  EXPECT_TRUE(accepts(within, ClauseId::R4));
  EXPECT_TRUE(accepts(learnt, ClauseId::R4));
}

TEST(BoundedStaleness, an_older_grant_used_for_longer_is_named) {
  Story older = followed(), nothing = followed();

  older.at(51).hop(HopCause::first, kA, Epoch{1}, 1);
  nothing.at(51).hop(HopCause::first, kA, Epoch{}, 1);

  EXPECT_TRUE(rejects(older, ClauseId::R4, {"router 7", "epoch 1", "epoch 2 was committed at 10.000 ms"}));
  EXPECT_TRUE(rejects(nothing, ClauseId::R4, {"router 7", "epoch 0"}));
}

// Trap: a fault at the router or the directory, or one that still lasts, begins the time anew.
TEST(BoundedStaleness, a_fault_at_the_router_or_the_directory_begins_the_time_anew) {
  Story router = followed(), directory = followed(), pause = followed(), late = followed(), elsewhere = followed();

  router.at(30).tell(kRouter, FaultInjected{FaultKind::dropped}).at(60).hop(HopCause::first, kA, Epoch{1}, 1);
  directory.at(30).tell(kDirectory, FaultInjected{FaultKind::delayed}).at(60).hop(HopCause::first, kA, Epoch{1}, 1);
  pause.at(20).tell(kDirectory, FaultInjected{FaultKind::paused, TrueTime{milliseconds(100).value}});
  pause.at(140).hop(HopCause::first, kA, Epoch{1}, 1);
  late.at(30).tell(kRouter, FaultInjected{FaultKind::dropped}).at(71).hop(HopCause::first, kA, Epoch{1}, 1);
  elsewhere.at(30).tell(kB, FaultInjected{FaultKind::dropped}).at(60).hop(HopCause::first, kA, Epoch{1}, 1);

  EXPECT_TRUE(accepts(router, ClauseId::R4));
  EXPECT_TRUE(accepts(directory, ClauseId::R4));
  EXPECT_TRUE(accepts(pause, ClauseId::R4));
  EXPECT_TRUE(rejects(late, ClauseId::R4, {"since 30.000 ms"}));
  EXPECT_TRUE(rejects(elsewhere, ClauseId::R4, {"since 0.000 ms"}));
}

// Trap: what would have lasted is over when everything is healed.
TEST(BoundedStaleness, healing_ends_what_would_have_lasted) {
  Story story = followed();

  story.at(20).tell(kDirectory, FaultInjected{FaultKind::paused, TrueTime{milliseconds(900).value}});
  story.at(30).heal().at(71).hop(HopCause::first, kA, Epoch{1}, 1);

  EXPECT_TRUE(rejects(story, ClauseId::R4, {"since 30.000 ms"}));
}

TEST(BoundedStaleness, a_router_that_follows_nothing_promises_nothing) {
  Story story = told_of_2();

  story.at(400).hop(HopCause::first, kA, Epoch{1}, 2);

  EXPECT_EQ(story.findings().checks(ClauseId::R4), 0U);
}

TEST(BoundedStaleness, a_read_because_of_a_missing_answer_is_named) {
  Story story = told_of_2();

  story.tell(kRouter, RefreshStarted{HopCause::unanswered});

  EXPECT_NE(story.findings().checks(ClauseId::R4), 0U);
  EXPECT_TRUE(story.findings().is_violated(ClauseId::R4));
}

}  // namespace
}  // namespace shardcheck::story
