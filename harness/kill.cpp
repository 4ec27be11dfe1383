#include "harness/kill.h"

#include <algorithm>
#include <optional>

#include "harness/annotate.h"
#include "harness/campaign.h"
#include "harness/placement_check.h"
#include "harness/scenario_runner.h"
#include "harness/shrink.h"

namespace shardcheck::harness {
namespace {

struct Seen {
  std::uint64_t seed;
  ClauseId clause;
};

// The first of the mutant's own rows that the run violated.
std::optional<ClauseId> declared(const std::vector<Violation>& violations, const impl::MutantRow& row) {
  for (const Violation& violation : violations) {
    if (std::ranges::find(row.clauses, violation.clause) != row.clauses.end()) {
      return violation.clause;
    }
  }
  return std::nullopt;
}

class ClusterKill {
 public:
  ClusterKill(impl::Mutant mutant, const KillOptions& options)
      : options_(options), row_(impl::row_of(mutant)), mutant_(mutant) {}

  Kill run() {
    kill_.mutant = mutant_;
    search();
    for (const Seen& seen : seen_) {
      shrink(seen);
    }
    return std::move(kill_);
  }

 private:
  void search() {
    std::uint64_t last = options_.runs_max;
    for (std::uint64_t i = 0; i < last && seen_.size() <= options_.more_failures; ++i) {
      if (options_.is_out_of_time && options_.is_out_of_time()) {
        break;
      }
      const std::uint64_t seed = seed_of(options_.seed, i);
      sim::SeededChoices choices(seed);
      const auto clause = declared(runner_.run(choices, mutant_, scenario_).violations, row_);
      if (seen_.empty()) {
        kill_.runs = i + 1;
      }
      if (clause) {
        last = seen_.empty() ? std::min(last, i + 1 + options_.more_runs) : last;
        seen_.push_back({seed, *clause});
      }
    }
  }

  void shrink(const Seen& seen) {
    sim::SeededChoices choices(seen.seed);
    sim::TapeRecorder recorder(choices);
    runner_.run(recorder, mutant_, scenario_);
    Shrinker shrinker(runner_, options_.shrink_runs_max);
    const auto shrunk = shrinker.shrink(recorder.take_tape(), mutant_, seen.clause);
    if (!shrunk || (kill_.is_killed && shrunk->scenario.size() >= kill_.steps)) {
      return;
    }
    kill_.is_killed = true;
    kill_.violation = shrunk->violation;
    kill_.steps = shrunk->scenario.size();
    kill_.clauses.clear();
    FaultListener faults;
    for (const Violation& violation : runner_.run(shrunk->scenario, &faults).violations) {
      kill_.clauses.push_back(violation.clause);
    }
    kill_.replay = annotated_text(shrunk->scenario, faults);
  }

  const KillOptions& options_;
  const impl::MutantRow& row_;
  impl::Mutant mutant_;
  Kill kill_;
  std::vector<Seen> seen_;
  ScenarioRunner runner_;
  Scenario scenario_;
};

Kill kill_placement(impl::Mutant mutant, const KillOptions& options) {
  const impl::MutantRow& row = impl::row_of(mutant);
  const PlacementReport report = check_placement(mutant_factory(mutant), options.seed, options.cases_max);
  Kill kill;
  kill.mutant = mutant;
  kill.runs = options.cases_max;
  for (const ClauseId clause : row.clauses) {
    const PlacementRow& found = report.row(clause);
    if (!found.finding) {
      continue;
    }
    if (!kill.is_killed || steps_of(found.finding->smallest) < kill.steps) {
      kill.is_killed = true;
      kill.violation = found.finding->violation;
      kill.runs = found.finding->cases_until;
      kill.steps = steps_of(found.finding->smallest);
      kill.replay = to_text(PlacementReplay{report.placement, clause, found.finding->smallest});
    }
  }
  for (const PlacementRow& each : report.rows) {
    if (each.finding) {
      kill.clauses.push_back(each.clause);
    }
  }
  return kill;
}

}  // namespace

Kill kill(impl::Mutant mutant, const KillOptions& options) {
  return impl::row_of(mutant).component == "ring" ? kill_placement(mutant, options)
                                                  : ClusterKill(mutant, options).run();
}

}  // namespace shardcheck::harness
