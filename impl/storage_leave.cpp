// Nodes that join and leave. A node that was held back, or that leaves, takes no copies: neither for a move nor for a
// replica set. One that leaves asks for moves of what it owns, one target after the other, and says to the owners that
// it follows that it is to be replaced; an owner lets another member join first, and removes it then. That is all: the
// directory knows nothing of it, since whoever asks in vain asks the next one.
#include "impl/storage_node.h"

namespace shardcheck::impl {

// As it was set up, until an operator said something.
bool StorageNode::takes_copies() const {
  const int first_held_back = Roles(options_).router(0).value - options_.held_back;
  const bool is_held_back = self_.value >= first_held_back;
  return state_.takes_copies().value_or(!is_held_back);
}

// Everything is given away, and what the directory says of this node is over. A move whose source it was goes on until
// the node has confirmed that it cleaned up.
bool StorageNode::is_drained() const {
  if (!is_leaving()) {
    return false;
  }
  for (const ShardCopy& copy : state_.copies()) {
    const ShardRecord& record = copy.known;
    const bool is_side = record.phase != MovePhase::none && (record.source == self_ || record.target == self_);
    const bool is_named = record.owner == self_ || record.members.contains(self_) || record.joining == self_;
    if (copy.copy || is_side || (is_named && !record.is_removed() && !record.is_data_lost)) {
      return false;
    }
  }
  return true;
}

void StorageNode::give_away(const ShardCopy& copy, Instant now, ClusterOutputs& outputs) {
  const ShardRecord& record = copy.known;
  if (copy.copy == CopyState::replica && copy.is_copied && record.members.contains(self_)) {
    report_standing(record.owner, record.shard, copy.tail_epoch, now, outputs);
    return;
  }
  if (!copy.holds_grant() || record.phase != MovePhase::none || copy.note.kind != ReshapeKind::none) {
    return;
  }
  const Roles roles(options_);
  for (std::uint16_t i = 0; i < roles.storage_nodes(); ++i) {
    const NodeId target = roles.storage(static_cast<std::uint16_t>((ticks_ + i) % roles.storage_nodes()));
    if (target != self_ && !record.members.contains(target)) {
      const NodeId mover = roles.mover(static_cast<std::uint16_t>(ticks_ / roles.storage_nodes() % roles.movers()));
      outputs.send(mover, StartMove{record.shard, target});
      return;
    }
  }
}

int StorageNode::members_wanted() const {
  return std::min<int>(options_.replicas, options_.storage_nodes - options_.held_back);
}

// Of the members those that did not say that they leave.
int StorageNode::members_to_stay(ShardId shard) const {
  const ShardRecord& record = state_.copy(shard).known;
  int count = record.members.size();
  for (const Follower& follower : at(shard).followers.all()) {
    count -= follower.is_leaving && record.members.contains(follower.node) ? 1 : 0;
  }
  return count;
}

// A member that leaves may go when those that stay are enough without it. True: that is asked for, and no other change
// of the set is to come in between.
bool StorageNode::dismiss_leaving(ShardId shard, ClusterOutputs& outputs) {
  const ShardRecord& record = state_.copy(shard).known;
  if (members_to_stay(shard) < members_wanted()) {
    return false;
  }
  for (const Follower& follower : at(shard).followers.all()) {
    if (follower.is_leaving && record.members.contains(follower.node)) {
      ask_directory(CommandKind::remove_member, shard, follower.node, outputs);
      return true;
    }
  }
  return false;
}

}  // namespace shardcheck::impl
