#include "impl/storage_node.h"

#include <algorithm>

#include "impl/overloaded.h"
#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

constexpr TimerToken kTick{0xffffU};  // any smaller token but one is a timer of a range
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
                   } else if (fired.token == kReplicateAgain) {
                     replicate_again(now, outputs);
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
    const Instant until = decisions_.end_on_own_clock(now_known.lease_until, stepped_back_);
    return ServingClaim{shard, copy.held, copy.held_epoch, until};
  }
  if (copy.copy == CopyState::fenced && !decisions_.gives_up_lease_at_handover()) {
    return ServingClaim{shard, copy.known.range, copy.held_epoch, now_known.lease_until};
  }
  if (decisions_.believes_future_epochs() && copy.copy && copy.is_copied && copy.highest_seen() < now_known.believed) {
    return ServingClaim{shard, copy.known.range, copy.highest_seen(), Instant{INT64_MAX}};
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
  is_replicating_ = false;
  renewed_ = NodeRenewed{};
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
    if (copy.copy == CopyState::staging && !copy.is_copied && copy.cursor == CopyCursor{}) {
      outputs.observe(CopyCreated{shard, copy.held, copy.move, true});
    }
    if (copy.copy == CopyState::replica && !copy.is_copied) {
      outputs.observe(CopyCreated{shard, copy.held, MoveId{}, true});
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
    stop_for_note(copy);
    keep_followers(shard, true, now, outputs);
  }
  reshape_replicas(now, outputs);
  tick(now, outputs);
}

void StorageNode::tick(Instant now, ClusterOutputs& outputs) {
  ask_for_leases(now, outputs);
  if (ticks_++ % kTicksPerPoll == 0) {
    link_.poll({}, outputs);
    probe_followers(now, outputs);
  }
  outputs.wake_at(now + renewal_interval(), kTick);
}

void StorageNode::receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs) {
  std::visit(Overloaded{
                 [&](const Request& it) { serve(from, it, now, outputs); },
                 [&](const RecordUpdate& it) {
                   learn_pair(it.record, it.changed_at, it.sibling, now, outputs);
                   if (!link_.take_in(it)) {
                     link_.catch_up(outputs);
                   } else {
                     on_all_renewed(renewed_, now, outputs);
                   }
                 },
                 [&](const CommandResult& it) {
                   learn_pair(it.record, it.changed_at, it.sibling, now, outputs);
                   drop_refused_note(it, now, outputs);
                 },
                 [&](const Enlist& it) { append_durably(Enlisted{it.takes_copies}, outputs); },
                 [&](const ReshapeOrder& it) { note_reshape(it, now, outputs); },
                 [&](const Renewed& it) { on_renewed(it, now, outputs); },
                 [&](const NodeRenewed& it) { on_all_renewed(it, now, outputs); },
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
                 [&](const Replicate& it) { take_in(from, it, now, outputs); },
                 [&](const CopyPart& it) { take_in(from, it, now, outputs); },
                 [&](const FollowerReport& it) { on_standing(from, it, now, outputs); },
                 [](const auto&) {},  // not for a storage node
             },
             message);
}

// Takes in a record if it is newer than what is known. Whatever the node then says about epochs waits until it is
// durable, so that no crash can make it take its words back.
void StorageNode::learn(const ShardRecord& record, DirectoryPosition changed_at, Instant now, ClusterOutputs& outputs) {
  const ShardId shard = record.shard;
  const ShardCopy& copy = state_.copy(shard);
  if (is_of_reshape(record, changed_at, now, outputs)) {
    return;
  }
  const bool ends_grant = copy.held_epoch != Epoch{} && record.epoch > copy.held_epoch;
  if (ends_grant && changed_at > copy.changed_at && copy.note.kind != ReshapeKind::none) {
    drop_note(shard, now, outputs);
  }
  const DirectoryPosition known_before = copy.changed_at;
  if (changed_at > known_before) {
    // A member has everything that was acknowledged, and so does who was the owner before and stayed a member.
    const bool has_all = copy.holds_grant() || copy.is_copied;
    const bool is_granted = record.owner == self_ && record.range == copy.held && record.epoch > copy.held_epoch &&
                            copy.copy && copy.copy != CopyState::retained && has_all;
    const bool was_owner = copy.held_epoch != Epoch{};
    const KnowsRecord knows{record, changed_at, is_granted};
    if (decisions_.keeps_epochs_on_disk() || is_granted) {
      append_durably(knows, outputs);
    } else {
      state_.apply(knows);
    }
    at(shard).last_epoch = appended_;
    if (is_granted) {
      take_up(shard, now, outputs);
    }
    if (was_owner && !copy.holds_grant()) {
      at(shard).lease_until = Instant{};
      at(shard).learnt_switch_at = now;
      at(shard).is_draining = at(shard).is_barrier_confirmed = false;
    }
    drop_dead_notes(shard, now, outputs);
    follow_record(shard, known_before, now, outputs);
  }
  const bool is_aborted = is_in(copy.known, MovePhase::aborted) && copy.known.move == copy.move;
  if (copy.copy == CopyState::fenced && is_aborted && decisions_.lifts_fence_on_abort()) {
    const MoveId move = copy.move;
    append_durably(FenceLifted{shard, move}, outputs);
    after(appended_, Unfenced{shard, move}, now, outputs);
  }
  end_capture_if_over(shard, now, outputs);
  tell_throttled_if_over(shard, outputs);
  end_staging_if_over(shard, now, outputs);
  reshape_replicas(now, outputs);
  if (changed_at > known_before) {
    report_if_lost(shard, outputs);  // not of what it knew: a refusal of such a report would lead to the next one
  }
}

void StorageNode::take_up(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  at(shard).last_epoch = appended_;
  at(shard).followers.forget();  // under another grant nobody has agreed yet
  at(shard).durable_tail = copy.base.position;
  at(shard).is_draining = at(shard).is_barrier_confirmed = false;
  after(appended_, TookUp{shard, copy.held_epoch, copy.known.lease_until}, now, outputs);
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
                 [&](const Effect& it) { wait_for_followers(it.shard, {it.rests_on, it}, now, outputs); },
                 [&](const Send& it) { outputs.send(it.to, it.message); },
                 [&](const Observation& it) { outputs.observe(it); },
                 [&](const Written& it) {
                   if (it.has_cell) {
                     outputs.observe(it.applied);
                   }
                   at(it.applied.shard).durable_tail = it.tail;
                   at(it.applied.shard).durable_digest = it.digest;
                   replicate(it.applied.shard, now, outputs);
                 },
                 [&](const TookUp& it) {
                   if (state_.copy(it.shard).held_epoch == it.epoch) {
                     extend_lease(it.shard, it.epoch, it.lease_until, outputs);
                     renew_if_short(it.shard, now, outputs);
                   }
                   if (!at(it.shard).forwarded.empty()) {
                     outputs.wake_at(now, TimerToken{kForwardedTimers + it.shard.value});
                   }
                 },
                 [&](const Fenced& it) { wait_for_followers(it.shard, {it.barrier, it}, now, outputs); },
                 [&](const Due& it) { replicate(it.shard, now, outputs); },
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
