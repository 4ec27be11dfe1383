// shardcheck compare OLD NEW: which benchmarks became faster or slower from one release to another.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "bench/compare.h"
#include "cli/exit_code.h"
#include "cli/flags.h"
#include "cli/refusal.h"

namespace shardcheck::app {
namespace {

using bench::Baseline;
using bench::Change;
using bench::CompareVerdict;
using bench::Comparison;
using cli::ExitCode;

struct Options {
  std::string older;
  std::string newer;
  double threshold_percent = 5;
  double level = 0.01;
  bool as_json = false;
};

std::string_view to_string(CompareVerdict verdict) {
  switch (verdict) {
    case CompareVerdict::held: return "held";
    case CompareVerdict::slower: return "slower";
    case CompareVerdict::undecided: return "undecided";
  }
  return "";
}

ExitCode exit_of(CompareVerdict verdict) {
  switch (verdict) {
    case CompareVerdict::held: return ExitCode::held;
    case CompareVerdict::slower: return ExitCode::violated;
    case CompareVerdict::undecided: return ExitCode::undecided;
  }
  return ExitCode::undecided;
}

void print_text(const Baseline& older, const Baseline& newer, const std::vector<Comparison>& comparisons,
                CompareVerdict verdict) {
  if (older.machine != newer.machine) {
    fmt::print("the machines differ, so this compares machines too:\n  {}\n  {}\n", older.machine, newer.machine);
  }
  std::size_t width = 9;
  for (const Comparison& row : comparisons) {
    width = std::max(width, row.name.size());
  }
  fmt::print("{:<{}}  new/old  95 % interval    verdict\n", "benchmark", width);
  for (const Comparison& row : comparisons) {
    if (row.change == Change::missing || row.change == Change::added) {
      fmt::print("{:<{}}  {:>7}  {:>15}  {}\n", row.name, width, "-", "-", to_string(row.change));
    } else {
      fmt::print("{:<{}}  {:>7.3f}  {:>6.3f} - {:>6.3f}  {}\n", row.name, width, row.ratio, row.ratio_interval.low,
                 row.ratio_interval.high, to_string(row.change));
    }
  }
  fmt::print("{}\n", to_string(verdict));
}

void print_json(const std::vector<Comparison>& comparisons, CompareVerdict verdict) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Comparison& row : comparisons) {
    nlohmann::json fields{{"name", row.name}, {"change", to_string(row.change)}};
    if (row.change != Change::missing && row.change != Change::added) {
      fields["ratio"] = row.ratio;
      fields["ratio_low"] = row.ratio_interval.low;
      fields["ratio_high"] = row.ratio_interval.high;
      fields["p"] = row.p;
    }
    rows.push_back(std::move(fields));
  }
  fmt::print("{}\n", nlohmann::json{{"verdict", to_string(verdict)}, {"benchmarks", rows}}.dump(2));
}

ExitCode compare_files(const Options& options) {
  const Result<Baseline> older = bench::read_baseline(options.older);
  const Result<Baseline> newer = bench::read_baseline(options.newer);
  for (const Result<Baseline>* baseline : {&older, &newer}) {
    if (!*baseline) {
      return cli::refuse(baseline->error(), options.as_json);
    }
  }
  const std::vector<Comparison> comparisons =
      bench::compare(*older, *newer, {.threshold = options.threshold_percent / 100, .level = options.level});
  const CompareVerdict verdict = verdict_of(comparisons);
  if (options.as_json) {
    print_json(comparisons, verdict);
  } else {
    print_text(*older, *newer, comparisons, verdict);
  }
  return exit_of(verdict);
}

}  // namespace

void add_compare(CLI::App& app, ExitCode& exit) {
  CLI::App* compare =
      app.add_subcommand("compare", "Judge the benchmark figures of two releases: faster, slower, same");
  auto options = std::make_shared<Options>();
  compare->add_option("OLD", options->older, "A file that `bench --out` wrote")->required();
  compare->add_option("NEW", options->newer, "A later one, best of the same machine")->required();
  compare->add_option("--threshold", options->threshold_percent, "Percent of the median below which a change is none")
      ->check(cli::number_between(0.0, 1000.0))
      ->capture_default_str();
  compare->add_option("--level", options->level, "How likely one false alarm in the whole comparison may be")
      ->check(cli::number_between(0.0, 1.0))
      ->capture_default_str();
  compare->add_flag("--json", options->as_json, "Print JSON");
  compare->footer(
      "Exit code: 0 nothing became slower, 1 something did, 2 undecided (a benchmark is missing, or has too few "
      "samples), "
      "3 a file cannot be read.");
  compare->callback([options, &exit] { exit = compare_files(*options); });
}

}  // namespace shardcheck::app
