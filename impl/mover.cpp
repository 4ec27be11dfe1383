#include "impl/mover.h"

#include "impl/overloaded.h"

namespace shardcheck::impl {
namespace {

constexpr TimerToken kPoll{0xffffU};  // any smaller token is a ShardId
constexpr Duration kCostOfMessage = microseconds(3);

}  // namespace

Mover::Mover(const ClusterOptions& options, NodeId self) : options_(options), decisions_(options.mutant), self_(self) {}

void Mover::handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs) {
  link_.begin(input, now);
  std::visit(Overloaded{
                 [&](const Started<Record>&) { start(now, outputs); },
                 [&](const Received<Message>& received) {
                   outputs.cost = kCostOfMessage;
                   receive(received.from, received.message, now, outputs);
                 },
                 [&](const TimerFired& fired) {
                   if (fired.token == kPoll) {
                     link_.poll({}, outputs);
                     std::ranges::for_each(moves_, [&](const Known& known) { ask_to_begin(known, outputs); });
                     resume_splits_first(true, outputs);
                     outputs.wake_at(now + options_.poll_interval, kPoll);
                     return;
                   }
                   Known& known = moves_[fired.token.value];
                   if (known.record.phase == MovePhase::none) {
                     known.timers.fired();
                   } else if (known.timers.is_due(known.progress.deadline, fired.token, now, outputs)) {
                     drive(known, now, outputs);
                   }
                 },
                 [](const Synced&) {},
             },
             input);
}

void Mover::start(Instant now, ClusterOutputs& outputs) {
  moves_.assign(options_.shard_ids(), Known{});
  heard_from_.assign(options_.movers, Instant{INT64_MIN});
  told_alive_ = Instant{INT64_MIN};
  link_ = DirectoryLink(options_, now);
  link_.poll({}, outputs);
  outputs.wake_at(now + options_.poll_interval, kPoll);
}

void Mover::receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs) {
  std::visit(Overloaded{
                 [&](const StartMove& it) {
                   const Known& known = moves_[it.shard.value];
                   // A node that leaves asks again: what an operator asked for goes first.
                   if (from == kNoNode || !(known.wish || known.split_first || known.second_half)) {
                     begin(it, outputs);
                   }
                 },
                 [&](const RecordUpdate& it) {
                   if (!link_.take_in(it)) {
                     link_.catch_up(outputs);
                   }
                   on_update(it.record, it.changed_at, now, outputs);
                   if (it.sibling.exists()) {
                     on_update(it.sibling.record, it.changed_at, now, outputs);
                   }
                   resume_merges(outputs);
                   resume_splits_first(false, outputs);
                 },
                 [&](const StartReshape& it) { begin_reshape(it, outputs); },
                 [&](const CommandResult& it) { on_result(it, now, outputs); },
                 [&](const Command& it) { link_.send(it, outputs); },  // an operator's
                 [&](const NotLeader& it) {
                   if (link_.turned_away(from, it)) {
                     on_turned_away(now, outputs);
                   }
                 },
                 [&](const MoveReport& it) { on_report(it, now, outputs); },
                 [&](const MoverAlive&) { hear_from(from, now); }, [](const auto&) {},  // not for a mover
             },
             message);
}

// Asks again for what it cannot go on without: its knowledge, and what every move waits for.
void Mover::on_turned_away(Instant now, ClusterOutputs& outputs) {
  link_.poll({}, outputs);
  for (Known& known : moves_) {
    if (known.record.phase != MovePhase::none) {
      drive(known, now, outputs);
    }
    ask_to_begin(known, outputs);
  }
}

void Mover::on_update(const ShardRecord& record, DirectoryPosition changed_at, Instant now, ClusterOutputs& outputs) {
  Known& known = moves_[record.shard.value];
  if (changed_at > known.changed_at) {
    const bool is_first = known.changed_at == DirectoryPosition{};
    learn(record, changed_at, now);
    drive(known, now, outputs);
    if (is_first) {
      ask_to_begin(known, outputs);
    }
  }
}

void Mover::begin(const StartMove& start, ClusterOutputs& outputs, std::uint8_t splits) {
  Known& known = moves_[start.shard.value];
  known.wish = start;
  known.splits = splits;
  known.split_first.reset();
  known.second_half.reset();
  ask_to_begin(known, outputs);
}

// It may not have heard of the range yet, or of who leads the directory, and what it sends may be lost: it asks again
// until there is an answer. A late repetition is refused, or begins what was asked for.
void Mover::ask_to_begin(const Known& known, ClusterOutputs& outputs) {
  if (!known.wish || known.changed_at == DirectoryPosition{}) {
    return;
  }
  Command command;
  command.kind = CommandKind::begin_move;
  command.shard = known.wish->shard;
  command.planned_on = known.record.epoch;
  command.target = known.wish->target;
  command.how = known.wish->how;
  link_.send(command, outputs);
}

void Mover::learn(const ShardRecord& record, DirectoryPosition changed_at, Instant now) {
  Known& known = moves_[record.shard.value];
  if (changed_at <= known.changed_at) {
    return;
  }
  const bool is_other_move = record.move != known.progress.move;
  const bool is_other_phase = record.phase != known.record.phase;
  known.record = record;
  known.changed_at = changed_at;
  known.learnt_at = now;
  if (is_other_move) {
    known.wish.reset();
    known.progress = Progress{};
    known.progress.move = record.move;
  }
  if (is_other_phase) {
    known.progress.tries = 0;
  }
}

void Mover::on_result(const CommandResult& result, Instant now, ClusterOutputs& outputs) {
  Known& known = moves_[result.record.shard.value];
  const bool is_new = result.changed_at > known.changed_at;
  if (result.kind == CommandKind::begin_move) {
    known.wish.reset();
  }
  learn(result.record, result.changed_at, now);
  const bool is_grant = result.kind == CommandKind::begin_move || result.kind == CommandKind::take_over_move;
  const bool is_ours = is_grant && result.is_accepted && known.progress.mine == MoverEpoch{} &&
                       result.record.mover == self_ && result.record.mover_epoch == known.record.mover_epoch;
  if (is_ours && result.kind == CommandKind::take_over_move) {
    // What it knew of the move before, another mover may have made untrue.
    known.progress = Progress{};
    known.progress.move = result.record.move;
  }
  if (is_ours) {
    known.progress.mine = result.record.mover_epoch;
  }
  if (is_new || is_ours) {
    drive(known, now, outputs);
  }
  resume_splits_first(false, outputs);
}

void Mover::on_report(const MoveReport& report, Instant now, ClusterOutputs& outputs) {
  Known& known = moves_[report.shard.value];
  if (report.move != known.progress.move || known.record.phase == MovePhase::none) {
    return;
  }
  known.progress.tries = 0;
  if (!report.is_possible) {
    const bool is_target = report.side == known.record.target;
    const bool is_replay = report.kind == OrderKind::send_chunk || report.kind == OrderKind::send_log;
    const bool is_final_for_side = !is_target || decisions_.gives_up_dead_target();
    const bool is_final_for_error = !is_replay || !is_target || decisions_.gives_up_on_replay_error();
    if (is_final_for_side && is_final_for_error) {
      give_up(known, GiveUpReason::impossible);
    }
  } else {
    take_in(report, known, outputs);
  }
  drive(known, now, outputs);
}

void Mover::give_up(Known& known, GiveUpReason reason) {
  if (!known.progress.given_up) {
    known.progress.given_up = reason;
  }
}

// What is said about an earlier copy of the same move means nothing for this one.
void Mover::take_in(const MoveReport& report, Known& known, ClusterOutputs& outputs) {
  Progress& progress = known.progress;
  const bool is_of_copy = report.kind == OrderKind::prepare_target || report.kind == OrderKind::open_capture ||
                          report.kind == OrderKind::send_chunk || report.kind == OrderKind::send_log;
  if (is_of_copy && report.attempt < progress.attempt) {
    if (known.record.phase == MovePhase::fenced) {
      give_up(known, GiveUpReason::log_trimmed);  // behind the fence no copy can begin anew
    }
    return;
  }
  switch (report.kind) {
    case OrderKind::prepare_target:
      if (progress.is_target_ready) {
        return;  // a late one: the copy has gone on since
      }
      progress.is_target_ready = true;
      progress.attempt = report.attempt;
      progress.cursor = report.cursor;
      progress.is_copied = report.is_copied;
      progress.replayed_to = report.position;
      if (report.cursor != CopyCursor{}) {
        progress.snapshot = report.position;  // the copy goes on from the snapshot that it began with
      }
      return;
    case OrderKind::open_capture:
      if (!progress.snapshot) {
        progress.snapshot = report.position;
      }
      return;
    case OrderKind::send_chunk:
      if (progress.is_copied) {
        return;
      }
      progress.cursor = report.cursor;
      progress.is_copied = report.is_copied;
      progress.replayed_to = report.position;
      return;
    case OrderKind::send_log: take_in_replay(report, known, outputs); return;
    case OrderKind::fence:
      progress.barrier = report.position;
      progress.source_digest = report.digest;
      return;
    case OrderKind::confirm_serving: progress.is_serving = true; return;
    case OrderKind::clean_up: progress.is_clean = true; return;
    case OrderKind::undo:
      (report.side == known.record.source ? progress.is_source_undone : progress.is_target_undone) = true;
      return;
  }
}

void Mover::take_in_replay(const MoveReport& report, Known& known, ClusterOutputs& outputs) {
  Progress& progress = known.progress;
  if (report.is_trimmed) {
    // An order that was overtaken asks for entries that the copy has had since.
    if (report.position >= progress.replayed_to) {
      begin_copy_anew(known);
    }
    return;
  }
  progress.replayed_to = report.position;
  progress.lag = report.source_tail > report.position ? report.source_tail - report.position : 0;
  progress.target_digest = report.digest;
  const bool is_counted =
      known.record.phase == MovePhase::catching_up && progress.mine == known.record.mover_epoch && !progress.given_up;
  if (is_counted && !progress.is_pausing && progress.lag > options_.lag_at_fence_max) {
    ++progress.rounds;
    outputs.observe(ReplayRound{known.record.move, known.record.shard, progress.mine, progress.lag});
  }
}

// The source forgot entries that the copy needs. Behind the fence no entry can be written, so none is forgotten.
void Mover::begin_copy_anew(Known& known) {
  Progress& progress = known.progress;
  const bool may_begin = known.record.phase == MovePhase::catching_up && known.record.how.mode != MoveMode::dual_write;
  if (!may_begin || progress.attempt + 1 >= options_.copies_max) {
    give_up(known, GiveUpReason::log_trimmed);
    return;
  }
  ++progress.attempt;
  progress.is_target_ready = false;
  progress.snapshot.reset();
  progress.is_copied = false;
  progress.lag = UINT64_MAX;
  progress.rounds = 0;
  progress.is_pausing = false;  // what is left to replay is another tail than the one that was accepted
  progress.is_fence_told = false;
}

void Mover::hear_from(NodeId mover, Instant now) {
  for (std::uint16_t i = 0; i < options_.movers; ++i) {
    if (Roles(options_).mover(i) == mover) {
      heard_from_[i] = now;
    }
  }
}

// When the mover that drives this move was last heard of: by a word of its own, or by what it made of the record.
Instant Mover::silent_since(const Known& known) const {
  Instant heard = known.learnt_at;
  for (std::uint16_t i = 0; i < options_.movers; ++i) {
    if (Roles(options_).mover(i) == known.record.mover) {
      heard = std::max(heard, heard_from_[i]);
    }
  }
  return heard;
}

void Mover::tell_alive(Instant now, ClusterOutputs& outputs) {
  if (told_alive_ + options_.mover_silence / 4 > now) {
    return;
  }
  told_alive_ = now;
  for (std::uint16_t i = 0; i < options_.movers; ++i) {
    if (Roles(options_).mover(i) != self_) {
      outputs.send(Roles(options_).mover(i), MoverAlive{});
    }
  }
}

// Only the directory's answer makes a mover epoch ours: the record names this mover also when an earlier incarnation of
// it asked. So after asking, or seeing a move begin, wait for that answer for a while before asking for the next one.
// What another mover drives is left to it as long as it can be heard.
bool Mover::holds(Known& known, Instant now, ClusterOutputs& outputs) {
  Progress& progress = known.progress;
  const TimerToken timer{known.record.shard.value};
  if (known.record.mover == self_ && progress.mine == known.record.mover_epoch) {
    tell_alive(now, outputs);
    return true;
  }
  progress.mine = MoverEpoch{};
  const Instant silent_at = silent_since(known) + options_.mover_silence;
  if (known.record.mover != self_ && now < silent_at) {
    progress.deadline = silent_at;
    known.timers.set(silent_at, timer, outputs);
    return false;
  }
  if (progress.asked < known.record.mover_epoch && known.record.mover == self_) {
    progress.asked = known.record.mover_epoch;
  } else if (now >= progress.deadline) {
    command(CommandKind::take_over_move, known, outputs);
    progress.asked = next(known.record.mover_epoch);
  } else {
    return false;
  }
  progress.deadline = now + options_.order_timeout;
  known.timers.set(progress.deadline, timer, outputs);
  return false;
}

void Mover::command(CommandKind kind, const Known& known, ClusterOutputs& outputs, MovePhase phase) {
  Command command;
  command.kind = kind;
  command.shard = known.record.shard;
  command.planned_on = known.record.epoch;
  command.move = known.record.move;
  command.mover_epoch = kind == CommandKind::take_over_move ? next(known.record.mover_epoch) : known.progress.mine;
  command.phase = phase;
  command.target = known.record.target;
  link_.send(command, outputs);
}

// Only sides are given up on when they do not answer; the directory will answer in the end.
void Mover::order(OrderKind kind, NodeId side, Known& known, ClusterOutputs& outputs) {
  Progress& progress = known.progress;
  ++progress.tries;
  MoveOrder order;
  order.kind = kind;
  order.attempt = progress.attempt;
  order.is_throttled = progress.is_throttled;
  order.record = known.record;
  order.changed_at = known.changed_at;
  order.cursor = progress.cursor;
  order.after = kind == OrderKind::send_chunk ? progress.snapshot.value_or(LogPosition{}) : progress.replayed_to;
  outputs.send(side, order);
}

}  // namespace shardcheck::impl
