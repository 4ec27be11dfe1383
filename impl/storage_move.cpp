// What both sides of a move have in common, at a storage node, and how a copy goes. Every order may come twice, late,
// or after its move is over: it is checked against what the node knows, and a repeated one is answered again. A report
// leaves only when what it says is durable.
#include "impl/storage_node.h"
#include "spec/assert.h"

namespace shardcheck::impl {

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

void StorageNode::clean_up(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = order.record;
  const ShardCopy& copy = state_.copy(record.shard);
  if (copy.copy == CopyState::retained) {
    const bool is_cutover_confirmed = copy.known.phase == MovePhase::cleaning && copy.known.owner != self_;
    const bool is_retention_over = now >= at(record.shard).learnt_switch_at + options_.retention;
    if (!decisions_.may_clean_up(is_cutover_confirmed, is_retention_over)) {
      return;  // the mover asks again
    }
    drop_copy(record.shard, record.move, copy.held, now, outputs);
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
