// Of whom a run may lose how many for good: they go down and never come back, not even when everything is healed. What
// is left must be able to do all that is judged: a majority of the directory, a mover, a router, a storage node.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "impl/options.h"

namespace shardcheck::harness {

// Of the processes from `first` up to but not including `end`, so many at most.
struct LossLimit {
  NodeId first;
  NodeId end;
  int most = 0;

  bool is_about(NodeId process) const { return first <= process && process < end; }
};
using LossLimits = std::array<LossLimit, 4>;

inline LossLimits loss_limits_of(const impl::ClusterOptions& cluster) {
  const impl::Roles roles(cluster);
  const NodeId storage = roles.storage(0);
  const NodeId router = roles.router(0);
  const NodeId mover = roles.mover(0);
  return {LossLimit{NodeId{0}, storage, (cluster.directories - 1) / 2},
          LossLimit{storage, router, cluster.storage_nodes - 1}, LossLimit{router, mover, cluster.routers - 1},
          LossLimit{mover, NodeId{roles.processes()}, cluster.movers - 1}};
}

// Of the storage nodes so many may leave or be lost for good, in a run in which one leaves: as many as a replica set
// has members must stay, or the one that leaves could not give everything away.
inline int departures_max(const impl::ClusterOptions& cluster) {
  return cluster.storage_nodes - std::max<int>(cluster.replicas, 1);
}

}  // namespace shardcheck::harness
