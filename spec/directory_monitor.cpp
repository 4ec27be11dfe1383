#include "spec/directory_monitor.h"

#include <algorithm>

#include "spec/wording.h"

namespace shardcheck {

void DirectoryMonitor::reset() {
  last_position_ = {};
  is_tiling_to_check_ = false;
  by_lo_.clear();
}

void DirectoryMonitor::on(const RecordCommitted& fact, const MonitorContext& context) {
  context.expect(ClauseId::D2, last_position_ <= fact.position, [&] {
    return fmt::format("the directory committed a change of {} at {} after it had reached {}", words(fact.record.shard),
                       words(fact.position), words(last_position_));
  });
  last_position_ = std::max(last_position_, fact.position);
  const ShardRecord* before = context.known.record(fact.record.shard);
  is_tiling_to_check_ |= fact.change == RecordChange::removed || before == nullptr ||
                         before->range != fact.record.range || before->owner != fact.record.owner;
  if (fact.change == RecordChange::removed) {
    return;
  }
  if (is_grant(fact.change) || (before != nullptr && before->epoch != fact.record.epoch)) {
    check_grant(fact, context);
  } else if (before != nullptr) {
    check_keeps_grant(fact, context);
  }
  if (before != nullptr) {
    check_planned(fact, *before, context);
    check_phase_order(fact, *before, context);
  }
}

void DirectoryMonitor::check_grant(const RecordCommitted& fact, const MonitorContext& context) const {
  const ShardRecord& record = fact.record;
  for (const ShardId shard : context.known.shards()) {
    const ShardRecord* covered = context.known.record_before(shard, fact.position);
    if (covered == nullptr || !covered->range.overlaps(record.range)) {
      continue;
    }
    context.expect(ClauseId::D2, covered->epoch < record.epoch, [&] {
      return fmt::format("{} {} was granted to {} under {}, but it covers keys of {} {}, granted to {} under {}",
                         words(record.shard), words(record.range), words(record.owner), words(record.epoch),
                         words(shard), words(covered->range), words(covered->owner), words(covered->epoch));
    });
  }
  context.expect(ClauseId::D2, record.epoch == epoch_of(fact.position), [&] {
    return fmt::format(
        "{} was granted to {} under {}, but the epoch of a grant has to be the position at which it is "
        "committed, {}: only then is there one order of all grants",
        words(record.shard), words(record.owner), words(record.epoch), words(fact.position));
  });
  for (const KnownGrant& grant : context.known.grants()) {
    if (grant.epoch == record.epoch && grant.range.overlaps(record.range)) {
      context.expect(ClauseId::D2, grant.owner == record.owner, [&] {
        return fmt::format("{} of {} {} was granted to {} and earlier to {}: an epoch names one owner for ever",
                           words(record.epoch), words(record.shard), words(record.range), words(record.owner),
                           words(grant.owner));
      });
    }
  }
}

// Everything that is no grant leaves owner, epoch and bounds alone; only a lost range may lose its owner.
void DirectoryMonitor::check_keeps_grant(const RecordCommitted& fact, const MonitorContext& context) const {
  const ShardRecord& record = fact.record;
  const ShardRecord& before = *context.known.record(record.shard);
  const bool is_owner_kept = record.owner == before.owner || (record.is_data_lost && record.owner == kNoNode);
  context.expect(ClauseId::D2, is_owner_kept && record.range == before.range, [&] {
    return fmt::format("{} went from {} {} to {} {} at {} and kept {}: it needed a larger one", words(record.shard),
                       words(before.range), words(before.owner), words(record.range), words(record.owner),
                       words(fact.position), words(record.epoch));
  });
}

void DirectoryMonitor::check_planned(const RecordCommitted& fact, const ShardRecord& before,
                                     const MonitorContext& context) const {
  const auto says = [&](Epoch should) {
    return fmt::format("at {} a change of {} committed that was planned on {}, but the record was at {}",
                       words(fact.position), words(before.shard), words(fact.planned_on), words(should));
  };
  switch (fact.change) {
    case RecordChange::bounds_changed:
      context.expect(ClauseId::D3, before.phase == MovePhase::none, [&] {
        return fmt::format("at {} the bounds of {} changed from {} to {} while {} was in phase {}",
                           words(fact.position), words(before.shard), words(before.range), words(fact.record.range),
                           words(before.move), name_of(before.phase));
      });
      [[fallthrough]];
    case RecordChange::granted:
    case RecordChange::move_begun:
    case RecordChange::members_changed:
      context.expect(ClauseId::D3, fact.planned_on == before.epoch, [&] { return says(before.epoch); });
      return;
    case RecordChange::move_advanced:
    case RecordChange::move_committed:
      context.expect(ClauseId::D3, fact.planned_on == before.epoch, [&] { return says(before.epoch); });
      if (before.phase >= MovePhase::switched) {
        return;  // another mover takes over what is left after the decision: the pinned epoch has done its duty
      }
      context.expect(ClauseId::D3, fact.planned_on == before.source_epoch || before.phase == MovePhase::none, [&] {
        return fmt::format("{} of {} is pinned to {}, but a change planned on {} committed at {}", words(before.move),
                           words(before.shard), words(before.source_epoch), words(fact.planned_on),
                           words(fact.position));
      });
      return;
    case RecordChange::move_aborted:
    case RecordChange::move_cleaning:
    case RecordChange::move_finished:
      // A move whose range was granted anew meanwhile must still be ended: conditional on what it was pinned to.
      context.expect(ClauseId::D3, fact.planned_on == before.epoch || fact.planned_on == before.source_epoch,
                     [&] { return says(before.epoch); });
      return;
    case RecordChange::created:
    case RecordChange::reported_lost:
    case RecordChange::removed: return;
  }
}

namespace {

bool is_legal(RecordChange change, const ShardRecord& before, const ShardRecord& after) {
  switch (change) {
    case RecordChange::move_begun: return after.phase == MovePhase::preparing;
    case RecordChange::move_advanced:
      // Onward, or another mover takes over where the move stands: that may happen in every phase.
      return (is_before_switch(before.phase) && is_before_switch(after.phase) && after.phase > before.phase) ||
             (before.phase != MovePhase::none && after.phase == before.phase && after.mover_epoch > before.mover_epoch);
    case RecordChange::move_committed:
      return before.phase == MovePhase::fenced && after.phase == MovePhase::switched && after.owner == before.target;
    case RecordChange::move_aborted: return is_before_switch(before.phase) && after.phase == MovePhase::aborted;
    case RecordChange::move_cleaning: return before.phase == MovePhase::switched && after.phase == MovePhase::cleaning;
    case RecordChange::move_finished:
      return (before.phase == MovePhase::cleaning || before.phase == MovePhase::aborted) &&
             after.phase == MovePhase::none;
    case RecordChange::created:
    case RecordChange::granted:
    case RecordChange::bounds_changed:
    case RecordChange::reported_lost:
    case RecordChange::members_changed:
    case RecordChange::removed: return true;
  }
  return true;
}

}  // namespace

void DirectoryMonitor::check_phase_order(const RecordCommitted& fact, const ShardRecord& before,
                                         const MonitorContext& context) const {
  if (fact.change < RecordChange::move_begun || fact.change > RecordChange::move_finished) {
    return;
  }
  const KnownMove* move = context.known.move(fact.record.move);
  const bool is_decision = fact.change == RecordChange::move_committed || fact.change == RecordChange::move_aborted;
  if (is_decision && move != nullptr && !move->is_open()) {
    return;  // Two decisions about one move are M8's.
  }
  if (fact.change == RecordChange::move_begun) {
    check_begin(fact, before, context);
    return;
  }
  const bool is_same_move = fact.record.move == before.move || fact.record.phase == MovePhase::none;
  context.expect(ClauseId::D3, is_same_move && is_legal(fact.change, before, fact.record), [&] {
    return fmt::format("{} of {} (to {}) went from phase {} to phase {} of {} at {}, which is not a legal step",
                       words(before.move), words(before.shard), words(before.target), name_of(before.phase),
                       name_of(fact.record.phase), words(fact.record.move), words(fact.position));
  });
}

void DirectoryMonitor::check_begin(const RecordCommitted& fact, const ShardRecord& before,
                                   const MonitorContext& context) const {
  context.expect(ClauseId::D3, is_legal(fact.change, before, fact.record), [&] {
    return fmt::format("{} of {} begins in phase {}", words(fact.record.move), words(before.shard),
                       name_of(fact.record.phase));
  });
  for (const ShardId shard : context.known.shards()) {
    const ShardRecord* other = context.known.record(shard);
    if (other == nullptr || !other->range.overlaps(fact.record.range)) {
      continue;
    }
    context.expect(ClauseId::D3, other->phase == MovePhase::none, [&] {
      return fmt::format("{} of {} {} was accepted at {} while {} of {} {} was in phase {}", words(fact.record.move),
                         words(fact.record.shard), words(fact.record.range), words(fact.position), words(other->move),
                         words(shard), words(other->range), name_of(other->phase));
    });
  }
}

void DirectoryMonitor::on(const DirectoryStepped& fact, const MonitorContext& context) {
  if (!is_tiling_to_check_) {
    return;
  }
  is_tiling_to_check_ = false;
  by_lo_.clear();
  for (const ShardId shard : context.known.shards()) {
    if (const ShardRecord* record = context.known.record(shard)) {
      by_lo_.push_back(record);
    }
  }
  std::sort(by_lo_.begin(), by_lo_.end(), [](const ShardRecord* left, const ShardRecord* right) {
    return left->range != right->range ? left->range < right->range : left->shard < right->shard;
  });
  Key covered_to = context.bounds.key_space.lo;
  for (const ShardRecord* record : by_lo_) {
    context.expect(ClauseId::D1, !record->range.is_empty(), [&] {
      return fmt::format("at {} {} has the empty range {}", words(fact.position), words(record->shard),
                         words(record->range));
    });
    context.expect(ClauseId::D1, record->owner != kNoNode || record->is_data_lost, [&] {
      return fmt::format("at {} {} {} has no owner and is not reported lost", words(fact.position),
                         words(record->shard), words(record->range));
    });
    context.expect(ClauseId::D1, record->range.lo == covered_to, [&] {
      return fmt::format("at {} the ranges leave {} at key {}: {} {} begins at {}", words(fact.position),
                         covered_to < record->range.lo ? "a gap" : "an overlap", covered_to.value, words(record->shard),
                         words(record->range), record->range.lo.value);
    });
    covered_to = std::max(covered_to, record->range.hi);
  }
  context.expect(ClauseId::D1, covered_to == context.bounds.key_space.hi, [&] {
    return fmt::format("at {} the ranges end at key {}, the key space at {}", words(fact.position), covered_to.value,
                       context.bounds.key_space.hi.value);
  });
}

}  // namespace shardcheck
