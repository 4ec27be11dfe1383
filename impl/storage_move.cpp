// What both sides of a move have in common, at a storage node, and how a copy goes. Every order may come twice, late,
// or after its move is over: it is checked against what the node knows, and a repeated one is answered again. A report
// leaves only when what it says is durable.
#include "impl/storage_node.h"
#include "spec/assert.h"
#include "spec/key_model.h"

namespace shardcheck::impl {
namespace {

// Timers of moves: the ShardId alone is that of a fence, with one of these added another one.
constexpr std::uint32_t kLateCleanUp = 0x2000U;
constexpr std::uint32_t kThrottle = 0x1000U;
constexpr std::size_t kHeldBackMax = 16;

}  // namespace

void StorageNode::on_move_timer(TimerToken token, Instant now, ClusterOutputs& outputs) {
  const ShardId shard{static_cast<std::uint16_t>(token.value & ~(kLateCleanUp | kThrottle))};
  if ((token.value & kLateCleanUp) != 0) {
    clean_up_late(shard, now, outputs);
  } else if ((token.value & kThrottle) != 0) {
    let_one_pass(shard, now, outputs);
  } else {
    on_fence_timeout(shard, now, outputs);
  }
}

// While writes outrun the replay of a move, they are admitted one by one with a gap between them. True if this one
// waits now, or was sent away because too many do.
bool StorageNode::holds_back(NodeId router, const Request& request, const ShardCopy& copy, Instant now,
                             ClusterOutputs& outputs) {
  if (!is_throttled(copy) || !may_change_state(request.operation.kind)) {
    return false;
  }
  const ShardId shard = copy.known.shard;
  Volatile& known = at(shard);
  if (now >= known.next_write_at) {
    known.next_write_at = now + options_.throttle_gap;
    return false;
  }
  if (known.held_back.size() >= kHeldBackMax) {
    refuse(router, request, copy, Signal::transient, now, outputs);
    return true;
  }
  known.held_back.push_back({router, request, now, copy.known.move});
  outputs.wake_at(known.next_write_at, TimerToken{shard.value | kThrottle});
  return true;
}

bool StorageNode::is_throttled(const ShardCopy& copy) const {
  const MoveId move = at(copy.known.shard).throttled_for;
  return move != MoveId{} && move == copy.known.move && copy.known.phase == MovePhase::catching_up;
}

// Each write that is held back has a timer of its own, which lets the first of them pass, or is set again.
void StorageNode::let_one_pass(ShardId shard, Instant now, ClusterOutputs& outputs) {
  Volatile& known = at(shard);
  if (known.held_back.empty()) {
    return;
  }
  if (is_throttled(state_.copy(shard)) && now < known.next_write_at) {
    outputs.wake_at(known.next_write_at, TimerToken{shard.value | kThrottle});
    return;
  }
  const HeldBack first = known.held_back.front();
  known.held_back.erase(known.held_back.begin());
  count_throttled(shard, first, now, outputs);
  serve(first.router, first.request, now, outputs);
  tell_throttled_if_over(shard, outputs);
}

void StorageNode::count_throttled(ShardId shard, const HeldBack& passed, Instant now, ClusterOutputs& outputs) {
  Throttled& throttled = at(shard).throttled;
  throttled.move = passed.move;
  ++throttled.writes;
  throttled.added = throttled.added + (now - passed.since);
  outputs.observe(WriteThrottled{passed.move, shard, now - passed.since});
}

// When nothing waits any more that was held back for a move which is over.
void StorageNode::tell_throttled_if_over(ShardId shard, ClusterOutputs& outputs) {
  Volatile& known = at(shard);
  const ShardRecord& record = state_.copy(shard).known;
  const bool is_over = record.move != known.throttled.move || record.phase > MovePhase::fenced;
  if (known.throttled.writes > 0 && is_over && known.held_back.empty()) {
    outputs.observe(ThrottleEnded{known.throttled.move, shard, known.throttled.writes, known.throttled.added});
    known.throttled = {};
  }
}

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
  const bool is_older_mover = order.record.mover_epoch < now_known.mover_epoch && decisions_.refuses_older_movers();
  if (!is_current || is_older_mover) {
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
      if (decisions_.cleans_up_by_itself_later()) {
        const Instant late = at(record.shard).learnt_switch_at + options_.retention * 3;
        outputs.wake_at(late, TimerToken{record.shard.value | kLateCleanUp});
      }
      return;  // the mover asks again
    }
    if (decisions_.cleans_up_ever()) {
      drop_copy(record.shard, record.move, copy.held, now, outputs);
    }
  }
  report(mover, {.kind = order.kind}, record, now, outputs);
}

// Only a mutant sets that timer: it forgets its copy whatever has become of the range.
void StorageNode::clean_up_late(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  if (copy.copy) {
    drop_copy(shard, copy.move, copy.held, now, outputs);
  }
}

// The abort is committed: the source's fence has been lifted and the target's copy dropped by learning of it, or there
// was nothing to undo.
void StorageNode::undo(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(order.record.shard);
  const bool has_fence = copy.copy == CopyState::fenced && decisions_.lifts_fence_on_abort();
  const bool has_copy = copy.copy == CopyState::staging && decisions_.drops_copy_on_abort();
  if (copy.move != order.record.move || !(has_fence || has_copy)) {
    report(mover, {.kind = order.kind}, order.record, now, outputs);
  }
}

void StorageNode::drop_copy(ShardId shard, MoveId move, KeyRange range, Instant now, ClusterOutputs& outputs) {
  erase_copy(shard, move, range, now, outputs);
  after(appended_, Observation{CopyRemoved{shard, range, move}}, now, outputs);
}

void StorageNode::erase_copy(ShardId shard, MoveId move, KeyRange range, Instant now, ClusterOutputs& outputs) {
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
}

}  // namespace shardcheck::impl
