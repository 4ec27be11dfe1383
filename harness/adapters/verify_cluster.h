// Puts a foreign cluster (spec/cluster.h) under every clause that it lets be observed, in many drawn scenarios.
//
//   const ClusterReport report = verify_cluster(cluster, {.name = "mine", .seed = 1, .runs = 500});
//   fmt::print("{}", to_text(report));
//   return exit_code_of(report);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/scenario.h"
#include "spec/cluster.h"
#include "spec/violation.h"

namespace shardcheck::harness {

// Gives back a smaller scenario for which `still_fails` holds, as it does for `failing`.
using ScenarioShrinker =
    std::function<Scenario(const Scenario& failing, const std::function<bool(const Scenario&)>& still_fails)>;

struct VerifyOptions {
  std::string name = "cluster";  // in reports and scenarios
  std::uint64_t seed = 1;        // of the first run; each further run has the next one
  std::uint64_t runs = 500;
  std::uint64_t runs_per_repetition = 8;   // one run in so many is done twice and compared: X1
  ScenarioShrinker shrink{};               // for the first failing scenario of each clause; none: left as it is
  std::function<bool()> is_out_of_time{};  // asked before each run; once it says true, the rest is left out
};

struct ClusterFinding {
  Violation violation;  // in `scenario`
  Scenario scenario;
  std::uint64_t seed = 0;  // of the run that it was drawn in
};
struct ClusterRow {
  ClauseId clause;
  std::uint64_t checks = 0;
  std::uint64_t runs_violated = 0;
  std::optional<ClusterFinding> first;

  bool is_held() const { return checks != 0 && !first; }
};

struct ClusterReport {
  std::string name;
  ClusterShape shape;
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;
  std::uint64_t operations = 0;
  std::uint64_t events = 0;
  std::uint64_t runs_undecided = 0;  // the budget of one run or of the history checker ran out
  std::string error;                 // why the cluster cannot be judged; empty if it can
  std::vector<ClusterRow> rows;      // every clause

  const ClusterRow& row(ClauseId clause) const { return rows[static_cast<std::size_t>(clause)]; }
  bool is_violated() const;
  // Something stayed undecided, or nothing was checked.
  bool is_undecided() const;
};

ClusterReport verify_cluster(const Cluster& cluster, const VerifyOptions& options);
// A table of the clauses that were checked, and for each violated one what happened.
std::string to_text(const ClusterReport& report);
// 0 held, 1 violated, 2 undecided, as all commands.
int exit_code_of(const ClusterReport& report);

}  // namespace shardcheck::harness
