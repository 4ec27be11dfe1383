#include "harness/campaign.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/shrink.h"
#include "sim/digest.h"

namespace shardcheck::harness {
namespace {

constexpr std::uint64_t kProgressEvery = 500;

struct Found {
  std::uint64_t seed;
  std::uint64_t scenarios;
};

// Collects failures of the clauses that the first failing run violated.
struct Collected {
  ClauseId clause;
  std::vector<Found> found;
};

class Campaign {
 public:
  Campaign(const Subject& subject, const CampaignOptions& options) : subject_(subject), options_(options) {}

  CampaignReport run() {
    std::uint64_t last = options_.scenarios;
    for (std::uint64_t i = 0; i < last; ++i) {
      if (options_.is_out_of_time && options_.is_out_of_time()) {
        break;
      }
      const bool was_clean = collected_.empty();
      run_one(i);
      if (was_clean && !collected_.empty()) {
        last = std::min(last, i + 1 + options_.more_scenarios);
      }
      if (options_.progress && report_.scenarios % kProgressEvery == 0) {
        options_.progress(report_.scenarios);
      }
      if (has_enough() || !report_.error.empty()) {
        break;
      }
    }
    shrink_all();
    judge_reach();
    return std::move(report_);
  }

 private:
  void run_one(std::uint64_t i) {
    const std::uint64_t seed = seed_of(options_.seed, i);
    sim::SeededChoices choices(seed);
    const RunReport& run = subject_.draw(choices, scenario_);
    if (subject_.error) {
      report_.error = subject_.error();
    }
    if (!report_.error.empty()) {
      report_.error += fmt::format(" (scenario {} of seed {})", i, options_.seed);
      return;
    }
    ++report_.scenarios;
    report_.events += run.events;
    report_.operations += run.operations;
    report_.undecided += run.is_undecided || run.was_cut_short ? 1 : 0;
    report_.reached |= run.reached;
    report_.signals |= run.signals;
    report_.figures += run.figures;
    report_.digest = sim::mix(report_.digest ^ run.digest);
    for (std::size_t clause = 0; clause < kClauses; ++clause) {
      report_.checks[clause] += run.checks[clause];
    }
    for (const Violation& violation : run.violations) {
      collect(violation.clause, seed);
    }
    if (i % options_.repeat_every == 0) {
      repeat(run.digest, run.violations.size(), seed);
    }
  }

  void collect(ClauseId clause, std::uint64_t seed) {
    const auto known = std::ranges::find(collected_, clause, &Collected::clause);
    Collected& list = known == collected_.end() ? collected_.emplace_back(Collected{clause, {}}) : *known;
    if (list.found.size() <= options_.more_failures) {
      list.found.push_back({seed, report_.scenarios});
    }
  }

  bool has_enough() const {
    return !collected_.empty() && std::ranges::all_of(collected_, [&](const Collected& it) {
      return it.found.size() > options_.more_failures;
    });
  }

  // The same scenario, read back from what was written down, must give the same run.
  void repeat(std::uint64_t digest, std::size_t violations, std::uint64_t seed) {
    const Scenario first = scenario_;
    const RunReport& again = subject_.replay(first);
    ++report_.checks[static_cast<std::size_t>(ClauseId::X1)];
    if (again.digest != digest || again.violations.size() != violations) {
      note_difference(fmt::format("the scenario of seed {} gave digest {:016x} when drawn and {:016x} when replayed",
                                  seed, digest, again.digest),
                      first, seed);
    }
  }

  void note_difference(std::string what, const Scenario& scenario, std::uint64_t seed) {
    if (report_.failure_of(ClauseId::X1) == nullptr) {
      report_.failures.push_back({{ClauseId::X1, TrueTime{}, std::move(what)}, scenario, seed, report_.scenarios, {}});
    }
  }

  void shrink_all() {
    for (const Collected& list : collected_) {
      std::optional<Failure> smallest;
      for (const Found& found : list.found) {
        auto failure = shrink(found, list.clause);
        if (failure && (!smallest || failure->scenario.size() < smallest->scenario.size())) {
          // Which one is shown is a matter of size; when it was found is a matter of the first.
          failure->scenarios = list.found.front().scenarios;
          smallest = std::move(failure);
        }
      }
      if (smallest) {
        report_.failures.push_back(std::move(*smallest));
      } else {
        const std::uint64_t seed = list.found.front().seed;
        note_difference(fmt::format("the scenario of seed {} violated {} once, and did not when it was run again", seed,
                                    clause(list.clause).text_id),
                        scenario_, seed);
      }
    }
  }

  std::optional<Failure> shrink(const Found& found, ClauseId clause) {
    sim::SeededChoices choices(found.seed);
    sim::TapeRecorder recorder(choices);
    subject_.draw(recorder, scenario_);
    Shrinker shrinker(subject_, options_.shrink_runs_max);
    const auto shrunk = shrinker.shrink(recorder.take_tape(), clause);
    if (!shrunk) {
      return std::nullopt;
    }
    Failure failure{shrunk->violation, shrunk->scenario, found.seed, found.scenarios, {}};
    for (const Violation& violation : subject_.replay(shrunk->scenario).violations) {
      failure.also_violated.push_back(violation.clause);
    }
    return failure;
  }

  void judge_reach() {
    if (!subject_.is_reach_expected) {
      return;
    }
    auto& checks = report_.checks[static_cast<std::size_t>(ClauseId::X2)];
    if (report_.scenarios < options_.scenarios_for_reach || report_.is_violated()) {
      return;  // too few to say what is never reached: not observable
    }
    checks = report_.reached.count() + report_.signals.count();
    for (std::size_t signal = 0; signal < report_.signals.size(); ++signal) {
      if (!report_.signals.test(signal)) {
        miss(fmt::format("in {} scenarios no request was answered '{}'", report_.scenarios,
                         name_of(static_cast<Signal>(signal))));
        return;
      }
    }
    for (std::size_t i = 0; i < kReachCells; ++i) {
      const ReachCell cell = reach_cell(i);
      if (why_unreachable(cell).empty() && !report_.reached.has(cell)) {
        miss(fmt::format("in {} scenarios no fault was {}", report_.scenarios, to_string(cell)));
        return;
      }
    }
  }

  void miss(std::string what) {
    report_.failures.push_back(
        {{ClauseId::X2, TrueTime{}, std::move(what)}, Scenario{}, options_.seed, report_.scenarios, {}});
  }

  const Subject& subject_;
  const CampaignOptions& options_;
  CampaignReport report_;
  Scenario scenario_;
  std::vector<Collected> collected_;
};

}  // namespace

const Failure* CampaignReport::failure_of(ClauseId id) const {
  const auto found = std::ranges::find_if(failures, [&](const Failure& it) { return it.violation.clause == id; });
  return found == failures.end() ? nullptr : &*found;
}

std::uint64_t seed_of(std::uint64_t campaign_seed, std::uint64_t i) { return sim::mix(sim::mix(campaign_seed) + i); }

CampaignReport run_campaign(const CampaignOptions& options) {
  ScenarioRunner runner;
  return run_campaign(subject_of(runner, options.mutant), options);
}

CampaignReport run_campaign(const Subject& subject, const CampaignOptions& options) {
  return Campaign(subject, options).run();
}

}  // namespace shardcheck::harness
