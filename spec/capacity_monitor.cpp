#include "spec/capacity_monitor.h"

#include <algorithm>

#include "spec/wording.h"

namespace shardcheck {
namespace {

// Whoever has it had it as a part of its parent, or lost it with its disk.
bool is_split_off(const RecordCommitted& fact, const MonitorContext& context) {
  for (const ShardId shard : context.known.shards()) {
    const ShardRecord* parent = context.known.record_before(shard, fact.position);
    if (parent != nullptr && shard != fact.record.shard && parent->range.overlaps(fact.record.range)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void CapacityMonitor::reset(const Bounds& bounds) {
  key_space_ = bounds.key_space;
  moves_.assign(static_cast<std::size_t>(bounds.shards), Move{});
  held_keys_.assign(static_cast<std::size_t>(bounds.nodes), 0);
  has_key_.assign(held_keys_.size() * (key_space_.hi.value - key_space_.lo.value), 0);
  had_fault_ = false;
}

CapacityMonitor::Move* CapacityMonitor::move(ShardId shard, MoveId id) {
  Move& newest = moves_[shard.value];
  return id != MoveId{} && newest.id == id ? &newest : nullptr;
}

void CapacityMonitor::hold(NodeId node, KeyRange range, bool is_held) {
  const std::size_t width = key_space_.hi.value - key_space_.lo.value;
  for (Key key = std::max(range.lo, key_space_.lo); key < std::min(range.hi, key_space_.hi); key = next(key)) {
    std::uint8_t& has = has_key_[node.value * width + key.value - key_space_.lo.value];
    held_keys_[node.value] += static_cast<std::uint32_t>(is_held) - has;
    has = is_held ? 1 : 0;
  }
}

void CapacityMonitor::on(const RecordCommitted& fact, const MonitorContext& context) {
  const ShardRecord& record = fact.record;
  if (fact.change == RecordChange::created && record.owner != kNoNode && !is_split_off(fact, context)) {
    hold(record.owner, record.range, true);
    record.members.for_each([&](NodeId member) { hold(member, record.range, true); });
  }
  Move& newest = moves_[record.shard.value];
  if (record.move != newest.id) {
    newest = Move{};
    newest.id = record.move;
    newest.mover_epoch = record.mover_epoch;
  } else if (record.mover_epoch != newest.mover_epoch) {
    newest.mover_epoch = record.mover_epoch;
    newest.rounds = 0;
    newest.is_throttled = newest.takes_longer_pause = false;
    newest.lag_beyond = 0;
  }
  if (fact.change == RecordChange::move_committed && newest.given_up_by != MoverEpoch{}) {
    context.expect(ClauseId::V2, fact.asked_by != newest.given_up_by, [&] {
      return fmt::format("{} of {} was committed at {} under mover epoch {}, which had given it up", words(record.move),
                         words(record.shard), words(context.at), fact.asked_by.value);
    });
  }
  if (fact.change != RecordChange::move_aborted) {
    return;
  }
  newest.stopped_at.reset();
  const bool is_outrun = newest.rounds >= context.bounds.replay_rounds_max && context.bounds.replay_rounds_max > 0;
  if (is_outrun && fact.asked_by != MoverEpoch{}) {
    context.expect(ClauseId::V2, newest.is_given_up, [&] {
      return fmt::format("{} of {} was aborted at {} after {} rounds of replay, and nobody said that it was given up",
                         words(record.move), words(record.shard), words(context.at), newest.rounds);
    });
  }
}

void CapacityMonitor::on(const ReplayRound& fact, const MonitorContext& context) {
  Move* const found = move(fact.shard, fact.move);
  if (found == nullptr || fact.mover < found->mover_epoch || context.bounds.replay_rounds_max == 0) {
    return;
  }
  ++found->rounds;
  found->last_lag = fact.lag;
  context.expect(ClauseId::V2, found->rounds <= context.bounds.replay_rounds_max, [&] {
    return fmt::format(
        "{} of {} had its {}th round of replay at {} and was {} entries behind: within {} it catches up, throttles its "
        "source, takes a longer pause or is given up",
        words(fact.move), words(fact.shard), found->rounds, words(context.at), fact.lag,
        context.bounds.replay_rounds_max);
  });
}

void CapacityMonitor::on(const CatchUpDecided& fact, const MonitorContext& context) {
  Move* const found = move(fact.shard, fact.move);
  if (found == nullptr) {
    return;
  }
  context.findings.checked(ClauseId::V2);
  found->was_throttled |= fact.decision == CatchUpDecision::throttle;
  if (fact.mover == found->mover_epoch) {
    found->takes_longer_pause |= fact.decision == CatchUpDecision::longer_pause;
  }
  if (fact.decision == CatchUpDecision::give_up || fact.decision == CatchUpDecision::split_first) {
    found->given_up_by = fact.mover;
  }
  if (fact.decision == CatchUpDecision::split_first) {
    check_split_first(fact, context);
  }
  if (fact.decision == CatchUpDecision::throttle && fact.mover == found->mover_epoch && !found->is_throttled) {
    found->is_throttled = true;
    found->rounds = 0;  // a throttled source has to be followed once more
  }
}

void CapacityMonitor::on(const MoveGaveUp& fact, const MonitorContext& /*context*/) {
  if (Move* const found = move(fact.shard, fact.move)) {
    found->is_given_up = true;
  }
}

// One key cannot be split, and halves are not halved for ever.
void CapacityMonitor::check_split_first(const CatchUpDecided& fact, const MonitorContext& context) {
  const ShardRecord* record = context.known.record(fact.shard);
  const bool has_halves = record == nullptr || next(record->range.lo) < record->range.hi;
  context.expect(ClauseId::V2, has_halves && fact.splits < context.bounds.splits_first_max, [&] {
    return fmt::format(
        "{} of {} was given up at {} so that the range is split first, which has {} and was asked for {} times in a "
        "row: {} times it may be",
        words(fact.move), words(fact.shard), words(context.at), has_halves ? "halves" : "no halves", fact.splits,
        context.bounds.splits_first_max);
  });
}

void CapacityMonitor::on(const WriteThrottled& fact, const MonitorContext& context) {
  Move& newest = moves_[fact.shard.value];
  if (newest.id != fact.move) {
    return;  // its source has not heard yet that the move is over
  }
  context.expect(ClauseId::V2, newest.was_throttled, [&] {
    return fmt::format("{} made a write to {} wait {} for {} at {}, but nobody decided to throttle it",
                       words(context.by), words(fact.shard), words(fact.added), words(fact.move), words(context.at));
  });
  newest.throttled_by = context.by;
  ++newest.throttled_writes;
  newest.throttled_time = newest.throttled_time + fact.added;
}

void CapacityMonitor::on(const ThrottleEnded& fact, const MonitorContext& context) {
  const Move* const found = move(fact.shard, fact.move);
  if (found == nullptr || found->throttled_by != context.by) {
    return;
  }
  const bool is_sum = fact.writes == found->throttled_writes && fact.added == found->throttled_time;
  context.expect(ClauseId::V2, is_sum, [&] {
    return fmt::format("{} says at {} that {} made {} writes to {} wait for {} in all, but it was {} for {}",
                       words(context.by), words(context.at), words(fact.move), fact.writes, words(fact.shard),
                       words(fact.added), found->throttled_writes, words(found->throttled_time));
  });
}

void CapacityMonitor::on(const CaptureOpened& fact, const MonitorContext& /*context*/) {
  if (Move* const found = move(fact.shard, fact.move)) {
    found->replayed_to = std::max(found->replayed_to, fact.snapshot);
  }
}

void CapacityMonitor::on(const Replayed& fact, const MonitorContext& /*context*/) {
  if (Move* const found = move(fact.shard, fact.move)) {
    found->replayed_to = std::max(found->replayed_to, fact.to);
  }
}

// The pause grows with what is left to replay, so that has a stated bound, too; what is beyond it is given no time.
void CapacityMonitor::on(const FenceDecided& fact, const MonitorContext& context) {
  Move* const found = move(fact.shard, fact.move);
  if (found == nullptr || fact.mover != found->mover_epoch) {
    return;
  }
  const Bounds& bounds = context.bounds;
  const std::uint64_t most = found->takes_longer_pause ? bounds.lag_of_longer_pause_max : bounds.lag_at_fence_max;
  const std::uint64_t lag = found->takes_longer_pause ? std::max(fact.lag, found->last_lag) : fact.lag;
  found->lag_beyond = lag > most ? lag - most : 0;
  context.expect(ClauseId::V5, lag <= most, [&] {
    return fmt::format("the fence of {} of {} was asked for at {} with {} entries left to replay: {}it may be {}",
                       words(fact.move), words(fact.shard), words(context.at), lag,
                       found->takes_longer_pause ? "for a longer pause " : "", most);
  });
}

void CapacityMonitor::on(const AdmissionStopped& fact, const MonitorContext& context) {
  Move* const found = move(fact.shard, fact.move);
  if (found != nullptr && !found->stopped_at) {
    found->stopped_at = context.at;
    found->replayed_at_stop = found->replayed_to;
  }
}

void CapacityMonitor::on(const BarrierConfirmed& fact, const MonitorContext& /*context*/) {
  if (Move* const found = move(fact.shard, fact.move)) {
    found->barrier = std::max(found->barrier, fact.barrier);
  }
}

void CapacityMonitor::on(const ClaimChanged& fact, const MonitorContext& context) {
  Move& newest = moves_[fact.shard.value];
  const KnownMove* known = context.known.move(newest.id);
  if (!newest.stopped_at || known == nullptr || !known->is_committed || known->target != context.by) {
    return;
  }
  const Duration pause = context.at - *newest.stopped_at;
  newest.stopped_at.reset();
  const Bounds& bounds = context.bounds;
  if (had_fault_ || bounds.entries_per_round == 0) {
    return;
  }
  const std::uint64_t tail = newest.replayed_at_stop < newest.barrier ? newest.barrier - newest.replayed_at_stop : 0;
  const std::uint64_t stated = tail - std::min(tail, newest.lag_beyond);
  const auto rounds = static_cast<std::int64_t>((stated + bounds.entries_per_round - 1) / bounds.entries_per_round);
  const Duration allowed = bounds.pause_without_tail + bounds.replay_round * rounds;
  context.expect(ClauseId::V5, pause <= allowed, [&] {
    return fmt::format(
        "{} was served by nobody for {} in {} until {}, without any fault: with {} entries left to replay it is at "
        "most {}",
        words(fact.shard), words(pause), words(newest.id), words(context.at), stated, words(allowed));
  });
}

void CapacityMonitor::on(const CopyCreated& fact, const MonitorContext& context) {
  hold(context.by, fact.range, true);
  const std::uint32_t held = held_keys_[context.by.value];
  if (context.bounds.node_keys_max > 0) {
    context.expect(ClauseId::V6, held <= context.bounds.node_keys_max, [&] {
      return fmt::format("{} began a copy of {} {} for {} at {}, with which it holds {} keys: it has room for {}",
                         words(context.by), words(fact.shard), words(fact.range), words(fact.move), words(context.at),
                         held, context.bounds.node_keys_max);
    });
  }
  Move* const found = move(fact.shard, fact.move);
  if (found == nullptr) {
    return;
  }
  found->rounds = 0;
  found->replayed_to = LogPosition{};
  found->copies += fact.is_found ? 0 : 1;
  if (context.bounds.copies_per_move_max > 0) {
    context.expect(ClauseId::V2, found->copies <= context.bounds.copies_per_move_max, [&] {
      return fmt::format("{} began its copy of {} for {} for the {}th time at {}: after {} a move is given up",
                         words(context.by), words(fact.shard), words(fact.move), found->copies, words(context.at),
                         context.bounds.copies_per_move_max);
    });
  }
}

void CapacityMonitor::on(const CopyRemoved& fact, const MonitorContext& context) {
  hold(context.by, fact.range, false);
  const KnownMove* known = context.known.move(fact.move);
  if (known != nullptr && known->is_committed && known->source == context.by) {
    context.findings.checked(ClauseId::V6);  // the source's space is free again
  }
}

// A copy that was durably forgotten may not have been told: what a node holds is counted anew from its restart on.
void CapacityMonitor::on(const Restarted& /*fact*/, const MonitorContext& context) {
  hold(context.by, key_space_, false);
  for (Move& newest : moves_) {
    if (newest.throttled_by == context.by) {
      newest.throttled_writes = 0;
      newest.throttled_time = Duration{};
    }
  }
}

}  // namespace shardcheck
