// The source's side of a move: the snapshot's position, chunks, the log behind them, the fence. The directory alone
// says whether a fenced source serves again.
#include <algorithm>

#include "impl/storage_node.h"
#include "spec/assert.h"

namespace shardcheck::impl {

// The log is kept from the snapshot on for as long as the copy may need it. Whoever asks again for the same move is
// told the same snapshot, unless the log behind it is gone.
void StorageNode::open_capture(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = order.record;
  if (!is_source_of(record)) {
    report(mover, {.kind = order.kind, .is_possible = false}, record, now, outputs);
    return;
  }
  const ShardCopy& copy = state_.copy(record.shard);
  const bool is_dual = record.how.mode == MoveMode::dual_write;
  if (copy.pinned_for != record.move || copy.pinned_at < copy.log_begin) {
    append_durably(CapturePinned{record.shard, record.move, is_dual ? begin_capture(record, outputs) : copy.tail},
                   outputs);
  }
  after(appended_, Observation{shardcheck::CaptureOpened{record.move, record.shard, copy.pinned_at}}, now, outputs);
  MoveReport done{.kind = order.kind};
  done.attempt = order.attempt;
  done.position = is_dual ? begin_capture(record, outputs) : copy.pinned_at;
  report(mover, done, record, now, outputs);
}

bool StorageNode::needs_log_for_copy(const ShardCopy& copy) const {
  const bool is_copying = copy.known.phase >= MovePhase::preparing && copy.known.phase <= MovePhase::fenced;
  return is_copying && copy.pinned_for == copy.known.move && decisions_.keeps_log_for_copy();
}

// A log is bounded, whoever needs it: a copy that is too slow has to begin anew.
void StorageNode::trim_log(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  const std::uint64_t entries = copy.log.size();
  if (entries < std::uint64_t{2} * options_.log_kept) {
    return;
  }
  const bool is_dual = copy.known.how.mode == MoveMode::dual_write;  // these are sent from the log
  LogPosition up_to = copy.log_begin + (entries - options_.log_kept);
  const bool is_in_bound = entries <= options_.log_max;
  if (needs_log_for_copy(copy) && (is_in_bound || is_dual)) {
    up_to = std::min(up_to, copy.pinned_at);
  }
  if (is_in_bound) {
    up_to = at(shard).followers.need_after(up_to);
  }
  if (up_to > copy.log_begin) {
    append_durably(LogCut{shard, up_to}, outputs);
    after(appended_, Observation{LogTrimmed{shard, up_to, entries}}, now, outputs);
  }
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
  chunk.attempt = order.attempt;
  const KeyRange range = decisions_.keys_to_copy(record.range);
  const std::uint32_t keys = range.hi.value - range.lo.value;
  const std::uint32_t end = keys + options_.clients;
  std::uint32_t cursor = order.cursor.value;
  for (; cursor < end && chunk.count < chunk.entries.size(); ++cursor) {
    Entry entry;
    if (cursor < keys) {
      entry.key = Key{range.lo.value + cursor};
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
  chunk.is_last = cursor >= end && (chunk.count > 0 || decisions_.completes_empty_copy());
  outputs.cost = options_.moved_entry_cost * chunk.count;
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
  if (!is_source_of(record)) {
    report(mover, {.kind = order.kind, .is_possible = false}, record, now, outputs);
    return;
  }
  if (order.after < copy.log_begin && !decisions_.replays_over_gap()) {
    MoveReport trimmed{.kind = order.kind};
    trimmed.is_trimmed = true;
    trimmed.attempt = order.attempt;
    trimmed.position = order.after;
    report(mover, trimmed, record, now, outputs);
    return;
  }
  at(record.shard).throttled_for = order.is_throttled ? record.move : MoveId{};
  LogBatch batch;
  batch.record = record;
  batch.mover = mover;
  batch.after = std::max(order.after, copy.log_begin);
  batch.attempt = order.attempt;
  batch.source_tail = copy.tail;
  const LogPosition end = record.how.mode == MoveMode::dual_write ? order.after : copy.tail;
  for (LogPosition position = next(batch.after); position <= end && batch.count < batch.entries.size();
       position = next(position)) {
    batch.entries[batch.count++] = entry_to_send(copy, position);
  }
  outputs.cost = options_.moved_entry_cost * batch.count;
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
    outputs.observe(AdmissionStopped{record.move, record.shard});
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

// Everything admitted is answered: the node performs no effect any more.
void StorageNode::confirm_barrier(const Fenced& it, Instant now, ClusterOutputs& outputs) {
  if (state_.copy(it.shard).copy != CopyState::fenced || state_.copy(it.shard).move != it.move) {
    return;
  }
  if (waits_for_target(it)) {
    return;
  }
  at(it.shard).is_draining = at(it.shard).is_barrier_confirmed = true;
  outputs.observe(BarrierConfirmed{it.move, it.shard, it.barrier});
  MoveReport done;
  done.kind = OrderKind::fence;
  done.position = it.barrier;
  done.digest = it.digest;
  report(it.mover, done, state_.copy(it.shard).known, now, outputs);
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
  if (decisions_.cleans_up_when_fence_expires()) {
    drop_copy(shard, copy.move, copy.held, now, outputs);
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
