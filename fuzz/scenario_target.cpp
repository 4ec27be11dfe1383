#include "fuzz/scenario_target.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "fuzz/short_runs.h"
#include "harness/counterexample.h"

namespace shardcheck::fuzz {
namespace {

using harness::RunReport;
using harness::Scenario;
using harness::ScenarioRunner;

constexpr std::uint64_t kShrinkRunsMax = 3'000;
// One run in so many is done again from its written scenario, which costs more than the run did. Which ones is decided
// by their digest.
constexpr std::uint64_t kRepeatEvery = 512;
constexpr int kUsageError = 3;

// How long the runs were, for --statistics.
class RunLengths {
 public:
  void add(std::uint64_t events) {
    ++counts_[std::min<std::uint64_t>(events, counts_.size() - 1)];
    ++runs_;
  }
  void print() const {
    std::uint64_t left = runs_ / 2;
    std::size_t median = 0;
    while (median + 1 < counts_.size() && counts_[median] <= left) {
      left -= counts_[median++];
    }
    fmt::print(stderr, "{} runs, their median {} events\n", runs_, median);
  }

 private:
  std::array<std::uint64_t, 4'096> counts_{};  // by events; the last one: that many or more
  std::uint64_t runs_ = 0;
};

RunLengths& run_lengths() {
  static RunLengths instance;
  return instance;
}

struct Flags {
  std::string target;
  impl::Mutant mutant = impl::Mutant::none;
  std::string findings = "findings";
};

Flags& flags() {
  static Flags instance;
  return instance;
}

[[noreturn]] void refuse(const std::string& what) {
  fmt::print(stderr, "{}: {}\n", flags().target, what);
  std::exit(kUsageError);
}

[[noreturn]] void fail_harness(std::string_view what, const Scenario& scenario) {
  fmt::print(stderr, "violated {}\n{}", what, harness::to_text(scenario));
  std::abort();
}

void check_repeat(ScenarioRunner& runner, const Scenario& scenario, std::uint64_t digest) {
  const std::string text = harness::to_text(scenario);
  const Result<Scenario> read = harness::parse_scenario(text, "written");
  if (!read || harness::to_text(*read) != text) {
    fail_harness("X1: a written scenario is another one when it is read", scenario);
  }
  if (runner.run(*read).digest != digest) {
    fail_harness("X1: a written scenario gives another run", scenario);
  }
}

constexpr std::size_t kSeedsKept = 20;

// The run that adds most to what is covered, the shorter one of two; null if none adds anything.
const Seed* best_of(const std::vector<Seed>& runs, const Reached& covered) {
  const Seed* best = nullptr;
  std::size_t best_gain = 0;
  for (const Seed& run : runs) {
    const std::size_t gain = (run.reached & ~covered).count();
    if (gain > best_gain || (gain == best_gain && gain > 0 && run.bytes.size() < best->bytes.size())) {
      best = &run;
      best_gain = gain;
    }
  }
  return best;
}

// One after the other the run that adds most to what was reached. Once all is, the rest is chosen by the same rule as
// if it were not, for a second way to each.
std::vector<Seed> choose(std::vector<Seed> runs) {
  std::vector<Seed> chosen;
  Reached covered;
  Reached covered_by_all;
  while (chosen.size() < kSeedsKept && !runs.empty()) {
    const Seed* best = best_of(runs, covered);
    if (best == nullptr) {
      if (covered.none()) {
        break;
      }
      covered.reset();
      continue;
    }
    covered |= best->reached;
    covered_by_all |= best->reached;
    chosen.push_back(*best);
    runs.erase(runs.begin() + (best - runs.data()));
  }
  fmt::print("{} seeds reach {} of {} faults in phases and signals\n", chosen.size(), covered_by_all.count(),
             covered_by_all.size());
  return chosen;
}

void write_seeds(const std::string& folder, const Candidates& candidates) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  for (const Seed& seed : choose(candidates())) {
    const std::filesystem::path path = std::filesystem::path(folder) / seed.name;
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(seed.bytes.data()), static_cast<std::streamsize>(seed.bytes.size()));
    file.close();
    if (!file) {
      refuse(path.string() + " cannot be written");
    }
  }
}

// The rest of an argument that begins with `name`.
std::optional<std::string> value_of(std::string_view argument, std::string_view name) {
  if (!argument.starts_with(name)) {
    return std::nullopt;
  }
  return std::string(argument.substr(name.size()));
}

void read_flag(std::string_view argument, const Candidates& candidates) {
  if (const auto name = value_of(argument, "--mutant=")) {
    const auto mutant = impl::mutant_by_name(*name);
    if (!mutant) {
      refuse("there is no mutant '" + *name + "'; 'shardcheck list mutants' names them");
    }
    flags().mutant = *mutant;
  } else if (const auto findings = value_of(argument, "--findings=")) {
    flags().findings = *findings;
  } else if (const auto folder = value_of(argument, "--write-seeds=")) {
    write_seeds(*folder, candidates);
    std::exit(0);
  } else if (argument == "--statistics") {
    std::ignore = run_lengths();  // which so lives longer than what prints it
    std::atexit([] { run_lengths().print(); });
  }
}

}  // namespace

std::optional<ClauseId> run_scenario(sim::Choices& choices) {
  static ScenarioRunner runner;
  static Scenario scenario;
  ShortRuns short_ones(choices);
  const RunReport& report = runner.run(short_ones, flags().mutant, scenario);
  run_lengths().add(report.events);
  if (!report.violations.empty()) {
    return report.violations.front().clause;
  }
  if (report.was_cut_short) {
    fail_harness("nothing, but the run did not end", scenario);
  }
  if (report.digest % kRepeatEvery == 0) {
    check_repeat(runner, scenario, report.digest);
  }
  return std::nullopt;
}

void fail_run(sim::Choices& same_again, ClauseId clause) {
  ScenarioRunner runner;
  ShortRuns short_ones(same_again);
  const harness::Counterexample found =
      harness::shrink_counterexample(runner, short_ones, flags().mutant, clause, kShrinkRunsMax);
  const Result<std::string> path = harness::write_counterexample(found, flags().findings);
  fmt::print(stderr, "{}", harness::to_text(found, path ? *path : to_string(path.error())));
  std::abort();
}

Reached reached_in(const RunReport& report) {
  Reached reached;
  for (std::size_t i = 0; i < harness::kReachCells; ++i) {
    reached.set(i, report.reached.cells().test(i));
  }
  for (std::size_t i = 0; i < report.signals.size(); ++i) {
    reached.set(harness::kReachCells + i, report.signals.test(i));
  }
  return reached;
}

void read_flags(int argc, char** argv, std::string_view target, const Candidates& candidates) {
  flags().target = target;
  for (int i = 1; i < argc; ++i) {
    read_flag(argv[i], candidates);
  }
}

}  // namespace shardcheck::fuzz
