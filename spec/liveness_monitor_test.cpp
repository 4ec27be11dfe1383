#include "spec/liveness_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

Story healed_at_100() {
  Story story;
  story.create(kA, 50).at(100).heal();
  return story;
}

// --- V1 ------------------------------------------------------------------------------------------------------------

TEST(EventualService, requests_late_enough_after_the_last_fault_are_answered) {
  Story story = healed_at_100();

  story.at(301).write(1);
  story.invoke(request(1), OperationKind::compare_and_set, number(3), number(7)).refused(request(1)).finish(900);

  EXPECT_TRUE(accepts(story, ClauseId::V1));
  EXPECT_EQ(story.findings().checks(ClauseId::V1), 2U);
}

TEST(EventualService, a_request_that_was_given_up_is_named) {
  Story story = healed_at_100();

  story.at(301).invoke(request(1), OperationKind::read).at(400).unknown(request(1));

  EXPECT_TRUE(rejects(story, ClauseId::V1, {"request 1 of client 0", "301.000 ms", "unknown", "100.000 ms"}));
}

TEST(EventualService, a_refused_write_was_not_served) {
  Story story = healed_at_100();

  story.at(301).invoke(request(1), OperationKind::write, number(1)).refused(request(1));

  EXPECT_TRUE(rejects(story, ClauseId::V1, {"returned refused"}));
}

TEST(EventualService, a_request_that_is_never_answered_is_named) {
  Story story = healed_at_100();

  story.at(301).invoke(request(1), OperationKind::read).finish(501);

  EXPECT_TRUE(rejects(story, ClauseId::V1, {"request 1 of client 0", "never answered"}));
}

// Traps: earlier requests, requests that the end of the run cut off, lost ranges, and faults that went on.
TEST(EventualService, what_had_no_time_or_no_data_is_not_judged) {
  Story early = healed_at_100(), cut_off = healed_at_100(), lost = healed_at_100(), faulty = healed_at_100();

  early.at(250).invoke(request(1), OperationKind::read).at(400).unknown(request(1)).finish(900);
  cut_off.at(301).invoke(request(1), OperationKind::read).finish(400);
  lost.report_lost().at(301).invoke(request(1), OperationKind::read).at(400).unknown(request(1)).finish(900);
  faulty.at(301).tell(kA, FaultInjected{FaultKind::crashed}).invoke(request(1), OperationKind::read);
  faulty.unknown(request(1)).finish(900);

  EXPECT_EQ(early.findings().checks(ClauseId::V1), 0U);
  EXPECT_EQ(cut_off.findings().checks(ClauseId::V1), 0U);
  EXPECT_EQ(lost.findings().checks(ClauseId::V1), 0U);
  EXPECT_EQ(faulty.findings().checks(ClauseId::V1), 0U);
  EXPECT_TRUE(early.findings().is_clean() && cut_off.findings().is_clean());
  EXPECT_TRUE(lost.findings().is_clean() && faulty.findings().is_clean());
}

// --- V2 ------------------------------------------------------------------------------------------------------------

TEST(MoveProgress, a_move_that_ends_is_accepted) {
  Story story = healed_at_100();

  story.begin_move(kB).abort_move().finish_move().finish(900);

  EXPECT_TRUE(accepts(story, ClauseId::V2));
}

TEST(MoveProgress, a_move_that_never_ends_is_named) {
  Story story;

  story.create(kA, 50).begin_move(kB).advance_to(MovePhase::copying).at(100).heal().finish(600);

  EXPECT_TRUE(rejects(story, ClauseId::V2, {"move 2", "phase copying", "600.000 ms", "100.000 ms", "500.000 ms"}));
}

// Traps: a young move, a committed one that waits for its retention, and a run that was never quiet.
TEST(MoveProgress, a_move_that_still_has_time_is_not_judged) {
  Story young = healed_at_100(), retaining = healed_at_100(), restless;

  young.at(500).begin_move(kB).finish(900);
  retaining.at(101).move_up_to_fence(kB).confirm_barrier(kA).commit_move(900).finish(650);
  restless.create(kA, 50).begin_move(kB).finish(900);

  EXPECT_EQ(young.findings().checks(ClauseId::V2), 0U);
  EXPECT_EQ(retaining.findings().checks(ClauseId::V2), 0U);
  EXPECT_EQ(restless.findings().checks(ClauseId::V2), 0U);
  EXPECT_TRUE(young.findings().is_clean() && retaining.findings().is_clean() && restless.findings().is_clean());
}

}  // namespace
}  // namespace shardcheck::story
