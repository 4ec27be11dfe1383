// How a split or a merge changes what a node remembers, once the directory has entered it: the copy is divided, or two
// become one. Each is one record, so that no crash can leave half of it.
#include <algorithm>

#include "impl/content_digest.h"
#include "spec/assert.h"

namespace shardcheck::impl {

void StorageState::fold(const ReshapeNoted& it) { at(it.shard).note = it; }

void StorageState::fold(const ReshapeDropped& it) { at(it.shard).note = ReshapeNoted{}; }

// The record as the directory's entry left it: the owner is still the owner, and nothing moves.
void StorageState::become(ShardCopy& copy, KeyRange held, Epoch epoch) {
  copy.held = copy.known.range = held;
  copy.held_epoch = copy.known.epoch = copy.digest.source_epoch = epoch;
  copy.changed_at = DirectoryPosition{epoch.value};
  copy.note = ReshapeNoted{};
  copy.base = copy.tail_version();
  copy.tail_epoch = epoch;
  // The log was kept for moves, which are pinned to an epoch: none of them goes on under this one.
  copy.log_begin = copy.tail;
  copy.log.clear();
}

// Both halves know all answered requests: a retry may come for a key of either.
void StorageState::fold(const Divided& it) {
  ShardCopy& left = at(it.shard);
  ShardCopy& right = at(it.right);
  SHARDCHECK_ASSERT(left.copy == CopyState::owned);
  SHARDCHECK_ASSERT(left.note.kind == ReshapeKind::split);
  const KeyRange whole = left.held;
  const Key middle = left.note.at;
  right = left;
  right.known.shard = it.right;
  become(left, {whole.lo, middle}, it.epoch);
  become(right, {middle, whole.hi}, it.epoch);
  count(left);
  count(right);
}

// Of what each half answered to a client, the later request is the one that its client may still repeat.
void StorageState::add_answered(ShardCopy& left, const ShardCopy& right) {
  for (std::size_t client = 0; client < left.answered.size(); ++client) {
    if (left.answered[client].sequence < right.answered[client].sequence) {
      left.answered[client] = right.answered[client];
    }
  }
}

void StorageState::fold(const Joined& it) {
  ShardCopy& left = at(it.shard);
  ShardCopy& right = at(it.right);
  SHARDCHECK_ASSERT(left.copy == CopyState::owned);
  SHARDCHECK_ASSERT(right.copy == CopyState::owned);
  add_answered(left, right);
  left.tail = std::max(left.tail, right.tail);
  left.tail_epoch = std::max(left.tail_epoch, right.tail_epoch);
  become(left, {left.held.lo, right.held.hi}, it.epoch);
  count(left);
  const Key boundary = right.held.lo;
  right = ShardCopy{};
  right.known.shard = it.right;
  right.known.range = {boundary, boundary};
  right.known.epoch = it.epoch;
  right.changed_at = DirectoryPosition{it.epoch.value};
}

// The content has the name that it had as a part of the whole: the owner took its half up with the same.
void StorageState::fold(const ReplicaDivided& it) {
  ShardCopy& left = at(it.shard);
  ShardCopy& right = at(it.right);
  const bool is_as_written = left.copy == CopyState::replica && !right.copy;
  SHARDCHECK_ASSERT(is_as_written || !decisions_.keeps_epochs_on_disk());
  if (!is_as_written) {
    return;  // that seeded bug forgets what the node was when it wrote this down
  }
  const ShardRecord known = right.known;
  const DirectoryPosition changed_at = right.changed_at;
  const KeyRange whole = left.held;
  right = left;
  right.known = known;
  right.changed_at = changed_at;
  right.held = {known.range.lo, whole.hi};
  left.held = {whole.lo, known.range.lo};
  count(left);
  count(right);
}

// Named as the owner's is: by the later of the two grants, and the higher of the two positions. Before the merge was
// proposed nothing more was written to either half, and every member had all of both.
void StorageState::fold(const ReplicaJoined& it) {
  ShardCopy& left = at(it.shard);
  ShardCopy& right = at(it.right);
  const bool is_as_written = left.copy == CopyState::replica && right.copy == CopyState::replica;
  SHARDCHECK_ASSERT(is_as_written || !decisions_.keeps_epochs_on_disk());
  if (!is_as_written) {
    return;  // as above
  }
  add_answered(left, right);
  left.tail = left.log_begin = std::max(left.tail, right.tail);
  left.tail_epoch = std::max(left.tail_epoch, right.tail_epoch);
  left.held = {left.held.lo, right.held.hi};
  left.join = DirectoryPosition{};
  count(left);
  const ShardRecord known = right.known;
  const DirectoryPosition changed_at = right.changed_at;
  right = ShardCopy{};
  right.known = known;
  right.changed_at = changed_at;
}

// The digests from nothing: O(keys of the copy), for the rare event that a copy becomes another one.
void StorageState::count(ShardCopy& copy) const {
  const Epoch source_epoch = copy.digest.source_epoch;
  copy.digest = content_of(copy.known.shard);
  copy.digest.source_epoch = source_epoch;
}

}  // namespace shardcheck::impl
