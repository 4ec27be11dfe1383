#include "spec/observation.h"

namespace shardcheck {

std::string_view name_of(MovePhase phase) {
  switch (phase) {
    case MovePhase::none: return "none";
    case MovePhase::preparing: return "preparing";
    case MovePhase::copying: return "copying";
    case MovePhase::catching_up: return "catching_up";
    case MovePhase::fenced: return "fenced";
    case MovePhase::switched: return "switched";
    case MovePhase::cleaning: return "cleaning";
    case MovePhase::aborted: return "aborted";
  }
  return "";
}

std::string_view name_of(MoveMode mode) {
  switch (mode) {
    case MoveMode::copy_and_catch_up: return "copy_and_catch_up";
    case MoveMode::dual_write: return "dual_write";
  }
  return "";
}

std::string_view name_of(Signal signal) {
  switch (signal) {
    case Signal::stale_epoch: return "stale_epoch";
    case Signal::not_owner: return "not_owner";
    case Signal::transient: return "transient";
  }
  return "";
}

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::delayed: return "delay";
    case FaultKind::held_until_phase: return "hold_until";
    case FaultKind::dropped: return "drop";
    case FaultKind::duplicated: return "duplicate";
    case FaultKind::link_cut: return "cut";
    case FaultKind::crashed: return "crash";
    case FaultKind::disk_lost: return "lose_disk";
    case FaultKind::paused: return "pause";
    case FaultKind::clock_shifted: return "shift_clock";
    case FaultKind::lost_for_good: return "lose_for_good";
  }
  return "";
}

std::string_view name_of(CopyState state) {
  switch (state) {
    case CopyState::owned: return "owned";
    case CopyState::fenced: return "fenced";
    case CopyState::staging: return "staging";
    case CopyState::retained: return "retained";
    case CopyState::replica: return "replica";
  }
  return "";
}

std::string_view name_of(CatchUpDecision decision) {
  switch (decision) {
    case CatchUpDecision::give_up: return "give_up";
    case CatchUpDecision::throttle: return "throttle";
    case CatchUpDecision::longer_pause: return "longer_pause";
    case CatchUpDecision::split_first: return "split_first";
  }
  return "";
}

std::string_view name_of(GiveUpReason reason) {
  switch (reason) {
    case GiveUpReason::silent_side: return "silent_side";
    case GiveUpReason::impossible: return "impossible";
    case GiveUpReason::outrun: return "outrun";
    case GiveUpReason::log_trimmed: return "log_trimmed";
    case GiveUpReason::split_first: return "split_first";
  }
  return "";
}

}  // namespace shardcheck
