#include <gtest/gtest.h>

#include "impl/directory_state.h"

namespace shardcheck::impl {
namespace {

constexpr NodeId kA{1};
constexpr NodeId kB{2};
constexpr ShardId kLeft{0};
constexpr ShardId kRight{1};

// Range 0, [0, 8), of node A under epoch 1, that may be split twice. Commands are planned on what the records say.
class Reshaping {
 public:
  explicit Reshaping(Mutant mutant = Mutant::none) : state_({whole()}, Decisions(mutant), 3) {}

  Command split_at(std::uint32_t at, ShardId shard = kLeft) const {
    Command command;
    command.kind = CommandKind::split_range;
    command.shard = shard;
    command.planned_on = record(shard).epoch;
    command.planned_at = state_.changed_at(shard);
    command.asked_by = record(shard).owner;
    command.at = Key{at};
    return command;
  }
  Command merge() const {
    Command command = split_at(0);
    command.kind = CommandKind::merge_ranges;
    command.other = kRight;
    command.other_planned_at = state_.changed_at(kRight);
    return command;
  }
  Command begin_move(ShardId shard) const {
    return {.kind = CommandKind::begin_move, .shard = shard, .planned_on = record(shard).epoch, .target = kB};
  }
  bool change(const Command& command) {
    position_ = next(position_);
    return state_.apply(command, position_).change.has_value();
  }
  const ShardRecord& record(ShardId shard) const { return state_.record(shard); }
  std::size_t ids() const { return state_.records().size(); }

 private:
  static ShardRecord whole() {
    ShardRecord record;
    record.range = {Key{0}, Key{8}};
    record.owner = kA;
    record.epoch = Epoch{1};
    record.lease_until = Instant{70};
    return record;
  }

  DirectoryState state_;
  DirectoryPosition position_{1};
};

TEST(DirectorySplit, halves_tile_the_range_and_are_granted_anew_at_one_position_with_the_lease) {
  Reshaping directory;

  EXPECT_TRUE(directory.change(directory.split_at(3)));

  EXPECT_EQ(directory.record(kLeft).range, (KeyRange{Key{0}, Key{3}}));
  EXPECT_EQ(directory.record(kRight).range, (KeyRange{Key{3}, Key{8}}));
  EXPECT_EQ(directory.record(kLeft).epoch, Epoch{2});
  EXPECT_EQ(directory.record(kRight).epoch, Epoch{2});
  EXPECT_EQ(directory.record(kRight).owner, kA);
  EXPECT_EQ(directory.record(kRight).lease_until, Instant{70});
}

TEST(DirectorySplit, a_late_copy_of_a_command_changes_nothing_whatever_became_of_the_first) {
  Reshaping directory;
  const Command first = directory.split_at(3);

  EXPECT_TRUE(directory.change(first));
  EXPECT_FALSE(directory.change(first));

  const Command second = directory.split_at(2);
  EXPECT_TRUE(directory.change(directory.begin_move(kLeft)));
  EXPECT_FALSE(directory.change(second));
  Command abort{.kind = CommandKind::abort_move, .shard = kLeft, .planned_on = Epoch{2}};
  abort.move = directory.record(kLeft).move;
  abort.mover_epoch = MoverEpoch{1};
  EXPECT_TRUE(directory.change(abort));
  abort.kind = CommandKind::finish_move;
  EXPECT_TRUE(directory.change(abort));
  EXPECT_EQ(directory.record(kLeft).phase, MovePhase::none);
  EXPECT_FALSE(directory.change(second));
}

TEST(DirectorySplit, is_refused_at_an_end_by_another_than_the_owner_in_a_move_and_without_ids) {
  Reshaping directory;

  EXPECT_FALSE(directory.change(directory.split_at(0)));
  EXPECT_FALSE(directory.change(directory.split_at(8)));
  Command by_another = directory.split_at(3);
  by_another.asked_by = kB;
  EXPECT_FALSE(directory.change(by_another));
  EXPECT_TRUE(directory.change(directory.split_at(4)));
  EXPECT_TRUE(directory.change(directory.begin_move(kRight)));
  EXPECT_FALSE(directory.change(directory.split_at(6, kRight)));
  EXPECT_TRUE(directory.change(directory.split_at(2)));
  EXPECT_FALSE(directory.change(directory.split_at(1)));
  EXPECT_EQ(directory.ids(), 3U);
}

TEST(DirectoryMerge, neighbours_become_one_under_an_epoch_above_both_and_an_id_goes_for_ever) {
  Reshaping directory;
  directory.change(directory.split_at(3));

  EXPECT_TRUE(directory.change(directory.merge()));

  EXPECT_EQ(directory.record(kLeft).range, (KeyRange{Key{0}, Key{8}}));
  EXPECT_EQ(directory.record(kLeft).epoch, Epoch{3});
  EXPECT_TRUE(directory.record(kRight).is_removed());
  EXPECT_FALSE(directory.change(directory.begin_move(kRight)));
  EXPECT_TRUE(directory.change(directory.split_at(3)));
  EXPECT_TRUE(directory.record(kRight).is_removed());
  EXPECT_EQ(directory.record(ShardId{2}).range, (KeyRange{Key{3}, Key{8}}));
}

TEST(DirectoryMerge, is_refused_while_either_half_moves_or_has_changed_since) {
  Reshaping directory;
  directory.change(directory.split_at(3));
  const Command before = directory.merge();

  EXPECT_TRUE(directory.change(directory.begin_move(kRight)));

  EXPECT_FALSE(directory.change(before));
  EXPECT_FALSE(directory.change(directory.merge()));
}

TEST(DirectoryMerge, nobody_else_is_granted_the_whole_before_both_leases_have_run_out) {
  Reshaping directory;
  directory.change(directory.split_at(3));
  directory.change({.kind = CommandKind::renew_lease,
                    .shard = kRight,
                    .planned_on = directory.record(kRight).epoch,
                    .asked_by = kA,
                    .lease_until = Instant{90}});

  EXPECT_TRUE(directory.change(directory.merge()));

  EXPECT_EQ(directory.record(kLeft).lease_until, Instant{90});
}

TEST(DirectoryMerge, is_refused_unless_the_replica_sets_are_equal) {
  Reshaping directory;
  directory.change(directory.split_at(3));
  directory.change({.kind = CommandKind::join_member,
                    .shard = kRight,
                    .planned_on = directory.record(kRight).epoch,
                    .target = kB,
                    .asked_by = kA,
                    .planned_at = DirectoryPosition{2}});
  directory.change({.kind = CommandKind::admit_member,
                    .shard = kRight,
                    .planned_on = directory.record(kRight).epoch,
                    .target = kB,
                    .asked_by = kA,
                    .planned_at = DirectoryPosition{3}});

  EXPECT_TRUE(directory.record(kRight).members.contains(kB));
  EXPECT_FALSE(directory.change(directory.merge()));
}

TEST(DirectoryMutants, each_spoils_its_own_part_of_a_split_or_merge) {
  Reshaping gap(Mutant::dir_split_gap), overlap(Mutant::dir_split_overlap), old(Mutant::dir_split_keeps_epoch);
  Reshaping left_only(Mutant::dir_merge_epoch_left_only), metadata_first(Mutant::dir_metadata_split_first);

  gap.change(gap.split_at(3));
  overlap.change(overlap.split_at(3));
  old.change(old.split_at(3));
  left_only.change(left_only.split_at(3));
  left_only.change(left_only.split_at(0));  // refused, but the next position is another one
  left_only.change(left_only.merge());
  Command by_mover = metadata_first.split_at(3);
  by_mover.asked_by = NodeId{4};

  EXPECT_EQ(gap.record(kRight).range.lo, Key{4});
  EXPECT_EQ(overlap.record(kLeft).range.hi, Key{4});
  EXPECT_EQ(old.record(kRight).epoch, Epoch{1});
  EXPECT_EQ(left_only.record(kLeft).epoch, Epoch{3});
  EXPECT_TRUE(metadata_first.change(by_mover));
}

}  // namespace
}  // namespace shardcheck::impl
