#include "spec/service_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

// Process 0 is the directory; B and C are the storage nodes.
Bounds bounds_with_promise() {
  Bounds bounds = usual_bounds();
  bounds.directory = 1;
  bounds.answer_within = milliseconds(20);
  bounds.quiet_after = milliseconds(300);
  return bounds;
}
constexpr NodeId kTheDirectory{0};

class QuietStory : public Story {
 public:
  QuietStory() { judge().reset(bounds_with_promise()); }
};

TEST(UnaffectedService, an_answer_in_time_keeps_the_promise) {
  QuietStory story;
  story.create(kB, 500).at(100).invoke(request(1), OperationKind::write, number(7));

  story.at(120).ok(request(1));

  EXPECT_TRUE(accepts(story, ClauseId::V4));
}

TEST(UnaffectedService, a_late_answer_breaks_it) {
  QuietStory story;
  story.create(kB, 500).at(100).invoke(request(1), OperationKind::write, number(7));

  story.at(121).ok(request(1));

  EXPECT_TRUE(rejects(story, ClauseId::V4, {"request 1", "100.000 ms", "121.000 ms", "20.000 ms"}));
}

TEST(UnaffectedService, an_operation_given_up_breaks_it) {
  QuietStory story;
  story.create(kB, 500).at(100).invoke(request(1), OperationKind::write, number(7));

  story.at(110).unknown(request(1));

  EXPECT_TRUE(rejects(story, ClauseId::V4, {"unknown"}));
}

TEST(UnaffectedService, nothing_is_promised_to_who_was_refused_for_load_or_after_a_full_inbox) {
  QuietStory refused;
  QuietStory lost;
  refused.create(kB, 900).at(400).invoke(request(1), OperationKind::write, number(7));
  refused.tell(kB, Answered{kShard, kKey, Epoch{1}, Epoch{1}, {request(1), 0}, Signal::transient, kNoNode, true});
  lost.create(kB, 900).at(400).tell(kB, InboxOverflowed{}).invoke(request(1), OperationKind::write, number(7));

  refused.at(440).ok(request(1));
  lost.at(440).ok(request(1));

  EXPECT_EQ(refused.findings().checks(ClauseId::V4), 0U);
  EXPECT_EQ(lost.findings().checks(ClauseId::V4), 0U);
}

TEST(UnaffectedService, nothing_is_promised_near_a_fault_or_in_a_move) {
  QuietStory story;
  story.create(kB, 900).at(100).tell(kB, FaultInjected{FaultKind::dropped});
  story.at(399).invoke(request(1), OperationKind::write, number(7)).at(440).ok(request(1));

  story.at(500).begin_move(kC).at(530).invoke(request(2), OperationKind::write, number(8)).at(580).ok(request(2));

  EXPECT_EQ(story.findings().checks(ClauseId::V4), 0U);
  EXPECT_TRUE(story.findings().is_clean());
}

TEST(UnaffectedService, a_stall_of_the_directory_moves_nothing) {
  QuietStory story;
  story.create(kB, 50).at(20).tell(kTheDirectory, FaultInjected{FaultKind::paused});

  EXPECT_TRUE(accepts(story, ClauseId::V4));
  story.at(110).grant(kC, 200);

  EXPECT_TRUE(rejects(story, ClauseId::V4, {"node 1", "node 2", "stalled at 20.000 ms"}));
}

TEST(UnaffectedService, a_holder_that_lost_its_disk_may_be_replaced_however_late) {
  QuietStory story;
  story.create(kB, 500).at(100).tell(kB, FaultInjected{FaultKind::disk_lost, TrueTime{}});
  story.at(900).tell(kTheDirectory, FaultInjected{FaultKind::paused, TrueTime{950'000'000}});
  story.at(1'000).grant(kC, 1'500);

  EXPECT_TRUE(accepts(story, ClauseId::V4));
}

TEST(UnaffectedService, a_holder_that_failed_may_be_replaced) {
  QuietStory story;
  story.create(kB, 50).at(20).tell(kB, FaultInjected{FaultKind::paused});

  story.at(110).grant(kC, 200);

  EXPECT_TRUE(story.findings().is_clean());
}

}  // namespace
}  // namespace shardcheck::story
