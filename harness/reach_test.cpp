#include "harness/reach.h"

#include <gtest/gtest.h>

namespace shardcheck::harness {
namespace {

ShardRecord moving_from_1_to_2() {
  ShardRecord record;
  record.phase = MovePhase::copying;
  record.source = NodeId{1};
  record.target = NodeId{2};
  return record;
}

TEST(Reach, a_storage_node_is_named_by_its_side_of_the_move) {
  const ShardRecord record = moving_from_1_to_2();

  EXPECT_EQ(participant_of(NodeId{1}, ProcessRole::storage, record), Participant::source);
  EXPECT_EQ(participant_of(NodeId{2}, ProcessRole::storage, record), Participant::target);
  EXPECT_EQ(participant_of(NodeId{3}, ProcessRole::storage, record), Participant::bystander);
  EXPECT_EQ(participant_of(NodeId{4}, ProcessRole::router, record), Participant::router);
  EXPECT_EQ(participant_of(NodeId{0}, ProcessRole::directory, record), Participant::directory);
  EXPECT_EQ(participant_of(NodeId{5}, ProcessRole::mover, record), Participant::mover);
}

TEST(Reach, a_range_in_no_move_has_bystanders_only) {
  ShardRecord record = moving_from_1_to_2();
  record.phase = MovePhase::none;

  EXPECT_EQ(participant_of(NodeId{1}, ProcessRole::storage, record), Participant::bystander);
}

TEST(Reach, a_cell_keeps_its_place) {
  Reach reach;
  const ReachCell cell{MovePhase::fenced, FaultKind::paused, Participant::target};

  reach.note(cell);

  EXPECT_TRUE(reach.has(cell));
  EXPECT_FALSE(reach.has({MovePhase::fenced, FaultKind::paused, Participant::source}));
  EXPECT_EQ(reach.count(), 1U);
  EXPECT_EQ(reach.participants(MovePhase::fenced, FaultKind::paused), 1U);
  for (std::size_t i = 0; i < kReachCells; ++i) {
    EXPECT_EQ(reach.cells().test(i), reach_cell(i) == cell) << i;
  }
}

// 8 phases, 10 faults, 6 participants; no source and target without a move (20), no disk lost but a storage node's
// (24).
TEST(Reach, cells_that_cannot_be_visited_have_a_reason) {
  EXPECT_EQ(kReachCells, 480U);
  EXPECT_EQ(reachable_cells(), 480U - 20U - 24U);
  EXPECT_EQ(reachable_participants(MovePhase::none, FaultKind::disk_lost), 1U);
  EXPECT_EQ(reachable_participants(MovePhase::fenced, FaultKind::crashed), 6U);
  EXPECT_EQ(reachable_participants(MovePhase::switched, FaultKind::lost_for_good), 6U);
  EXPECT_EQ(why_unreachable({MovePhase::copying, FaultKind::crashed, Participant::source}), "");
  EXPECT_NE(why_unreachable({MovePhase::copying, FaultKind::disk_lost, Participant::mover}), "");
}

}  // namespace
}  // namespace shardcheck::harness
