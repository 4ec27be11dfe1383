// Nodes that join and leave: A owns range 0 under epoch 1, B is the other member, C is held back.
#include <gmock/gmock.h>

#include <optional>
#include <set>
#include <vector>

#include "impl/directory_state.h"
#include "impl/driven_member.h"

namespace shardcheck::impl {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr NodeId kLeader{0};
constexpr NodeId kOwner{1};
constexpr NodeId kFollower{2};
constexpr NodeId kSpare{3};
constexpr NodeId kDriver{5};
constexpr ShardId kRange{0};
constexpr std::uint32_t kTickTimer = 0xffff;
constexpr std::uint32_t kReplicateTimer = 0xfffe;

ShardRecord moving_to(NodeId target, ShardRecord record, MovePhase phase = MovePhase::preparing) {
  record.phase = phase;
  record.move = MoveId{5};
  record.source = kOwner;
  record.target = target;
  record.source_epoch = Epoch{1};
  record.mover = kDriver;
  record.mover_epoch = MoverEpoch{1};
  return record;
}

class Node : public DrivenMember {
 public:
  Node(const ClusterOptions& options, NodeId self) : DrivenMember(options, self) {}

  Node& learn(const ShardRecord& record, std::uint64_t changed_at) {
    receive(kLeader,
            RecordUpdate{record, DirectoryPosition{changed_at}, DirectoryPosition{}, DirectoryPosition{changed_at}});
    sync();
    return *this;
  }
  Node& told(bool takes_copies) {
    receive(kNoNode, Enlist{takes_copies});
    sync();
    return *this;
  }
  Node& tick() {
    fire(kTickTimer);
    return *this;
  }
  // What it says to the order to prepare for a copy.
  bool accepts_copy() {
    MoveOrder order{.kind = OrderKind::prepare_target};
    order.record = moving_to(kSpare, record_of(kOwner, {kOwner}));
    order.changed_at = DirectoryPosition{5};
    receive(kDriver, order);
    sync();
    const auto report = sent<MoveReport>();
    return report && report->is_possible;
  }
  // Of what it asks of the directory.
  std::optional<Command> asked(CommandKind kind) {
    for (const auto& sent : take_sends()) {
      if (const auto* command = std::get_if<Command>(&sent.message); command && command->kind == kind) {
        return *command;
      }
    }
    return std::nullopt;
  }
};

TEST(JoinAndLeave, a_node_that_is_held_back_has_nothing_and_refuses_copies_until_it_joins) {
  Node spare(three_nodes(1, 1), kSpare);

  EXPECT_FALSE(spare.accepts_copy());
  spare.told(true);
  EXPECT_TRUE(spare.accepts_copy());
}

TEST(JoinAndLeave, that_a_node_joined_survives_a_restart_and_not_the_loss_of_its_disk) {
  Node spare(three_nodes(1, 1), kSpare);
  spare.told(true);

  spare.restart();
  EXPECT_EQ(spare.node().state().takes_copies(), true);
  spare.restart_without_disk();
  EXPECT_EQ(spare.node().state().takes_copies(), std::nullopt);
  EXPECT_FALSE(spare.accepts_copy());
}

TEST(JoinAndLeave, what_was_not_yet_durable_when_it_crashed_has_to_be_said_again) {
  Node spare(three_nodes(1, 1), kSpare);
  spare.sync();
  spare.receive(kNoNode, Enlist{true});

  spare.restart();

  EXPECT_EQ(spare.node().state().takes_copies(), std::nullopt);
}

TEST(JoinAndLeave, who_is_held_back_says_at_once_that_it_does_not_join_a_replica_set) {
  Node spare(three_nodes(2, 1), kSpare);
  spare.learn(record_of(kOwner, {kOwner, kFollower}), 4);
  ShardRecord joined = record_of(kOwner, {kOwner});
  joined.joining = kSpare;
  joined.join = DirectoryPosition{6};

  spare.learn(joined, 6);

  const auto asked = spare.asked(CommandKind::remove_member);
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(asked->target, kSpare);
  EXPECT_FALSE(spare.node().state().copy(kRange).copy);
}

TEST(JoinAndLeave, an_owner_that_leaves_asks_for_moves_to_one_node_after_the_other) {
  Node owner(three_nodes(1, 0), kOwner);

  EXPECT_FALSE(owner.tick().sent<StartMove>());
  owner.told(false);

  std::set<NodeId> targets;
  for (int i = 0; i < 3; ++i) {
    const auto wish = owner.tick().sent<StartMove>();
    ASSERT_TRUE(wish.has_value());
    EXPECT_EQ(wish->shard, kRange);
    targets.insert(wish->target);
  }
  EXPECT_EQ(targets, (std::set<NodeId>{kFollower, kSpare}));
}

TEST(JoinAndLeave, an_owner_that_leaves_asks_for_no_second_move_and_not_for_one_to_a_member) {
  Node moving(three_nodes(1, 0), kOwner);
  Node paired(three_nodes(2, 0), kOwner);
  moving.told(false);
  paired.told(false);

  moving.learn(moving_to(kSpare, record_of(kOwner, {kOwner})), 5);

  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(moving.tick().sent<StartMove>());
    EXPECT_EQ(paired.tick().sent<StartMove>()->target, kSpare);
  }
}

TEST(JoinAndLeave, who_leaves_becomes_no_target_any_more_but_a_move_to_it_that_began_goes_on) {
  Node refusing(three_nodes(1, 0), kSpare);
  Node staging(three_nodes(1, 0), kSpare);
  EXPECT_TRUE(staging.accepts_copy());

  refusing.told(false);
  staging.told(false);

  EXPECT_FALSE(refusing.accepts_copy());
  EXPECT_TRUE(staging.accepts_copy());
  EXPECT_FALSE(staging.node().is_drained());
}

TEST(JoinAndLeave, who_leaves_is_drained_when_its_copy_is_gone_and_no_record_names_it) {
  Node owner(three_nodes(1, 0), kOwner);
  EXPECT_FALSE(owner.node().is_drained());
  owner.told(false);
  EXPECT_FALSE(owner.node().is_drained());

  ShardRecord switched = moving_to(kSpare, record_of(kSpare, {kSpare}, 9), MovePhase::cleaning);
  owner.learn(switched, 9);
  EXPECT_FALSE(owner.node().is_drained());
  owner.at(1'000);
  MoveOrder clean{.kind = OrderKind::clean_up};
  clean.record = switched;
  clean.changed_at = DirectoryPosition{9};
  owner.receive(kDriver, clean);
  owner.sync();
  EXPECT_FALSE(owner.node().state().copy(kRange).copy);
  EXPECT_FALSE(owner.node().is_drained());  // the move is not over
  owner.learn(record_of(kSpare, {kSpare}, 9), 10);

  EXPECT_TRUE(owner.node().is_drained());
  owner.told(true);
  EXPECT_FALSE(owner.node().is_drained());
}

// Both have agreed, and the owner has its lease.
struct Pair {
  Node owner;
  Node follower;

  explicit Pair(const ClusterOptions& options) : owner(options, kOwner), follower(options, kFollower) {
    owner.fire(kReplicateTimer);
    owner.talk_to(follower);
    owner.receive(kLeader, Renewed{kRange, Epoch{1}, at_ms(60)});
    owner.sync();
  }
  // The follower is told to leave, and the owner hears of it.
  void follower_leaves() {
    follower.told(false).tick();
    follower.sync();
    EXPECT_THAT(follower.said(), Contains(HasSubstr("leaving")));
    follower.pass<FollowerReport>(owner);
  }
};

TEST(JoinAndLeave, a_follower_that_leaves_is_removed_when_another_one_has_joined) {
  Pair pair(three_nodes(2, 0));

  pair.follower_leaves();
  pair.owner.tick();
  EXPECT_THAT(pair.owner.said(), Not(Contains(HasSubstr("remove_member"))));
  const auto joins = pair.owner.asked(CommandKind::join_member);
  ASSERT_TRUE(joins.has_value());
  EXPECT_EQ(joins->target, kSpare);
  pair.owner.learn(record_of(kOwner, {kOwner, kFollower, kSpare}), 7).tick();

  const auto removes = pair.owner.asked(CommandKind::remove_member);
  ASSERT_TRUE(removes.has_value());
  EXPECT_EQ(removes->target, kFollower);
  EXPECT_EQ(removes->planned_at, DirectoryPosition{7});
}

TEST(JoinAndLeave, a_follower_that_changed_its_mind_stays) {
  Pair pair(three_nodes(2, 0));
  pair.follower_leaves();

  pair.owner.learn(record_of(kOwner, {kOwner, kFollower, kSpare}), 7);
  FollowerReport stays;
  stays.shard = kRange;
  stays.epoch = Epoch{1};
  stays.tail = pair.follower.node().state().copy(kRange).tail_version();
  stays.is_copied = true;
  pair.owner.receive(kFollower, stays);
  pair.owner.tick();

  EXPECT_FALSE(pair.owner.asked(CommandKind::remove_member));
}

TEST(JoinAndLeave, who_follows_nobody_and_owns_nothing_says_nothing_and_is_drained) {
  Node spare(three_nodes(1, 0), kSpare);

  spare.told(false).tick();

  EXPECT_FALSE(spare.sent<StartMove>());
  EXPECT_FALSE(spare.sent<FollowerReport>());
  EXPECT_TRUE(spare.node().is_drained());
}

TEST(JoinAndLeave, nobody_is_held_back_who_has_a_range_from_the_beginning) {
  const std::vector<ShardRecord> records = initial_records(three_nodes(3, 2));

  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].owner, kOwner);
  EXPECT_EQ(records[0].members.size(), 1);
}

}  // namespace
}  // namespace shardcheck::impl
