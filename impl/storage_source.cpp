// The source's side of a move: the snapshot's position, chunks, the log behind them, the fence. The directory alone
// says whether a fenced source serves again.
#include "impl/storage_node.h"
#include "spec/assert.h"

namespace shardcheck::impl {

// The whole log since the grant is kept, so the snapshot's position is all that a capture needs; dual writes begin
// there.
void StorageNode::open_capture(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  MoveReport done{.kind = order.kind};
  done.is_possible = is_source_of(order.record);
  done.position = state_.copy(order.record.shard).tail;
  if (done.is_possible && order.record.how.mode == MoveMode::dual_write) {
    done.position = begin_capture(order.record, outputs);
  }
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
  outputs.cost = kCostOfMovedEntry * chunk.count;
  after(at(record.shard).last_write, Send{record.target, chunk}, now, outputs);
  if (chunk.is_last && decisions_.cleans_up_when_copied()) {
    drop_copy(record.shard, record.move, record.range, now, outputs);
  }
}

Entry StorageNode::entry_to_send(const ShardCopy& copy, LogPosition position) const {
  Entry entry = copy.log[position - next(copy.log_begin)];
  if (entry.value.kind == ValueKind::absent && !decisions_.copies_tombstones()) {
    entry.has_cell = false;
  }
  if (!decisions_.copies_answered_requests()) {
    entry.request = RequestId{};
  }
  return entry;
}

// Dual writes bring the log by themselves: then this only asks the target how far it is.
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
  const LogPosition end = record.how.mode == MoveMode::dual_write ? order.after : copy.tail;
  for (LogPosition position = next(order.after); position <= end && batch.count < batch.entries.size();
       position = next(position)) {
    batch.entries[batch.count++] = entry_to_send(copy, position);
  }
  outputs.cost = kCostOfMovedEntry * batch.count;
  after(at(record.shard).last_write, Send{record.target, batch}, now, outputs);
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
  link_.send(command, outputs);
  arm_fence_timer(shard, now, outputs);
}

}  // namespace shardcheck::impl
