// What the directory allows when several movers ask, and several ranges move.
#include <gtest/gtest.h>

#include "impl/directory_state.h"

namespace shardcheck::impl {
namespace {

constexpr NodeId kTarget{5};
constexpr NodeId kMover{6};
constexpr NodeId kOtherMover{7};

// Two ranges, and room for one move at a time. Commands are planned on what the records say.
class TwoRanges {
 public:
  TwoRanges() : state_(records(), Decisions(), 2, 1) {}

  bool begin(std::uint16_t shard, NodeId mover = kMover) { return ask(shard, mover, CommandKind::begin_move); }
  bool abort(std::uint16_t shard) { return ask(shard, kMover, CommandKind::abort_move, record(shard).mover_epoch); }
  bool take_over(std::uint16_t shard, NodeId mover, MoverEpoch epoch) {
    return ask(shard, mover, CommandKind::take_over_move, epoch);
  }
  const ShardRecord& record(std::uint16_t shard) const { return state_.record(ShardId{shard}); }

 private:
  static std::vector<ShardRecord> records() {
    ClusterOptions options;
    options.shards = 2;
    return initial_records(options);
  }
  bool ask(std::uint16_t shard, NodeId mover, CommandKind kind, MoverEpoch epoch = {}) {
    Command command;
    command.kind = kind;
    command.shard = ShardId{shard};
    command.planned_on = record(shard).epoch;
    command.move = record(shard).move;
    command.mover_epoch = epoch;
    command.target = kTarget;
    command.asked_by = mover;
    position_ = next(position_);
    return state_.apply(command, position_).is_accepted;
  }

  DirectoryState state_;
  DirectoryPosition position_{2};
};

TEST(Directory, no_more_moves_than_allowed_copy_at_one_time) {
  TwoRanges directory;

  EXPECT_TRUE(directory.begin(0));
  EXPECT_FALSE(directory.begin(1));
  EXPECT_TRUE(directory.abort(0));

  // It may wait for a dead side for ever now, and keeps nobody from moving.
  EXPECT_TRUE(directory.begin(1));
}

TEST(Directory, two_movers_that_ask_for_the_same_epoch_do_not_both_get_it) {
  TwoRanges directory;
  directory.begin(0, kMover);
  EXPECT_EQ(directory.record(0).mover, kMover);

  EXPECT_TRUE(directory.take_over(0, kOtherMover, MoverEpoch{2}));
  EXPECT_FALSE(directory.take_over(0, kMover, MoverEpoch{2}));
  EXPECT_TRUE(directory.take_over(0, kOtherMover, MoverEpoch{2}));

  EXPECT_EQ(directory.record(0).mover, kOtherMover);
  EXPECT_TRUE(directory.take_over(0, kMover, MoverEpoch{3}));
}

}  // namespace
}  // namespace shardcheck::impl
