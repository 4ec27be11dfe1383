#include "spec/lease_monitor.h"

#include <algorithm>

#include "spec/wording.h"

namespace shardcheck {
namespace {

std::string grant_words(const KnownGrant& grant) {
  return fmt::format("{} {} to {} under {}", words(grant.shard), words(grant.range), words(grant.owner),
                     words(grant.epoch));
}

// What the directory did commit, of the epoch and of the key that a node acts on without being named.
std::string committed_words(ShardId shard, Epoch epoch, Key key, const MonitorContext& context) {
  const KnownGrant* named = context.known.grant(shard, epoch);
  const KnownGrant* newest = context.known.newest_grant(key);
  std::string text =
      named == nullptr ? fmt::format("the directory has committed no grant of {} under {}", words(shard), words(epoch))
                       : "the directory granted " + grant_words(*named);
  if (newest != nullptr && newest != named) {
    text += fmt::format("; its newest grant of {} is {}", words(key), grant_words(*newest));
  }
  return text;
}

}  // namespace

void LeaseMonitor::reset(const Bounds& bounds) {
  shards_ = static_cast<std::size_t>(bounds.shards);
  told_.assign(static_cast<std::size_t>(bounds.nodes) * shards_, Told{});
  claims_.clear();
  has_claims_ = false;
}

// A grant to another node needs the durable promise of the old owner, or true time so late that no correct clock can
// still read less than the old lease's end.
void LeaseMonitor::on(const RecordCommitted& fact, const MonitorContext& context) {
  if (fact.change == RecordChange::reported_lost) {
    check_reported_lost(fact, context);
  }
  if (!is_grant(fact.change)) {
    return;
  }
  check_failover(fact, context);
  const ShardRecord& record = fact.record;
  for (const ShardId shard : context.known.shards()) {
    const ShardRecord* before = context.known.record_before(shard, fact.position);
    if (before == nullptr || !before->range.overlaps(record.range)) {
      continue;
    }
    const KnownGrant* old = context.known.grant(shard, before->epoch);
    if (old == nullptr || old->owner == record.owner || old->owner == kNoNode) {
      continue;
    }
    const KnownMove* move = context.known.move(record.move);
    const bool is_released = fact.change == RecordChange::move_committed && move != nullptr &&
                             move->is_barrier_confirmed && move->source == old->owner;
    const TrueTime expired_at{(old->lease_until + context.bounds.clock_offset_max).value};
    context.expect(ClauseId::L2, is_released || context.at >= expired_at, [&] {
      return fmt::format(
          "{} {} was granted to {} under {} at {}, but {} held it under {} until {} (on any clock: {}) and had not "
          "released it",
          words(record.shard), words(record.range), words(record.owner), words(record.epoch), words(context.at),
          words(old->owner), words(old->epoch), words(old->lease_until), words(expired_at));
    });
  }
  if (fact.change == RecordChange::created) {
    inherit_amnesia(fact, context);
  }
  record.members.for_each([&](NodeId member) { told(member, record.shard).has_copy = true; });
  if (record.owner != kNoNode) {
    Told& owner = told(record.owner, record.shard);
    owner.granted = std::max(owner.granted, record.epoch);
    owner.has_copy = true;
  }
}

// The members of a range that was split off have it by what they have of its parent.
void LeaseMonitor::inherit_amnesia(const RecordCommitted& fact, const MonitorContext& context) {
  for (const ShardId shard : context.known.shards()) {
    const ShardRecord* parent = context.known.record_before(shard, fact.position);
    if (parent != nullptr && shard != fact.record.shard && parent->range.overlaps(fact.record.range)) {
      fact.record.members.for_each(
          [&](NodeId member) { told(member, fact.record.shard).is_amnesiac = told(member, shard).is_amnesiac; });
    }
  }
}

// Only a member has everything that was acknowledged.
void LeaseMonitor::check_failover(const RecordCommitted& fact, const MonitorContext& context) const {
  const ShardRecord* before = context.known.record(fact.record.shard);
  if (fact.change != RecordChange::granted || before == nullptr || before->members.is_empty()) {
    return;
  }
  context.expect(ClauseId::L4, before->members.contains(fact.record.owner), [&] {
    return fmt::format("{} was granted to {} under {}, which is no member of its replica set", words(fact.record.shard),
                       words(fact.record.owner), words(fact.record.epoch));
  });
}

// Data is lost when nobody of the replica set has it any more, and not before.
void LeaseMonitor::check_reported_lost(const RecordCommitted& fact, const MonitorContext& context) {
  fact.record.members.for_each([&](NodeId member) {
    context.expect(ClauseId::L4, told(member, fact.record.shard).is_amnesiac, [&] {
      return fmt::format("{} was reported lost at {}, but {}, of its replica set, has not lost its disk",
                         words(fact.record.shard), words(fact.position), words(member));
    });
  });
}

void LeaseMonitor::on(const LeaseExtended& fact, const MonitorContext& context) const {
  const ShardRecord* record = context.known.record(fact.shard);
  if (record == nullptr) {
    return;
  }
  context.expect(ClauseId::L2, record->epoch == fact.epoch, [&] {
    return fmt::format("the directory extended the lease of {} for {} under {} to {}, but the grant is {} of {}",
                       words(fact.holder), words(fact.shard), words(fact.epoch), words(fact.until),
                       words(record->epoch), words(record->owner));
  });
}

void LeaseMonitor::on(const LeaseHeld& fact, const MonitorContext& context) {
  Told& mine = told(context.by, fact.shard);
  mine.lease_epoch = fact.epoch;
  mine.lease_restarts = context.known.restarts(context.by);
  if (context.known.grants().empty()) {
    return;
  }
  const KnownGrant* grant = context.known.grant(fact.shard, fact.epoch);
  const bool is_mine =
      grant != nullptr && context.known.is_granted_to(context.by, fact.shard, fact.epoch, grant->range.lo);
  context.expect(ClauseId::L5, is_mine, [&] {
    const ShardRecord* record = context.known.record(fact.shard);
    const Key first = record == nullptr ? context.bounds.key_space.lo : record->range.lo;
    return fmt::format("{} holds a lease of {} under {}, but {}", words(context.by), words(fact.shard),
                       words(fact.epoch), committed_words(fact.shard, fact.epoch, first, context));
  });
  if (is_mine && grant->owner == context.by) {
    context.expect(ClauseId::L2, fact.until <= grant->lease_until, [&] {
      const std::string committed = grant->lease_until == Instant{}
                                        ? "had committed no lease of that grant by then"
                                        : fmt::format("committed it until {} only", words(grant->lease_until));
      return fmt::format("{} holds {} under {} until {} on its clock, but the directory {}", words(context.by),
                         words(fact.shard), words(fact.epoch), words(fact.until), committed);
    });
  }
}

LeaseMonitor::Claim* LeaseMonitor::claim(NodeId node, ShardId shard) {
  for (Claim& candidate : claims_) {
    if (candidate.node == node && candidate.shard == shard) {
      return &candidate;
    }
  }
  return nullptr;
}

void LeaseMonitor::end_claim(NodeId node, ShardId shard) {
  if (Claim* ended = claim(node, shard)) {
    *ended = claims_.back();
    claims_.pop_back();
  }
}

void LeaseMonitor::on(const ClaimChanged& fact, const MonitorContext& context) {
  has_claims_ = true;
  if (!context.known.grants().empty() && !acts_too_early(fact.shard, fact.epoch, context)) {
    context.expect(ClauseId::L5, context.known.is_granted_to(context.by, fact.shard, fact.epoch, fact.range.lo), [&] {
      return fmt::format("{} would serve {} {} under {}, but {}", words(context.by), words(fact.shard),
                         words(fact.range), words(fact.epoch),
                         committed_words(fact.shard, fact.epoch, fact.range.lo, context));
    });
  }
  Claim* mine = nullptr;
  for (Claim& other : claims_) {
    if (other.node == context.by) {
      mine = other.shard == fact.shard ? &other : mine;
      continue;
    }
    if (!other.range.overlaps(fact.range)) {
      continue;
    }
    context.expect(ClauseId::L1, other.until <= context.at || fact.until <= context.at, [&] {
      return fmt::format("at {} both {} ({} {} under {}, {}) and {} ({} {} under {}, {}) would perform an effect",
                         words(context.at), words(context.by), words(fact.shard), words(fact.range), words(fact.epoch),
                         until_words(fact.until), words(other.node), words(other.shard), words(other.range),
                         words(other.epoch), until_words(other.until));
    });
  }
  const Claim changed{context.by, fact.shard, fact.range, fact.epoch, fact.until};
  if (mine != nullptr) {
    *mine = changed;
  } else {
    claims_.push_back(changed);
  }
}

void LeaseMonitor::on(const ClaimEnded& fact, const MonitorContext& context) { end_claim(context.by, fact.shard); }

void LeaseMonitor::on(const Served& fact, const MonitorContext& context) {
  check_claimed(fact, context);
  if (!context.known.grants().empty()) {
    check_lease_runs(fact, context);
    check_granted(fact, context);
  }
  context.expect(ClauseId::L3, carries_its_epoch(fact, context) && fact.epoch == fact.highest_seen, [&] {
    return fmt::format(
        "{} served {} ({}) of {} under {} with the request at {} and the highest seen at {}: the three "
        "must be equal",
        words(context.by), words(fact.key), words(fact.attempt.request), words(fact.shard), words(fact.epoch),
        words(fact.request_epoch), words(fact.highest_seen));
  });
  check_trusted(fact, told(context.by, fact.shard), context);
  check_highest(fact.shard, fact.highest_seen, context);
}

// A forwarded request carries the epoch that its move ended; the grant of that very move is what it waited for.
bool LeaseMonitor::carries_its_epoch(const Served& fact, const MonitorContext& context) {
  if (fact.request_epoch == fact.epoch) {
    return true;
  }
  const KnownMove* move = fact.forwarded_by == MoveId{} ? nullptr : context.known.move(fact.forwarded_by);
  return move != nullptr && move->source_epoch == fact.request_epoch && move->granted == fact.epoch;
}

void LeaseMonitor::check_claimed(const Served& fact, const MonitorContext& context) {
  if (!has_claims_) {
    return;
  }
  const Claim* mine = nullptr;
  bool is_claimed = false;
  for (const Claim& candidate : claims_) {
    if (candidate.node == context.by && candidate.range.contains(fact.key)) {
      mine = &candidate;
      is_claimed |= candidate.epoch == fact.epoch && context.at < candidate.until;
    }
  }
  context.expect(ClauseId::L1, is_claimed, [&] {
    return fmt::format("{} served {} of {} under {} at {}, but by what it knew itself it might serve {}",
                       words(context.by), words(fact.key), words(fact.shard), words(fact.epoch), words(context.at),
                       mine == nullptr ? "nothing of it"
                                       : fmt::format("{} under {} {} only", words(mine->range), words(mine->epoch),
                                                     until_words(mine->until)));
  });
}

void LeaseMonitor::check_lease_runs(const Served& fact, const MonitorContext& context) const {
  const KnownGrant* grant = context.known.grant(fact.shard, fact.epoch, fact.key);
  if (grant == nullptr || grant->owner != context.by) {
    return;
  }
  const TrueTime latest{(grant->lease_until + context.bounds.clock_offset_max).value};
  context.expect(ClauseId::L2, context.at < latest, [&] {
    return fmt::format(
        "{} served {} of {} under {} at {}, but the committed lease ran until {}: no clock within {} of "
        "true time reads less after {}",
        words(context.by), words(fact.key), words(fact.shard), words(fact.epoch), words(context.at),
        words(grant->lease_until), words(context.bounds.clock_offset_max), words(latest));
  });
}

// The target that acts under the grant of the source before the move is committed is M7's; everyone else who acts
// without a committed grant is L5's.
bool LeaseMonitor::acts_too_early(ShardId shard, Epoch epoch, const MonitorContext& context) {
  const ShardRecord* record = context.known.record(shard);
  return record != nullptr && record->target == context.by && record->phase >= MovePhase::preparing &&
         record->phase <= MovePhase::fenced && epoch <= record->epoch;
}

void LeaseMonitor::check_granted(const Served& fact, const MonitorContext& context) const {
  if (acts_too_early(fact.shard, fact.epoch, context)) {
    return;
  }
  context.expect(ClauseId::L5, context.known.is_granted_to(context.by, fact.shard, fact.epoch, fact.key), [&] {
    return fmt::format("{} served {} of {} under {}, but {}", words(context.by), words(fact.key), words(fact.shard),
                       words(fact.epoch), committed_words(fact.shard, fact.epoch, fact.key, context));
  });
}

bool LeaseMonitor::has_lease_since_restart(NodeId node, const Served& fact, const MonitorContext& context) const {
  const std::uint32_t restarts = context.known.restarts(node);
  const Told* row = &told_[node.value * shards_];
  if (row[fact.shard.value].lease_epoch == fact.epoch && row[fact.shard.value].lease_restarts == restarts) {
    return true;
  }
  // A range that was just split is served under its parent's epoch and lease.
  for (std::size_t shard = 0; shard < shards_; ++shard) {
    if (row[shard].lease_epoch == fact.epoch && row[shard].lease_restarts == restarts) {
      return true;
    }
  }
  const KnownGrant* grant = context.known.grant(fact.shard, fact.epoch, fact.key);
  return grant != nullptr && grant->is_inherited;
}

void LeaseMonitor::check_trusted(const Served& fact, const Told& mine, const MonitorContext& context) const {
  if (context.known.restarts(context.by) == 0) {
    return;
  }
  context.expect(ClauseId::L4, has_lease_since_restart(context.by, fact, context), [&] {
    return fmt::format("{} served {} of {} under {} at {}, but since its restart it was given no lease for that epoch",
                       words(context.by), words(fact.key), words(fact.shard), words(fact.epoch), words(context.at));
  });
  const ShardRecord* record = context.known.record(fact.shard);
  const bool tells_members = record != nullptr && !record->members.is_empty();
  const bool is_trusted = tells_members ? !mine.is_amnesiac : mine.untrusted_to < fact.epoch;
  context.expect(ClauseId::L4, is_trusted, [&] {
    return fmt::format("{} lost its disk and served {} of {} under {} without a new copy: up to {} it is not trusted",
                       words(context.by), words(fact.key), words(fact.shard), words(fact.epoch),
                       words(mine.untrusted_to));
  });
}

void LeaseMonitor::on(const Answered& fact, const MonitorContext& context) {
  check_highest(fact.shard, fact.highest_seen, context);
}

void LeaseMonitor::check_highest(ShardId shard, Epoch highest_seen, const MonitorContext& context) {
  Told& mine = told(context.by, shard);
  if (mine.highest_seen != Epoch{}) {
    context.expect(ClauseId::L3, mine.highest_seen <= highest_seen, [&] {
      return fmt::format("{} says at {} that the highest epoch it saw for {} is {}, but it had said {} before",
                         words(context.by), words(context.at), words(shard), highest_seen.value,
                         mine.highest_seen.value);
    });
  }
  mine.highest_seen = std::max(mine.highest_seen, highest_seen);
}

void LeaseMonitor::on(const CopyCreated& fact, const MonitorContext& context) {
  Told& mine = told(context.by, fact.shard);
  mine.untrusted_to = {};
  mine.has_copy = true;
  // Who is a member already should have everything: a copy that it begins now cannot bring back what it lost.
  const ShardRecord* record = context.known.record(fact.shard);
  mine.is_amnesiac = mine.is_amnesiac && record != nullptr && record->members.contains(context.by);
}

// The epoch lives with the range's data: who gave the data up may forget it.
void LeaseMonitor::on(const CopyRemoved& fact, const MonitorContext& context) {
  Told& mine = told(context.by, fact.shard);
  mine.highest_seen = {};
  mine.has_copy = false;
}

void LeaseMonitor::on(const Crashed&, const MonitorContext& context) {
  std::erase_if(claims_, [&](const Claim& candidate) { return candidate.node == context.by; });
}

void LeaseMonitor::on(const Restarted& fact, const MonitorContext& context) {
  on(Crashed{}, context);
  for (std::size_t shard = 0; shard < shards_; ++shard) {
    Told& mine = told_[context.by.value * shards_ + shard];
    if (fact.is_disk_lost) {
      const Epoch held = std::max({mine.highest_seen, mine.lease_epoch, mine.granted});
      mine = Told{};
      mine.untrusted_to = held;
      mine.granted = held;
      mine.is_amnesiac = true;
    } else if (!mine.has_copy) {
      mine.highest_seen = {};  // A bystander knew it from a watch only.
    }
  }
}

}  // namespace shardcheck
