// Runs in words, for people: processes, faults and events as a trace prints them.
#pragma once

#include <string>

#include "impl/cluster.h"
#include "sim/world.h"

namespace shardcheck::harness {

// "directory", "node 2", "router 5", "mover".
std::string describe_process(const impl::ClusterOptions& cluster, NodeId id);
// "the 3rd chunk from node 1 to node 2 is dropped".
std::string describe(const impl::ClusterOptions& cluster, const sim::Deviation& deviation);
std::string describe(const impl::ClusterOptions& cluster, const sim::TraceEvent<impl::Protocol>& event);

}  // namespace shardcheck::harness
