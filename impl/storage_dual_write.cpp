// Dual writes, the second mode of a move. From the opening of the capture on, the source sends each write that it
// executed to the target, in the order of its log, and answers its client only when the target has it on disk. The
// target keeps such writes by position while the copy runs, and applies them when the copy has covered every key; from
// then on it applies them as they come. So when the source is fenced nothing is left to replay.
//
//   source                                     target
//   writes, positions 8 and 9, durable    ->   after 7: 8, 9
//   answers both clients                  <-   has everything up to 9 on disk
//
// What is lost on the way is sent again from where the target says it is. A target that says nothing for too long costs
// the move: the source proposes its abort, and stops waiting only when that is committed. Until then the writes stay
// where they are, in its log, and their clients without an answer.
#include <algorithm>

#include "impl/storage_node.h"

namespace shardcheck::impl {

bool StorageNode::captures(const ShardCopy& copy) const {
  return copy.captured_for != MoveId{} && copy.captured_for == copy.known.move && is_before_switch(copy.known.phase) &&
         is_source_of(copy.known);
}

// One capture for a move, however many movers ask: every copy begins with the same snapshot.
LogPosition StorageNode::begin_capture(const ShardRecord& record, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(record.shard);
  const bool is_nothing_there = copy.digest.values == 0 && copy.digest.tombstones == 0;
  if (copy.captured_for != record.move && decisions_.installs_capture(is_nothing_there)) {
    append_durably(CaptureOpened{record.shard, record.move, copy.tail}, outputs);
    begin_sending(copy);
  }
  return copy.captured_for == record.move ? copy.captured_after : copy.tail;
}

void StorageNode::begin_sending(const ShardCopy& copy) {
  DualWriting& sending = at(copy.known.shard).dual_writing;
  sending = DualWriting{};
  sending.staged_to = sending.sent_to = sending.durable_to = copy.captured_after;
}

// After a restart nobody knows how much the target has: it says so when it is sent anything.
void StorageNode::resume_capture(const ShardCopy& copy, Instant now, ClusterOutputs& outputs) {
  if (captures(copy)) {
    begin_sending(copy);
    at(copy.known.shard).dual_writing.durable_to = copy.tail;
    at(copy.known.shard).dual_writing.waits_since = now;
    send_dual_writes(copy, now, outputs);
  }
}

// What an effect rests on is durable here. Does it have to wait for the target as well?
bool StorageNode::waits_for_target(const Effect& effect, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(effect.shard);
  if (effect.position == LogPosition{} || !captures(copy)) {
    return false;
  }
  DualWriting& sending = at(effect.shard).dual_writing;
  if (sending.staged_to >= sending.durable_to) {
    sending.waits_since = now;
  }
  sending.durable_to = std::max(sending.durable_to, effect.position);
  send_dual_writes(copy, now, outputs);
  if (effect.position <= sending.staged_to || !decisions_.waits_for_staging()) {
    return false;
  }
  sending.held.push_back(effect);
  return true;
}

bool StorageNode::waits_for_target(const Fenced& fenced) {
  const bool waits = captures(state_.copy(fenced.shard)) && decisions_.waits_for_staging() &&
                     at(fenced.shard).dual_writing.staged_to < fenced.barrier;
  if (waits) {
    at(fenced.shard).dual_writing.fenced = fenced;
  }
  return waits;
}

void StorageNode::send_dual_writes(const ShardCopy& copy, Instant now, ClusterOutputs& outputs) {
  DualWriting& sending = at(copy.known.shard).dual_writing;
  while (sending.sent_to < sending.durable_to && sending.sent_to - sending.staged_to < options_.dual_writes_ahead_max) {
    if (sending.sent_to < copy.log_begin) {
      propose_abort(copy, outputs);  // the log does not go back so far: the target can never have it all
      return;
    }
    DualWrites batch;
    batch.record = copy.known;
    batch.snapshot = copy.captured_after;
    batch.after = sending.sent_to;
    for (; sending.sent_to < sending.durable_to && batch.count < batch.entries.size(); ++batch.count) {
      sending.sent_to = next(sending.sent_to);
      batch.entries[batch.count] = entry_to_send(copy, sending.sent_to);
    }
    outputs.cost = outputs.cost + options_.moved_entry_cost * batch.count;
    outputs.send(copy.known.target, batch);
  }
  if (!sending.is_timer_set && sending.staged_to < sending.durable_to) {
    sending.is_timer_set = true;
    outputs.wake_at(now + options_.dual_write_resend, TimerToken{kDualWriteTimers + copy.known.shard.value});
  }
}

void StorageNode::on_dual_writes_staged(const DualWritesStaged& staged, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(staged.shard);
  if (!captures(copy) || copy.captured_for != staged.move) {
    return;
  }
  DualWriting& sending = at(staged.shard).dual_writing;
  if (staged.staged_to > sending.staged_to) {
    sending.staged_to = std::min(staged.staged_to, sending.durable_to);
    sending.sent_to = std::max(sending.sent_to, sending.staged_to);
    sending.waits_since = now;
    release_held(staged.shard, sending.staged_to, now, outputs);
  } else if (staged.has_gap) {
    // Even when it has less than it had: a disk may be lost. An old answer costs no more than sending again.
    sending.staged_to = sending.sent_to = std::max(staged.staged_to, copy.captured_after);
  }
  send_dual_writes(copy, now, outputs);
}

void StorageNode::on_dual_write_timer(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  DualWriting& sending = at(shard).dual_writing;
  sending.is_timer_set = false;
  if (!captures(copy) || sending.staged_to >= sending.durable_to) {
    return;
  }
  if (now >= sending.waits_since + options_.dual_write_timeout) {
    propose_abort(copy, outputs);
  }
  sending.sent_to = sending.staged_to;
  send_dual_writes(copy, now, outputs);
}

void StorageNode::propose_abort(const ShardCopy& copy, ClusterOutputs& outputs) {
  Command command;
  command.kind = CommandKind::abort_move;
  command.shard = copy.known.shard;
  command.move = copy.known.move;
  command.planned_on = copy.held_epoch;
  link_.send(command, outputs);
}

// Everything up to `up_to` may be answered.
void StorageNode::release_held(ShardId shard, LogPosition up_to, Instant now, ClusterOutputs& outputs) {
  DualWriting& sending = at(shard).dual_writing;
  std::vector<Effect> ready;
  for (const Effect& effect : sending.held) {
    if (effect.position <= up_to) {
      ready.push_back(effect);
    }
  }
  std::erase_if(sending.held, [&](const Effect& it) { return it.position <= up_to; });
  for (const Effect& effect : ready) {
    perform(effect, now, outputs);
  }
  if (sending.fenced && sending.fenced->barrier <= up_to) {
    Pending fenced = *sending.fenced;
    sending.fenced.reset();
    carry_out(fenced, now, outputs);
  }
}

// The directory decided the move. After an abort the source answers by itself again; after a commit it holds no grant,
// and performing says so.
void StorageNode::end_capture_if_over(ShardId shard, Instant now, ClusterOutputs& outputs) {
  DualWriting& sending = at(shard).dual_writing;
  if (captures(state_.copy(shard)) || (sending.held.empty() && !sending.fenced)) {
    return;
  }
  sending.fenced.reset();
  release_held(shard, LogPosition{UINT64_MAX}, now, outputs);
}

void StorageNode::stage_dual_writes(const DualWrites& batch, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = batch.record;
  if (!is_staging(record)) {
    return;
  }
  const ShardCopy& copy = state_.copy(record.shard);
  const bool has_begun = copy.cursor != CopyCursor{} || !copy.log.empty();
  LogPosition staged_to = has_begun ? copy.staged_to() : batch.snapshot;
  const bool has_gap = batch.after > staged_to;
  outputs.cost = options_.moved_entry_cost * batch.count;
  for (std::size_t i = 0; i < batch.count && !has_gap; ++i) {
    const LogPosition position = batch.after + (i + 1);
    if (position != next(staged_to)) {
      continue;  // it has that one
    }
    if (copy.log.size() >= options_.dual_writes_staged_max) {
      break;
    }
    stage_dual_write(record, batch.entries[i], staged_to, now, outputs);
    staged_to = position;
  }
  const DualWritesStaged staged{record.shard, record.move, staged_to, has_gap};
  if (decisions_.stages_before_it_says_so()) {
    after(appended_, Send{record.source, staged}, now, outputs);
    outputs.wants_sync = outputs.wants_sync || durable_ < appended_;
  } else {
    outputs.send(record.source, staged);
  }
}

void StorageNode::stage_dual_write(const ShardRecord& record, const Entry& entry, LogPosition after_position,
                                   Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(record.shard);
  if (copy.is_copied) {
    const StagingProgress progress{record.shard, copy.cursor, true, next(after_position)};
    if (decisions_.stages_before_it_says_so()) {
      stage(record.shard, entry, ApplyCause::dual_write, record.move, now, outputs);
      append_durably(progress, outputs);
    } else {
      append(Staged{record.shard, ApplyCause::dual_write, entry}, outputs);  // on disk whenever something else is
      append(progress, outputs);
    }
    return;
  }
  const DualWriteStaged staged{record.shard, after_position, entry};
  if (decisions_.stages_before_it_says_so()) {
    append_durably(staged, outputs);
  } else {
    state_.apply(staged);
  }
  if (decisions_.applies_before_covered()) {
    stage(record.shard, entry, ApplyCause::dual_write, record.move, now, outputs);
  }
}

// The last chunk has come, so every key is covered: what waits is applied in order. Returns the position reached.
LogPosition StorageNode::apply_staged_dual_writes(const ShardRecord& record, LogPosition replayed_to, Instant now,
                                                  ClusterOutputs& outputs) {
  const std::vector<Entry> staged = state_.copy(record.shard).log;
  LogPosition position = state_.copy(record.shard).log_begin;
  for (const Entry& entry : staged) {
    position = next(position);
    if (position > replayed_to && !decisions_.applies_before_covered()) {
      stage(record.shard, entry, ApplyCause::dual_write, record.move, now, outputs);
    }
  }
  return std::max(position, replayed_to);
}

}  // namespace shardcheck::impl
