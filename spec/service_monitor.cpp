#include "spec/service_monitor.h"

#include <algorithm>

#include "spec/wording.h"

namespace shardcheck {

void ServiceMonitor::reset(const Bounds& bounds) {
  requests_.clear();
  granted_at_.assign(static_cast<std::size_t>(bounds.shards), TrueTime{});
  disk_lost_at_.assign(static_cast<std::size_t>(bounds.nodes), std::nullopt);
  last_stall_.reset();
  last_fault_.reset();
}

bool ServiceMonitor::is_quiet(const std::optional<TrueTime>& last_fault, TrueTime since,
                              const MonitorContext& context) {
  return !last_fault || *last_fault + context.bounds.quiet_after <= since;
}

void ServiceMonitor::on(const FaultInjected& fact, const MonitorContext& context) {
  const bool is_directory = context.by.value < 64 && (context.bounds.directory >> context.by.value & 1U) != 0;
  const bool is_stall = is_directory && (fact.kind == FaultKind::crashed || fact.kind == FaultKind::paused ||
                                         fact.kind == FaultKind::lost_for_good);
  if (fact.kind == FaultKind::disk_lost && context.by.value < disk_lost_at_.size()) {
    disk_lost_at_[context.by.value] = context.at;
  }
  std::optional<TrueTime>& last = is_stall ? last_stall_ : last_fault_;
  last = std::max({last.value_or(TrueTime{}), context.at, fact.over_at});
  if (is_stall && is_quiet(last_fault_, context.at, context)) {
    context.findings.checked(ClauseId::V4);
  }
}

void ServiceMonitor::on(const RecordCommitted& fact, const MonitorContext& context) {
  const ShardRecord* before = context.known.record(fact.record.shard);
  const bool is_same_owner = before != nullptr && before->owner == fact.record.owner;
  if (before != nullptr && !is_same_owner && fact.change == RecordChange::granted) {
    check_failover(fact, *before, context);
  }
  if (!is_same_owner && fact.record.shard.value < granted_at_.size()) {
    granted_at_[fact.record.shard.value] = context.at;
  }
}

void ServiceMonitor::check_failover(const RecordCommitted& fact, const ShardRecord& before,
                                    const MonitorContext& context) const {
  if (context.bounds.quiet_after == Duration{} || !is_quiet(last_fault_, context.at, context)) {
    return;
  }
  if (context.known.is_gone(before.owner)) {
    return;
  }
  // Who lost its disk has nothing left to hold, however long ago that was.
  const std::size_t owner = before.owner.value;
  if (owner < disk_lost_at_.size() && disk_lost_at_[owner] &&
      *disk_lost_at_[owner] >= granted_at_[fact.record.shard.value]) {
    return;
  }
  context.expect(ClauseId::V4, false, [&] {
    return fmt::format(
        "{} went from {} to {} under {} at {}, though {} was alive: nothing had failed{}", words(fact.record.shard),
        words(before.owner), words(fact.record.owner), words(fact.record.epoch), words(context.at), words(before.owner),
        last_stall_ ? fmt::format(" but the directory, which stalled at {}", words(*last_stall_)) : std::string());
  });
}

void ServiceMonitor::on(const Answered& fact, std::uint32_t request) {
  if (fact.is_overloaded && request < requests_.size()) {
    requests_[request].was_refused_for_load = true;
  }
}

void ServiceMonitor::on(const Invoked& fact, std::uint32_t request, const MonitorContext& context) {
  if (request >= requests_.size()) {
    requests_.resize(request + 1);
  }
  requests_[request] = {fact.operation, context.at, true};
}

void ServiceMonitor::on(const Returned& fact, std::uint32_t request, const MonitorContext& context) {
  if (request >= requests_.size() || !requests_[request].is_running) {
    return;
  }
  Request& asked = requests_[request];
  asked.is_running = false;
  const bool is_undisturbed =
      is_quiet(last_fault_, asked.invoked_at, context) && is_quiet(last_stall_, asked.invoked_at, context);
  if (context.bounds.answer_within == Duration{} || !is_undisturbed || asked.was_refused_for_load ||
      asked.operation.kind == OperationKind::scan) {
    return;
  }
  for (const ShardId shard : context.known.shards()) {
    const ShardRecord* record = context.known.record(shard);
    if (record == nullptr || !record->range.contains(asked.operation.key)) {
      continue;
    }
    const bool is_touched = record->phase != MovePhase::none || context.known.is_unavailable(asked.operation.key) ||
                            context.known.record_changed_at(shard) + context.bounds.answer_within > asked.invoked_at;
    // What a range goes through at the very beginning is like a change of its record.
    if (is_touched || record->joining != kNoNode) {
      return;
    }
  }
  const bool is_served = fact.outcome.kind != OutcomeKind::unknown &&
                         (fact.outcome.kind == OutcomeKind::ok || may_change_state(asked.operation.kind));
  context.expect(ClauseId::V4, is_served && context.at - asked.invoked_at <= context.bounds.answer_within, [&] {
    return fmt::format(
        "{} ({} of {}), invoked at {}, returned {} at {}: its range is in no move, nothing has failed, "
        "and an answer takes {} at most",
        words(fact.request), name_of(asked.operation.kind), words(asked.operation.key), words(asked.invoked_at),
        name_of(fact.outcome.kind), words(context.at), words(context.bounds.answer_within));
  });
}

}  // namespace shardcheck
