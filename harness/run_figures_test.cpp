#include "harness/run_figures.h"

#include <gtest/gtest.h>

namespace shardcheck::harness {
namespace {

TEST(RunFigures, say_nothing_of_what_there_was_not) { EXPECT_EQ(to_text(RunFigures{}), ""); }

TEST(RunFigures, count_what_the_facts_say_and_add_up) {
  RunFigures figures;
  figures.note(WriteThrottled{MoveId{5}, ShardId{0}, milliseconds(4)});
  figures.note(WriteThrottled{MoveId{5}, ShardId{0}, microseconds(500)});
  figures.note(MoveGaveUp{MoveId{5}, ShardId{0}, GiveUpReason::split_first});
  figures.note(MoveGaveUp{MoveId{6}, ShardId{0}, GiveUpReason::outrun});
  figures.note(CatchUpDecided{MoveId{5}, ShardId{0}, MoverEpoch{1}, CatchUpDecision::longer_pause});
  figures.note(InboxOverflowed{});
  figures.note(Left{});
  Answered refused{};
  figures.note(refused);
  refused.is_overloaded = true;
  figures.note(refused);
  RunFigures twice = figures;

  twice += figures;

  EXPECT_EQ(
      to_text(figures),
      "2 writes throttled for 4.5 ms in all, 1 moves given up to split first, 1 longer pauses accepted, 1 attempts "
      "refused for load, 1 messages lost at a full inbox, 1 leaves of nodes");
  EXPECT_EQ(twice.throttled_for, milliseconds(9));
  EXPECT_EQ(twice.refused_for_load, 2U);
}

}  // namespace
}  // namespace shardcheck::harness
