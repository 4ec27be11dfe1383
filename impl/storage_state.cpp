#include "impl/storage_state.h"

#include <algorithm>

#include "impl/content_digest.h"
#include "impl/directory_state.h"
#include "impl/overloaded.h"
#include "spec/assert.h"

namespace shardcheck::impl {
StorageState::StorageState(const ClusterOptions& options, NodeId self)
    : self_(self),
      decisions_(options.mutant),
      clients_(options.clients),
      copies_(options.shard_ids()),
      cells_(options.keys + 1U),
      executed_(options.clients),
      handed_on_(options.clients) {
  for (std::uint16_t i = 0; i < options.shard_ids(); ++i) {
    copies_[i].known.shard = ShardId{i};
  }
}

void StorageState::apply(const Record& record) {
  std::visit(Overloaded{
                 // Only a directory writes these.
                 [](const Voted&) { SHARDCHECK_ASSERT(false); },
                 [](const EntryKept&) { SHARDCHECK_ASSERT(false); },
                 [](const SnapshotKept&) { SHARDCHECK_ASSERT(false); },
                 [this](const Formatted&) { is_formatted_ = true; },
                 [this](const Enlisted& it) { takes_copies_ = it.takes_copies; },
                 [this](const LeaseNoted& it) { at(it.shard).lease_on_disk = it.until; },
                 [this](const auto& it) { fold(it); },
             },
             record);
}

const ShardCopy* StorageState::find(Key key) const {
  const ShardCopy* found = nullptr;
  for (const ShardCopy& copy : copies()) {
    if (copy.known.range.contains(key) && (found == nullptr || found->changed_at < copy.changed_at)) {
      found = &copy;
    }
  }
  return found;
}

ContentDigest StorageState::content_of(ShardId shard) const {
  const ShardCopy& it = copy(shard);
  ContentDigest digest;
  digest.source_epoch = it.digest.source_epoch;
  for (Key key = it.held.lo; key < it.held.hi; key = next(key)) {
    count_cell(digest, key, cell(key), true);
  }
  for (std::size_t client = 0; client < it.answered.size(); ++client) {
    digest.requests += digest_of(client, it.answered[client]);
  }
  return digest;
}

void StorageState::begin_empty(ShardCopy& copy, CopyState state) {
  copy.copy = state;
  copy.cursor = CopyCursor{};
  copy.is_copied = false;
  copy.tail = copy.log_begin = LogPosition{};
  copy.log.clear();
  copy.answered.assign(clients_, AnsweredRequest{});
  copy.digest = ContentDigest{};
}

void StorageState::fold(const Provisioned& it) {
  ShardCopy& copy = at(it.record.shard);
  copy.known = it.record;
  copy.changed_at = DirectoryPosition{it.record.epoch.value};
  const bool is_owner = it.record.owner == self_;
  begin_empty(copy, is_owner ? CopyState::owned : CopyState::replica);
  copy.held = it.record.range;
  copy.held_epoch = is_owner ? it.record.epoch : Epoch{};
  copy.is_copied = true;
  copy.tail_epoch = it.record.epoch;
  copy.base = copy.tail_version();
  copy.digest.source_epoch = it.record.epoch;
}

void StorageState::fold(const KnowsRecord& it) {
  ShardCopy& copy = at(it.record.shard);
  copy.known = it.record;
  copy.changed_at = it.changed_at;
  if (it.is_adopted) {
    copy.copy = CopyState::owned;
    copy.held_epoch = it.record.epoch;
    copy.base = copy.tail_version();
    copy.tail_epoch = it.record.epoch;
    copy.digest.source_epoch = it.record.epoch;
    copy.log_begin = copy.tail;
    copy.log.clear();
  } else if (copy.held_epoch != Epoch{} && it.record.epoch > copy.held_epoch) {
    // The range is somebody else's now. Moved away: what is left is kept for a while, and serves nothing. Otherwise
    // another member was granted it: what is left is that of a member, or of a former one.
    const bool is_moved = it.record.source == self_ && it.record.source_epoch == copy.held_epoch &&
                          (it.record.phase == MovePhase::switched || it.record.phase == MovePhase::cleaning);
    copy.held_epoch = Epoch{};
    copy.copy = is_moved ? CopyState::retained : CopyState::replica;
    copy.is_copied = true;
    copy.join = DirectoryPosition{};
    copy.move = is_moved ? it.record.move : MoveId{};
    copy.note = ReshapeNoted{};
    copy.log_begin = copy.tail;
    copy.log.clear();
  } else if (copy.copy == CopyState::staging && copy.is_copied && it.record.members.contains(self_)) {
    // The move to this node was committed, and the range went on to another member before this one heard of it.
    copy.copy = CopyState::replica;
    copy.join = DirectoryPosition{};
  }
}

void StorageState::fold(const Wrote& it) {
  ShardCopy& copy = at(it.shard);
  SHARDCHECK_ASSERT(copy.copy.has_value());
  SHARDCHECK_ASSERT(it.entry.version.position == next(copy.tail));
  executed_[it.attempt.request.client.value] = it.attempt;
  copy.tail = it.entry.version.position;
  copy.log.push_back(it.entry);
  if (it.entry.has_cell) {
    put(copy, it.entry);
  }
  remember(copy, it.entry);
}

void StorageState::fold(const CapturePinned& it) {
  at(it.shard).pinned_for = it.move;
  at(it.shard).pinned_at = it.position;
}

void StorageState::fold(const LogCut& it) {
  ShardCopy& copy = at(it.shard);
  SHARDCHECK_ASSERT(copy.log_begin <= it.up_to);
  SHARDCHECK_ASSERT(it.up_to <= copy.tail);
  copy.log.erase(copy.log.begin(), copy.log.begin() + static_cast<std::ptrdiff_t>(it.up_to - copy.log_begin));
  copy.log_begin = it.up_to;
}

void StorageState::fold(const StagingBegun& it) {
  ShardCopy& copy = at(it.record.shard);
  copy.known = it.record;
  begin_empty(copy, CopyState::staging);
  copy.held = it.record.range;
  copy.note = ReshapeNoted{};
  copy.held_epoch = Epoch{};
  copy.move = it.record.move;
  copy.attempt = it.attempt;
  copy.tail_epoch = it.record.source_epoch;  // of the source's tail: an owner's is that of its grant
  copy.digest.source_epoch = it.record.source_epoch;
}

void StorageState::fold(const Staged& it) {
  ShardCopy& copy = at(it.shard);
  const Cell& present = cell(it.entry.key);
  const bool is_purged = present.value.kind == ValueKind::absent && !decisions_.keeps_tombstones_at_target();
  if (it.entry.has_cell &&
      (is_purged || decisions_.replaces(it.entry.version, present.version, it.cause, copy.known.how.mode))) {
    put(copy, it.entry);
  }
  remember(copy, it.entry);
}

void StorageState::fold(const StagingProgress& it) {
  ShardCopy& copy = at(it.shard);
  copy.cursor = it.cursor;
  copy.is_copied = it.is_copied;
  const std::uint64_t passed = it.replayed_to > copy.log_begin ? it.replayed_to - copy.log_begin : 0;
  const auto applied = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(passed, copy.log.size()));
  copy.log.erase(copy.log.begin(), copy.log.begin() + applied);
  copy.tail = copy.log_begin = it.replayed_to;
}

void StorageState::fold(const CaptureOpened& it) {
  ShardCopy& copy = at(it.shard);
  copy.captured_for = it.move;
  copy.captured_after = it.snapshot;
}

void StorageState::fold(const DualWriteStaged& it) {
  ShardCopy& copy = at(it.shard);
  if (copy.log.empty()) {
    copy.log_begin = it.after;
  }
  SHARDCHECK_ASSERT(copy.staged_to() == it.after);
  copy.log.push_back(it.entry);
}

void StorageState::fold(const FenceSet& it) {
  ShardCopy& copy = at(it.shard);
  copy.copy = CopyState::fenced;
  copy.move = it.move;
}

void StorageState::fold(const FenceLifted& it) {
  ShardCopy& copy = at(it.shard);
  if (copy.copy == CopyState::fenced && copy.move == it.move) {
    copy.copy = CopyState::owned;
    copy.move = MoveId{};
  }
}

void StorageState::fold(const HandedOn& it) {
  Attempt& last = handed_on_[it.attempt.request.client.value];
  last = std::max(last, it.attempt);
}

void StorageState::fold(const CopyDropped& it) {
  ShardCopy& copy = at(it.shard);
  for (Key key = it.keys.lo; key < it.keys.hi && key.value < cells_.size(); key = next(key)) {
    cells_[key.value] = Cell{};
  }
  copy.copy.reset();
  copy.held = KeyRange{};
  copy.note = ReshapeNoted{};
  copy.held_epoch = Epoch{};
  copy.join = DirectoryPosition{};
  copy.move = MoveId{};
  copy.log.clear();
  copy.answered.clear();
  copy.digest = ContentDigest{};
}

void StorageState::fold(const ReplicaBegun& it) {
  ShardCopy& copy = at(it.record.shard);
  begin_empty(copy, CopyState::replica);
  copy.held = it.record.range;
  copy.held_epoch = Epoch{};
  copy.move = MoveId{};
  copy.join = it.record.join;
  copy.tail_epoch = it.record.epoch;
  copy.digest.source_epoch = it.record.epoch;
}

// Content and position change together: a tail names the content exactly.
void StorageState::fold(const Replicated& it) {
  ShardCopy& copy = at(it.shard);
  SHARDCHECK_ASSERT(it.entry.version.position == next(copy.tail));
  copy.tail = copy.log_begin = it.entry.version.position;
  if (it.entry.has_cell && decisions_.replaces(it.entry.version, cell(it.entry.key).version, ApplyCause::replication)) {
    put(copy, it.entry);
  }
  remember(copy, it.entry);
}

void StorageState::fold(const Agreed& it) { at(it.shard).tail_epoch = it.epoch; }

void StorageState::put(ShardCopy& copy, const Entry& entry) {
  Cell& cell = cells_[entry.key.value];
  count_cell(copy.digest, entry.key, cell, false);
  cell = Cell{entry.version, entry.value};
  count_cell(copy.digest, entry.key, cell, true);
}

void StorageState::remember(ShardCopy& copy, const Entry& entry) {
  if (entry.request.sequence == 0) {
    return;
  }
  const std::size_t client = entry.request.client.value;
  AnsweredRequest& slot = copy.answered[client];
  if (entry.request.sequence <= slot.sequence) {
    return;
  }
  copy.digest.requests -= digest_of(client, slot);
  slot = {entry.request.sequence, entry.outcome, entry.answers_value ? entry.value : absent()};
  copy.digest.requests += digest_of(client, slot);
}

std::vector<Record> initial_disk(const ClusterOptions& options, NodeId node) {
  std::vector<Record> records{Formatted{}};
  for (const ShardRecord& record : initial_records(options)) {
    if (record.members.contains(node)) {
      records.push_back(Provisioned{record});
    } else {
      records.push_back(KnowsRecord{record, DirectoryPosition{record.epoch.value}, false});
    }
  }
  return records;
}

}  // namespace shardcheck::impl
