// Splits and merges at those who follow an owner. They divide their copy, or join two, where they stand when they know
// what became of the range: before the owner proposed it, every member had everything, and nothing was written since.
// So the parts have the same names (see ShardCopy::tail_version) with everybody who was there.
//
// Records come one by one. A copy is not dropped, and nothing is said about it, as long as it may be that a record
// that this node has not heard of yet makes it a member for a part of it.
#include "impl/storage_node.h"

namespace shardcheck::impl {
namespace {

bool is_replica(const ShardCopy& copy) { return copy.copy == CopyState::replica && copy.is_copied; }

}  // namespace

// Ends: each step leaves a copy with fewer keys, or one copy less.
void StorageNode::reshape_replicas(Instant now, ClusterOutputs& outputs) {
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (const ShardCopy& copy : state_.copies()) {
      const bool is_other = is_replica(copy) && copy.held != copy.known.range && !copy.known.is_removed();
      has_changed =
          has_changed || (is_other && (divide_replica(copy, now, outputs) || join_replicas(copy, now, outputs)));
    }
  }
  for (const ShardCopy& copy : state_.copies()) {
    if (copy.copy == CopyState::replica && !is_wanted(copy)) {
      drop_copy(copy.known.shard, MoveId{}, copy.held, now, outputs);
    }
  }
}

// The last part of what it holds goes to the range that has it now.
bool StorageNode::divide_replica(const ShardCopy& copy, Instant now, ClusterOutputs& outputs) {
  const ShardCopy* part = state_.find(Key{copy.held.hi.value - 1});
  const bool is_split = copy.known.range.lo == copy.held.lo && copy.known.range.hi < copy.held.hi;
  if (!is_split || part == nullptr || part == &copy || !is_newer(*part, copy) || part->copy ||
      part->known.range.lo <= copy.held.lo) {
    return false;
  }
  const ShardId shard = copy.known.shard;
  const ShardId right = part->known.shard;
  append_durably(ReplicaDivided{shard, right}, outputs);
  settle_replica(right, now, outputs);
  settle_replica(shard, now, outputs);
  return true;
}

bool StorageNode::join_replicas(const ShardCopy& left, Instant now, ClusterOutputs& outputs) {
  for (const ShardCopy& right : state_.copies()) {
    const bool is_right = is_replica(right) && right.known.is_removed() && are_halves(left, right);
    if (is_right && left.known.range == KeyRange{left.held.lo, right.held.hi}) {
      const ShardId shard = left.known.shard;
      append_durably(ReplicaJoined{shard, right.known.shard}, outputs);
      settle_replica(shard, now, outputs);
      return true;
    }
  }
  return false;
}

bool StorageNode::are_halves(const ShardCopy& left, const ShardCopy& right) const {
  const bool has_left = is_replica(left) || left.copy == CopyState::owned;
  const bool is_left = has_left && left.held.hi == right.held.lo;
  return is_left && (left.changed_at < right.changed_at || left.known.members.contains(self_));
}

// Is what the directory says of the part more recent than what the copy is of?
bool StorageNode::is_newer(const ShardCopy& part, const ShardCopy& copy) {
  return part.changed_at > DirectoryPosition{copy.tail_epoch.value};
}

// A copy is wanted while this node is a member or joins, and while it does not know yet whether it is one for a part.
bool StorageNode::is_wanted(const ShardCopy& copy) const {
  const ShardRecord& record = copy.known;
  if (record.joining == self_ || record.members.contains(self_)) {
    return true;
  }
  if (record.is_removed()) {
    for (const ShardCopy& left : state_.copies()) {
      if (is_replica(copy) && are_halves(left, copy)) {
        return true;
      }
    }
    return false;
  }
  for (Key key = copy.held.lo; key < copy.held.hi; key = next(key)) {
    const ShardCopy* part = state_.find(key);
    const bool is_unknown = part == nullptr || (part != &copy && !is_newer(*part, copy));
    if (is_unknown || part->known.members.contains(self_)) {
      return true;
    }
  }
  return false;
}

// The copy is as the record is now: perhaps the directory has granted it to this node meanwhile.
void StorageNode::settle_replica(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  if (copy.copy != CopyState::replica || copy.held != copy.known.range) {
    return;
  }
  if (copy.known.owner == self_ && copy.is_copied) {
    append_durably(KnowsRecord{copy.known, copy.changed_at, true}, outputs);
    take_up(shard, now, outputs);
  }
  follow_record(shard, copy.changed_at, now, outputs);
}

// This node may have what it seems to lack: as a part of a copy that is not divided yet.
bool StorageNode::may_be_part_of_replica(const ShardRecord& record) const {
  for (const ShardCopy& copy : state_.copies()) {
    if (is_replica(copy) && copy.known.shard != record.shard && copy.held.overlaps(record.range)) {
      return true;
    }
  }
  return false;
}

}  // namespace shardcheck::impl
