// Splits and merges at the owner: noted first, entered by the directory second, applied third.
#include <gmock/gmock.h>

#include "impl/driven_storage.h"

namespace shardcheck::impl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

constexpr ShardId kRight{1};
constexpr Epoch kSplit{7};
constexpr Epoch kMerged{9};

ShardRecord half(ShardId shard, std::uint32_t lo, std::uint32_t hi, Epoch epoch = kSplit) {
  ShardRecord record;
  record.shard = shard;
  record.range = {Key{lo}, Key{hi}};
  record.owner = kA;
  record.epoch = epoch;
  record.lease_until = at_ms(60);
  return record;
}

// Node A, which owns [0, 4) under epoch 1, is asked to split it at 2.
class Splitting : public ServingA {
 public:
  explicit Splitting(Mutant mutant = Mutant::none) : ServingA(mutant) {}
  explicit Splitting(const ClusterOptions& options) : ServingA(options) {}

  Splitting& order_split(std::uint32_t at = 2, Epoch epoch = Epoch{1}) {
    receive(kMover, ReshapeOrder{ReshapeKind::split, kShard, epoch, Key{at}, ShardId{}});
    return *this;
  }
  Splitting& order_merge(Epoch epoch = kSplit) {
    receive(kMover, ReshapeOrder{ReshapeKind::merge, kShard, epoch, Key{}, kRight});
    return *this;
  }
  Splitting& hear_split() {
    receive(kDirectory, RecordUpdate{half(kShard, 0, 2),
                                     DirectoryPosition{7},
                                     DirectoryPosition{1},
                                     DirectoryPosition{7},
                                     {half(kRight, 2, 4)}});
    return *this;
  }
  Splitting& hear_merge() {
    receive(kDirectory, RecordUpdate{half(kShard, 0, 4, kMerged),
                                     DirectoryPosition{9},
                                     DirectoryPosition{7},
                                     DirectoryPosition{9},
                                     {half(kRight, 2, 2, kMerged)}});
    return *this;
  }
  Splitting& split() {
    order_split().sync();
    hear_split().sync();
    return *this;
  }
  const ShardCopy& right() { return node().state().copy(kRight); }
};

TEST(Split, the_owner_notes_it_durably_before_the_directory_is_asked) {
  Splitting a;

  a.order_split();
  EXPECT_TRUE(a.is_silent());
  EXPECT_THAT(a.observed<OwnerSplit>(), IsEmpty());
  a.sync();

  EXPECT_THAT(a.said(), ElementsAre("to 0: split_range range 0 move 0 planned on epoch 1 phase none"));
  EXPECT_THAT(a.observed<OwnerSplit>(), SizeIs(1));
}

TEST(Split, a_tick_before_that_does_not_propose_it_either) {
  Splitting a;
  a.order_split();

  a.fire(kTick);

  EXPECT_FALSE(a.sent<Command>().has_value());
}

TEST(Split, a_key_that_is_no_inner_one_or_an_older_epoch_splits_nothing) {
  Splitting a;

  a.order_split(0).sync();
  a.order_split(4).sync();
  a.order_split(2, Epoch{0}).sync();

  EXPECT_EQ(a.copy().note.kind, ReshapeKind::none);
}

TEST(Split, is_proposed_again_at_each_tick_and_after_a_restart) {
  Splitting a;
  a.order_split().sync();

  a.fire(kTick);
  ASSERT_TRUE(a.sent<Command>().has_value());
  EXPECT_EQ(a.sent<Command>()->kind, CommandKind::split_range);
  a.restart();
  ASSERT_TRUE(a.sent<Command>().has_value());
  EXPECT_EQ(a.sent<Command>()->at, Key{2});
}

TEST(Split, until_the_entry_is_known_both_halves_are_served_under_the_epoch_of_the_parent) {
  Splitting a;
  a.order_split().sync();

  a.write(1, 7, 1).write(3, 8, 2).sync();

  EXPECT_THAT(a.said(),
              ElementsAre("to 3: reply request 0.1 attempt 0 ok nil", "to 3: reply request 0.2 attempt 0 ok nil"));
}

TEST(Split, the_entry_divides_copy_digests_and_lease_and_copies_the_answered_requests) {
  Splitting a;
  a.write(1, 7, 1).write(3, 8, 2).sync();

  a.split();

  EXPECT_EQ(a.copy().held, (KeyRange{Key{0}, Key{2}}));
  EXPECT_EQ(a.right().held, (KeyRange{Key{2}, Key{4}}));
  EXPECT_EQ(a.copy().held_epoch, kSplit);
  EXPECT_EQ(a.right().held_epoch, kSplit);
  EXPECT_EQ(a.copy().digest, a.node().state().content_of(kShard));
  EXPECT_EQ(a.right().digest, a.node().state().content_of(kRight));
  EXPECT_NE(a.copy().digest.values, a.right().digest.values);
  EXPECT_EQ(a.copy().answered[0].sequence, 2U);
  EXPECT_EQ(a.right().answered[0].sequence, 2U);
  EXPECT_EQ(a.node().claim(kShard), (ServingClaim{kShard, {Key{0}, Key{2}}, kSplit, at_ms(60)}));
  EXPECT_EQ(a.node().claim(kRight), (ServingClaim{kRight, {Key{2}, Key{4}}, kSplit, at_ms(60)}));
  EXPECT_THAT(a.observed<SplitApplied>(), SizeIs(1));
}

// A renewal that the entry overtook is refused. Of the lease, 60 ms, less than two intervals of 20 ms are left then.
TEST(Split, a_lease_that_would_not_outlast_a_lost_renewal_is_renewed_with_the_new_grant) {
  Splitting a;
  a.order_split().sync();

  a.at(21);
  a.hear_split().sync();

  EXPECT_THAT(a.said(), IsSupersetOf({"to 0: renew range 0 epoch 7", "to 0: renew range 1 epoch 7"}));
}

TEST(Split, a_node_that_renews_as_a_whole_does_so_then_as_well) {
  ClusterOptions options = two_nodes();
  options.lease_per = LeasePer::node;
  Splitting a(options);
  a.order_split().sync();

  a.at(21);
  a.hear_split().sync();

  EXPECT_THAT(a.said(), Contains(HasSubstr("renew_node")));
  EXPECT_THAT(a.said(), Not(Contains(HasSubstr("renew range"))));
}

TEST(Split, a_long_lease_is_renewed_at_the_next_tick_only) {
  Splitting a;
  a.order_split().sync();

  a.at(20);
  a.hear_split().sync();

  EXPECT_THAT(a.said(), Not(Contains(HasSubstr("renew"))));
}

TEST(Split, a_retry_of_what_the_parent_executed_is_answered_by_either_half_and_not_executed_again) {
  Splitting a;
  a.increment(3, 1).sync();
  a.split();

  a.ask({OperationKind::increment, Key{3}, absent(), absent()}, DrivenStorage::try_of(1, 1), kSplit).sync();

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 1 ok 1"));
}

TEST(Split, nothing_is_done_under_the_new_epoch_before_it_is_durable) {
  Splitting a;
  a.order_split().sync();

  a.hear_split();
  a.read(3, 1, kSplit);
  a.sync();
  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 transient highest epoch 7"));
  a.read(3, 1, kSplit);

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 ok nil"));
}

TEST(Split, what_was_admitted_before_is_done_under_the_epoch_of_the_parent) {
  Splitting a;
  a.order_split().sync();
  a.write(3, 8, 1);

  a.hear_split();
  EXPECT_EQ(a.copy().held_epoch, Epoch{1});
  a.sync();

  EXPECT_THAT(a.said(), Contains("to 3: reply request 0.1 attempt 0 ok nil"));
  EXPECT_EQ(a.copy().held_epoch, kSplit);
}

TEST(Split, one_half_alone_is_not_applied_and_the_directory_is_asked_for_the_other) {
  Splitting a;
  a.order_split().sync();

  a.learn(half(kShard, 0, 2), DirectoryPosition{7});
  EXPECT_THAT(a.said(), ElementsAre("to 0: poll after 0"));
  a.read(3, 1).sync();
  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 ok nil"));
  a.learn(half(kRight, 2, 4), DirectoryPosition{7}).sync();

  EXPECT_EQ(a.right().held_epoch, kSplit);
}

TEST(Split, what_has_happened_to_a_half_since_is_learnt_with_it) {
  Splitting a;
  a.order_split().sync();
  ShardRecord moving = half(kRight, 2, 4);
  moving.phase = MovePhase::preparing;
  moving.move = MoveId{8};

  a.learn(half(kShard, 0, 2), DirectoryPosition{7}).learn(moving, DirectoryPosition{8}).sync();

  EXPECT_EQ(a.right().known.phase, MovePhase::preparing);
  EXPECT_EQ(a.right().held_epoch, kSplit);
}

TEST(Split, a_note_is_dropped_when_the_range_changed_in_another_way) {
  Splitting a;
  a.order_split().sync();

  a.learn(MovePhase::preparing).sync();
  a.fire(kTick);

  EXPECT_EQ(a.copy().note.kind, ReshapeKind::none);
  EXPECT_FALSE(a.sent<Command>().has_value());
}

TEST(Split, a_note_is_dropped_when_the_directory_refused_what_it_was_planned_on) {
  Splitting a;
  a.order_split().sync();

  a.receive(
      kDirectory,
      CommandResult{
          CommandKind::split_range, false, record_in(MovePhase::none), DirectoryPosition{1}, {}, DirectoryPosition{1}});

  EXPECT_EQ(a.copy().note.kind, ReshapeKind::none);
}

TEST(Split, a_refusal_of_an_older_split_says_nothing_of_this_one) {
  Splitting a;
  a.split();
  a.order_merge().sync();

  a.receive(kDirectory,
            CommandResult{
                CommandKind::split_range, false, half(kShard, 0, 2), DirectoryPosition{7}, {}, DirectoryPosition{1}});

  EXPECT_EQ(a.copy().note.kind, ReshapeKind::merge);
}

TEST(Split, an_entry_found_on_disk_after_a_crash_needs_a_new_lease_for_each_half) {
  Splitting a;
  a.split();

  a.restart();

  EXPECT_EQ(a.right().held_epoch, kSplit);
  EXPECT_EQ(a.node().claim(kRight)->until, Instant{});
}

TEST(Merge, both_halves_become_one_copy_with_the_later_answer_for_each_client) {
  Splitting a;
  a.split();
  a.ask({OperationKind::write, Key{1}, number(7), absent()}, DrivenStorage::try_of(1), kSplit);
  a.ask({OperationKind::write, Key{3}, number(8), absent()}, DrivenStorage::try_of(2), kSplit).sync();

  a.order_merge().sync();
  EXPECT_THAT(a.said(), ElementsAre("to 0: merge_ranges range 0 move 0 planned on epoch 7 phase none"));
  a.hear_merge().sync();

  EXPECT_EQ(a.copy().held, (KeyRange{Key{0}, Key{4}}));
  EXPECT_EQ(a.copy().held_epoch, kMerged);
  EXPECT_EQ(a.copy().answered[0].sequence, 2U);
  EXPECT_EQ(a.copy().digest, a.node().state().content_of(kShard));
  EXPECT_FALSE(a.right().copy.has_value());
  EXPECT_TRUE(a.right().known.is_removed());
  EXPECT_EQ(a.node().claim(kShard), (ServingClaim{kShard, {Key{0}, Key{4}}, kMerged, at_ms(60)}));
  EXPECT_FALSE(a.node().claim(kRight).has_value());
}

TEST(Merge, a_half_that_this_node_does_not_hold_is_not_merged) {
  Splitting a;

  a.order_merge(Epoch{1}).sync();

  EXPECT_EQ(a.copy().note.kind, ReshapeKind::none);
}

TEST(Merge, is_dropped_when_the_right_half_changed_in_another_way) {
  Splitting a;
  a.split();
  a.order_merge().sync();
  ShardRecord moving = half(kRight, 2, 4);
  moving.phase = MovePhase::preparing;

  a.learn(moving, DirectoryPosition{8});

  EXPECT_EQ(a.copy().note.kind, ReshapeKind::none);
}

TEST(Reshaped, a_target_drops_what_an_older_range_left_over_before_it_begins_a_copy_of_the_same_keys) {
  DrivenStorage b(kB);
  b.order(OrderKind::prepare_target, MovePhase::preparing).sync();
  MoveOrder order{.kind = OrderKind::prepare_target, .record = half(kRight, 2, 4), .changed_at = DirectoryPosition{20}};
  order.record.phase = MovePhase::preparing;
  order.record.move = MoveId{20};
  order.record.target = kB;

  b.receive(kMover, order).sync();

  EXPECT_FALSE(b.copy().copy.has_value());
  EXPECT_EQ(b.node().state().copy(kRight).copy, CopyState::staging);
}

TEST(Reshaped, an_order_older_than_a_copy_of_the_same_keys_is_not_obeyed) {
  DrivenStorage b(kB);
  MoveOrder order{.kind = OrderKind::prepare_target, .record = half(kRight, 2, 4), .changed_at = DirectoryPosition{20}};
  order.record.phase = MovePhase::preparing;
  order.record.move = MoveId{20};
  order.record.target = kB;
  b.receive(kMover, order).sync();

  b.order(OrderKind::prepare_target, MovePhase::preparing).sync();

  EXPECT_FALSE(b.copy().copy.has_value());
  EXPECT_EQ(b.node().state().copy(kRight).copy, CopyState::staging);
}

}  // namespace
}  // namespace shardcheck::impl
