// The target's side of a move: a staged copy that grows by chunks and by replay, and that nobody may read before the
// grant. Chunks and batches may come early, late or twice: newer versions win, progress advances only in order.
#include "impl/storage_node.h"

namespace shardcheck::impl {

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
    if (!make_room(order, now, outputs)) {
      return;
    }
    const ShardCopy& copy = state_.copy(record.shard);
    if (copy.copy) {
      drop_copy(record.shard, copy.move, copy.held, now, outputs);
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
  outputs.cost = kCostOfMovedEntry * chunk.count;
  // A chunk that comes late or twice is taken in as well: what is newer here stays.
  for (std::size_t i = 0; i < chunk.count; ++i) {
    stage(record.shard, chunk.entries[i], ApplyCause::backfill, record.move, now, outputs);
  }
  if (chunk.begin == copy.cursor && !copy.is_copied) {
    const bool is_first = copy.cursor == CopyCursor{};
    LogPosition replayed_to = is_first ? decisions_.replay_after(chunk.snapshot) : copy.tail;
    if (chunk.is_last) {
      replayed_to = apply_staged_dual_writes(record, replayed_to, now, outputs);
    }
    append_durably(StagingProgress{record.shard, chunk.next, chunk.is_last, replayed_to}, outputs);
  }
  MoveReport done{.kind = OrderKind::send_chunk};
  done.cursor = copy.cursor;
  done.is_copied = copy.is_copied;
  done.position = copy.tail;
  report(chunk.mover, done, record, now, outputs);
}

void StorageNode::stage_log(const LogBatch& batch, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = batch.record;
  if (!is_staging(record)) {
    return;
  }
  const ShardCopy& copy = state_.copy(record.shard);
  outputs.cost = kCostOfMovedEntry * batch.count;
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

}  // namespace shardcheck::impl
