// The target's side of a move: a staged copy that grows by chunks and by replay, and that nobody may read before the
// grant. Chunks and batches may come early, late or twice: newer versions win, progress advances only in order.
#include "impl/storage_node.h"

namespace shardcheck::impl {

// A copy is begun in the first phase, and anew when the log behind an earlier one is gone.
void StorageNode::prepare_target(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = order.record;
  if (record.target != self_) {
    return;
  }
  const ShardCopy& copy = state_.copy(record.shard);
  const bool has_begun = is_staging(record);
  // It had begun, so the copy was lost with a disk: what was said to be durable here no longer is.
  const bool is_lost = !has_begun && record.phase != MovePhase::preparing;
  if (is_lost || (!has_begun && !has_room_for(record))) {
    report(mover, {.kind = order.kind, .is_possible = false}, record, now, outputs);
    return;
  }
  if (!has_begun || (order.attempt > copy.attempt && record.phase < MovePhase::fenced)) {
    if (!has_begun && !make_room(order, now, outputs)) {
      return;
    }
    begin_copy(record, order.attempt, now, outputs);
  }
  MoveReport done{.kind = order.kind};
  done.attempt = copy.attempt;
  done.cursor = copy.cursor;
  done.is_copied = copy.is_copied;
  done.position = copy.tail;
  report(mover, done, record, now, outputs);
}

// Old copies that wait for their cleanup take room as well.
bool StorageNode::has_room_for(const ShardRecord& record) const {
  std::uint32_t keys = record.range.hi.value - record.range.lo.value;
  for (const ShardCopy& copy : state_.copies()) {
    if (copy.copy && copy.known.shard != record.shard) {
      keys += copy.held.hi.value - copy.held.lo.value;
    }
  }
  return takes_copies() && (options_.node_keys_max == 0 || keys <= options_.node_keys_max);
}

void StorageNode::begin_copy(const ShardRecord& record, std::uint8_t attempt, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(record.shard);
  if (copy.copy == CopyState::staging && copy.move == record.move) {
    erase_copy(record.shard, record.move, copy.held, now, outputs);  // this copy goes on, only empty
  } else if (copy.copy) {
    drop_copy(record.shard, copy.move, copy.held, now, outputs);
  }
  append_durably(StagingBegun{record, attempt}, outputs);
  after(appended_, Observation{CopyCreated{record.shard, record.range, record.move}}, now, outputs);
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

// The move goes on as far as is known here, but what was prepared for it is gone, and no repetition brings it back.
void StorageNode::refuse_replay(NodeId mover, OrderKind kind, const ShardRecord& record, Instant now,
                                ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(record.shard);
  if (!copy.copy && copy.known.move == record.move && copy.known.target == self_ &&
      is_before_switch(copy.known.phase)) {
    report(mover, {.kind = kind, .is_possible = false}, record, now, outputs);
  }
}

void StorageNode::stage_chunk(const Chunk& chunk, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = chunk.record;
  if (!is_staging(record)) {
    refuse_replay(chunk.mover, OrderKind::send_chunk, record, now, outputs);
    return;
  }
  const ShardCopy& copy = state_.copy(record.shard);
  outputs.cost = options_.moved_entry_cost * chunk.count;
  // A chunk that comes late or twice is taken in as well: what is newer here stays.
  for (std::size_t i = 0; i < chunk.count; ++i) {
    stage(record.shard, chunk.entries[i], ApplyCause::backfill, record.move, now, outputs);
  }
  if (chunk.begin == copy.cursor && !copy.is_copied && chunk.attempt == copy.attempt) {
    const bool is_first = copy.cursor == CopyCursor{};
    LogPosition replayed_to = is_first ? decisions_.replay_after(chunk.snapshot) : copy.tail;
    if (chunk.is_last) {
      replayed_to = apply_staged_dual_writes(record, replayed_to, now, outputs);
    }
    append_durably(StagingProgress{record.shard, chunk.next, chunk.is_last, replayed_to}, outputs);
  }
  MoveReport done{.kind = OrderKind::send_chunk};
  done.attempt = copy.attempt;
  done.cursor = copy.cursor;
  done.is_copied = copy.is_copied;
  done.position = copy.tail;
  report(chunk.mover, done, record, now, outputs);
}

void StorageNode::stage_log(const LogBatch& batch, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = batch.record;
  if (!is_staging(record)) {
    refuse_replay(batch.mover, OrderKind::send_log, record, now, outputs);
    return;
  }
  const ShardCopy& copy = state_.copy(record.shard);
  outputs.cost = options_.moved_entry_cost * batch.count;
  const bool follows = batch.after == copy.tail || (batch.after > copy.tail && decisions_.replays_over_gap());
  if (copy.is_copied && follows && batch.count > 0) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      stage(record.shard, batch.entries[i], ApplyCause::replay, record.move, now, outputs);
    }
    const LogPosition replayed_to = batch.after + batch.count;
    append_durably(StagingProgress{record.shard, copy.cursor, true, replayed_to}, outputs);
    after(appended_, Observation{Replayed{record.move, record.shard, batch.after, replayed_to}}, now, outputs);
  }
  MoveReport done{.kind = OrderKind::send_log};
  done.attempt = copy.attempt;
  done.position = copy.tail;
  done.source_tail = batch.source_tail;
  done.digest = copy.digest;
  report(batch.mover, done, record, now, outputs);
}

}  // namespace shardcheck::impl
