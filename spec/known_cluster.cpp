#include "spec/known_cluster.h"

#include <algorithm>

#include "spec/assert.h"

namespace shardcheck {
namespace {

bool names(const ShardRecord& record, NodeId node) {
  return record.members.contains(node) || record.owner == node || record.joining == node || record.target == node;
}

}  // namespace

void KnownCluster::reset(const Bounds& bounds) {
  SHARDCHECK_ASSERT(bounds.key_space.lo <= bounds.key_space.hi);
  key_space_ = bounds.key_space;
  slots_.assign(static_cast<std::size_t>(bounds.shards), Slot{});
  shards_.clear();
  grants_.clear();
  moves_.clear();
  lost_keys_.assign(bounds.key_space.hi.value - bounds.key_space.lo.value, 0);
  restarts_.assign(static_cast<std::size_t>(bounds.nodes), 0);
  disk_losses_.assign(static_cast<std::size_t>(bounds.nodes), 0);
  has_duplicates_.assign(static_cast<std::size_t>(bounds.nodes), 0);
  quiet_since_.assign(static_cast<std::size_t>(bounds.nodes), TrueTime{});
  directory_quiet_since_ = TrueTime{};
  directory_ = bounds.directory;
  reshaped_ = 0;
  healed_at_.reset();
  gone_ = left_ = NodeSet{};
}

void KnownCluster::apply(TrueTime at, const RecordCommitted& fact) {
  const ShardId shard = fact.record.shard;
  Slot& slot = slots_[shard.value];
  // A grant looks at the records of the same step as they were before it, so it comes first.
  if (is_grant(fact.change) || (slot.exists && slot.now.epoch != fact.record.epoch)) {
    remember_grant(at, fact);
  }
  if (slot.position != fact.position) {
    slot.before = slot.now;
    slot.existed_before = slot.exists;
  }
  note_lost_copies(fact);
  slot.now = fact.record;
  slot.position = fact.position;
  slot.changed_at = at;
  slot.exists = fact.change != RecordChange::removed;
  reshaped_ += fact.change == RecordChange::bounds_changed ? 1 : 0;
  if (!slot.is_listed) {
    slot.is_listed = true;
    shards_.push_back(shard);
  }
  remember_move(at, fact);
  if (fact.record.is_data_lost) {
    for (Key key = std::max(fact.record.range.lo, key_space_.lo); key < std::min(fact.record.range.hi, key_space_.hi);
         key = next(key)) {
      lost_keys_[key.value - key_space_.lo.value] = 1;
    }
    for (KnownGrant& grant : grants_) {
      grant.is_reported_lost |= grant.shard == shard && grant.epoch == fact.record.epoch;
    }
  }
}

// Who is newly named begins a copy of its own; a range that was split or merged has what its parents had.
void KnownCluster::note_lost_copies(const RecordCommitted& fact) {
  Slot& slot = slots_[fact.record.shard.value];
  slot.without_copy.for_each([&](NodeId node) {
    if (slot.exists && !names(slot.now, node)) {
      slot.without_copy.erase(node);
    }
  });
  if (fact.change != RecordChange::created && fact.change != RecordChange::bounds_changed) {
    return;
  }
  for (const ShardId other : shards_) {
    const ShardRecord* before = record_before(other, fact.position);
    if (before != nullptr && before->range.overlaps(fact.record.range)) {
      slots_[other.value].without_copy.for_each([&](NodeId node) { slot.without_copy.insert(node); });
    }
  }
}

void KnownCluster::remember_grant(TrueTime at, const RecordCommitted& fact) {
  const ShardRecord& record = fact.record;
  KnownGrant grant{record.shard, record.range, record.owner, record.epoch, record.lease_until, false, false, at};
  if (fact.change == RecordChange::created || fact.change == RecordChange::bounds_changed) {
    for (const ShardId other : shards_) {
      const ShardRecord* before = record_before(other, fact.position);
      grant.is_inherited |= before != nullptr && before->range.overlaps(record.range) && before->owner == record.owner;
    }
  }
  slots_[record.shard.value].newest_grant = static_cast<std::uint32_t>(grants_.size());
  grants_.push_back(grant);
}

void KnownCluster::remember_move(TrueTime at, const RecordCommitted& fact) {
  if (fact.record.move == MoveId{}) {
    return;
  }
  KnownMove* known = mutable_move(fact.record.move);
  if (known == nullptr) {
    const ShardRecord& record = fact.record;
    moves_.push_back({record.move, record.shard, record.range, record.source, record.target, record.source_epoch,
                      Epoch{}, at, TrueTime{}, false, false, false});
    known = &moves_.back();
  }
  if (fact.change == RecordChange::move_committed && !known->is_committed) {
    known->is_committed = true;
    known->granted = fact.record.epoch;
    known->committed_at = at;
  }
  // A failover before the switch aborts the move.
  known->is_aborted |= fact.record.phase == MovePhase::aborted;
}

void KnownCluster::apply(const LeaseExtended& fact) {
  for (std::size_t index = grants_.size(); index-- > 0;) {
    KnownGrant& grant = grants_[index];
    if (grant.shard == fact.shard && grant.epoch == fact.epoch) {
      grant.lease_until = std::max(grant.lease_until, fact.until);
      return;
    }
  }
}

void KnownCluster::apply(NodeId by, const BarrierConfirmed& fact) {
  KnownMove* known = mutable_move(fact.move);
  if (known != nullptr && known->source == by) {
    known->is_barrier_confirmed = true;
  }
}

void KnownCluster::heal(TrueTime at) {
  healed_at_ = at;
  for (TrueTime& since : quiet_since_) {
    since = std::min(since, at);
  }
  directory_quiet_since_ = std::min(directory_quiet_since_, at);
}

void KnownCluster::fault(TrueTime at, NodeId by, const FaultInjected& fact) {
  healed_at_.reset();
  disturb(by, std::max(at, fact.over_at));
  if (fact.kind == FaultKind::lost_for_good) {
    gone_.insert(by);
  }
  if (fact.kind == FaultKind::disk_lost) {
    for (const ShardId shard : shards_) {
      Slot& slot = slots_[shard.value];
      if (names(slot.now, by)) {
        slot.without_copy.insert(by);
      }
    }
  }
  if (fact.kind == FaultKind::duplicated && by.value < has_duplicates_.size()) {
    has_duplicates_[by.value] = 1;
  }
}

void KnownCluster::disturb(NodeId by, TrueTime until) {
  if (by.value >= quiet_since_.size()) {
    return;
  }
  quiet_since_[by.value] = std::max(quiet_since_[by.value], until);
  if (by.value < 64 && (directory_ >> by.value & 1U) != 0) {
    directory_quiet_since_ = std::max(directory_quiet_since_, until);
  }
}

void KnownCluster::restart(TrueTime at, NodeId by, bool is_disk_lost) {
  disturb(by, at);
  ++restarts_[by.value];
  if (is_disk_lost) {
    ++disk_losses_[by.value];
  }
}

const ShardRecord* KnownCluster::record(ShardId shard) const {
  const Slot& slot = slots_[shard.value];
  return slot.exists ? &slot.now : nullptr;
}

const ShardRecord* KnownCluster::record_before(ShardId shard, DirectoryPosition position) const {
  const Slot& slot = slots_[shard.value];
  if (slot.position == position) {
    return slot.existed_before ? &slot.before : nullptr;
  }
  return slot.exists ? &slot.now : nullptr;
}

const KnownGrant* KnownCluster::grant(ShardId hint, Epoch epoch, Key key) const {
  const std::size_t newest = slots_[hint.value].newest_grant;
  if (newest < grants_.size() && grants_[newest].epoch == epoch && grants_[newest].range.contains(key)) {
    return &grants_[newest];
  }
  for (std::size_t index = grants_.size(); index-- > 0;) {
    if (grants_[index].epoch == epoch && grants_[index].range.contains(key)) {
      return &grants_[index];
    }
  }
  return nullptr;
}

const KnownGrant* KnownCluster::grant(ShardId shard, Epoch epoch) const {
  const std::size_t newest = slots_[shard.value].newest_grant;
  if (newest < grants_.size() && grants_[newest].shard == shard && grants_[newest].epoch == epoch) {
    return &grants_[newest];
  }
  for (std::size_t index = grants_.size(); index-- > 0;) {
    if (grants_[index].epoch == epoch && grants_[index].shard == shard) {
      return &grants_[index];
    }
  }
  return nullptr;
}

bool KnownCluster::is_granted_to(NodeId node, ShardId hint, Epoch epoch, Key key) const {
  const KnownGrant* found = grant(hint, epoch, key);
  if (found == nullptr) {
    return false;
  }
  // One epoch with two owners is D2's business; whoever was named by either acts on a committed grant.
  return found->owner == node || std::any_of(grants_.begin(), grants_.end(), [&](const KnownGrant& other) {
           return other.epoch == epoch && other.owner == node && other.range.contains(key);
         });
}

const KnownGrant* KnownCluster::newest_grant(Key key) const {
  for (const ShardId shard : shards_) {
    const Slot& slot = slots_[shard.value];
    if (slot.exists && slot.now.range.contains(key)) {
      return &grants_[slot.newest_grant];
    }
  }
  return nullptr;
}

bool KnownCluster::is_unavailable(Key key) const {
  if (is_reported_lost(key) || gone_.is_empty()) {
    return is_reported_lost(key);
  }
  for (const ShardId shard : shards_) {
    const Slot& slot = slots_[shard.value];
    if (!slot.exists || !slot.now.range.contains(key)) {
      continue;
    }
    bool has_gone = gone_.contains(slot.now.owner);
    bool has_copy = !has_gone && slot.now.members.is_empty();
    slot.now.members.for_each([&](NodeId member) {
      has_gone |= gone_.contains(member);
      has_copy |= !gone_.contains(member) && !slot.without_copy.contains(member);
    });
    return has_gone && !has_copy;
  }
  return false;
}

const KnownMove* KnownCluster::move(MoveId id) const {
  for (std::size_t index = moves_.size(); index-- > 0;) {
    if (moves_[index].id == id) {
      return &moves_[index];
    }
  }
  return nullptr;
}

KnownMove* KnownCluster::mutable_move(MoveId id) { return const_cast<KnownMove*>(move(id)); }

}  // namespace shardcheck
