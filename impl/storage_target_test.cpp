// A storage node as the target of a move: the copy, replay, and the grant.
#include <gmock/gmock.h>

#include "impl/driven_storage.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Target, begins_an_empty_copy_and_says_so_once_it_is_durable) {
  DrivenStorage b(kB);

  b.order(OrderKind::prepare_target, MovePhase::preparing);
  EXPECT_TRUE(b.is_silent());
  b.sync();

  EXPECT_THAT(b.said(), ElementsAre("to 4: report_prepared move 5 from 2 position 0"));
  EXPECT_THAT(b.observed<CopyCreated>(), testing::SizeIs(1));
  EXPECT_EQ(b.copy().copy, CopyState::staging);
}

TEST(Target, a_repeated_order_to_prepare_keeps_what_was_copied) {
  ServingA a;
  a.write(1, 7, 1).sync();
  StagedB b(a);

  b.order(OrderKind::prepare_target, MovePhase::copying).sync();

  EXPECT_EQ(b.value(1), number(7));
  EXPECT_TRUE(b.sent<MoveReport>()->is_copied);
}

TEST(Target, who_lost_the_copy_says_that_it_cannot_take_part) {
  ServingA a;
  StagedB b(a);
  b.restart_without_disk();

  b.order(OrderKind::prepare_target, MovePhase::copying).sync();

  EXPECT_FALSE(b.sent<MoveReport>()->is_possible);
}

TEST(Target, who_crashed_when_its_copy_was_begun_and_not_told_tells_it_at_the_start) {
  DrivenStorage b(kB);
  b.order(OrderKind::prepare_target, MovePhase::preparing);
  EXPECT_THAT(b.observed<CopyCreated>(), IsEmpty());

  b.restart_with_all();

  EXPECT_THAT(b.observed<CopyCreated>(), testing::SizeIs(1));
}

// The late order comes before the node has learnt again how far the move is.
TEST(Target, replay_is_refused_by_a_lost_copy_that_a_late_order_began_anew) {
  ServingA a;
  StagedB b(a);
  b.restart_without_disk();
  b.order(OrderKind::prepare_target, MovePhase::preparing).sync();
  EXPECT_TRUE(b.sent<MoveReport>()->is_possible);

  a.order(OrderKind::send_log, MovePhase::catching_up, 0, 0);
  b.forward<LogBatch>(a);

  EXPECT_FALSE(b.sent<MoveReport>()->is_possible);
}

TEST(Target, copies_values_tombstones_and_answered_requests) {
  ServingA a;
  a.write(0, 5, 1).write(1, 6, 2).write(2, 7, 3).write(3, 8, 4).sync();
  a.remove(1, 5).sync();

  StagedB b(a);

  EXPECT_TRUE(b.copy().is_copied);
  EXPECT_EQ(b.value(3), number(8));
  EXPECT_TRUE(b.node().state().cell(Key{1}).exists());
  EXPECT_EQ(b.value(1), absent());
  EXPECT_EQ(b.copy().answered[0].sequence, 5U);
  EXPECT_EQ(b.copy().digest, a.copy().digest);
}

TEST(Target, replay_makes_it_equal_to_the_source) {
  ServingA a;
  a.write(0, 5, 1).sync();
  StagedB b(a);
  a.write(0, 6, 2).write(2, 7, 3).remove(2, 4).increment(3, 5).sync();

  a.order(OrderKind::send_log, MovePhase::catching_up, 0, 1);
  b.forward<LogBatch>(a);

  EXPECT_THAT(b.said(), ElementsAre("to 4: report_log move 5 from 2 position 5"));
  EXPECT_EQ(b.copy().tail, LogPosition{5});
  EXPECT_EQ(b.sent<MoveReport>()->digest, a.copy().digest);
}

TEST(Target, a_late_chunk_takes_nothing_back) {
  ServingA a;
  a.write(0, 5, 1).sync();
  a.order(OrderKind::send_chunk, MovePhase::copying);
  const Chunk late = *a.sent<Chunk>();
  StagedB b(a);
  a.write(0, 6, 2).sync();
  a.order(OrderKind::send_log, MovePhase::catching_up, 0, 1);
  b.forward<LogBatch>(a);

  b.receive(kA, late);
  b.sync();

  EXPECT_EQ(b.value(0), number(6));
  EXPECT_EQ(b.copy().tail, LogPosition{2});
  EXPECT_EQ(b.copy().digest, a.copy().digest);
}

TEST(Target, a_batch_that_does_not_follow_what_was_replayed_is_not_taken) {
  ServingA a;
  a.write(0, 5, 1).sync();
  StagedB b(a);
  a.write(0, 6, 2).write(1, 7, 3).sync();

  a.order(OrderKind::send_log, MovePhase::catching_up, 0, 2);
  b.forward<LogBatch>(a);

  EXPECT_EQ(b.value(1), absent());
  EXPECT_THAT(b.said(), ElementsAre("to 4: report_log move 5 from 2 position 1"));
}

TEST(Target, serves_nothing_before_the_committed_grant) {
  ServingA a;
  StagedB b(a);
  b.learn(MovePhase::fenced).sync();

  b.read(1, 1);

  EXPECT_THAT(b.said(),
              ElementsAre("to 3: refusal request 0.1 attempt 0 not_owner highest epoch 1, go to 1 under epoch 1"));
  EXPECT_EQ(b.node().claim(kShard), std::nullopt);
}

TEST(Target, takes_up_the_grant_with_its_lease_once_that_is_durable) {
  ServingA a;
  a.write(1, 7, 1).sync();
  StagedB b(a);

  b.learn(MovePhase::switched);
  EXPECT_THAT(b.observed<LeaseHeld>(), IsEmpty());
  b.sync();
  EXPECT_THAT(b.observed<LeaseHeld>(), testing::SizeIs(1));
  b.read(1, 2, Epoch{9});

  EXPECT_THAT(b.said(), ElementsAre("to 3: reply request 0.2 attempt 0 ok 7"));
  EXPECT_EQ(b.node().claim(kShard), (ServingClaim{kShard, {Key{0}, Key{4}}, Epoch{9}, at_ms(100)}));
}

TEST(Target, answers_a_request_that_the_source_executed_from_the_table_that_came_along) {
  ServingA a;
  a.increment(1, 1).sync();
  StagedB b(a);
  b.learn(MovePhase::switched).sync();

  b.ask({OperationKind::increment, Key{1}, absent(), absent()}, DrivenStorage::try_of(1, 1), Epoch{9});

  EXPECT_THAT(b.said(), ElementsAre("to 3: reply request 0.1 attempt 1 ok 1"));
  EXPECT_EQ(b.value(1), number(1));
}

TEST(Target, writes_go_on_after_the_last_position_of_the_source) {
  ServingA a;
  a.write(1, 7, 1).sync();
  StagedB b(a);
  b.learn(MovePhase::switched).sync();

  b.ask({OperationKind::write, Key{1}, number(8), absent()}, DrivenStorage::try_of(2), Epoch{9}).sync();

  EXPECT_EQ(b.node().state().cell(Key{1}).version, (Version{Epoch{9}, LogPosition{2}}));
}

TEST(Target, a_copy_that_is_not_complete_is_not_taken_up_but_reported_lost) {
  DrivenStorage b(kB);
  b.order(OrderKind::prepare_target, MovePhase::preparing).sync();

  b.learn(MovePhase::switched).sync();

  EXPECT_THAT(b.said(), ElementsAre("to 0: report_lost range 0 move 0 planned on epoch 9 phase none"));
  EXPECT_EQ(b.copy().copy, CopyState::staging);
  EXPECT_EQ(b.node().claim(kShard), std::nullopt);
}

TEST(Target, forgets_an_empty_copy_of_a_range_that_was_reported_lost) {
  DrivenStorage b(kB);
  b.order(OrderKind::prepare_target, MovePhase::preparing).sync();
  ShardRecord lost = record_in(MovePhase::switched);
  lost.is_data_lost = true;

  b.learn(lost, DirectoryPosition{20}).sync();

  EXPECT_EQ(b.copy().copy, std::nullopt);
}

TEST(Target, an_overtaken_order_to_prepare_does_not_empty_the_copy_that_it_owns) {
  ServingA a;
  a.write(1, 7, 1).sync();
  StagedB b(a);
  b.learn(MovePhase::switched).sync();

  b.order(OrderKind::prepare_target, MovePhase::preparing).sync();

  EXPECT_EQ(b.copy().copy, CopyState::owned);
  EXPECT_EQ(b.value(1), number(7));
}

TEST(Target, forgets_its_copy_when_the_abort_is_committed) {
  ServingA a;
  a.write(1, 7, 1).sync();
  StagedB b(a);

  b.learn(MovePhase::aborted).sync();
  EXPECT_THAT(b.observed<CopyRemoved>(), testing::SizeIs(1));
  EXPECT_EQ(b.copy().copy, std::nullopt);
  EXPECT_EQ(b.value(1), absent());
  b.order(OrderKind::undo, MovePhase::aborted).sync();
  EXPECT_THAT(b.said(), ElementsAre("to 4: report_undone move 5 from 2 position 0"));
}

TEST(Target, forgets_its_copy_when_its_move_is_over_and_it_did_not_become_the_owner) {
  ServingA a;
  StagedB b(a);

  b.learn(record_in(MovePhase::none), DirectoryPosition{30}).sync();

  EXPECT_EQ(b.copy().copy, std::nullopt);
}

TEST(Target, a_chunk_of_a_move_that_is_over_is_not_taken) {
  ServingA a;
  a.write(1, 7, 1).sync();
  a.order(OrderKind::send_chunk, MovePhase::copying);
  const Chunk late = *a.sent<Chunk>();
  StagedB b(a);
  b.learn(MovePhase::aborted).sync();

  b.receive(kA, late);
  b.sync();

  EXPECT_TRUE(b.is_silent());
  EXPECT_EQ(b.value(1), absent());
}

TEST(Target, confirms_that_it_serves_the_grant_and_no_other) {
  ServingA a;
  StagedB b(a);
  b.order(OrderKind::confirm_serving, MovePhase::switched);
  EXPECT_TRUE(b.is_silent());
  b.sync();
  EXPECT_THAT(b.said(), ElementsAre("to 4: report_serving move 5 from 2 position 0"));
  DrivenStorage empty(kB);
  empty.order(OrderKind::confirm_serving, MovePhase::switched).sync();
  EXPECT_EQ(empty.sent<MoveReport>(), std::nullopt);
}

}  // namespace
}  // namespace shardcheck::impl
