// Both sides of a move, at a storage node. Every order may come twice, late, or after its move is over: it is checked
// against what the node knows, and a repeated one is answered again. A report leaves only when what it says is durable.
#include <algorithm>

#include "impl/storage_node.h"
#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

constexpr Duration kCostOfEntry = microseconds(6);

}  // namespace

bool StorageNode::is_source_of(const ShardRecord& record) const {
  const ShardCopy& copy = state_.copy(record.shard);
  return record.source == self_ && copy.held_epoch == record.source_epoch && copy.highest_seen() == record.source_epoch;
}

bool StorageNode::is_staging(const ShardRecord& record) const {
  const ShardCopy& copy = state_.copy(record.shard);
  return copy.copy == CopyState::staging && copy.move == record.move;
}

void StorageNode::obey(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& now_known = state_.copy(order.record.shard).known;
  // An order from an earlier phase has been overtaken: obeyed now, "prepare" would empty a copy that is already owned.
  const bool is_current = now_known.move == order.record.move && now_known.phase == order.record.phase;
  if (!is_current || order.record.mover_epoch < now_known.mover_epoch) {
    return;  // a move or a phase that is over, or an older mover
  }
  switch (order.kind) {
    case OrderKind::prepare_target: prepare_target(mover, order, now, outputs); return;
    case OrderKind::open_capture: open_capture(mover, order, now, outputs); return;
    case OrderKind::send_chunk: send_chunk(mover, order, now, outputs); return;
    case OrderKind::send_log: send_log(mover, order, now, outputs); return;
    case OrderKind::fence: fence(mover, order, now, outputs); return;
    case OrderKind::confirm_serving:
      if (state_.copy(order.record.shard).held_epoch == order.record.epoch) {
        report(mover, {.kind = order.kind}, order.record, now, outputs);
      }
      return;
    case OrderKind::clean_up: clean_up(mover, order, now, outputs); return;
    case OrderKind::undo: undo(mover, order, now, outputs); return;
  }
}

// Sends once everything appended so far is durable.
void StorageNode::report(NodeId mover, MoveReport report, const ShardRecord& record, Instant now,
                         ClusterOutputs& outputs) {
  report.shard = record.shard;
  report.move = record.move;
  report.side = self_;
  after(appended_, Send{mover, report}, now, outputs);
  outputs.wants_sync = outputs.wants_sync || durable_ < appended_;
}

void StorageNode::prepare_target(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = order.record;
  if (record.target != self_) {
    return;
  }
  if (!is_staging(record)) {
    if (record.phase != MovePhase::preparing) {
      // It had begun, so the copy was lost with a disk: what was said to be durable here no longer is.
      report(mover, {.kind = order.kind, .is_possible = false}, record, now, outputs);
      return;
    }
    const ShardCopy& copy = state_.copy(record.shard);
    if (copy.copy) {
      drop_copy(record.shard, copy.move, copy.known.range, now, outputs);
    }
    append_durably(StagingBegun{record}, outputs);
    after(appended_, Observation{CopyCreated{record.shard, record.range, record.move}}, now, outputs);
  }
  const ShardCopy& staged = state_.copy(record.shard);
  MoveReport done{.kind = order.kind};
  done.cursor = staged.cursor;
  done.is_copied = staged.is_copied;
  done.position = staged.tail;
  report(mover, done, record, now, outputs);
}

// The whole log since the grant is kept, so the snapshot's position is all that a capture needs.
void StorageNode::open_capture(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  MoveReport done{.kind = order.kind};
  done.is_possible = is_source_of(order.record);
  done.position = state_.copy(order.record.shard).tail;
  report(mover, done, order.record, now, outputs);
}

// A chunk may hold newer versions than the snapshot's; what it may miss is in the log after the snapshot.
void StorageNode::send_chunk(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = order.record;
  if (!is_source_of(record)) {
    report(mover, {.kind = order.kind, .is_possible = false}, record, now, outputs);
    return;
  }
  const ShardCopy& copy = state_.copy(record.shard);
  Chunk chunk;
  chunk.record = record;
  chunk.mover = mover;
  chunk.snapshot = order.after;
  chunk.begin = order.cursor;
  const std::uint32_t keys = record.range.hi.value - record.range.lo.value;
  const std::uint32_t end = keys + options_.clients;
  std::uint32_t cursor = order.cursor.value;
  for (; cursor < end && chunk.count < chunk.entries.size(); ++cursor) {
    Entry entry;
    if (cursor < keys) {
      entry.key = Key{record.range.lo.value + cursor};
      const Cell& cell = state_.cell(entry.key);
      if (!cell.exists() || (cell.value.kind == ValueKind::absent && !decisions_.copies_tombstones())) {
        continue;
      }
      entry.version = cell.version;
      entry.value = cell.value;
    } else {
      const AnsweredRequest& answered = copy.answered[cursor - keys];
      if (answered.sequence == 0 || !decisions_.copies_answered_requests()) {
        continue;
      }
      entry.request = {ClientId{static_cast<std::uint16_t>(cursor - keys)}, answered.sequence};
      entry.outcome = answered.outcome;
      entry.value = answered.answer;
      entry.answers_value = true;
      entry.has_cell = false;
    }
    chunk.entries[chunk.count++] = entry;
  }
  chunk.next = CopyCursor{cursor};
  chunk.is_last = cursor >= end;
  outputs.cost = kCostOfEntry * chunk.count;
  after(at(record.shard).last_write, Send{record.target, chunk}, now, outputs);
  if (chunk.is_last && decisions_.cleans_up_when_copied()) {
    drop_copy(record.shard, record.move, record.range, now, outputs);
  }
}

void StorageNode::stage(ShardId shard, const Entry& entry, ApplyCause cause, MoveId move, Instant now,
                        ClusterOutputs& outputs) {
  const Version before = state_.cell(entry.key).version;
  append_durably(Staged{shard, cause, entry}, outputs);
  if (entry.has_cell && state_.cell(entry.key).version != before) {
    const bool is_tombstone = entry.value.kind == ValueKind::absent;
    after(appended_, Observation{Applied{shard, entry.key, entry.version, cause, is_tombstone, entry.request, move}},
          now, outputs);
  }
}

void StorageNode::stage_chunk(const Chunk& chunk, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = chunk.record;
  if (!is_staging(record)) {
    return;
  }
  const ShardCopy& copy = state_.copy(record.shard);
  outputs.cost = kCostOfEntry * chunk.count;
  // A chunk that comes late or twice is taken in as well: what is newer here stays.
  for (std::size_t i = 0; i < chunk.count; ++i) {
    stage(record.shard, chunk.entries[i], ApplyCause::backfill, record.move, now, outputs);
  }
  if (chunk.begin == copy.cursor && !copy.is_copied) {
    const bool is_first = copy.cursor == CopyCursor{};
    const LogPosition replayed_to = is_first ? decisions_.replay_after(chunk.snapshot) : copy.tail;
    append_durably(StagingProgress{record.shard, chunk.next, chunk.is_last, replayed_to}, outputs);
  }
  MoveReport done{.kind = OrderKind::send_chunk};
  done.cursor = copy.cursor;
  done.is_copied = copy.is_copied;
  done.position = copy.tail;
  report(chunk.mover, done, record, now, outputs);
}

void StorageNode::send_log(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = order.record;
  const ShardCopy& copy = state_.copy(record.shard);
  if (!is_source_of(record) || order.after < copy.log_begin) {
    report(mover, {.kind = order.kind, .is_possible = false}, record, now, outputs);
    return;
  }
  LogBatch batch;
  batch.record = record;
  batch.mover = mover;
  batch.after = order.after;
  batch.source_tail = copy.tail;
  for (LogPosition position = next(order.after); position <= copy.tail && batch.count < batch.entries.size();
       position = next(position)) {
    Entry entry = copy.log[position - next(copy.log_begin)];
    if (entry.value.kind == ValueKind::absent && !decisions_.copies_tombstones()) {
      entry.has_cell = false;
    }
    if (!decisions_.copies_answered_requests()) {
      entry.request = RequestId{};
    }
    batch.entries[batch.count++] = entry;
  }
  outputs.cost = kCostOfEntry * batch.count;
  after(at(record.shard).last_write, Send{record.target, batch}, now, outputs);
}

void StorageNode::stage_log(const LogBatch& batch, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = batch.record;
  if (!is_staging(record)) {
    return;
  }
  const ShardCopy& copy = state_.copy(record.shard);
  outputs.cost = kCostOfEntry * batch.count;
  if (copy.is_copied && batch.after == copy.tail && batch.count > 0) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      stage(record.shard, batch.entries[i], ApplyCause::replay, record.move, now, outputs);
    }
    append_durably(StagingProgress{record.shard, copy.cursor, true, copy.tail + batch.count}, outputs);
  }
  MoveReport done{.kind = OrderKind::send_log};
  done.position = copy.tail;
  done.source_tail = batch.source_tail;
  done.digest = copy.digest;
  report(batch.mover, done, record, now, outputs);
}

// From here on nothing new is admitted; what was admitted is in the disk's order before the fence, so that once the
// fence is durable it has been answered, and the last admitted position is the barrier.
void StorageNode::fence(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = order.record;
  if (!is_source_of(record)) {
    report(mover, {.kind = order.kind, .is_possible = false}, record, now, outputs);
    return;
  }
  if (record.phase != MovePhase::fenced) {
    return;
  }
  const ShardCopy& copy = state_.copy(record.shard);
  Volatile& known = at(record.shard);
  if (copy.copy == CopyState::owned) {
    append_durably(FenceSet{record.shard, record.move, copy.tail}, outputs);
    known.is_draining = decisions_.stops_admission_when_asked();
    arm_fence_timer(record.shard, now, outputs);
  }
  if (decisions_.drains_before_barrier()) {
    after(appended_, Fenced{record.shard, record.move, mover, copy.tail, copy.digest}, now, outputs);
  } else {
    Pending at_once = Fenced{record.shard, record.move, mover, known.durable_tail, known.durable_digest};
    carry_out(at_once, now, outputs);
  }
}

void StorageNode::arm_fence_timer(ShardId shard, Instant now, ClusterOutputs& outputs) {
  outputs.wake_at(now + options_.fence_timeout, TimerToken{shard.value});
}

// The fence ran out: the source may only propose the abort. Whether it serves again is for the directory to say.
void StorageNode::on_fence_timeout(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  if (copy.copy != CopyState::fenced) {
    return;
  }
  if (decisions_.resumes_when_fence_expires()) {
    const MoveId move = copy.move;
    append_durably(FenceLifted{shard, move}, outputs);
    after(appended_, Unfenced{shard, move}, now, outputs);
    return;
  }
  Command command;
  command.kind = CommandKind::abort_move;
  command.shard = shard;
  command.move = copy.move;
  command.planned_on = copy.held_epoch;
  outputs.send(Roles(options_).directory(), command);
  arm_fence_timer(shard, now, outputs);
}

void StorageNode::clean_up(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = order.record;
  const ShardCopy& copy = state_.copy(record.shard);
  if (copy.copy == CopyState::retained) {
    const bool is_cutover_confirmed = copy.known.phase == MovePhase::cleaning && copy.known.owner != self_;
    const bool is_retention_over = now >= at(record.shard).learnt_switch_at + options_.retention;
    if (!decisions_.may_clean_up(is_cutover_confirmed, is_retention_over)) {
      return;  // the mover asks again
    }
    drop_copy(record.shard, record.move, record.range, now, outputs);
  }
  report(mover, {.kind = order.kind}, record, now, outputs);
}

// The abort is committed: the source's fence has been lifted and the target's copy dropped by learning of it, or there
// was nothing to undo.
void StorageNode::undo(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(order.record.shard);
  const bool is_left = copy.move == order.record.move && (copy.copy == CopyState::fenced || is_staging(order.record));
  if (!is_left) {
    report(mover, {.kind = order.kind}, order.record, now, outputs);
  }
}

void StorageNode::drop_copy(ShardId shard, MoveId move, KeyRange range, Instant now, ClusterOutputs& outputs) {
  const KeyRange keys = decisions_.keys_to_erase(range);
  std::vector<Key> erased;
  for (Key key = keys.lo; key < keys.hi; key = next(key)) {
    if (key.value < options_.keys && state_.cell(key).exists()) {
      erased.push_back(key);
    }
  }
  append_durably(CopyDropped{shard, move, keys}, outputs);
  for (const Key key : erased) {
    after(appended_, Observation{KeyErased{shard, key, move}}, now, outputs);
  }
  after(appended_, Observation{CopyRemoved{shard, range, move}}, now, outputs);
}

}  // namespace shardcheck::impl
