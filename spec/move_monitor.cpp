#include "spec/move_monitor.h"

#include <algorithm>
#include <utility>

#include "spec/copy_wording.h"
#include "spec/wording.h"

namespace shardcheck {

void MoveMonitor::reset(const Bounds& bounds) {
  key_space_ = bounds.key_space;
  shards_ = static_cast<std::size_t>(bounds.shards);
  keys_ = bounds.key_space.hi.value - bounds.key_space.lo.value;
  const std::size_t held_count = static_cast<std::size_t>(bounds.nodes) * keys_;
  if (held_.size() < held_count || last_generation_ > 0x80000000U) {
    held_.assign(held_count, Held{});
    last_generation_ = 0;
  }
  copies_.resize(static_cast<std::size_t>(bounds.nodes) * shards_);
  for (Copy& each : copies_) {
    each.barrier = {};
    each.is_forgetful = false;
    each.is_amnesiacs = false;
    begin_copy(each);
  }
}

MoveMonitor::Held* MoveMonitor::held(NodeId node, Key key) {
  return key_space_.contains(key) ? &held_[node.value * keys_ + key.value - key_space_.lo.value] : nullptr;
}

void MoveMonitor::on(const RecordCommitted& fact, const MonitorContext& context) {
  check_decision(fact, context);
  check_mover(fact, context);
  // The promise of the barrier ends with a committed abort, or with a grant after the move.
  if (fact.record.phase == MovePhase::aborted) {
    for (Copy& each : copies_) {
      each.barrier = each.barrier == fact.record.move ? MoveId{} : each.barrier;
    }
  }
  if (is_grant(fact.change) && fact.record.owner != kNoNode) {
    Copy& owners = copy(fact.record.owner, fact.record.shard);
    const KnownMove* move = context.known.move(owners.barrier);
    if (move == nullptr || move->source_epoch < fact.record.epoch) {
      owners.barrier = {};
    }
  }
}

void MoveMonitor::check_decision(const RecordCommitted& fact, const MonitorContext& context) const {
  const bool is_commit = fact.change == RecordChange::move_committed;
  if (!is_commit && fact.change != RecordChange::move_aborted) {
    return;
  }
  const KnownMove* move = context.known.move(fact.record.move);
  if (move == nullptr) {
    return;
  }
  context.expect(ClauseId::M8, move->is_open(), [&] {
    return fmt::format("{} of {} {} was {} and then {} at {}: a move is decided once", words(move->id),
                       words(move->shard), sides(*move), move->is_committed ? "committed" : "aborted",
                       is_commit ? "committed" : "aborted", words(fact.position));
  });
  if (is_commit && move->is_open()) {
    context.expect(ClauseId::M6, move->is_barrier_confirmed, [&] {
      return fmt::format("{} of {} was committed at {}, but its source {} had not confirmed the barrier",
                         words(move->id), words(move->shard), words(context.at), words(move->source));
    });
  }
}

// asked_by 0 is not a mover: the source that proposes the abort when its fence runs out.
void MoveMonitor::check_mover(const RecordCommitted& fact, const MonitorContext& context) const {
  const ShardRecord* before = context.known.record(fact.record.shard);
  const bool is_of_move = fact.change >= RecordChange::move_advanced && fact.change <= RecordChange::move_finished;
  if (before == nullptr || !is_of_move || before->move == MoveId{} || fact.asked_by == MoverEpoch{}) {
    return;
  }
  context.expect(ClauseId::M8, fact.asked_by >= before->mover_epoch, [&] {
    return fmt::format(
        "{} of {} obeyed mover epoch {} at {} (to phase {}), but the record was already at mover epoch {}: another had "
        "taken the move over",
        words(before->move), words(before->shard), fact.asked_by.value, words(fact.position),
        name_of(fact.record.phase), before->mover_epoch.value);
  });
}

void MoveMonitor::on(const Served& fact, const MonitorContext& context) const {
  const Copy& mine = copy(context.by, fact.shard);
  const MoveId barrier = mine.barrier;
  if (barrier != MoveId{}) {
    context.expect(ClauseId::M6, false, [&] {
      return fmt::format(
          "{} served {}, a {} of {} of {}, under {} at {}, but had confirmed the barrier of {} at {}, which is "
          "not aborted",
          words(context.by), words(fact.attempt.request), name_of(fact.operation), words(fact.key), words(fact.shard),
          words(fact.epoch), words(context.at), words(barrier), words(mine.barrier_at));
    });
    context.expect(ClauseId::M8, !mine.is_forgetful, [&] {
      return fmt::format(
          "{} confirmed the barrier of {}, restarted, and served {} of {} again at {}: only a committed "
          "abort lets a source serve again",
          words(context.by), words(barrier), words(fact.key), words(fact.shard), words(context.at));
    });
  }
  check_forwarded(fact, context);
  const ShardRecord* record = context.known.record(fact.shard);
  if (record == nullptr || record->move == MoveId{}) {
    return;
  }
  const bool is_target_waiting =
      record->target == context.by && record->phase >= MovePhase::preparing && record->phase <= MovePhase::fenced;
  context.expect(ClauseId::M7, !is_target_waiting, [&] {
    return fmt::format("{} served {} of {} under {} at {}, but it is the target of {}, which is in phase {}",
                       words(context.by), words(fact.key), words(fact.shard), words(fact.epoch), words(context.at),
                       words(record->move), name_of(record->phase));
  });
}

// What a source handed on is served under the grant of that very move, or never.
void MoveMonitor::check_forwarded(const Served& fact, const MonitorContext& context) {
  const KnownMove* move = fact.forwarded_by == MoveId{} ? nullptr : context.known.move(fact.forwarded_by);
  if (move == nullptr) {
    return;
  }
  context.expect(ClauseId::M7, move->target == context.by && move->granted == fact.epoch, [&] {
    return fmt::format(
        "{} served a {} of {} ({}) under {} at {}, which {} had been handed on to {} to be served under {}",
        words(context.by), name_of(fact.operation), words(fact.key), words(fact.attempt.request), words(fact.epoch),
        words(context.at), words(move->id), words(move->target),
        move->is_committed ? words(move->granted) : std::string("a grant that is not committed"));
  });
}

void MoveMonitor::on(const Applied& fact, const MonitorContext& context) {
  Copy& mine = copy(context.by, fact.shard);
  mine.is_amnesiacs = false;
  if (fact.cause == ApplyCause::client && mine.barrier != MoveId{}) {
    context.expect(ClauseId::M6, false, [&] {
      return fmt::format("{} applied {} of {} to {} of {} at {}, but had confirmed the barrier of {} at {}",
                         words(context.by), words(fact.version), words(fact.request), words(fact.key),
                         words(fact.shard), words(context.at), words(mine.barrier), words(mine.barrier_at));
    });
  }
  if (fact.cause != ApplyCause::client) {
    if (const KnownMove* move = context.known.move(fact.move)) {
      context.expect(ClauseId::M10, move->range.contains(fact.key), [&] {
        return fmt::format("{} of {} {} applied {} at {}, outside of its range", words(move->id), words(move->shard),
                           words(move->range), words(fact.key), words(context.by));
      });
    }
  }
  Held* const entry = held(context.by, fact.key);
  if (entry == nullptr) {
    return;
  }
  if (entry->generation == mine.generation) {
    const bool may_repeat = fact.cause != ApplyCause::client;
    context.expect(ClauseId::M4, may_repeat ? entry->version <= fact.version : entry->version < fact.version, [&] {
      return fmt::format("{} applied {} to {} of {} at {} over {}: a copy's versions only grow", words(context.by),
                         words(fact.version), words(fact.key), words(fact.shard), words(context.at),
                         words(entry->version));
    });
    entry->version = std::max(entry->version, fact.version);
  } else {
    *entry = {mine.generation, fact.version};
  }
}

void MoveMonitor::on(const CopyCreated& fact, const MonitorContext& context) {
  Copy& mine = copy(context.by, fact.shard);
  begin_copy(mine);
  const ShardRecord* record = context.known.record(fact.shard);
  if (!fact.is_found) {
    mine.is_amnesiacs = fact.move == MoveId{} && record != nullptr && record->members.contains(context.by);
  }
  if (const KnownMove* move = context.known.move(fact.move)) {
    const bool is_inside = move->range.lo <= fact.range.lo && fact.range.hi <= move->range.hi;
    context.expect(ClauseId::M10, is_inside, [&] {
      return fmt::format("{} began a copy of {} for {}, whose range is {}", words(context.by), words(fact.range),
                         words(move->id), words(move->range));
    });
  }
}

void MoveMonitor::on(const KeyErased& fact, const MonitorContext& context) {
  if (Held* const entry = held(context.by, fact.key)) {
    entry->generation = 0;
  }
  const KnownMove* move = context.known.move(fact.move);
  if (move == nullptr) {
    return;
  }
  context.expect(ClauseId::M10, move->range.contains(fact.key), [&] {
    return fmt::format("{} erased {} for {} of {} {}, outside of its range", words(context.by), words(fact.key),
                       words(move->id), words(move->shard), words(move->range));
  });
  const ShardRecord* record = context.known.record(move->shard);
  if (record == nullptr || record->is_data_lost || !move->range.contains(fact.key)) {
    return;
  }
  context.expect(ClauseId::M9, record->owner != context.by || !record->range.contains(fact.key), [&] {
    return fmt::format("{} erased {} from its copy, {}, but it owns {} {} under {}{}", words(context.by),
                       words(fact.key), copy_of(context.by, fact.move, context), words(record->shard),
                       words(record->range), words(record->epoch),
                       earlier_departure(context.by, record->shard, context));
  });
}

void MoveMonitor::on(const CopyRemoved& fact, const MonitorContext& context) {
  Copy& mine = copy(context.by, fact.shard);
  const bool is_amnesiacs = std::exchange(mine.is_amnesiacs, false);
  begin_copy(mine);
  for (const ShardId shard : context.known.shards()) {
    const ShardRecord* record = context.known.record(shard);
    if (record == nullptr || record->is_data_lost || !record->range.overlaps(fact.range)) {
      continue;
    }
    context.expect(ClauseId::M9, is_amnesiacs || record->owner != context.by, [&] {
      return fmt::format("{} removed its copy of {} {}, {}, but it owns {} {} under {}{}", words(context.by),
                         words(fact.shard), words(fact.range), copy_of(context.by, fact.move, context), words(shard),
                         words(record->range), words(record->epoch), earlier_departure(context.by, shard, context));
    });
    context.expect(ClauseId::M9, is_amnesiacs || !record->members.contains(context.by), [&] {
      return fmt::format(
          "{} removed its copy of {} {}, {}, though the directory still has it in the replica set of {} {} under {}",
          words(context.by), words(fact.shard), words(fact.range), copy_of(context.by, fact.move, context),
          words(shard), words(record->range), words(record->epoch));
    });
  }
  const KnownMove* move = context.known.move(fact.move);
  if (move == nullptr) {
    return;
  }
  check_retention(fact, *move, context);
  context.expect(ClauseId::M10, move->range.lo <= fact.range.lo && fact.range.hi <= move->range.hi, [&] {
    return fmt::format("{} removed {} for {}, whose range is {}", words(context.by), words(fact.range), words(move->id),
                       words(move->range));
  });
}

void MoveMonitor::check_retention(const CopyRemoved& fact, const KnownMove& move, const MonitorContext& context) const {
  const ShardRecord* record = context.known.record(move.shard);
  if (record != nullptr && (record->is_data_lost || record->owner == context.by)) {
    return;  // Removing what it owns is already said.
  }
  if (move.target == context.by && !move.is_committed) {
    context.expect(ClauseId::M9, move.is_aborted, [&] {
      return fmt::format("{}, the target of {}, removed its copy of {} at {} although the move is still open",
                         words(context.by), words(move.id), words(fact.shard), words(context.at));
    });
  }
  if (move.source == context.by && !move.is_aborted) {
    // The source measures the retention on its own clock, which may run from one end of the bound to the other.
    const TrueTime earliest = move.committed_at + context.bounds.retention - context.bounds.clock_offset_max * 2;
    context.expect(ClauseId::M9, move.is_committed && earliest <= context.at, [&] {
      return fmt::format("{}, the source of {}, removed its copy of {} at {}: the cutover {} and the retention is {}",
                         words(context.by), words(move.id), words(fact.shard), words(context.at),
                         move.is_committed ? fmt::format("was committed at {}", words(move.committed_at))
                                           : std::string("is not committed"),
                         words(context.bounds.retention));
    });
  }
}

void MoveMonitor::on(const BarrierConfirmed& fact, const MonitorContext& context) {
  const KnownMove* move = context.known.move(fact.move);
  if (move == nullptr || move->source != context.by || move->is_aborted) {
    return;  // A repeated confirmation that arrives after the abort promises nothing any more.
  }
  const ShardRecord* record = context.known.record(move->shard);
  if (record != nullptr && record->owner == context.by && move->source_epoch < record->epoch) {
    return;  // Nor does one for a move that is over, when the range has come back.
  }
  Copy& mine = copy(context.by, fact.shard);
  mine.barrier_at = mine.barrier == fact.move ? mine.barrier_at : context.at;
  mine.barrier = fact.move;
  mine.is_forgetful = false;
  context.findings.checked(ClauseId::M6);
}

namespace {

std::string differences(const CutoverContent& fact) {
  std::string text;
  for (std::size_t i = 0; i < fact.differing_count; ++i) {
    text += (i == 0 ? "" : ", ") + words(fact.differing[i]);
  }
  text += fact.differing_count == fact.differing.size() ? " and perhaps more" : "";
  const auto add = [&](bool differs, const std::string& what) {
    if (differs) {
      text += (text.empty() ? "" : ", ") + what;
    }
  };
  add(fact.source.values != fact.target.values, "values or their versions");
  add(fact.source.tombstones != fact.target.tombstones, "tombstones kept");
  add(fact.source.requests != fact.target.requests, "requests remembered as answered");
  add(fact.source.source_epoch != fact.target.source_epoch,
      fmt::format("the epoch it was copied under ({} at the source, {} at the target)", words(fact.source.source_epoch),
                  words(fact.target.source_epoch)));
  return text;
}

}  // namespace

void MoveMonitor::on(const CutoverContent& fact, const MonitorContext& context) const {
  context.expect(ClauseId::M5, fact.source == fact.target, [&] {
    const KnownMove* move = context.known.move(fact.move);
    return fmt::format("at the commit of {} of {}{} the target's copy differs from the source's in {}",
                       words(fact.move), words(fact.shard), move == nullptr ? "" : " " + sides(*move),
                       differences(fact));
  });
  if (const KnownMove* move = context.known.move(fact.move)) {
    context.expect(ClauseId::M5, fact.source.source_epoch == move->source_epoch, [&] {
      return fmt::format("{} of {} was committed with content of {}, but it is pinned to {}", words(move->id),
                         words(move->shard), words(fact.source.source_epoch), words(move->source_epoch));
    });
  }
}

void MoveMonitor::on(const Restarted& fact, const MonitorContext& context) {
  for (std::size_t shard = 0; shard < shards_; ++shard) {
    Copy& each = copies_[context.by.value * shards_ + shard];
    each.is_forgetful = true;
    if (fact.is_disk_lost) {
      begin_copy(each);
    }
  }
}

// Once a move is over its copies have the time of one poll to go; while it is open, V2's bound says until when.
bool MoveMonitor::is_overdue(const CopyHeld& fact, const MonitorContext& context) const {
  const auto healed = context.known.healed_at();
  const ShardRecord* record = context.known.record(fact.shard);
  if (!healed || record == nullptr || record->is_data_lost) {
    return false;
  }
  const TrueTime since = std::max(*healed, context.known.record_changed_at(fact.shard));
  if (record->phase == MovePhase::none) {
    return since + context.bounds.service_within <= context.at;
  }
  // A source gives its copy up when the range is served elsewhere: by who is lost for good it never is.
  if (record->phase == MovePhase::switched && context.known.is_gone(record->owner)) {
    return false;
  }
  const KnownMove* move = context.known.move(record->move);
  const TrueTime begun = move == nullptr ? since : std::max(*healed, move->begun_at);
  return begun + context.bounds.move_within + context.bounds.retention <= context.at;
}

void MoveMonitor::on(const CopyHeld& fact, const MonitorContext& context) const {
  if (!is_overdue(fact, context)) {
    return;
  }
  const ShardRecord& record = *context.known.record(fact.shard);
  const auto says = [&](std::string_view what) {
    const KnownMove* move = context.known.move(fact.move);
    const bool is_aborted = move != nullptr && move->is_aborted;
    return fmt::format(
        "at the end of the run {} still holds a {} copy of {} {}{}{}; by the directory's record the range is owned by "
        "{} under {} and {}",
        words(context.by), what, words(fact.shard), words(fact.range),
        fact.state == CopyState::owned ? "" : ", " + copy_of(context.by, fact.move, context),
        is_aborted ? ", which was aborted" : "", words(record.owner), words(record.epoch),
        (record.phase == MovePhase::none ? "in no move" : fmt::format("in phase {} of a move", name_of(record.phase))) +
            (fact.state == CopyState::replica ? ", and this node is no member of its replica set" : ""));
  };
  switch (fact.state) {
    case CopyState::owned:
      context.expect(ClauseId::M8, record.owner == context.by, [&] { return says("so-called owned"); });
      return;
    case CopyState::fenced:
    case CopyState::staging: context.expect(ClauseId::M8, false, [&] { return says(name_of(fact.state)); }); return;
    case CopyState::retained:
      context.expect(ClauseId::M9, false, [&] { return says(name_of(fact.state)); });
      if (context.bounds.node_keys_max > 0) {
        context.expect(ClauseId::V6, false, [&] { return says(name_of(fact.state)); });
      }
      return;
    case CopyState::replica:
      context.expect(ClauseId::M9, record.members.contains(context.by) || record.joining == context.by,
                     [&] { return says(name_of(fact.state)); });
      return;
  }
}

}  // namespace shardcheck
