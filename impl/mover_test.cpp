#include "impl/mover.h"

#include <gmock/gmock.h>

#include "impl/driven.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;

constexpr NodeId kDirectory{0};
constexpr NodeId kA{1};
constexpr NodeId kB{2};
constexpr NodeId kSelf{4};
constexpr MoveId kMove{5};
constexpr std::uint32_t kOrderTimer = 0;  // of range 0

// One range of A, [0, 8), is moved to B by move 5. An order is given 12 ms.
ClusterOptions options() {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 2;
  options.routers = 1;
  options.shards = 1;
  options.keys = 8;
  options.orders_max = 2;
  options.catch_up_rounds_max = 3;
  options.lag_at_fence_max = 2;
  return options;
}
constexpr ContentDigest content(std::uint64_t values) { return {.values = values, .source_epoch = Epoch{1}}; }

class DrivenMover : public Driven<Mover> {
 public:
  DrivenMover() : Driven(Mover(options(), kSelf)) {
    record_.range = {Key{0}, Key{8}};
    record_.owner = kA;
    record_.epoch = Epoch{1};
  }

  DrivenMover& at(std::int64_t ms) {
    Driven::at(ms);
    return *this;
  }
  DrivenMover& learns_of_range() { return tell(RecordUpdate{record_, position_, DirectoryPosition{}}); }
  DrivenMover& is_asked_to_move() {
    receive(kNoNode, StartMove{ShardId{0}, kB});
    return *this;
  }
  // The directory accepts what the mover asked for last.
  DrivenMover& move_begins() {
    enter(MovePhase::preparing);
    return accept(CommandKind::begin_move);
  }
  DrivenMover& advances_to(MovePhase phase) {
    enter(phase);
    return accept(CommandKind::advance_move);
  }
  DrivenMover& commits() {
    enter(MovePhase::switched);
    record_.owner = kB;
    record_.epoch = epoch_of(next(position_));
    return accept(CommandKind::commit_move);
  }
  DrivenMover& aborts() {
    enter(MovePhase::aborted);
    return accept(CommandKind::abort_move);
  }
  DrivenMover& takes_over() {
    record_.mover_epoch = next(record_.mover_epoch);
    return accept(CommandKind::take_over_move);
  }
  DrivenMover& finishes() {
    record_.phase = MovePhase::none;
    record_.move = MoveId{};
    return accept(CommandKind::finish_move);
  }
  // A move in `phase` that another mover has driven so far becomes known by a watch.
  DrivenMover& finds_move_in(MovePhase phase) {
    enter(phase);
    position_ = next(position_);
    return tell(RecordUpdate{record_, position_, DirectoryPosition{}});
  }

  DrivenMover& report(NodeId side, MoveReport report) {
    report.shard = ShardId{0};
    report.move = kMove;
    report.side = side;
    receive(side, report);
    return *this;
  }
  DrivenMover& target_is_prepared() { return report(kB, {.kind = OrderKind::prepare_target}); }
  DrivenMover& chunk_is_staged(std::uint32_t cursor, bool is_last, std::uint64_t position = 3) {
    return report(kB, {.kind = OrderKind::send_chunk,
                       .cursor = CopyCursor{cursor},
                       .is_copied = is_last,
                       .position = LogPosition{position}});
  }
  DrivenMover& log_is_replayed(std::uint64_t to, std::uint64_t source_tail, std::uint64_t values = 77) {
    return report(kB, {.kind = OrderKind::send_log,
                       .position = LogPosition{to},
                       .source_tail = LogPosition{source_tail},
                       .digest = content(values)});
  }
  DrivenMover& is_fenced_at(std::uint64_t barrier, std::uint64_t values = 77) {
    return report(kA, {.kind = OrderKind::fence, .position = LogPosition{barrier}, .digest = content(values)});
  }
  DrivenMover& side_cannot(NodeId side, OrderKind kind) { return report(side, {.kind = kind, .is_possible = false}); }

  // Everything as it should be, up to the beginning of this phase.
  DrivenMover& moved_up_to(MovePhase phase) {
    learns_of_range().is_asked_to_move().move_begins().target_is_prepared();
    report(kA, {.kind = OrderKind::open_capture, .position = LogPosition{3}});
    for (const MovePhase next : {MovePhase::copying, MovePhase::catching_up, MovePhase::fenced}) {
      if (next <= phase) {
        advances_to(next);
      }
      if (next == MovePhase::copying && next < phase) {
        chunk_is_staged(12, true);
      }
    }
    return *this;
  }

  std::optional<MoveOrder> order() const { return sent<MoveOrder>(); }
  std::optional<Command> command() const { return sent<Command>(); }

 private:
  DrivenMover& tell(const RecordUpdate& update) {
    receive(kDirectory, update);
    return *this;
  }
  void enter(MovePhase phase) {
    record_.phase = phase;
    record_.move = kMove;
    record_.source = kA;
    record_.target = kB;
    record_.source_epoch = Epoch{1};
    record_.mover_epoch = std::max(record_.mover_epoch, MoverEpoch{1});
  }
  DrivenMover& accept(CommandKind kind) {
    position_ = next(position_);
    receive(kDirectory, CommandResult{kind, true, record_, position_});
    return *this;
  }

  ShardRecord record_;
  DirectoryPosition position_{4};
};

TEST(Mover, asks_the_directory_for_a_move_that_it_is_asked_for) {
  DrivenMover mover;
  mover.learns_of_range();

  mover.is_asked_to_move();

  EXPECT_THAT(mover.said(), ElementsAre("to 0: begin_move range 0 move 0 planned on epoch 1 phase none"));
  EXPECT_EQ(mover.command()->target, kB);
}

TEST(Mover, cannot_begin_a_move_of_a_range_that_it_has_not_heard_of) {
  DrivenMover mover;

  mover.is_asked_to_move();

  EXPECT_TRUE(mover.is_silent());
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

TEST(Mover, a_report_of_another_move_is_ignored) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::copying);

  mover.receive(kB, MoveReport{.kind = OrderKind::send_chunk, .move = MoveId{4}, .side = kB, .is_copied = true});

  EXPECT_TRUE(mover.is_silent());
}

// --- taking over ---

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
  taken.mover_epoch = MoverEpoch{2};

  mover.receive(kDirectory, RecordUpdate{taken, DirectoryPosition{20}, DirectoryPosition{}});
  EXPECT_TRUE(mover.is_silent());
  mover.chunk_is_staged(4, false);

  EXPECT_TRUE(mover.is_silent());
}

// --- what cannot go on ---

TEST(Mover, aborts_a_move_that_a_side_cannot_take_part_in) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::copying);

  mover.side_cannot(kB, OrderKind::prepare_target);

  EXPECT_THAT(mover.said(), ElementsAre("to 0: abort_move range 0 move 5 planned on epoch 1 phase none"));
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
