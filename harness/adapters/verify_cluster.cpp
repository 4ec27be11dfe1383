#include "harness/adapters/verify_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/adapters/cluster_runner.h"
#include "harness/describe.h"

namespace shardcheck::harness {
namespace {

class Campaign {
 public:
  Campaign(const Cluster& cluster, const VerifyOptions& options, ClusterReport& report)
      : options_(options), report_(report), runner_(cluster) {}

  void run() {
    for (std::uint64_t i = 0; i < options_.runs && report_.error.empty(); ++i) {
      if (options_.is_out_of_time && options_.is_out_of_time()) {
        return;
      }
      run_once(options_.seed + i, i % options_.runs_per_repetition == 0);
    }
  }

 private:
  void run_once(std::uint64_t seed, bool is_repeated) {
    sim::SeededChoices choices(seed);
    Scenario scenario;
    const RunReport run = runner_.run(choices, scenario);
    scenario.system = options_.name;
    ++report_.runs;
    report_.operations += run.operations;
    report_.events += run.events;
    if (!runner_.error().empty()) {
      report_.error = fmt::format("{} (seed {})", runner_.error(), seed);
      return;
    }
    report_.runs_undecided += run.is_undecided || run.was_cut_short ? 1U : 0U;
    for (ClusterRow& row : report_.rows) {
      row.checks += run.checked(row.clause);
    }
    for (const Violation& violation : run.violations) {
      note(violation, scenario, seed);
    }
    if (is_repeated) {
      repeat(run, scenario, seed);
    }
  }

  void repeat(const RunReport& run, const Scenario& scenario, std::uint64_t seed) {
    const RunReport& again = runner_.run(scenario);
    ++row(ClauseId::X1).checks;
    if (again.digest != run.digest) {
      const std::string message = fmt::format(
          "the same scenario gave {} events with digest {:016x}, then {} with {:016x}: some process decides by "
          "something "
          "other than its inputs",
          run.events, run.digest, again.events, again.digest);
      note({ClauseId::X1, TrueTime{}, message}, scenario, seed);
    }
  }

  ClusterRow& row(ClauseId clause) { return report_.rows[static_cast<std::size_t>(clause)]; }

  void note(const Violation& violation, const Scenario& scenario, std::uint64_t seed) {
    ClusterRow& violated = row(violation.clause);
    ++violated.runs_violated;
    if (violated.first) {
      return;
    }
    violated.first = ClusterFinding{violation, scenario, seed};
    if (options_.shrink && violation.clause != ClauseId::X1) {
      shrink(*violated.first);
    }
  }

  void shrink(ClusterFinding& finding) {
    const ClauseId clause = finding.violation.clause;
    finding.scenario = options_.shrink(finding.scenario, [&](const Scenario& smaller) {
      return runner_.run(smaller).violation_of(clause) != nullptr;
    });
    if (const Violation* found = runner_.run(finding.scenario).violation_of(clause)) {
      finding.violation = *found;
    }
  }

  const VerifyOptions& options_;
  ClusterReport& report_;
  ClusterRunner runner_;
};

double milliseconds_of(TrueTime at) { return static_cast<double>(at.value) / 1e6; }

void append_finding(const ClusterRow& row, const Wording& wording, bool is_shown, std::string& out) {
  const ClusterFinding& finding = *row.first;
  const Clause& named = clause(row.clause);
  auto to = std::back_inserter(out);
  fmt::format_to(to, "\n{} {} is violated in {} runs, first by seed {}.\n  Promise: {}\n  Found at {:.3f} ms: {}\n",
                 named.text_id, named.name, row.runs_violated, finding.seed, named.sentence,
                 milliseconds_of(finding.violation.at), finding.violation.message);
  if (is_shown) {
    fmt::format_to(to, "  In the same scenario.\n");
    return;
  }
  fmt::format_to(to, "  Scenario of {} steps and {} faults:\n", finding.scenario.steps.size(),
                 finding.scenario.deviations.size());
  for (const Step& step : finding.scenario.steps) {
    fmt::format_to(to, "  {:>10.3f} ms  {}\n", milliseconds_of(step.at), describe(wording, step));
  }
  for (const sim::Deviation& deviation : finding.scenario.deviations) {
    fmt::format_to(to, "     fault: {}\n", describe(wording, deviation));
  }
}

}  // namespace

bool ClusterReport::is_violated() const {
  return std::ranges::any_of(rows, [](const ClusterRow& it) { return it.first.has_value(); });
}

bool ClusterReport::is_undecided() const {
  const bool is_anything_held = std::ranges::any_of(rows, [](const ClusterRow& it) { return it.is_held(); });
  return !error.empty() || runs_undecided != 0 || !is_anything_held;
}

ClusterReport verify_cluster(const Cluster& cluster, const VerifyOptions& options) {
  ClusterReport report;
  report.name = options.name;
  report.seed = options.seed;
  for (const Clause& each : clauses()) {
    report.rows.push_back({each.id, 0, 0, std::nullopt});
  }
  report.shape = cluster.shape();
  if (const Result<void> checked = check_shape(report.shape); !checked) {
    report.error = to_string(checked.error());
    return report;
  }
  Campaign(cluster, options, report).run();
  return report;
}

std::string to_text(const ClusterReport& report) {
  std::string out;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "cluster {}, seed {}: {} runs, {} operations, {} events\n\n", report.name, report.seed,
                 report.runs, report.operations, report.events);
  std::size_t not_observable = 0;
  for (const ClusterRow& row : report.rows) {
    if (row.checks == 0 && !row.first) {
      ++not_observable;
      continue;
    }
    const Clause& named = clause(row.clause);
    fmt::format_to(to, "{:<4}{:<22}{:<10}{:>12} checks\n", named.text_id, named.name, row.first ? "violated" : "held",
                   row.checks);
  }
  fmt::format_to(to, "{} further promises were not observable\n", not_observable);
  if (report.runs_undecided != 0) {
    fmt::format_to(to, "{} runs stayed undecided: a budget ran out\n", report.runs_undecided);
  }
  if (!report.error.empty()) {
    fmt::format_to(to, "cannot be judged: {}\n", report.error);
  }
  const ClusterFinding* shown = nullptr;
  for (const ClusterRow& row : report.rows) {
    if (row.first) {
      const bool is_shown = shown != nullptr && shown->scenario == row.first->scenario;
      append_finding(row, wording_of(report.shape), is_shown, out);
      shown = &*row.first;
    }
  }
  return out;
}

int exit_code_of(const ClusterReport& report) {
  if (report.is_violated()) {
    return 1;
  }
  return report.is_undecided() ? 2 : 0;
}

}  // namespace shardcheck::harness
