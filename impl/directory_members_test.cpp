// Changes of a replica set, and failover, as the directory decides them.
#include <gtest/gtest.h>

#include "impl/directory_state.h"

namespace shardcheck::impl {
namespace {

constexpr NodeId kA{1};
constexpr NodeId kB{2};
constexpr NodeId kC{3};
constexpr ShardId kShard{0};
constexpr Instant at_ms(std::int64_t ms) { return Instant{ms * 1'000'000}; }

// One range of A with B as the other member. A asks, and plans on the record as it is, unless the test says otherwise.
class Directory {
 public:
  Directory() : state_(records(), Decisions()) {}

  bool accepts(CommandKind kind, NodeId target, NodeId by = kA) {
    Command command;
    command.kind = kind;
    command.target = target;
    command.asked_by = by;
    command.planned_on = record().epoch;
    command.planned_at = planned_at_.value_or(state_.changed_at(kShard));
    command.move = record().move;
    command.mover_epoch = record().mover_epoch;
    command.phase = phase_;
    command.expired_by = expired_by_;
    command.lease_until = at_ms(160);
    planned_at_.reset();
    const DirectoryState::Outcome outcome = state_.apply(command, next_);
    next_ = next(next_);
    return outcome.is_accepted;
  }
  Directory& planned_at(std::uint64_t position) {
    planned_at_ = DirectoryPosition{position};
    return *this;
  }
  Directory& expired_by(std::int64_t ms) {
    expired_by_ = at_ms(ms);
    return *this;
  }
  Directory& to(MovePhase phase) {
    phase_ = phase;
    return *this;
  }
  const ShardRecord& record() const { return state_.record(kShard); }
  std::uint64_t last() const { return next_.value - 1; }

 private:
  static std::vector<ShardRecord> records() {
    ClusterOptions options;
    options.directories = 1;
    options.shards = 1;
    options.replicas = 2;
    std::vector<ShardRecord> records = initial_records(options);
    records[0].lease_until = at_ms(100);
    return records;
  }

  DirectoryState state_;
  DirectoryPosition next_{2};
  std::optional<DirectoryPosition> planned_at_;
  Instant expired_by_;
  MovePhase phase_ = MovePhase::none;
};

TEST(ReplicaSet, begins_with_the_owner_and_the_nodes_after_it) {
  Directory directory;

  EXPECT_TRUE(directory.record().members.contains(kA));
  EXPECT_TRUE(directory.record().members.contains(kB));
  EXPECT_EQ(directory.record().members.size(), 2);
}

TEST(ReplicaSet, a_node_joins_and_is_then_admitted) {
  Directory directory;

  EXPECT_TRUE(directory.accepts(CommandKind::join_member, kC));
  EXPECT_EQ(directory.record().joining, kC);
  EXPECT_EQ(directory.record().join, DirectoryPosition{2});
  EXPECT_FALSE(directory.record().members.contains(kC));
  EXPECT_TRUE(directory.accepts(CommandKind::admit_member, kC));

  EXPECT_TRUE(directory.record().members.contains(kC));
  EXPECT_EQ(directory.record().joining, kNoNode);
  EXPECT_EQ(directory.record().epoch, Epoch{1});
}

TEST(ReplicaSet, an_admission_that_was_planned_before_is_refused) {
  Directory directory;
  EXPECT_TRUE(directory.accepts(CommandKind::join_member, kC));
  EXPECT_TRUE(directory.accepts(CommandKind::remove_member, kC, kC));
  EXPECT_TRUE(directory.accepts(CommandKind::join_member, kC));

  EXPECT_FALSE(directory.planned_at(2).accepts(CommandKind::admit_member, kC));
  EXPECT_TRUE(directory.accepts(CommandKind::admit_member, kC));
}

TEST(ReplicaSet, only_the_owner_changes_it_and_a_member_leaves_by_itself) {
  Directory directory;

  EXPECT_FALSE(directory.accepts(CommandKind::join_member, kC, kB));
  EXPECT_FALSE(directory.accepts(CommandKind::remove_member, kB, kC));
  EXPECT_FALSE(directory.accepts(CommandKind::remove_member, kA, kA));
  EXPECT_TRUE(directory.accepts(CommandKind::remove_member, kB, kB));
  EXPECT_EQ(directory.record().members.size(), 1);
}

TEST(ReplicaSet, nobody_joins_who_is_a_member_or_while_somebody_does_or_the_range_moves) {
  Directory directory;

  EXPECT_FALSE(directory.accepts(CommandKind::join_member, kB));
  EXPECT_TRUE(directory.accepts(CommandKind::join_member, kC));
  EXPECT_FALSE(directory.accepts(CommandKind::join_member, NodeId{4}));
  EXPECT_TRUE(directory.accepts(CommandKind::begin_move, kC));
  EXPECT_EQ(directory.record().joining, kNoNode) << "the target of a move gets another kind of copy";
  EXPECT_FALSE(directory.accepts(CommandKind::join_member, NodeId{4}));
}

TEST(ReplicaSet, no_move_goes_to_a_member_and_a_commit_puts_the_target_in_place_of_the_source) {
  Directory directory;

  EXPECT_FALSE(directory.accepts(CommandKind::begin_move, kB));
  EXPECT_TRUE(directory.accepts(CommandKind::begin_move, kC));
  for (const MovePhase phase : {MovePhase::copying, MovePhase::catching_up, MovePhase::fenced}) {
    EXPECT_TRUE(directory.to(phase).accepts(CommandKind::advance_move, kC));
  }
  EXPECT_TRUE(directory.accepts(CommandKind::commit_move, kC));

  EXPECT_FALSE(directory.record().members.contains(kA));
  EXPECT_TRUE(directory.record().members.contains(kB));
  EXPECT_TRUE(directory.record().members.contains(kC));
}

TEST(ReplicaSet, lost_data_is_reported_only_by_the_last_member) {
  Directory directory;

  EXPECT_FALSE(directory.accepts(CommandKind::report_lost, kNoNode));
  EXPECT_TRUE(directory.accepts(CommandKind::remove_member, kB, kB));
  EXPECT_TRUE(directory.accepts(CommandKind::report_lost, kNoNode));
}

TEST(Failover, another_member_takes_over_when_the_lease_has_run_out) {
  Directory directory;

  EXPECT_FALSE(directory.expired_by(99).accepts(CommandKind::fail_over, kB));
  EXPECT_FALSE(directory.expired_by(100).accepts(CommandKind::fail_over, kC));
  EXPECT_FALSE(directory.accepts(CommandKind::fail_over, kA));
  EXPECT_TRUE(directory.accepts(CommandKind::fail_over, kB));

  EXPECT_EQ(directory.record().owner, kB);
  EXPECT_EQ(directory.record().epoch, Epoch{directory.last()});
  EXPECT_EQ(directory.record().lease_until, at_ms(160));
  EXPECT_TRUE(directory.record().members.contains(kA)) << "it may have everything still";
}

TEST(Failover, a_move_before_its_switch_is_aborted_by_it) {
  Directory directory;
  EXPECT_TRUE(directory.accepts(CommandKind::begin_move, kC));

  EXPECT_TRUE(directory.expired_by(100).accepts(CommandKind::fail_over, kB));

  EXPECT_EQ(directory.record().phase, MovePhase::aborted);
  EXPECT_EQ(directory.record().source, kA);
  EXPECT_FALSE(directory.accepts(CommandKind::commit_move, kC));
}

TEST(Failover, a_grant_after_the_switch_is_not_the_moves) {
  Directory directory;
  EXPECT_TRUE(directory.accepts(CommandKind::begin_move, kC));
  for (const MovePhase next : {MovePhase::copying, MovePhase::catching_up, MovePhase::fenced}) {
    EXPECT_TRUE(directory.to(next).accepts(CommandKind::advance_move, kC));
  }
  EXPECT_TRUE(directory.accepts(CommandKind::commit_move, kC));
  EXPECT_TRUE(directory.record().is_granted_by_move);

  EXPECT_TRUE(directory.expired_by(160).accepts(CommandKind::fail_over, kB));

  EXPECT_EQ(directory.record().phase, MovePhase::switched);
  EXPECT_FALSE(directory.record().is_granted_by_move);
}

TEST(NodeLease, one_write_extends_what_the_node_owns) {
  Directory directory;

  EXPECT_TRUE(directory.accepts(CommandKind::renew_node, kNoNode, kB));
  EXPECT_EQ(directory.record().lease_until, at_ms(100));
  EXPECT_TRUE(directory.accepts(CommandKind::renew_node, kNoNode, kA));
  EXPECT_EQ(directory.record().lease_until, at_ms(160));
}

}  // namespace
}  // namespace shardcheck::impl
