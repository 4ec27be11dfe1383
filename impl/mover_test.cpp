#include "impl/mover.h"

#include <gmock/gmock.h>

#include "impl/driven_mover.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;

TEST(Mover, asks_the_directory_for_a_move_that_it_is_asked_for) {
  DrivenMover mover;
  mover.learns_of_range();

  mover.is_asked_to_move();

  EXPECT_THAT(mover.said(), ElementsAre("to 0: begin_move range 0 move 0 planned on epoch 1 phase none"));
  EXPECT_EQ(mover.command()->target, kB);
}

// A node that leaves asks for moves again and again; what an operator asked for is not lost by that.
TEST(Mover, does_for_an_operator_first_what_a_node_also_asks_for) {
  DrivenMover mover;
  mover.learns_of_range().is_asked_to_move();

  mover.receive(kA, StartMove{ShardId{0}, NodeId{7}});
  EXPECT_TRUE(mover.is_silent());
  mover.move_begins().aborts().finishes();
  mover.receive(kA, StartMove{ShardId{0}, NodeId{7}});

  EXPECT_EQ(mover.command()->target, NodeId{7});
}

TEST(Mover, begins_a_move_of_a_range_that_it_has_not_heard_of_when_it_hears_of_it) {
  DrivenMover mover;

  mover.is_asked_to_move();
  EXPECT_TRUE(mover.is_silent());

  mover.learns_of_range();
  EXPECT_EQ(mover.command()->kind, CommandKind::begin_move);
}

TEST(Mover, drives_a_move_phase_by_phase) {
  DrivenMover mover;
  mover.learns_of_range().is_asked_to_move();

  mover.move_begins();
  EXPECT_THAT(mover.said(), ElementsAre("to 2: order_prepare move 5 cursor 0 after 0"));
  mover.target_is_prepared();
  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_capture move 5 cursor 0 after 0"));
  mover.report(kA, {.kind = OrderKind::open_capture, .position = LogPosition{3}});
  EXPECT_THAT(mover.said(), ElementsAre("to 0: advance_move range 0 move 5 planned on epoch 1 phase copying"));
  EXPECT_EQ(mover.command()->mover_epoch, MoverEpoch{1});

  mover.advances_to(MovePhase::copying);
  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_chunk move 5 cursor 0 after 3"));
  mover.chunk_is_staged(4, false);
  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_chunk move 5 cursor 4 after 3"));
  mover.chunk_is_staged(12, true);
  EXPECT_THAT(mover.said(), ElementsAre("to 0: advance_move range 0 move 5 planned on epoch 1 phase catching_up"));

  mover.advances_to(MovePhase::catching_up);
  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_log move 5 cursor 12 after 3"));
  mover.log_is_replayed(7, 12);
  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_log move 5 cursor 12 after 7"));
  mover.log_is_replayed(11, 13);
  EXPECT_THAT(mover.said(), ElementsAre("to 0: advance_move range 0 move 5 planned on epoch 1 phase fenced"));

  mover.advances_to(MovePhase::fenced);
  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_fence move 5 cursor 12 after 11"));
  mover.is_fenced_at(13, 77);
  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_log move 5 cursor 12 after 11"));
  mover.log_is_replayed(13, 13, 77);
  EXPECT_THAT(mover.said(), ElementsAre("to 0: commit_move range 0 move 5 planned on epoch 1 phase none"));
  EXPECT_EQ(mover.command()->target, kB);

  mover.commits();
  EXPECT_THAT(mover.said(), ElementsAre("to 2: order_confirm move 5 cursor 12 after 13"));
  mover.report(kB, {.kind = OrderKind::confirm_serving});
  EXPECT_THAT(mover.said(), ElementsAre("to 0: advance_move range 0 move 5 planned on epoch 9 phase cleaning"));
  mover.advances_to(MovePhase::cleaning);
  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_clean_up move 5 cursor 12 after 13"));
  mover.report(kA, {.kind = OrderKind::clean_up});
  EXPECT_THAT(mover.said(), ElementsAre("to 0: finish_move range 0 move 5 planned on epoch 9 phase none"));
  mover.finishes();
  EXPECT_TRUE(mover.is_silent());
}

TEST(Mover, does_not_ask_for_the_switch_while_the_contents_differ) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::fenced);

  mover.is_fenced_at(13, 77).log_is_replayed(13, 13, 76);

  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_log move 5 cursor 12 after 13"));
}

TEST(Mover, repeats_an_order_that_is_not_answered) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::copying);
  ASSERT_EQ(mover.wakes_at(kOrderTimer), at_ms(12));

  mover.at(11).fire(kOrderTimer);
  EXPECT_TRUE(mover.is_silent());
  mover.at(12).fire(kOrderTimer);
  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_chunk move 5 cursor 0 after 3"));
}

// As when its clock was set back while the timers waited for it: the last one that is under way is set again.
TEST(Mover, timers_that_come_too_early_do_not_end_the_waiting) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::copying);
  constexpr int kTimersSet = 6;  // with every order and command before

  for (int i = 0; i < kTimersSet && !mover.at(11).fire(kOrderTimer).wakes_at(kOrderTimer); ++i) {
    EXPECT_TRUE(mover.is_silent());
  }

  EXPECT_EQ(mover.wakes_at(kOrderTimer), at_ms(12));
}

TEST(Mover, a_report_of_another_move_is_ignored) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::copying);

  mover.receive(kB, MoveReport{.kind = OrderKind::send_chunk, .move = MoveId{4}, .side = kB, .is_copied = true});

  EXPECT_TRUE(mover.is_silent());
}

TEST(Mover, waits_for_whoever_drives_a_move_before_it_takes_it_over_with_a_higher_epoch) {
  DrivenMover mover;

  mover.finds_move_in(MovePhase::copying);
  EXPECT_TRUE(mover.is_silent());
  ASSERT_EQ(mover.wakes_at(kOrderTimer), at_ms(12));
  mover.at(12).fire(kOrderTimer);
  EXPECT_THAT(mover.said(), ElementsAre("to 0: take_over_move range 0 move 5 planned on epoch 1 phase none"));
  EXPECT_EQ(mover.command()->mover_epoch, MoverEpoch{2});
  mover.takes_over();
  EXPECT_THAT(mover.said(), ElementsAre("to 2: order_prepare move 5 cursor 0 after 0"));
  EXPECT_EQ(mover.order()->record.mover_epoch, MoverEpoch{2});
}

TEST(Mover, goes_on_where_the_copy_stands) {
  DrivenMover mover;
  mover.finds_move_in(MovePhase::copying).at(12).fire(kOrderTimer);
  mover.takes_over();

  mover.report(kB, {.kind = OrderKind::prepare_target, .cursor = CopyCursor{8}, .position = LogPosition{6}});

  EXPECT_THAT(mover.said(), ElementsAre("to 1: order_chunk move 5 cursor 8 after 6"));
}

TEST(Mover, takes_over_its_own_move_after_a_restart) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::fenced);

  mover.restart();
  EXPECT_THAT(mover.said(), ElementsAre("to 0: poll after 0"));
  mover.finds_move_in(MovePhase::fenced);
  EXPECT_TRUE(mover.is_silent());
  mover.at(12).fire(kOrderTimer);

  EXPECT_EQ(mover.command()->kind, CommandKind::take_over_move);
  EXPECT_EQ(mover.command()->mover_epoch, MoverEpoch{2});
}

TEST(Mover, a_mover_whose_move_was_taken_over_gives_no_more_orders_under_its_old_epoch) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::copying);
  ShardRecord taken = mover.order()->record;
  taken.mover = kOtherMover;
  taken.mover_epoch = MoverEpoch{2};

  mover.receive(kDirectory, RecordUpdate{taken, DirectoryPosition{20}, DirectoryPosition{}, DirectoryPosition{20}});
  EXPECT_TRUE(mover.is_silent());
  mover.chunk_is_staged(4, false);

  EXPECT_TRUE(mover.is_silent());
}

ClusterOptions two_movers() {
  ClusterOptions cluster = options();
  cluster.movers = 2;
  return cluster;
}

TEST(Mover, leaves_a_move_to_another_mover_until_it_has_been_silent_for_too_long) {
  DrivenMover mover(two_movers());
  mover.finds_move_in(MovePhase::copying, kOtherMover);
  ASSERT_EQ(mover.wakes_at(kOrderTimer), at_ms(50));

  mover.at(30).receive(kOtherMover, MoverAlive{});
  mover.at(50).fire(kOrderTimer);
  EXPECT_TRUE(mover.is_silent());
  ASSERT_EQ(mover.wakes_at(kOrderTimer), at_ms(80));
  mover.at(80).fire(kOrderTimer);

  EXPECT_EQ(mover.command()->kind, CommandKind::take_over_move);
  EXPECT_EQ(mover.command()->mover_epoch, MoverEpoch{2});
}

TEST(Mover, tells_the_other_movers_that_it_drives_a_move_but_not_all_the_time) {
  DrivenMover mover(two_movers());

  mover.at(1).moved_up_to(MovePhase::preparing);
  EXPECT_THAT(mover.said(), ElementsAre("to 0: advance_move range 0 move 5 planned on epoch 1 phase copying"));
  mover.at(14).fire(kOrderTimer);

  EXPECT_THAT(mover.said(),
              ElementsAre("to 5: mover_alive ", "to 0: advance_move range 0 move 5 planned on epoch 1 phase copying"));
}

TEST(Mover, aborts_a_move_that_a_side_cannot_take_part_in) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::copying);

  mover.side_cannot(kB, OrderKind::prepare_target);

  EXPECT_THAT(mover.said(), ElementsAre("to 0: abort_move range 0 move 5 planned on epoch 1 phase none"));
}

TEST(Mover, aborts_a_move_whose_target_cannot_replay_what_it_is_sent) {
  for (const OrderKind kind : {OrderKind::send_chunk, OrderKind::send_log}) {
    DrivenMover mover;
    mover.moved_up_to(MovePhase::catching_up);

    mover.side_cannot(kB, kind);

    EXPECT_EQ(mover.command()->kind, CommandKind::abort_move);
  }
}

TEST(Mover, aborts_a_move_whose_orders_go_unanswered) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::copying);

  mover.at(12).fire(kOrderTimer);
  EXPECT_EQ(mover.order()->kind, OrderKind::send_chunk);
  mover.at(24).fire(kOrderTimer);

  EXPECT_EQ(mover.command()->kind, CommandKind::abort_move);
}

TEST(Mover, gives_up_a_move_that_never_catches_up) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::catching_up);

  mover.log_is_replayed(7, 20).log_is_replayed(11, 30);
  EXPECT_EQ(mover.order()->kind, OrderKind::send_log);
  mover.log_is_replayed(15, 40);

  EXPECT_EQ(mover.command()->kind, CommandKind::abort_move);
}

TEST(Mover, goes_on_for_ever_after_the_switch) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::fenced).is_fenced_at(3).log_is_replayed(3, 3).commits();

  for (std::int64_t ms = 12; ms <= 120; ms += 12) {
    SCOPED_TRACE(ms);
    mover.at(ms).fire(kOrderTimer);
    EXPECT_THAT(mover.said(), ElementsAre("to 2: order_confirm move 5 cursor 12 after 3"));
  }
  mover.side_cannot(kA, OrderKind::clean_up);
  EXPECT_EQ(mover.order()->kind, OrderKind::confirm_serving);
}

TEST(Mover, undoes_both_sides_of_an_aborted_move_before_it_is_finished) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::copying);

  mover.aborts();
  EXPECT_THAT(mover.said(),
              ElementsAre("to 1: order_undo move 5 cursor 0 after 0", "to 2: order_undo move 5 cursor 0 after 0"));
  mover.report(kA, {.kind = OrderKind::undo});
  EXPECT_THAT(mover.said(), ElementsAre("to 2: order_undo move 5 cursor 0 after 0"));
  mover.report(kB, {.kind = OrderKind::undo});
  EXPECT_THAT(mover.said(), ElementsAre("to 0: finish_move range 0 move 5 planned on epoch 1 phase none"));
}

TEST(Mover, knows_nothing_of_a_move_once_its_range_is_in_another_one) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::catching_up);
  ShardRecord other = mover.order()->record;
  other.move = MoveId{30};
  other.phase = MovePhase::preparing;

  mover.receive(kDirectory, CommandResult{CommandKind::begin_move, true, other, DirectoryPosition{30}});

  EXPECT_THAT(mover.said(), ElementsAre("to 2: order_prepare move 30 cursor 0 after 0"));
}

}  // namespace
}  // namespace shardcheck::impl
