#include "impl/directory_state.h"

#include <gtest/gtest.h>

#include <ostream>

namespace shardcheck::impl {
namespace {

constexpr NodeId kA{1};
constexpr NodeId kB{2};
constexpr NodeId kC{3};
constexpr ShardId kShard{0};
constexpr MoverEpoch kFirstMover{1};
constexpr MoverEpoch kSecondMover{2};
constexpr Epoch kInitial{1};
constexpr Instant at_ms(std::int64_t ms) { return Instant{ms * 1'000'000}; }

enum class Verdict : std::uint8_t { changed, repeated, extended, refused };
std::ostream& operator<<(std::ostream& stream, Verdict verdict) {
  constexpr const char* kWords[] = {"changed", "repeated", "extended", "refused"};
  return stream << kWords[static_cast<std::size_t>(verdict)];
}
using enum Verdict;

// One range of node A, and commands about it as its mover would give them; each is planned on what the record says,
// unless the test plans it otherwise. The first command is at position 2.
class Directory {
 public:
  explicit Directory(Mutant mutant = Mutant::none) : state_(records(), Decisions(mutant)) {}

  Verdict begin(NodeId target) { return apply({.kind = CommandKind::begin_move, .target = target}); }
  Verdict take_over(MoverEpoch mover, NodeId by = kC) {
    return apply({.kind = CommandKind::take_over_move, .mover_epoch = mover, .asked_by = by});
  }
  Verdict advance(MovePhase phase, MoverEpoch mover = kFirstMover) {
    return apply({.kind = CommandKind::advance_move, .mover_epoch = mover, .phase = phase});
  }
  Verdict commit(MoverEpoch mover = kFirstMover, NodeId target = kB) {
    return apply({.kind = CommandKind::commit_move, .mover_epoch = mover, .target = target, .lease_until = at_ms(90)});
  }
  Verdict abort(MoverEpoch mover = kFirstMover) {
    return apply({.kind = CommandKind::abort_move, .mover_epoch = mover});
  }
  // As a node whose fence ran out proposes it.
  Verdict abort_by(NodeId node) { return apply({.kind = CommandKind::abort_move, .asked_by = node}); }
  Verdict finish(MoverEpoch mover = kFirstMover) {
    return apply({.kind = CommandKind::finish_move, .mover_epoch = mover});
  }
  Verdict report_lost(NodeId by) { return apply({.kind = CommandKind::report_lost, .asked_by = by}); }
  Verdict renew(NodeId by, Instant until) {
    return apply({.kind = CommandKind::renew_lease, .asked_by = by, .lease_until = until});
  }

  // The next command is planned on this epoch, or is about this move.
  Directory& planned_on(Epoch epoch) {
    epoch_ = epoch;
    return *this;
  }
  Directory& about(MoveId move) {
    move_ = move;
    return *this;
  }

  Directory& moved_up_to(MovePhase phase) {
    EXPECT_EQ(begin(kB), changed);
    for (const MovePhase next : {MovePhase::copying, MovePhase::catching_up, MovePhase::fenced}) {
      if (next <= phase) {
        EXPECT_EQ(advance(next), changed);
      }
    }
    if (phase >= MovePhase::switched) {
      EXPECT_EQ(commit(), changed);
    }
    if (phase == MovePhase::cleaning) {
      EXPECT_EQ(advance(MovePhase::cleaning), changed);
    }
    return *this;
  }

  const ShardRecord& record() const { return state_.record(kShard); }
  DirectoryPosition changed_at() const { return state_.changed_at(kShard); }
  RecordChange last_change() const { return last_change_; }
  DirectoryState& state() { return state_; }

 private:
  static std::vector<ShardRecord> records() {
    ClusterOptions options;
    options.directories = 1;
    options.shards = 1;
    return initial_records(options);
  }
  Verdict apply(Command command) {
    command.shard = kShard;
    command.planned_on = epoch_.value_or(record().epoch);
    command.move = move_.value_or(record().move);
    epoch_.reset();
    move_.reset();
    const ShardRecord before = record();
    const DirectoryState::Outcome outcome = state_.apply(command, next_);
    next_ = next(next_);
    if (outcome.change) {
      EXPECT_TRUE(outcome.is_accepted);
      EXPECT_EQ(changed_at(), DirectoryPosition{next_.value - 1});
      last_change_ = *outcome.change;
      return changed;
    }
    if (outcome.is_lease_extended) {
      return extended;
    }
    EXPECT_EQ(record(), before) << "a command that changed nothing changed the record";
    return outcome.is_accepted ? repeated : refused;
  }

  DirectoryState state_;
  DirectoryPosition next_{2};
  std::optional<Epoch> epoch_;
  std::optional<MoveId> move_;
  RecordChange last_change_{};
};

TEST(DirectoryState, a_move_goes_through_its_phases_to_the_new_owner) {
  Directory directory;

  EXPECT_EQ(directory.begin(kB), changed);
  EXPECT_EQ(directory.last_change(), RecordChange::move_begun);
  EXPECT_EQ(directory.advance(MovePhase::copying), changed);
  EXPECT_EQ(directory.advance(MovePhase::catching_up), changed);
  EXPECT_EQ(directory.advance(MovePhase::fenced), changed);
  EXPECT_EQ(directory.last_change(), RecordChange::move_advanced);
  EXPECT_EQ(directory.record().owner, kA);
  EXPECT_EQ(directory.commit(), changed);
  EXPECT_EQ(directory.last_change(), RecordChange::move_committed);
  EXPECT_EQ(directory.record().owner, kB);
  EXPECT_EQ(directory.record().lease_until, at_ms(90));
  EXPECT_EQ(directory.advance(MovePhase::cleaning), changed);
  EXPECT_EQ(directory.last_change(), RecordChange::move_cleaning);
  EXPECT_EQ(directory.finish(), changed);
  EXPECT_EQ(directory.last_change(), RecordChange::move_finished);
  EXPECT_EQ(directory.record().phase, MovePhase::none);
  EXPECT_EQ(directory.record().move, MoveId{});
}

TEST(DirectoryState, epochs_and_moves_are_positions_of_the_log) {
  Directory directory;

  directory.begin(kB);
  EXPECT_EQ(directory.record().move, MoveId{2});
  EXPECT_EQ(directory.record().source_epoch, kInitial);
  EXPECT_EQ(directory.record().mover_epoch, kFirstMover);
  directory.advance(MovePhase::copying);
  directory.advance(MovePhase::catching_up);
  directory.advance(MovePhase::fenced);
  EXPECT_EQ(directory.record().epoch, kInitial);
  directory.commit();

  EXPECT_EQ(directory.record().epoch, Epoch{6});
  EXPECT_EQ(directory.changed_at(), DirectoryPosition{6});
}

TEST(DirectoryState, a_move_must_be_planned_on_the_present_epoch) {
  Directory directory;

  EXPECT_EQ(directory.planned_on(Epoch{7}).begin(kB), refused);
  EXPECT_EQ(directory.planned_on(Epoch{0}).begin(kB), refused);
}

TEST(DirectoryState, a_move_to_the_owner_is_refused) {
  Directory directory;

  EXPECT_EQ(directory.begin(kA), refused);
}

TEST(DirectoryState, a_second_move_of_a_range_is_refused_until_the_first_is_over) {
  Directory directory;
  directory.moved_up_to(MovePhase::copying);

  EXPECT_EQ(directory.begin(kC), refused);
  EXPECT_EQ(directory.abort(), changed);
  EXPECT_EQ(directory.begin(kC), refused);
  EXPECT_EQ(directory.finish(), changed);
  EXPECT_EQ(directory.begin(kC), changed);
}

TEST(DirectoryState, no_phase_is_left_out_and_none_comes_again) {
  Directory directory;
  directory.moved_up_to(MovePhase::copying);

  EXPECT_EQ(directory.advance(MovePhase::fenced), refused);
  EXPECT_EQ(directory.advance(MovePhase::preparing), refused);
  EXPECT_EQ(directory.advance(MovePhase::switched), refused);
  EXPECT_EQ(directory.advance(MovePhase::none), refused);
  EXPECT_EQ(directory.advance(MovePhase::copying), repeated);
}

TEST(DirectoryState, advance_is_conditional_on_epoch_move_and_mover) {
  Directory directory;
  directory.moved_up_to(MovePhase::preparing);

  EXPECT_EQ(directory.planned_on(Epoch{7}).advance(MovePhase::copying), refused);
  EXPECT_EQ(directory.about(MoveId{9}).advance(MovePhase::copying), refused);
  EXPECT_EQ(directory.advance(MovePhase::copying, kSecondMover), refused);
  EXPECT_EQ(directory.advance(MovePhase::copying), changed);
}

TEST(DirectoryState, a_commit_needs_the_fence) {
  Directory directory;
  directory.moved_up_to(MovePhase::catching_up);

  EXPECT_EQ(directory.commit(), refused);
  EXPECT_EQ(directory.record().owner, kA);
}

TEST(DirectoryState, a_commit_is_conditional_on_epoch_move_mover_and_target) {
  Directory directory;
  directory.moved_up_to(MovePhase::fenced);

  EXPECT_EQ(directory.planned_on(Epoch{7}).commit(), refused);
  EXPECT_EQ(directory.about(MoveId{9}).commit(), refused);
  EXPECT_EQ(directory.commit(kSecondMover), refused);
  EXPECT_EQ(directory.commit(kFirstMover, kC), refused);
  EXPECT_EQ(directory.commit(), changed);
}

TEST(DirectoryState, a_repeated_commit_grants_nothing_again) {
  Directory directory;
  directory.moved_up_to(MovePhase::switched);
  const Epoch granted = directory.record().epoch;

  EXPECT_EQ(directory.commit(), repeated);
  EXPECT_EQ(directory.advance(MovePhase::cleaning), changed);
  EXPECT_EQ(directory.commit(), repeated);

  EXPECT_EQ(directory.record().epoch, granted);
}

TEST(DirectoryState, after_the_abort_there_is_no_commit) {
  Directory directory;
  directory.moved_up_to(MovePhase::fenced);

  EXPECT_EQ(directory.abort(), changed);
  EXPECT_EQ(directory.last_change(), RecordChange::move_aborted);
  EXPECT_EQ(directory.commit(), refused);
  EXPECT_EQ(directory.abort(), repeated);
  EXPECT_EQ(directory.record().owner, kA);
  EXPECT_EQ(directory.record().epoch, kInitial);
}

TEST(DirectoryState, after_the_commit_there_is_no_abort) {
  Directory directory;
  directory.moved_up_to(MovePhase::switched);

  EXPECT_EQ(directory.abort(), refused);
  EXPECT_EQ(directory.planned_on(kInitial).abort(), refused);
  EXPECT_EQ(directory.planned_on(kInitial).abort_by(kA), refused);
}

TEST(DirectoryState, only_the_source_may_propose_the_abort_beside_the_mover) {
  Directory directory;
  directory.moved_up_to(MovePhase::fenced);

  EXPECT_EQ(directory.abort_by(kB), refused);
  EXPECT_EQ(directory.planned_on(Epoch{7}).abort_by(kA), refused);
  EXPECT_EQ(directory.about(MoveId{9}).abort_by(kA), refused);
  EXPECT_EQ(directory.abort_by(kA), changed);
}

TEST(DirectoryState, a_mover_that_takes_over_makes_the_older_one_powerless) {
  Directory directory;
  directory.moved_up_to(MovePhase::fenced);

  EXPECT_EQ(directory.take_over(kSecondMover), changed);
  EXPECT_EQ(directory.take_over(kSecondMover), repeated);
  EXPECT_EQ(directory.commit(kFirstMover), refused);
  EXPECT_EQ(directory.abort(kFirstMover), refused);
  EXPECT_EQ(directory.take_over(kFirstMover), refused);
  EXPECT_EQ(directory.commit(kSecondMover), changed);
}

TEST(DirectoryState, a_mover_takes_over_a_move_that_is_there_by_the_next_epoch_only) {
  Directory directory;

  EXPECT_EQ(directory.take_over(kFirstMover), refused);
  directory.moved_up_to(MovePhase::copying);
  EXPECT_EQ(directory.take_over(MoverEpoch{3}), refused);
  EXPECT_EQ(directory.about(MoveId{9}).take_over(kSecondMover), refused);
  EXPECT_EQ(directory.planned_on(Epoch{7}).take_over(kSecondMover), refused);
}

TEST(DirectoryState, a_move_is_finished_after_cleaning_or_abort_only) {
  Directory switched;
  switched.moved_up_to(MovePhase::switched);
  Directory cleaning;
  cleaning.moved_up_to(MovePhase::cleaning);

  EXPECT_EQ(switched.finish(), refused);
  EXPECT_EQ(cleaning.finish(kSecondMover), refused);
  EXPECT_EQ(cleaning.finish(), changed);
  EXPECT_EQ(cleaning.finish(), refused);
}

TEST(DirectoryState, only_the_owner_may_report_its_range_lost) {
  Directory directory;

  EXPECT_EQ(directory.report_lost(kB), refused);
  EXPECT_EQ(directory.planned_on(Epoch{7}).report_lost(kA), refused);
  EXPECT_EQ(directory.report_lost(kA), changed);
  EXPECT_EQ(directory.last_change(), RecordChange::reported_lost);
  EXPECT_EQ(directory.report_lost(kA), repeated);
  EXPECT_TRUE(directory.record().is_data_lost);
}

TEST(DirectoryState, a_lost_range_is_neither_moved_nor_leased) {
  Directory directory;
  directory.report_lost(kA);

  EXPECT_EQ(directory.begin(kB), refused);
  EXPECT_EQ(directory.renew(kA, at_ms(60)), refused);
}

TEST(DirectoryState, a_loss_before_the_switch_aborts_the_move) {
  Directory directory;
  directory.moved_up_to(MovePhase::fenced);

  EXPECT_EQ(directory.report_lost(kA), changed);

  EXPECT_EQ(directory.record().phase, MovePhase::aborted);
  EXPECT_EQ(directory.commit(), refused);
  EXPECT_EQ(directory.finish(), changed);
}

TEST(DirectoryState, a_loss_after_the_switch_leaves_the_move_to_be_cleaned) {
  Directory directory;
  directory.moved_up_to(MovePhase::switched);

  EXPECT_EQ(directory.report_lost(kB), changed);

  EXPECT_EQ(directory.record().phase, MovePhase::switched);
}

TEST(DirectoryState, a_lease_is_extended_for_the_owner_of_the_present_grant_only) {
  Directory directory;

  EXPECT_EQ(directory.renew(kA, at_ms(60)), extended);
  EXPECT_EQ(directory.record().lease_until, at_ms(60));
  EXPECT_EQ(directory.renew(kB, at_ms(80)), refused);
  EXPECT_EQ(directory.planned_on(Epoch{7}).renew(kA, at_ms(80)), refused);
  EXPECT_EQ(directory.record().lease_until, at_ms(60));
}

TEST(DirectoryState, an_extension_is_never_taken_back_and_is_no_change_of_the_record) {
  Directory directory;
  directory.renew(kA, at_ms(60));

  EXPECT_EQ(directory.renew(kA, at_ms(40)), extended);

  EXPECT_EQ(directory.record().lease_until, at_ms(60));
  EXPECT_EQ(directory.changed_at(), DirectoryPosition{1});
}

TEST(DirectoryState, knows_nothing_of_a_range_that_is_not_there) {
  Directory directory;
  Command command;
  command.shard = ShardId{5};

  EXPECT_FALSE(directory.state().knows(ShardId{5}));
  EXPECT_FALSE(directory.state().apply(command, DirectoryPosition{2}).is_accepted);
}

TEST(DirectoryState, the_same_commands_give_the_same_records) {
  Directory one;
  Directory other;

  one.moved_up_to(MovePhase::cleaning);
  other.moved_up_to(MovePhase::cleaning);

  EXPECT_EQ(one.state().records(), other.state().records());
}

TEST(DirectoryState, an_unconditional_commit_switches_after_the_abort) {
  Directory directory(Mutant::dir_commit_unconditional);
  directory.moved_up_to(MovePhase::fenced);
  directory.abort();

  EXPECT_EQ(directory.commit(), changed);
}

TEST(DirectoryState, overlapping_moves_are_accepted_by_a_mutant_only) {
  Directory directory(Mutant::dir_overlapping_moves);
  directory.moved_up_to(MovePhase::copying);

  EXPECT_EQ(directory.begin(kC), changed);
}

}  // namespace
}  // namespace shardcheck::impl
