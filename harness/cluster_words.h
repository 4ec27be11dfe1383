// The lines of a scenario that say more of how the reference is made up than its line 'cluster' does; each may be left
// out.
#pragma once

#include <fmt/format.h>

#include "harness/line_words.h"
#include "harness/scenario.h"

namespace shardcheck::harness {

// What may stand behind the word of such a line goes into the scenario's cluster. False: the line is of another kind.
inline bool take_cluster_line(std::string_view kind, Words& words, Scenario& scenario) {
  impl::ClusterOptions& cluster = scenario.cluster;
  bool is_said = false;
  if (kind == "shards_max") {
    is_said = cluster.shards_max != 0;
    cluster.shards_max = static_cast<std::uint16_t>(words.whole_number("shards_max", cluster.shards, 64));
  } else if (kind == "replicas") {
    is_said = cluster.replicas != 1;
    cluster.replicas = static_cast<std::uint16_t>(words.whole_number("replicas", 1, 3));
  } else if (kind == "held_back") {
    is_said = cluster.held_back != 0;
    cluster.held_back = static_cast<std::uint16_t>(words.whole_number("held_back", 1, cluster.storage_nodes - 1));
  } else if (kind == "leases") {
    is_said = cluster.lease_per != impl::LeasePer::range;
    words.take("node");
    cluster.lease_per = impl::LeasePer::node;
  } else if (kind == "alone") {
    is_said = scenario.is_of_directory_alone;
    words.take("directory");
    scenario.is_of_directory_alone = true;
  } else if (kind == "unanswered_max") {
    is_said = cluster.unanswered_max != 0;
    cluster.unanswered_max = static_cast<std::uint16_t>(words.whole_number("unanswered_max", 1, 10'000));
  } else if (kind == "router_kinds") {
    for (std::uint16_t i = 0; i < cluster.routers && !scenario.system; ++i) {
      cluster.router_kinds[i] = words.named<impl::RouterKind>("kind of router", impl::kRouterKinds);
    }
  } else {
    return false;
  }
  if (scenario.system || is_said || !scenario.steps.empty()) {
    words.refuse(fmt::format("'{}' comes once, before the steps, and only of the reference", kind));
  }
  return true;
}

}  // namespace shardcheck::harness
