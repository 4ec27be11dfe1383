#include "spec/liveness_monitor.h"

#include <algorithm>

#include "spec/wording.h"

namespace shardcheck {

bool LivenessMonitor::is_out_of_reach(const Request& asked, const MonitorContext& context) {
  for (Key key = asked.keys.lo; key < asked.keys.hi; key = next(key)) {
    if (context.known.is_unavailable(key)) {
      return true;
    }
  }
  return false;
}

void LivenessMonitor::on(const Invoked& fact, std::uint32_t request, const MonitorContext& context) {
  if (context.known.healed_at()) {
    requests_.push_back({request, fact.request, keys_of(fact.operation), fact.operation.kind, context.at});
  }
}

void LivenessMonitor::on(const Returned& fact, std::uint32_t request, const MonitorContext& context) {
  if (requests_.empty()) {
    return;
  }
  const auto found =
      std::find_if(requests_.begin(), requests_.end(), [&](const Request& each) { return each.number == request; });
  if (found == requests_.end()) {
    return;
  }
  const Request asked = *found;
  *found = requests_.back();
  requests_.pop_back();
  if (!context.known.healed_at() || is_out_of_reach(asked, context)) {
    return;
  }
  // These may be refused by being executed; the others only by not being served.
  const bool may_refuse = asked.kind == OperationKind::compare_and_set || asked.kind == OperationKind::append ||
                          asked.kind == OperationKind::increment;
  const bool is_served =
      fact.outcome.kind == OutcomeKind::ok || (fact.outcome.kind == OutcomeKind::refused && may_refuse);
  // Before the time is up, being served is what was promised, and not being served yet breaks nothing.
  const bool is_due = *context.known.healed_at() + context.bounds.service_within < asked.invoked_at;
  if (!is_due && !is_served) {
    return;
  }
  context.expect(ClauseId::V1, is_served, [&] {
    return fmt::format(
        "{} ({} of {}), invoked at {}, returned {} at {}, though there was no fault any more from {} on and every "
        "range serves within {}",
        words(asked.id), name_of(asked.kind), words(asked.keys.lo), words(asked.invoked_at), name_of(fact.outcome.kind),
        words(context.at), words(*context.known.healed_at()), words(context.bounds.service_within));
  });
}

void LivenessMonitor::finish(const MonitorContext& context) const {
  const auto healed = context.known.healed_at();
  if (!healed) {
    return;
  }
  for (const Request& asked : requests_) {
    const bool is_due = *healed + context.bounds.service_within < asked.invoked_at;
    if (!is_due || is_out_of_reach(asked, context) || context.at < asked.invoked_at + context.bounds.service_within) {
      continue;
    }
    context.expect(ClauseId::V1, false, [&] {
      return fmt::format(
          "{} ({} of {}), invoked at {}, was never answered until the end at {}, though all faults were "
          "over at {}",
          words(asked.id), name_of(asked.kind), words(asked.keys.lo), words(asked.invoked_at), words(context.at),
          words(*healed));
    });
  }
  finish_moves(*healed, context);
}

// What a decided move asks next, only a process that is lost for good could answer; or it is undone at a target that
// had left before the move began. Who leaves has finished its part of every other move.
bool LivenessMonitor::may_wait(const ShardRecord& record, const MonitorContext& context) {
  switch (record.phase) {
    case MovePhase::switched: return context.known.is_gone(record.owner);
    case MovePhase::cleaning: return context.known.is_gone(record.source);
    case MovePhase::aborted: return context.known.is_gone(record.source) || context.known.is_silent(record.target);
    case MovePhase::none:
    case MovePhase::preparing:
    case MovePhase::copying:
    case MovePhase::catching_up:
    case MovePhase::fenced: return false;
  }
  return false;
}

// A committed move also waits for its source's retention before it is over.
void LivenessMonitor::finish_moves(TrueTime healed_at, const MonitorContext& context) const {
  for (const KnownMove& move : context.known.moves()) {
    const Duration allowed = context.bounds.move_within + (move.is_committed ? context.bounds.retention : Duration{});
    const TrueTime deadline = std::max(healed_at, move.begun_at) + allowed;
    const ShardRecord* record = context.known.record(move.shard);
    if (record == nullptr || record->is_data_lost) {
      continue;
    }
    const bool is_over = record->phase == MovePhase::none || record->move != move.id || may_wait(*record, context);
    if (!is_over && context.at < deadline) {
      continue;  // it still has time
    }
    context.expect(ClauseId::V2, is_over, [&] {
      return fmt::format(
          "{} of {} from {} to {}, begun at {}, is still in phase {} at {}: there was no fault any more from {} "
          "on and a move is over within {}",
          words(move.id), words(move.shard), words(move.source), words(move.target), words(move.begun_at),
          name_of(record->phase), words(context.at), words(healed_at), words(allowed));
    });
  }
}

}  // namespace shardcheck
