// How a storage node treats a client's operation: the signals of the fence, admission, execution, and the answer once
// everything it rests on is durable.
#include <algorithm>

#include "impl/storage_node.h"
#include "spec/assert.h"
#include "spec/key_model.h"
#include "spec/key_set.h"

namespace shardcheck::impl {
namespace {

constexpr Duration kCostOfOperation = microseconds(15);

// The epoch under which a request that the fence lets pass counts as admitted.
bool is_ahead(Epoch request_epoch, Epoch highest_seen) { return request_epoch > highest_seen; }

}  // namespace

// Below the highest epoch seen: stale. Above what is known: transient, and the directory is asked. Equal: served by the
// owner, redirected by everybody else. None given: redirected, even to this very node, since an effect needs an epoch.
void StorageNode::serve(NodeId router, const Request& request, Instant now, ClusterOutputs& outputs) {
  const ShardCopy* found = state_.find(request.operation.key);
  if (found == nullptr) {
    link_.poll({}, outputs);
    return;  // it knows of no such range: silence, and the router asks somebody else
  }
  const ShardCopy& copy = *found;
  const Epoch highest = copy.highest_seen();
  if (reads_retained(router, request, copy, outputs) || reads_behind_barrier(router, request, copy, now, outputs)) {
    return;
  }
  if (request.epoch == Epoch{}) {
    refuse(router, request, copy, Signal::not_owner, now, outputs);
    return;
  }
  if (decisions_.compares_epochs()) {
    if (decisions_.is_stale(request.epoch, highest)) {
      refuse(router, request, copy, Signal::stale_epoch, now, outputs);
      return;
    }
    const bool admits_it = decisions_.admits_being_behind() || copy.known.owner == self_;
    if (is_ahead(request.epoch, highest) && decisions_.believes_future_epochs()) {
      at(copy.known.shard).believed = request.epoch;
    } else if (is_ahead(request.epoch, highest) && admits_it) {
      link_.poll(DirectoryPosition{request.epoch.value}, outputs);
      refuse(router, request, copy, Signal::transient, now, outputs);
      return;
    }
  }
  const ShardId shard = copy.known.shard;
  const std::optional<ServingClaim> held = claim(shard);
  if (!held && copy.known.owner != self_ && copy.known.owner != kNoNode) {
    refuse(router, request, copy, Signal::not_owner, now, outputs);
    return;
  }
  const bool may_admit = held && now < held->until && !at(shard).is_draining;
  if (!may_admit && forwards(copy)) {
    hand_on(router, request, copy, now, outputs);
    return;
  }
  if (!may_admit) {
    refuse(router, request, copy, Signal::transient, now, outputs);
    return;
  }
  if (is_overloaded()) {
    refuse(router, request, copy, Signal::transient, now, outputs, true);
    return;
  }
  if (!holds_back(router, request, copy, now, outputs)) {
    execute(router, request, copy, now, outputs);
  }
}

// Counted where they wait: for the disk, for followers, for the target of dual writes, or because of a throttle. A
// count that is kept beside these would have to be right wherever one of them is dropped.
bool StorageNode::is_overloaded() const {
  if (options_.unanswered_max == 0) {
    return false;
  }
  std::size_t unanswered =
      pending_.count_if([](const Pending& pending) { return std::holds_alternative<Effect>(pending); });
  for (const Volatile& known : volatile_) {
    unanswered += known.held_back.size() + known.dual_writing.held.size();
    unanswered += static_cast<std::size_t>(std::ranges::count_if(
        known.waiting, [](const Waiting& it) { return std::holds_alternative<Effect>(it.what); }));
  }
  return unanswered >= options_.unanswered_max;
}

void StorageNode::execute(NodeId router, const Request& request, const ShardCopy& copy, Instant now,
                          ClusterOutputs& outputs) {
  outputs.cost = kCostOfOperation;
  const ShardId shard = copy.known.shard;
  if (request.operation.kind == OperationKind::scan) {
    scan(router, request, copy, now, outputs);
    return;
  }
  if (!may_change_state(request.operation.kind)) {
    // The value read may rest on writes that are admitted but not durable: the answer waits for them.
    const Outcome seen{OutcomeKind::ok, state_.cell(request.operation.key).value};
    after(at(shard).last_write, Effect{router, request, shard, claim(shard)->epoch, seen, copy.tail}, now, outputs);
    return;
  }
  SHARDCHECK_ASSERT(request.attempt.request.client.value < copy.answered.size());
  const AnsweredRequest& answered = copy.answered[request.attempt.request.client.value];
  if (request.attempt.request.sequence < answered.sequence) {
    return;  // its client has long gone on: nobody waits for an answer, and it must not take effect now
  }
  if (request.attempt.request.sequence == answered.sequence) {
    const Effect again{router,    request, shard,    claim(shard)->epoch, {answered.outcome, answered.answer},
                       copy.tail, Key{},   copy.tail};
    after(at(shard).last_write, again, now, outputs);
    return;
  }
  write(router, request, copy, now, outputs);
}

void StorageNode::add_present(KeyRange range, KeySet& found) const {
  for (Key key = range.lo; key < range.hi; key = next(key)) {
    if (state_.cell(key).value.kind != ValueKind::absent) {
      found.add(key);
    }
  }
}

// Only a mutant does this: it shows what lies here for other reasons than being owned.
void StorageNode::add_orphans(KeyRange asked, KeySet& found) const {
  for (const ShardCopy& other : state_.copies()) {
    if (other.copy == CopyState::retained || other.copy == CopyState::staging) {
      add_present({std::max(asked.lo, other.held.lo), std::min(asked.hi, other.held.hi)}, found);
    }
  }
}

// Of the interval only what this range covers: who owns the rest is asked next, by whoever asked here.
void StorageNode::scan(NodeId router, const Request& request, const ShardCopy& copy, Instant now,
                       ClusterOutputs& outputs) {
  const ShardId shard = copy.known.shard;
  const KeyRange asked = keys_of(request.operation);
  const Key end = std::min(asked.hi, copy.held.hi);
  KeySet found(asked.lo);
  add_present({asked.lo, end}, found);
  if (decisions_.scans_orphans()) {
    add_orphans(asked, found);
  }
  const Effect seen{router, request, shard, claim(shard)->epoch, {OutcomeKind::ok, found.value()}, copy.tail, end};
  after(at(shard).last_write, seen, now, outputs);
}

void StorageNode::write(NodeId router, const Request& request, const ShardCopy& copy, Instant now,
                        ClusterOutputs& outputs) {
  const ShardId shard = copy.known.shard;
  const Operation& operation = request.operation;
  const auto step = KeyModel<InlineValues>::apply({}, operation.kind, state_.cell(operation.key).value,
                                                  operation.argument, operation.expected);
  const Epoch epoch = claim(shard)->epoch;
  Entry entry;
  entry.key = operation.key;
  entry.version = {epoch, next(copy.tail)};
  entry.value = step.after;
  entry.request = request.attempt.request;
  entry.outcome = step.outcome;
  entry.has_cell = step.outcome == OutcomeKind::ok;
  entry.answers_value = operation.kind == OperationKind::increment && entry.has_cell;
  append_durably(Wrote{shard, request.attempt, entry}, outputs);
  at(shard).last_write = appended_;
  const bool is_tombstone = entry.value.kind == ValueKind::absent;
  const Applied applied{shard,        entry.key,     entry.version, ApplyCause::client,
                        is_tombstone, entry.request, MoveId{},      request.attempt.number};
  after(appended_, Written{applied, copy.tail, copy.digest, entry.has_cell}, now, outputs);
  after(appended_, Effect{router, request, shard, epoch, {step.outcome, step.answer}, copy.tail, Key{}, copy.tail}, now,
        outputs);
  trim_log(shard, now, outputs);
}

// The effect: asked once more, at the moment it becomes visible, whether it may.
void StorageNode::perform(const Effect& effect, Instant now, ClusterOutputs& outputs) {
  const Request& request = effect.request;
  const ShardId shard = effect.shard;
  const std::optional<ServingClaim> held = claim(shard);
  const bool holds_lease = held && held->epoch == effect.epoch && now < held->until;
  if (!holds_lease && request.forwarded_by != MoveId{}) {
    return;  // it carries the epoch before the grant: there is no signal for it that says nothing too much
  }
  if (!holds_lease && decisions_.checks_lease_at_effect()) {
    if (request.epoch < state_.copy(shard).highest_seen()) {
      return;  // the range went on without us: neither "stale" (it may take effect there) nor anything else is right
    }
    refuse(effect.router, request, state_.copy(shard), Signal::transient, now, outputs);
    return;
  }
  outputs.observe(Served{shard, request.operation.key, effect.epoch, request.epoch, state_.copy(shard).highest_seen(),
                         request.attempt, request.operation.kind, request.forwarded_by});
  outputs.send(effect.router, Reply{request.attempt, effect.outcome, effect.answered_to});
}

// What a refusal says of epochs must survive a crash of this node, so it waits until they are on disk.
void StorageNode::refuse(NodeId router, const Request& request, const ShardCopy& copy, Signal signal, Instant now,
                         ClusterOutputs& outputs, bool is_for_load) {
  // A second copy of a message whose first one was executed here: "stale" and "not the owner" promise that the attempt
  // had no effect, and the first copy has had its answer, so the second one gets none. Nor does a request that its
  // client has left behind: what became of it is no longer remembered, and nobody waits. Nor does one of an attempt
  // that was handed on to a target, which may have executed it or may do so yet.
  const bool may_have_effect = state_.may_have_executed(request.attempt) || state_.may_have_handed_on(request.attempt);
  if (signal != Signal::transient && may_have_effect) {
    return;
  }
  const ShardId shard = copy.known.shard;
  const NodeId redirect_to = signal == Signal::not_owner ? copy.known.owner : kNoNode;
  const std::uint64_t needed = decisions_.keeps_epochs_on_disk() ? at(shard).last_epoch : 0;
  after(needed,
        Observation{Answered{shard, request.operation.key, request.epoch, copy.highest_seen(), request.attempt, signal,
                             redirect_to, is_for_load}},
        now, outputs);
  after(needed, Send{router, Refusal{request.attempt, shard, signal, copy.highest_seen(), copy.known, copy.changed_at}},
        now, outputs);
}

// Only a mutant does this: an old owner answers a read from the copy it merely retains, and tells nobody.
bool StorageNode::reads_retained(NodeId router, const Request& request, const ShardCopy& copy,
                                 ClusterOutputs& outputs) {
  const Cell& cell = state_.cell(request.operation.key);
  if (!decisions_.reads_from_retained_copy() || copy.copy != CopyState::retained ||
      request.operation.kind != OperationKind::read || cell.value.kind == ValueKind::absent) {
    return false;
  }
  outputs.send(router, Reply{request.attempt, {OutcomeKind::ok, cell.value}});
  return true;
}

// Only a mutant does this: a fenced source holds back writes and goes on answering reads under its lease.
bool StorageNode::reads_behind_barrier(NodeId router, const Request& request, const ShardCopy& copy, Instant now,
                                       ClusterOutputs& outputs) const {
  const bool is_fenced = copy.copy == CopyState::fenced && request.epoch == copy.held_epoch;
  const bool is_read = request.operation.kind == OperationKind::read && now < at(copy.known.shard).lease_until;
  if (decisions_.stops_reads_at_barrier() || !is_fenced || !is_read) {
    return false;
  }
  outputs.observe(Served{copy.known.shard, request.operation.key, copy.held_epoch, request.epoch, copy.highest_seen(),
                         request.attempt, request.operation.kind});
  outputs.send(router, Reply{request.attempt, {OutcomeKind::ok, state_.cell(request.operation.key).value}});
  return true;
}

}  // namespace shardcheck::impl
