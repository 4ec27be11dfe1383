// Storage nodes that join and leave, in the reference's System: what an operator says to a node, and when the node of
// one that leaves is stopped.
#include <algorithm>

#include "harness/describe.h"
#include "harness/reference_system.h"

namespace shardcheck::harness {

void ReferenceSystem::enlist(const JoinStep& step) {
  leaving_.erase(step.node);
  joining_.insert(step.node);
  world_.inject(step.node, impl::Enlist{true});
}

void ReferenceSystem::enlist(const LeaveStep& step) {
  joining_.erase(step.node);
  leaving_.insert(step.node);
  if (step.is_at_once) {
    stopped_at_once_.insert(step.node);
  }
  world_.inject(step.node, impl::Enlist{false});
}

// The operator says it again as long as the node does not know it: it was down, or has lost its disk since.
void ReferenceSystem::insist(NodeId process) {
  const bool is_leaving = leaving_.contains(process);
  if ((!is_leaving && !joining_.contains(process)) || world_.is_gone(process)) {
    return;
  }
  if (storage(process)->state().takes_copies() != !is_leaving) {
    world_.inject(process, impl::Enlist{!is_leaving});
  } else if (is_leaving && (stopped_at_once_.contains(process) || may_stop(process))) {
    leaving_.erase(process);
    world_.stop(process);
    if (trace_ != nullptr) {
      trace_->line(now(), describe_process(scenario_->cluster, process) + " is stopped for good");
    }
    tell(now(), process, Left{});
  }
}

// The operator looks at the node and at the directory before pulling the plug. A node that a move still names is not
// stopped: nobody else could answer for it.
bool ReferenceSystem::may_stop(NodeId process) const {
  const bool is_named = std::ranges::any_of(records_, [process](const ShardRecord& it) {
    const bool is_side = it.phase != MovePhase::none && (it.source == process || it.target == process);
    const bool has_copy = it.owner == process || it.members.contains(process) || it.joining == process;
    return is_side || (has_copy && !it.is_removed() && !it.is_data_lost);
  });
  return !is_named && storage(process)->is_drained();
}

// Of those that are told to leave and can: one that is lost for good never answers.
bool ReferenceSystem::waits_for_leaving() const {
  bool waits = false;
  leaving_.for_each([&](NodeId it) { waits |= !world_.is_gone(it); });
  return waits;
}

}  // namespace shardcheck::harness
