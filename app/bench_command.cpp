// shardcheck bench: runs the benchmark suites, or measures the promises about speed.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands.h"
#include "bench/promises.h"
#include "bench/suites.h"
#include "cli/exit_code.h"
#include "cli/flags.h"
#include "cli/refusal.h"

namespace shardcheck::app {
namespace {

using bench::Baseline;
using bench::PromiseOutcome;
using bench::PromiseVerdict;
using cli::ExitCode;

struct Options {
  std::string filter;
  bool is_about_promises = false;
  bool as_json = false;
  int repetitions = 10;
  double min_time_s = 0.1;
  std::string suites_folder;
  std::string out;
  std::string release;
};

std::string_view to_string(PromiseVerdict verdict) {
  switch (verdict) {
    case PromiseVerdict::held: return "held";
    case PromiseVerdict::fell_short: return "short";
    case PromiseVerdict::unmeasured: return "unmeasured";
  }
  return "";
}

void print_text(const PromiseOutcome& outcome) {
  const std::string ratio =
      outcome.verdict == PromiseVerdict::unmeasured ? "-" : fmt::format("{:.2f}", outcome.ratio.speedup());
  fmt::print("{} {} {:.2f} {}{}{}\n", outcome.promise.name, ratio, outcome.promise.bar, to_string(outcome.verdict),
             outcome.why_not.empty() ? "" : ": ", outcome.why_not);
  std::fflush(stdout);
}

nlohmann::json to_json(const PromiseOutcome& outcome) {
  nlohmann::json row{{"name", outcome.promise.name},
                     {"what", outcome.promise.what},
                     {"against", outcome.promise.against},
                     {"bar", outcome.promise.bar},
                     {"verdict", to_string(outcome.verdict)}};
  if (outcome.verdict != PromiseVerdict::unmeasured) {
    row["ratio"] = outcome.ratio.speedup();
    row["subject_ns"] = outcome.ratio.subject_ns;
    row["baseline_ns"] = outcome.ratio.baseline_ns;
  } else if (!outcome.why_not.empty()) {
    row["why_not"] = outcome.why_not;
  }
  return row;
}

ExitCode judge_promises(const Options& options) {
  nlohmann::json rows = nlohmann::json::array();
  bool any = false;
  bool any_short = false;
  bool any_unmeasured = false;
  for (const bench::SpeedPromise& promise : bench::promises()) {
    if (promise.name.find(options.filter) == std::string::npos) {
      continue;
    }
    const PromiseOutcome outcome = judge_promise(promise, bench::measure_of(promise.name));
    any = true;
    any_short |= outcome.verdict == PromiseVerdict::fell_short;
    any_unmeasured |= outcome.verdict == PromiseVerdict::unmeasured;
    if (options.as_json) {
      rows.push_back(to_json(outcome));
    } else {
      print_text(outcome);
    }
  }
  if (!any) {
    return cli::refuse({.where = "", .what = fmt::format("no promise has \"{}\" in its name", options.filter)},
                       options.as_json);
  }
  if (options.as_json) {
    fmt::print("{}\n", rows.dump(2));
  }
  if (any_short) {
    return ExitCode::violated;
  }
  return any_unmeasured ? ExitCode::undecided : ExitCode::held;
}

// The folder of the benchmark programs of this build.
std::filesystem::path built_suites() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure).parent_path() / "bench";
}

ExitCode run_suites(const Options& options) {
  const std::filesystem::path given = options.suites_folder;
  const std::filesystem::path folder = given.empty() ? built_suites() : given;
  const Result<std::vector<std::filesystem::path>> suites = bench::find_suites(folder);
  if (!suites) {
    return cli::refuse(suites.error(), options.as_json);
  }
  // Opened before hours of measuring, not after.
  std::optional<std::ofstream> out;
  if (!options.out.empty()) {
    out.emplace(options.out + ".part", std::ios::binary);
    if (!*out) {
      return cli::refuse({.where = options.out, .what = "cannot be written"}, options.as_json);
    }
  }
  Result<Baseline> baseline = bench::run_suites(*suites, {.filter = options.filter.empty() ? "." : options.filter,
                                                          .repetitions = options.repetitions,
                                                          .min_time_s = fmt::format("{}", options.min_time_s),
                                                          .is_quiet = options.as_json});
  std::error_code failure;
  if (!baseline) {
    std::filesystem::remove(options.out + ".part", failure);
    return cli::refuse(baseline.error(), options.as_json);
  }
  baseline->release = options.release;
  if (options.as_json) {
    fmt::print("{}", print_baseline(*baseline));
  }
  if (out) {
    *out << print_baseline(*baseline);
    out->close();
    std::filesystem::rename(options.out + ".part", options.out, failure);
    if (!*out || failure) {
      return cli::refuse({.where = options.out, .what = "cannot be written"}, false);
    }
  }
  return ExitCode::held;
}

}  // namespace

void add_bench(CLI::App& app, ExitCode& exit) {
  CLI::App* bench = app.add_subcommand("bench", "Measure: the benchmark suites, or the promises about speed");
  auto options = std::make_shared<Options>();
  bench->add_option("FILTER", options->filter,
                    "Only the benchmarks that match this regular expression, or the promises with this in their name");
  bench->add_flag(
      "--promises", options->is_about_promises,
      "Judge each promise by its ratio to a known way, measured in the same run: name, ratio, bar, verdict");
  bench->add_flag("--json", options->as_json, "Print JSON");
  bench->add_option("--repetitions", options->repetitions, "Samples of each benchmark")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  bench->add_option("--min-time", options->min_time_s, "Seconds that one repetition lasts, at least")
      ->check(cli::number_between(0.001, 3600.0))
      ->capture_default_str();
  bench->add_option("--out", options->out, "Keep the figures in this file, for `compare`")->check(cli::not_empty());
  bench->add_option("--release", options->release, "The version that the file says it is of");
  bench->add_option("--suites", options->suites_folder, "Where the benchmark programs are (default: beside this one)")
      ->check(cli::not_empty());
  bench->footer(
      "Exit code: 0 measured and held, 1 a promise is short, 2 a promise has no measure, 3 usage or failure.");
  bench->callback(
      [options, &exit] { exit = options->is_about_promises ? judge_promises(*options) : run_suites(*options); });
}

}  // namespace shardcheck::app
