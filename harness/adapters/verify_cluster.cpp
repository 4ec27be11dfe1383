#include "harness/adapters/verify_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/adapters/cluster_runner.h"
#include "harness/describe.h"
#include "spec/wording.h"

namespace shardcheck::harness {
namespace {

double milliseconds_of(TrueTime at) { return static_cast<double>(at.value) / 1e6; }

void append_failure(const Failure& failure, const Wording& wording, std::string& out) {
  const Clause& named = clause(failure.violation.clause);
  auto to = std::back_inserter(out);
  fmt::format_to(to, "\nVIOLATED {} {}, first in scenario {}\n  promised: {}\n  happened: {}{}\n", named.text_id,
                 named.name, failure.scenarios, named.sentence, failure.violation.message, when(failure.violation));
  fmt::format_to(to, "  smallest run, {} steps:\n", failure.scenario.size());
  for (const ClockSetting& clock : failure.scenario.clocks) {
    fmt::format_to(to, "    {}\n", describe(wording, clock));
  }
  for (const Step& step : failure.scenario.steps) {
    fmt::format_to(to, "    at {:.3f} ms {}\n", milliseconds_of(step.at), describe(wording, step));
  }
  for (const sim::Deviation& deviation : failure.scenario.deviations) {
    fmt::format_to(to, "    fault: {}\n", describe(wording, deviation));
  }
}

}  // namespace

bool ClusterReport::is_undecided() const {
  const bool is_nothing_checked =
      std::ranges::all_of(campaign.checks, [](std::uint64_t checks) { return checks == 0; });
  return !campaign.error.empty() || campaign.undecided != 0 || is_nothing_checked;
}

ClusterReport verify_cluster(const Cluster& cluster, const std::string& name, const CampaignOptions& options) {
  ClusterReport report{name, cluster.shape(), options.seed, {}};
  if (const Result<void> checked = check_shape(report.shape); !checked) {
    report.campaign.error = to_string(checked.error());
    return report;
  }
  ClusterRunner runner(cluster, name);
  report.campaign = run_campaign(subject_of(runner), options);
  return report;
}

std::string to_text(const ClusterReport& report) {
  const CampaignReport& campaign = report.campaign;
  std::string out;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "cluster {}, seed {}: {} scenarios, {} operations, {} events\n\n", report.name, report.seed,
                 campaign.scenarios, campaign.operations, campaign.events);
  std::size_t not_observable = 0;
  for (const Clause& row : clauses()) {
    const bool is_violated = campaign.failure_of(row.id) != nullptr;
    if (campaign.checked(row.id) == 0 && !is_violated) {
      ++not_observable;
      continue;
    }
    fmt::format_to(to, "{:<4}{:<24}{:<10}{:>12} checks\n", row.text_id, row.name, is_violated ? "violated" : "held",
                   campaign.checked(row.id));
  }
  fmt::format_to(to, "{} further promises were not observable\n", not_observable);
  if (campaign.undecided != 0) {
    fmt::format_to(to, "{} scenarios stayed undecided: a budget ran out\n", campaign.undecided);
  }
  if (!campaign.error.empty()) {
    fmt::format_to(to, "cannot be judged: {}\n", campaign.error);
  }
  for (const Failure& failure : campaign.failures) {
    append_failure(failure, wording_of(report.shape), out);
  }
  return out;
}

int exit_code_of(const ClusterReport& report) {
  if (report.campaign.is_violated()) {
    return 1;
  }
  return report.is_undecided() ? 2 : 0;
}

}  // namespace shardcheck::harness
