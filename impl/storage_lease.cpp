// Leases, at a storage node: how they are renewed, of each range or of the node as a whole.
#include <algorithm>

#include "impl/storage_node.h"

namespace shardcheck::impl {

// As a whole only when the node has every range that is said to be its own: of one whose copy is gone the lease must
// run out, so that another member takes over.
bool StorageNode::renews_as_a_whole() const {
  return options_.lease_per == LeasePer::node && std::ranges::all_of(state_.copies(), [&](const ShardCopy& copy) {
           return holds_known_grant(copy) || copy.known.owner != self_ || copy.known.is_data_lost;
         });
}

bool StorageNode::holds_known_grant(const ShardCopy& copy) {
  return copy.held_epoch != Epoch{} && copy.held_epoch == copy.highest_seen();
}

void StorageNode::ask_for_leases(Instant now, ClusterOutputs& outputs) {
  const bool renews_node = renews_as_a_whole();
  if (renews_node && std::ranges::any_of(state_.copies(), holds_known_grant)) {
    link_.send(RenewNode{now}, outputs);
  }
  for (const ShardCopy& copy : state_.copies()) {
    if (holds_known_grant(copy) && !renews_node) {
      link_.send(Renew{copy.known.shard, copy.held_epoch, now}, outputs);
    }
    report_if_lost(copy.known.shard, outputs);
    propose(copy.known.shard, outputs);
    find_member(copy.known.shard, outputs);
    if (is_leaving()) {
      give_away(copy, now, outputs);
    }
  }
}

// A renewal that crossed the grant on its way was refused for its epoch, and the next one may come too late.
void StorageNode::renew_if_short(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  if (!holds_known_grant(copy) || at(shard).lease_until >= now + renewal_interval() * 2) {
    return;
  }
  if (renews_as_a_whole()) {
    link_.send(RenewNode{now}, outputs);
  } else {
    link_.send(Renew{shard, copy.held_epoch, now}, outputs);
  }
}

void StorageNode::on_renewed(const Renewed& renewed, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(renewed.shard);
  if (copy.held_epoch != renewed.epoch) {
    return;
  }
  const Instant until = decisions_.trusted_until(renewed.until, now, options_.lease_duration);
  stepped_back_ = std::max(Duration{}, now - (renewed.until - options_.lease_duration));
  if (extend_lease(renewed.shard, renewed.epoch, until, outputs)) {
    append(LeaseNoted{renewed.shard, until}, outputs);
  }
}

bool StorageNode::extend_lease(ShardId shard, Epoch epoch, Instant until, ClusterOutputs& outputs) {
  if (until <= at(shard).lease_until) {
    return false;
  }
  at(shard).lease_until = until;
  outputs.observe(LeaseHeld{shard, epoch, until});
  return true;
}

// What was granted later has a lease of its own. What was taken away before is known to be gone; and where a split or
// merge is entered that is not applied yet, it is the new grants that were extended.
void StorageNode::on_all_renewed(NodeRenewed renewed, Instant now, ClusterOutputs& outputs) {
  if (renewed.until == Instant{}) {
    return;
  }
  if (link_.known() < renewed.as_of) {
    renewed_ = renewed;
    link_.poll(renewed.as_of, outputs);
    return;
  }
  renewed_ = NodeRenewed{};
  for (const ShardCopy& copy : state_.copies()) {
    const Epoch held = copy.held_epoch;
    const bool is_meant = copy.holds_grant() && held == copy.highest_seen() && held <= epoch_of(renewed.as_of);
    if (is_meant && !has_entry_for(copy.known.shard)) {
      on_renewed({copy.known.shard, held, renewed.until}, now, outputs);
    }
  }
}

}  // namespace shardcheck::impl
