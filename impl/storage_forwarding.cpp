// Forwarding after the fence. A source that confirmed its barrier hands requests on to the target of the move, instead
// of refusing them as transient. The target keeps them, and neither applies nor answers one before it took up the grant
// of that very move: then it serves them under it, and answers their routers. When the move is aborted, when the range
// went through other hands and came back by a failover before the target heard of its grant, or when there is no room,
// they are dropped: such an attempt is not answered, so its outcome is unknown.
//
// An attempt that was handed on may take effect at any later time. So the source must never again say "stale" or "not
// the owner" of it, whatever copies of it arrive later; what it handed on is on its disk before it leaves.
#include <algorithm>

#include "impl/storage_node.h"
#include "spec/key_model.h"

namespace shardcheck::impl {

bool StorageNode::forwards(const ShardCopy& copy) const {
  return copy.copy == CopyState::fenced && at(copy.known.shard).is_barrier_confirmed && copy.known.how.forwards &&
         copy.known.phase == MovePhase::fenced && copy.known.move == copy.move;
}

void StorageNode::hand_on(NodeId router, const Request& request, const ShardCopy& copy, Instant now,
                          ClusterOutputs& outputs) {
  ForwardedRequest forwarded{copy.known.shard, router, request};
  forwarded.request.forwarded_by = copy.move;
  if (!state_.may_have_handed_on(request.attempt)) {
    append_durably(HandedOn{request.attempt}, outputs);
  }
  outputs.wants_sync = outputs.wants_sync || durable_ < appended_;
  after(appended_, Send{copy.known.target, forwarded}, now, outputs);
}

void StorageNode::take_forwarded(const ForwardedRequest& forwarded, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(forwarded.shard);
  const MoveId move = forwarded.request.forwarded_by;
  std::vector<Forwarded>& waiting = at(forwarded.shard).forwarded;
  const bool is_staging = copy.copy == CopyState::staging && copy.move == move;
  if (is_staging) {
    std::erase_if(waiting, [&](const Forwarded& it) {
      return it.request.forwarded_by != move || it.request.attempt == forwarded.request.attempt;
    });
    if (waiting.size() < options_.forwarded_max) {
      waiting.push_back({forwarded.router, forwarded.request});
    }
    const bool is_of_one_key = forwarded.request.operation.kind != OperationKind::scan;
    if (is_of_one_key && decisions_.answers_forwarded_at_once()) {
      answer_before_grant({forwarded.router, forwarded.request}, copy, outputs);
    }
  } else {
    serve_forwarded({forwarded.router, forwarded.request}, copy, now, outputs);
  }
}

// The grant was taken up; this is done right after that, so that the node has its claim before it serves under it.
void StorageNode::serve_all_forwarded(ShardId shard, Instant now, ClusterOutputs& outputs) {
  std::vector<Forwarded> waiting;
  waiting.swap(at(shard).forwarded);
  for (const Forwarded& it : waiting) {
    serve_forwarded(it, state_.copy(shard), now, outputs);
  }
}

// Under the grant of the move that it came by, and under no other.
void StorageNode::serve_forwarded(const Forwarded& it, const ShardCopy& copy, Instant now, ClusterOutputs& outputs) {
  const bool is_of_grant = copy.copy == CopyState::owned && copy.held_epoch == copy.known.epoch &&
                           copy.known.owner == self_ && copy.known.move == it.request.forwarded_by &&
                           copy.known.is_granted_by_move && copy.known.source_epoch == it.request.epoch;
  if (!is_of_grant) {
    return;
  }
  const ShardId shard = copy.known.shard;
  const std::optional<ServingClaim> held = claim(shard);
  if (held && now < held->until && !at(shard).is_draining) {
    execute(it.router, it.request, copy, now, outputs);
  }
}

// Only a mutant does this: it computes the answer from the staged copy and gives it at once.
void StorageNode::answer_before_grant(const Forwarded& it, const ShardCopy& copy, ClusterOutputs& outputs) const {
  const Operation& operation = it.request.operation;
  const auto step = KeyModel<InlineValues>::apply({}, operation.kind, state_.cell(operation.key).value,
                                                  operation.argument, operation.expected);
  outputs.observe(Served{copy.known.shard, operation.key, copy.known.epoch, it.request.epoch, copy.highest_seen(),
                         it.request.attempt, operation.kind, it.request.forwarded_by});
  outputs.send(it.router, Reply{it.request.attempt, {step.outcome, step.answer}});
}

}  // namespace shardcheck::impl
