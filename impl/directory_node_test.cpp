#include "impl/directory_node.h"

#include <gmock/gmock.h>

#include "impl/driven.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr NodeId kA{1};
constexpr NodeId kB{2};
constexpr NodeId kRouter{3};
constexpr NodeId kMover{4};

// One member. Two ranges: 0 of A under epoch 1, 1 of B under epoch 2. Position 3 is the first entry of the first term,
// so the first that is free is 4.
ClusterOptions options() {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 2;
  options.routers = 1;
  options.shards = 2;
  options.keys = 8;
  return options;
}

class DrivenDirectory : public Driven<DirectoryNode> {
 public:
  DrivenDirectory() : Driven(DirectoryNode(options(), NodeId{0})) { sync().sync(); }

  DrivenDirectory& begin_move(NodeId target = kB) {
    receive(kMover, Command{.kind = CommandKind::begin_move, .planned_on = Epoch{1}, .target = target});
    return *this;
  }
  DrivenDirectory& poll(std::uint64_t known) {
    receive(kRouter, Poll{DirectoryPosition{known}, DirectoryPosition{}});
    return *this;
  }
};

TEST(DirectoryNode, tells_who_knows_nothing_of_every_range_in_the_order_of_change) {
  DrivenDirectory directory;

  directory.poll(0);

  EXPECT_THAT(directory.said(), ElementsAre("to 3: record_update range 0 owner 1 epoch 1 phase none at 1, more up to 2",
                                            "to 3: record_update range 1 owner 2 epoch 2 phase none at 2"));
}

TEST(DirectoryNode, tells_who_knows_everything_that_nothing_has_changed) {
  DrivenDirectory directory;

  directory.poll(2);

  EXPECT_THAT(directory.said(), ElementsAre("to 3: up_to_date at 2"));
}

TEST(DirectoryNode, nobody_learns_of_a_change_before_it_is_durable) {
  DrivenDirectory directory;

  directory.begin_move();
  EXPECT_TRUE(directory.is_silent());
  EXPECT_TRUE(directory.wants_sync());
  EXPECT_THAT(directory.observed<RecordCommitted>(), IsEmpty());
  directory.sync();

  EXPECT_THAT(directory.said(), ElementsAre("to 1: record_update range 0 owner 1 epoch 1 phase preparing at 4",
                                            "to 2: record_update range 0 owner 1 epoch 1 phase preparing at 4",
                                            "to 4: record_update range 0 owner 1 epoch 1 phase preparing at 4",
                                            "to 4: command_result accepted: range 0 owner 1 epoch 1 phase preparing"));
  EXPECT_THAT(directory.observed<RecordCommitted>(), SizeIs(1));
}

TEST(DirectoryNode, a_poll_is_answered_with_what_is_committed) {
  DrivenDirectory directory;
  directory.begin_move();

  directory.poll(2);
  EXPECT_THAT(directory.said(), ElementsAre("to 3: up_to_date at 2"));
  directory.sync();
  directory.poll(2);

  EXPECT_THAT(directory.said(), ElementsAre("to 3: record_update range 0 owner 1 epoch 1 phase preparing at 4"));
}

TEST(DirectoryNode, a_refused_command_takes_a_position_and_changes_nothing) {
  DrivenDirectory directory;

  directory.begin_move(kA).sync();
  EXPECT_THAT(directory.said(), ElementsAre("to 4: command_result refused: range 0 owner 1 epoch 1 phase none"));
  EXPECT_THAT(directory.observed<RecordCommitted>(), IsEmpty());
  directory.begin_move().sync();

  EXPECT_EQ(directory.observed<RecordCommitted>()[0].position, DirectoryPosition{5});
}

TEST(DirectoryNode, a_command_is_judged_when_it_is_committed) {
  DrivenDirectory directory;

  directory.begin_move();
  directory.begin_move();
  directory.sync();

  EXPECT_EQ(directory.said().back(), "to 4: command_result refused: range 0 owner 1 epoch 1 phase preparing");
  EXPECT_THAT(directory.observed<RecordCommitted>(), SizeIs(1));
}

TEST(DirectoryNode, a_lease_counts_from_when_its_holder_asked) {
  DrivenDirectory directory;

  directory.at(30).receive(kA, Renew{ShardId{0}, Epoch{1}, at_ms(25)});
  EXPECT_TRUE(directory.is_silent());
  directory.sync();

  EXPECT_THAT(directory.said(), ElementsAre("to 1: renewed range 0 epoch 1 until 85.000 ms"));
  EXPECT_THAT(directory.observed<LeaseExtended>(), SizeIs(1));
}

TEST(DirectoryNode, a_holder_from_too_far_in_the_future_is_not_believed) {
  DrivenDirectory directory;

  directory.at(30).receive(kA, Renew{ShardId{0}, Epoch{1}, at_ms(50)});
  directory.sync();

  EXPECT_THAT(directory.said(), ElementsAre("to 1: renewed range 0 epoch 1 until 94.000 ms"));
}

TEST(DirectoryNode, who_does_not_hold_the_grant_gets_the_record_in_place_of_a_lease) {
  DrivenDirectory directory;

  directory.receive(kB, Renew{ShardId{0}, Epoch{1}, at_ms(0)}).sync();

  EXPECT_THAT(directory.said(), ElementsAre("to 2: command_result refused: range 0 owner 1 epoch 1 phase none"));
}

// What it committed it may not have told: the judge and those who watch are told again.
TEST(DirectoryNode, a_restart_knows_what_was_durable_and_nothing_else) {
  DrivenDirectory directory;
  directory.begin_move().sync();
  directory.receive(kMover, Command{.kind = CommandKind::advance_move,
                                    .planned_on = Epoch{1},
                                    .move = MoveId{4},
                                    .mover_epoch = MoverEpoch{1},
                                    .phase = MovePhase::copying});

  directory.restart().sync().sync();
  EXPECT_THAT(directory.observed<RecordCommitted>(), SizeIs(1));
  directory.poll(2);

  EXPECT_THAT(directory.said(), ElementsAre("to 3: record_update range 0 owner 1 epoch 1 phase preparing at 4"));
}

TEST(DirectoryNode, positions_go_on_after_a_restart) {
  DrivenDirectory directory;
  directory.begin_move().sync();
  directory.restart().sync().sync();

  directory.receive(kA, Command{.kind = CommandKind::report_lost, .planned_on = Epoch{1}});
  directory.sync();

  ASSERT_THAT(directory.observed<RecordCommitted>(), SizeIs(1));
  EXPECT_EQ(directory.observed<RecordCommitted>()[0].position, DirectoryPosition{6});
}

TEST(DirectoryNode, who_asks_while_it_may_still_be_elected_is_answered_afterwards) {
  Driven<DirectoryNode> directory(DirectoryNode(options(), NodeId{0}));

  directory.receive(kA, Renew{ShardId{0}, Epoch{1}, at_ms(0)});
  EXPECT_TRUE(directory.is_silent());
  directory.sync().sync();

  EXPECT_THAT(directory.said(), ElementsAre("to 1: renewed range 0 epoch 1 until 60.000 ms"));
}

TEST(DirectoryNode, the_sender_is_who_asked_whatever_the_command_says) {
  DrivenDirectory directory;

  directory.receive(kB, Command{.kind = CommandKind::report_lost, .planned_on = Epoch{1}, .asked_by = kA}).sync();

  EXPECT_FALSE(directory.sent<CommandResult>()->is_accepted);
}

}  // namespace
}  // namespace shardcheck::impl
