// A storage node as the source of a move: orders, the fence, and what it does after the switch.
#include <gmock/gmock.h>

#include "impl/driven_storage.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;

TEST(Source, says_from_which_position_on_its_log_is_kept) {
  ServingA a;
  a.write(1, 7, 1).write(2, 8, 2).sync();

  a.order(OrderKind::open_capture, MovePhase::preparing).sync();

  EXPECT_THAT(a.said(), ElementsAre("to 4: report_captured move 5 from 1 position 2"));
}

TEST(Source, an_order_of_a_phase_that_is_over_is_not_obeyed) {
  ServingA a;
  a.learn(MovePhase::catching_up).sync();

  a.order(OrderKind::send_chunk, MovePhase::copying).sync();

  EXPECT_TRUE(a.is_silent());
}

TEST(Source, an_order_of_an_older_mover_is_not_obeyed) {
  ServingA a;
  a.learn(record_in(MovePhase::copying, MoverEpoch{2}), DirectoryPosition{8}).sync();

  a.order(OrderKind::send_chunk, MovePhase::copying).sync();

  EXPECT_TRUE(a.is_silent());
}

TEST(Source, who_does_not_hold_the_range_says_that_it_cannot_take_part) {
  DrivenStorage b(kB);

  b.order(OrderKind::send_chunk, MovePhase::copying).sync();
  EXPECT_THAT(b.said(), ElementsAre("to 4: report_chunk move 5 from 2 position 0 impossible"));
  b.order(OrderKind::send_log, MovePhase::catching_up).sync();
  EXPECT_THAT(b.said(), ElementsAre("to 4: report_log move 5 from 2 position 0 impossible"));
  b.order_fence().sync();
  EXPECT_THAT(b.said(), ElementsAre("to 4: report_fence move 5 from 2 position 0 impossible"));
}

TEST(Source, sends_nothing_that_is_not_durable) {
  ServingA a;
  a.learn(MovePhase::copying).sync();
  a.write(1, 7, 1);

  a.order(OrderKind::send_chunk, MovePhase::copying);
  EXPECT_TRUE(a.is_silent());
  a.sync();
  ASSERT_TRUE(a.sent<Chunk>().has_value());
  EXPECT_EQ(a.sent<Chunk>()->entries[0].value, number(7));
}

TEST(Source, what_was_admitted_is_answered_before_the_barrier_and_is_below_it) {
  ServingA a;
  a.write(1, 7, 1);

  a.order_fence();
  EXPECT_TRUE(a.is_silent());
  a.sync();

  EXPECT_THAT(a.said(),
              ElementsAre("to 3: reply request 0.1 attempt 0 ok nil", "to 4: report_fence move 5 from 1 position 1"));
  EXPECT_THAT(a.observed<BarrierConfirmed>(), testing::SizeIs(1));
}

TEST(Source, admits_nothing_from_the_moment_it_is_asked_to_stop) {
  ServingA a;
  a.order_fence();

  a.write(1, 7, 1);
  a.sync();

  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 transient highest epoch 1",
                                    "to 4: report_fence move 5 from 1 position 0"));
  EXPECT_EQ(a.value(1), absent());
}

TEST(Source, answers_not_even_reads_after_the_barrier) {
  ServingA a;
  a.order_fence().sync();

  a.read(1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 transient highest epoch 1"));
  EXPECT_EQ(a.node().claim(kShard), std::nullopt);
}

TEST(Source, a_repeated_order_to_stop_is_answered_with_the_same_barrier) {
  ServingA a;
  a.write(1, 7, 1).order_fence().sync();

  a.order_fence();

  EXPECT_THAT(a.said(), ElementsAre("to 4: report_fence move 5 from 1 position 1"));
}

TEST(Source, is_still_fenced_after_a_restart) {
  ServingA a;
  a.order_fence().sync();

  a.restart();
  EXPECT_EQ(a.wakes_at(kFenceTimer), at_ms(70));
  a.with_lease_until(60).read(1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 transient highest epoch 1"));
}

TEST(Source, a_fence_that_stands_too_long_makes_it_propose_the_abort_and_no_more) {
  ServingA a;
  a.order_fence();
  ASSERT_EQ(a.wakes_at(kFenceTimer), at_ms(70));
  a.sync().with_lease_until(130);

  a.at(70).fire(kFenceTimer);
  EXPECT_THAT(a.said(), ElementsAre("to 0: abort_move range 0 move 5 planned on epoch 1 phase none"));
  EXPECT_EQ(a.wakes_at(kFenceTimer), at_ms(140));
  a.read(1, 1);
  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 transient highest epoch 1"));
}

TEST(Source, a_mutant_serves_again_when_its_fence_runs_out) {
  ServingA a(Mutant::fence_expiry_resumes);
  a.order_fence().sync().with_lease_until(130);

  a.at(70).fire(kFenceTimer);
  a.sync().read(1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 ok nil"));
}

TEST(Source, serves_again_once_the_abort_is_committed_and_on_its_disk) {
  ServingA a;
  a.order_fence().sync();

  a.learn(MovePhase::aborted).read(1, 1);
  EXPECT_TRUE(a.is_silent());
  a.sync().read(1, 2);

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.2 attempt 0 ok nil"));
}

TEST(Source, the_abort_of_another_move_does_not_lift_its_fence) {
  ServingA a;
  a.order_fence().sync();
  ShardRecord other = record_in(MovePhase::aborted);
  other.move = MoveId{4};

  a.learn(other, DirectoryPosition{20}).sync();

  EXPECT_EQ(a.copy().copy, CopyState::fenced);
}

TEST(Source, redirects_and_keeps_its_copy_after_the_switch) {
  ServingA a;
  a.write(1, 7, 1).order_fence().sync();

  a.learn(MovePhase::switched).sync();
  a.read(1, 2);
  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.2 attempt 0 stale_epoch highest epoch 9"));
  a.read(1, 3, Epoch{9});
  EXPECT_THAT(a.said(),
              ElementsAre("to 3: refusal request 0.3 attempt 0 not_owner highest epoch 9, go to 2 under epoch 9"));

  EXPECT_EQ(a.copy().copy, CopyState::retained);
  EXPECT_EQ(a.value(1), number(7));
}

TEST(Source, cleans_up_only_after_the_cutover_is_confirmed_and_its_retention_is_over) {
  ServingA a;
  a.write(1, 7, 1).order_fence().sync();
  a.at(10).learn(MovePhase::switched).sync();

  a.at(50).order(OrderKind::clean_up, MovePhase::switched).sync();
  EXPECT_TRUE(a.is_silent());
  EXPECT_EQ(a.copy().copy, CopyState::retained);
  a.at(39).order(OrderKind::clean_up, MovePhase::cleaning).sync();
  EXPECT_TRUE(a.is_silent());
  EXPECT_EQ(a.copy().copy, CopyState::retained);
  a.at(40).order(OrderKind::clean_up, MovePhase::cleaning).sync();

  EXPECT_THAT(a.said(), ElementsAre("to 4: report_cleaned move 5 from 1 position 0"));
  EXPECT_EQ(a.copy().copy, std::nullopt);
  EXPECT_THAT(a.observed<KeyErased>(), testing::SizeIs(1));
  EXPECT_EQ(a.value(1), absent());
}

TEST(Source, counts_its_retention_from_the_restart_when_it_does_not_know_better) {
  ServingA a;
  a.order_fence().sync();
  a.at(10).learn(MovePhase::switched).sync();
  a.at(30).restart();

  a.at(59).order(OrderKind::clean_up, MovePhase::cleaning).sync();
  EXPECT_TRUE(a.is_silent());
  a.at(60).order(OrderKind::clean_up, MovePhase::cleaning).sync();
  EXPECT_THAT(a.said(), ElementsAre("to 4: report_cleaned move 5 from 1 position 0"));
}

TEST(Source, a_repeated_order_to_clean_up_is_answered_again) {
  ServingA a;
  a.order_fence().sync();
  a.learn(MovePhase::switched).at(40).order(OrderKind::clean_up, MovePhase::cleaning).sync();

  a.order(OrderKind::clean_up, MovePhase::cleaning);

  EXPECT_THAT(a.said(), ElementsAre("to 4: report_cleaned move 5 from 1 position 0"));
}

}  // namespace
}  // namespace shardcheck::impl
