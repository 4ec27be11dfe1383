// Puts a foreign cluster (spec/cluster.h) under every clause that it lets be observed, in many drawn scenarios, and
// shrinks what fails.
//
//   const ClusterReport report = verify_cluster(cluster, "mine", {.seed = 1, .scenarios = 2'000});
//   fmt::print("{}", to_text(report));
//   return exit_code_of(report);
#pragma once

#include <string>

#include "harness/campaign.h"
#include "spec/cluster.h"

namespace shardcheck::harness {

struct ClusterReport {
  std::string name;
  ClusterShape shape;
  std::uint64_t seed = 0;
  CampaignReport campaign;

  // Something stayed undecided, or nothing was checked.
  bool is_undecided() const;
};

// `name` stands in reports and scenarios: one word. The options' mutant means nothing here.
ClusterReport verify_cluster(const Cluster& cluster, const std::string& name, const CampaignOptions& options);
// A table of the clauses that were checked, and for each violated one what happened and the smallest run.
std::string to_text(const ClusterReport& report);
// 0 held, 1 violated, 2 undecided, as all commands.
int exit_code_of(const ClusterReport& report);

}  // namespace shardcheck::harness
