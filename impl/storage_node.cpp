#include "impl/storage_node.h"

#include <algorithm>

#include "impl/overloaded.h"
#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

constexpr TimerToken kTick{0xffffU};  // any smaller token is a timer of a move
constexpr Duration kCostOfMessage = microseconds(5);
constexpr std::uint32_t kTicksPerPoll = 2;

bool is_in(const ShardRecord& record, MovePhase phase) { return record.phase == phase; }

}  // namespace

StorageNode::StorageNode(const ClusterOptions& options, NodeId self)
    : options_(options), decisions_(options.mutant), self_(self) {}

void StorageNode::handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs) {
  link_.begin(input, now);
  std::visit(Overloaded{
                 [&](const Started<Record>& started) { start(started.durable, now, outputs); },
                 [&](const Received<Message>& received) {
                   outputs.cost = kCostOfMessage;
                   receive(received.from, received.message, now, outputs);
                 },
                 [&](const TimerFired& fired) {
                   if (fired.token == kTick) {
                     tick(now, outputs);
                   } else if (fired.token.value >= kDualWriteTimers) {
                     const auto shard = static_cast<std::uint16_t>(fired.token.value - kDualWriteTimers);
                     on_dual_write_timer(ShardId{shard}, now, outputs);
                   } else if (fired.token.value >= kForwardedTimers) {
                     const auto shard = static_cast<std::uint16_t>(fired.token.value - kForwardedTimers);
                     serve_all_forwarded(ShardId{shard}, now, outputs);
                   } else {
                     on_move_timer(fired.token, now, outputs);
                   }
                 },
                 [&](const Synced& synced) {
                   durable_ = synced.count;
                   release(now, outputs);
                 },
             },
             input);
}

// The one place that says whether this node may perform effects for a range, and until when.
std::optional<ServingClaim> StorageNode::claim(ShardId shard) const {
  const ShardCopy& copy = state_.copy(shard);
  const Volatile& now_known = at(shard);
  const bool is_owner = copy.copy == CopyState::owned && copy.held_epoch == copy.highest_seen();
  const bool is_before_barrier = copy.copy == CopyState::fenced && !now_known.is_barrier_confirmed;
  if (is_owner || is_before_barrier) {
    return ServingClaim{shard, copy.held, copy.held_epoch, now_known.lease_until};
  }
  if (copy.copy == CopyState::fenced && !decisions_.gives_up_lease_at_handover()) {
    return ServingClaim{shard, copy.known.range, copy.held_epoch, now_known.lease_until};
  }
  if (copy.copy == CopyState::staging && copy.is_copied && decisions_.serves_when_copied()) {
    return ServingClaim{shard, copy.known.range, copy.known.epoch, Instant{INT64_MAX}};
  }
  if (copy.copy == CopyState::retained && !decisions_.compares_epochs()) {
    return ServingClaim{shard, copy.known.range, copy.known.source_epoch, Instant{INT64_MAX}};
  }
  return std::nullopt;
}

// A persisted epoch is trusted, a persisted lease is not: the node asks for a new one before it serves.
void StorageNode::start(std::span<const Record> durable, Instant now, ClusterOutputs& outputs) {
  state_ = StorageState(options_, self_);
  volatile_.assign(options_.shard_ids(), Volatile{});
  pending_ = {};
  link_ = DirectoryLink(options_, now);
  appended_ = durable_ = durable.size();
  for (const Record& record : durable) {
    state_.apply(record);
  }
  if (!state_.is_formatted()) {
    append_durably(Formatted{}, outputs);
  }
  for (const ShardCopy& copy : state_.copies()) {
    const ShardId shard = copy.known.shard;
    at(shard).learnt_switch_at = now;
    at(shard).durable_tail = copy.tail;
    at(shard).durable_digest = copy.digest;
    if (copy.copy == CopyState::staging && copy.is_copied) {
      outputs.observe(Replayed{copy.move, shard, LogPosition{}, copy.tail});  // it may not have been told before
    }
    if (decisions_.trusts_lease_found_on_disk()) {
      at(shard).lease_until = copy.lease_on_disk;
    }
    if (copy.copy == CopyState::fenced && !decisions_.remembers_fence()) {
      append_durably(FenceLifted{shard, copy.move}, outputs);
    } else if (copy.copy == CopyState::fenced) {
      at(shard).is_draining = at(shard).is_barrier_confirmed = true;
      arm_fence_timer(shard, now, outputs);
    }
    if (copy.note.kind == ReshapeKind::split) {
      outputs.observe(OwnerSplit{shard, copy.note.at, copy.held_epoch});
    }
    resume_capture(copy, now, outputs);
  }
  tick(now, outputs);
}

void StorageNode::tick(Instant now, ClusterOutputs& outputs) {
  ask_for_leases(now, outputs);
  if (ticks_++ % kTicksPerPoll == 0) {
    link_.poll({}, outputs);
  }
  outputs.wake_at(now + options_.lease_duration / 3, kTick);
}

void StorageNode::ask_for_leases(Instant now, ClusterOutputs& outputs) {
  for (const ShardCopy& copy : state_.copies()) {
    const bool holds_grant = copy.held_epoch != Epoch{} && copy.held_epoch == copy.highest_seen();
    if (holds_grant) {
      link_.send(Renew{copy.known.shard, copy.held_epoch, now}, outputs);
    }
    report_if_lost(copy.known.shard, outputs);
    propose(copy.known.shard, outputs);
  }
}

void StorageNode::receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs) {
  std::visit(Overloaded{
                 [&](const Request& it) { serve(from, it, now, outputs); },
                 [&](const RecordUpdate& it) {
                   learn_pair(it.record, it.changed_at, it.sibling, now, outputs);
                   if (!link_.take_in(it)) {
                     link_.catch_up(outputs);
                   }
                 },
                 [&](const CommandResult& it) {
                   learn_pair(it.record, it.changed_at, it.sibling, now, outputs);
                   drop_refused_note(it, outputs);
                 },
                 [&](const ReshapeOrder& it) { note_reshape(it, now, outputs); },
                 [&](const Renewed& it) { on_renewed(it, now, outputs); },
                 [&](const NotLeader& it) {
                   if (link_.turned_away(from, it)) {
                     ask_for_leases(now, outputs);
                     link_.poll({}, outputs);
                   }
                 },
                 [&](const MoveOrder& it) {
                   learn(it.record, it.changed_at, now, outputs);
                   obey(from, it, now, outputs);
                 },
                 [&](const Chunk& it) { stage_chunk(it, now, outputs); },
                 [&](const LogBatch& it) { stage_log(it, now, outputs); },
                 [&](const ForwardedRequest& it) { take_forwarded(it, now, outputs); },
                 [&](const DualWrites& it) { stage_dual_writes(it, now, outputs); },
                 [&](const DualWritesStaged& it) { on_dual_writes_staged(it, now, outputs); },
                 [](const auto&) {},  // not for a storage node
             },
             message);
}

void StorageNode::on_renewed(const Renewed& renewed, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(renewed.shard);
  if (copy.held_epoch != renewed.epoch) {
    return;
  }
  const Instant until = decisions_.trusted_until(renewed.until, now, options_.lease_duration);
  if (until > at(renewed.shard).lease_until) {
    at(renewed.shard).lease_until = until;
    append(LeaseNoted{renewed.shard, until}, outputs);
    outputs.observe(LeaseHeld{renewed.shard, renewed.epoch, until});
  }
}

// Takes in a record if it is newer than what is known. Whatever the node then says about epochs waits until it is
// durable, so that no crash can make it take its words back.
void StorageNode::learn(const ShardRecord& record, DirectoryPosition changed_at, Instant now, ClusterOutputs& outputs) {
  const ShardId shard = record.shard;
  const ShardCopy& copy = state_.copy(shard);
  if (is_of_reshape(record, changed_at, now, outputs)) {
    return;
  }
  if (changed_at > copy.changed_at) {
    const bool is_granted =
        record.owner == self_ && record.epoch > copy.held_epoch && copy.copy == CopyState::staging && copy.is_copied;
    const bool was_owner = copy.held_epoch != Epoch{};
    const KnowsRecord knows{record, changed_at, is_granted};
    if (decisions_.keeps_epochs_on_disk() || is_granted) {
      append_durably(knows, outputs);
    } else {
      state_.apply(knows);
    }
    at(shard).last_epoch = appended_;
    if (is_granted) {
      at(shard).is_draining = at(shard).is_barrier_confirmed = false;
      after(appended_, TookUp{shard, record.epoch, record.lease_until}, now, outputs);
    }
    if (was_owner && copy.copy == CopyState::retained) {
      at(shard).lease_until = Instant{};
      at(shard).learnt_switch_at = now;
    }
    drop_dead_notes(shard, outputs);
  }
  const bool is_aborted = is_in(copy.known, MovePhase::aborted) && copy.known.move == copy.move;
  if (copy.copy == CopyState::fenced && is_aborted && decisions_.lifts_fence_on_abort()) {
    const MoveId move = copy.move;
    append_durably(FenceLifted{shard, move}, outputs);
    after(appended_, Unfenced{shard, move}, now, outputs);
  }
  end_capture_if_over(shard, now, outputs);
  end_staging_if_over(shard, now, outputs);
  report_if_lost(shard, outputs);
}

// The directory says the range is ours, and there is no copy that could be: the disk that had it is gone (a copy that
// an overtaken order began afterwards is none). Said again and again, until the directory has heard it.
void StorageNode::report_if_lost(ShardId shard, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  const bool is_usable = copy.copy && copy.copy != CopyState::staging;
  if (copy.known.owner != self_ || is_usable || copy.known.is_data_lost || copy.known.is_removed()) {
    return;
  }
  Command command;
  command.kind = CommandKind::report_lost;
  command.shard = shard;
  command.planned_on = copy.known.epoch;
  link_.send(command, outputs);
}

// A staged copy whose move is over, and which was not taken up, is residue.
void StorageNode::end_staging_if_over(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  if (copy.copy != CopyState::staging || !decisions_.drops_copy_on_abort()) {
    return;
  }
  const bool is_over = copy.known.move != copy.move || is_in(copy.known, MovePhase::aborted);
  if ((is_over && copy.known.owner != self_) || copy.known.is_data_lost) {
    drop_copy(shard, copy.move, copy.held, now, outputs);
  }
}

void StorageNode::append(const Record& record, ClusterOutputs& outputs) {
  outputs.append(record);
  ++appended_;
  state_.apply(record);
}

void StorageNode::append_durably(const Record& record, ClusterOutputs& outputs) {
  append(record, outputs);
  outputs.wants_sync = true;
}

// Waits for `needed_records` to be durable, and for everything that was to be done before.
void StorageNode::after(std::uint64_t needed_records, Pending pending, Instant now, ClusterOutputs& outputs) {
  pending_.add(std::max(needed_records, pending_.last_needed()), std::move(pending));
  release(now, outputs);
}

void StorageNode::release(Instant now, ClusterOutputs& outputs) {
  while (pending_.has_ready(durable_)) {
    Pending pending = pending_.take();
    carry_out(pending, now, outputs);
  }
}

void StorageNode::carry_out(Pending& pending, Instant now, ClusterOutputs& outputs) {
  std::visit(Overloaded{
                 [&](const Effect& it) {
                   if (!waits_for_target(it, now, outputs)) {
                     perform(it, now, outputs);
                   }
                 },
                 [&](const Send& it) { outputs.send(it.to, it.message); },
                 [&](const Observation& it) { outputs.observe(it); },
                 [&](const Written& it) {
                   outputs.observe(it.applied);
                   at(it.applied.shard).durable_tail = it.tail;
                   at(it.applied.shard).durable_digest = it.digest;
                 },
                 [&](const TookUp& it) {
                   if (state_.copy(it.shard).held_epoch == it.epoch && it.lease_until > at(it.shard).lease_until) {
                     at(it.shard).lease_until = it.lease_until;
                     outputs.observe(LeaseHeld{it.shard, it.epoch, it.lease_until});
                   }
                   if (!at(it.shard).forwarded.empty()) {
                     outputs.wake_at(now, TimerToken{kForwardedTimers + it.shard.value});
                   }
                 },
                 [&](const Fenced& it) {
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
                 },
                 [&](const Unfenced& it) {
                   if (state_.copy(it.shard).copy == CopyState::owned) {
                     at(it.shard).is_draining = at(it.shard).is_barrier_confirmed = false;
                   }
                 },
                 [&](const Propose& it) {
                   const ShardCopy& copy = state_.copy(it.shard);
                   if (copy.note.kind == ReshapeKind::split) {
                     outputs.observe(OwnerSplit{it.shard, copy.note.at, copy.held_epoch});
                   }
                   propose(it.shard, outputs);
                 },
                 [&](const Reshape& it) { reshape(it.shard, now, outputs); },
             },
             pending);
}

}  // namespace shardcheck::impl
