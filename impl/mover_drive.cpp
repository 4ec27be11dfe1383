// What the mover asks for next, phase by phase.
#include "impl/mover.h"

namespace shardcheck::impl {

void Mover::drive(Known& known, Instant now, ClusterOutputs& outputs) {
  Progress& progress = known.progress;
  if (known.record.phase == MovePhase::none) {
    return;
  }
  if (!holds(known, now, outputs)) {
    return;
  }
  progress.deadline = now + options_.order_timeout;
  known.timers.set(progress.deadline, TimerToken{known.record.shard.value}, outputs);
  if (progress.tries >= options_.orders_max && decisions_.gives_up_dead_target()) {
    give_up(known, GiveUpReason::silent_side);
  }
  if (progress.given_up && is_before_switch(known.record.phase)) {
    drive_abort(known, outputs);
    return;
  }
  switch (known.record.phase) {
    case MovePhase::none: return;
    case MovePhase::preparing:
    case MovePhase::copying: drive_copy(known, outputs); return;
    case MovePhase::catching_up: drive_catch_up(known, outputs); return;
    case MovePhase::fenced: drive_switch(known, outputs); return;
    case MovePhase::switched:
      if (progress.is_serving) {
        command(CommandKind::advance_move, known, outputs, MovePhase::cleaning);
      } else {
        order(OrderKind::confirm_serving, known.record.owner, known, outputs);
      }
      return;
    case MovePhase::cleaning:
      if (progress.is_clean) {
        command(CommandKind::finish_move, known, outputs);
      } else {
        order(OrderKind::clean_up, known.record.source, known, outputs);
      }
      return;
    case MovePhase::aborted: drive_undo(known, outputs); return;
  }
}

void Mover::drive_abort(Known& known, ClusterOutputs& outputs) {
  if (!known.progress.is_told) {
    known.progress.is_told = true;
    outputs.observe(MoveGaveUp{known.record.move, known.record.shard, *known.progress.given_up});
  }
  command(CommandKind::abort_move, known, outputs);
}

void Mover::drive_copy(Known& known, ClusterOutputs& outputs) {
  const Progress& progress = known.progress;
  if (!progress.is_target_ready) {
    order(OrderKind::prepare_target, known.record.target, known, outputs);
  } else if (!progress.snapshot) {
    order(OrderKind::open_capture, known.record.source, known, outputs);
  } else if (known.record.phase == MovePhase::preparing) {
    command(CommandKind::advance_move, known, outputs, MovePhase::copying);
  } else if (!progress.is_copied) {
    order(OrderKind::send_chunk, known.record.source, known, outputs);
  } else {
    command(CommandKind::advance_move, known, outputs, MovePhase::catching_up);
  }
}

// Replays until little is left. A source that is written faster than it can be replayed never gets there by itself.
void Mover::drive_catch_up(Known& known, ClusterOutputs& outputs) {
  Progress& progress = known.progress;
  if (!progress.is_target_ready || !progress.is_copied) {
    drive_copy(known, outputs);
  } else if (progress.lag <= options_.lag_at_fence_max || progress.is_pausing) {
    ask_for_fence(known, outputs);
  } else if (progress.rounds < options_.catch_up_rounds_max || !decisions_.keeps_to_catch_up_budget()) {
    order(OrderKind::send_log, known.record.source, known, outputs);
  } else {
    decide_catch_up(known, outputs);
  }
}

void Mover::ask_for_fence(Known& known, ClusterOutputs& outputs) {
  Progress& progress = known.progress;
  if (!progress.is_fence_told) {
    progress.is_fence_told = true;
    outputs.observe(FenceDecided{known.record.move, known.record.shard, progress.mine, progress.lag});
  }
  command(CommandKind::advance_move, known, outputs, MovePhase::fenced);
}

// The budget is spent. Throttling gives the replay one more; a longer pause is accepted within its bound only, and a
// range is split only if it can be.
void Mover::decide_catch_up(Known& known, ClusterOutputs& outputs) {
  Progress& progress = known.progress;
  CatchUpDecision decision = options_.catch_up;
  if ((decision == CatchUpDecision::throttle && progress.is_throttled) ||
      (decision == CatchUpDecision::longer_pause && progress.lag > options_.pause_lag_max) ||
      (decision == CatchUpDecision::split_first && !may_split_first(known))) {
    decision = CatchUpDecision::give_up;
  }
  outputs.observe(CatchUpDecided{known.record.move, known.record.shard, progress.mine, decision, known.splits});
  switch (decision) {
    case CatchUpDecision::give_up:
      give_up(known, GiveUpReason::outrun);
      drive_abort(known, outputs);
      return;
    case CatchUpDecision::throttle:
      progress.is_throttled = true;
      progress.rounds = 0;
      order(OrderKind::send_log, known.record.source, known, outputs);
      return;
    case CatchUpDecision::longer_pause:
      progress.is_pausing = true;
      ask_for_fence(known, outputs);
      return;
    case CatchUpDecision::split_first:
      want_split_first(known);
      give_up(known, GiveUpReason::split_first);
      drive_abort(known, outputs);
      return;
  }
}

void Mover::drive_switch(Known& known, ClusterOutputs& outputs) {
  const Progress& progress = known.progress;
  if (!progress.is_target_ready) {
    order(OrderKind::prepare_target, known.record.target, known, outputs);
  } else if (!decisions_.fences_before_switch()) {
    command(CommandKind::commit_move, known, outputs);
  } else if (!progress.barrier) {
    order(OrderKind::fence, known.record.source, known, outputs);
  } else if (known.record.how.mode == MoveMode::dual_write && decisions_.trusts_dual_writes()) {
    command(CommandKind::commit_move, known, outputs);
  } else if (decisions_.may_switch(progress.replayed_to, *progress.barrier, progress.source_digest,
                                   progress.target_digest)) {
    command(CommandKind::commit_move, known, outputs);
  } else {
    order(OrderKind::send_log, known.record.source, known, outputs);
  }
}

void Mover::drive_undo(Known& known, ClusterOutputs& outputs) {
  const Progress& progress = known.progress;
  if (progress.is_source_undone && progress.is_target_undone) {
    command(CommandKind::finish_move, known, outputs);
    return;
  }
  if (!progress.is_source_undone) {
    order(OrderKind::undo, known.record.source, known, outputs);
  }
  if (!progress.is_target_undone) {
    order(OrderKind::undo, known.record.target, known, outputs);
  }
}

}  // namespace shardcheck::impl
