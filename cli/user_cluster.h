// The commands' share for clusters that a program brings along (run.h): verify --system NAME, and replay of what it
// kept.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/run.h"
#include "harness/campaign.h"
#include "harness/trace_sink.h"
#include "histories/history.h"
#include "spec/error.h"

namespace shardcheck::cli {

// Null, if there is none of that name.
const UserCluster* find_cluster(const std::vector<UserCluster>& clusters, const std::string& name);

struct UserClusterFlags {
  harness::CampaignOptions campaign;
  std::string out;    // where to keep failures
  std::string junit;  // where to write JUnit XML; empty: nowhere
  bool as_json = false;
};
// Judges it, keeps what failed, and prints.
ExitCode verify_user_cluster(const UserCluster& user, const UserClusterFlags& flags);

// A run and what its clients asked and were told.
struct Replayed {
  harness::RunReport report;
  histories::History history;
};
// Runs a scenario of one of the clusters again. An error if it belongs to none of them.
Result<Replayed> replay_user_cluster(const std::vector<UserCluster>& clusters, const harness::Scenario& scenario,
                                     harness::TraceSink* trace);

}  // namespace shardcheck::cli
