// shardcheck replay and shrink: a counterexample again, or smaller.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/figures_json.h"
#include "cli/files.h"
#include "cli/finding.h"
#include "cli/flags.h"
#include "cli/refusal.h"
#include "cli/user_cluster.h"
#include "harness/describe.h"
#include "harness/placement_check.h"
#include "harness/scenario_runner.h"
#include "harness/shrink.h"

namespace shardcheck::cli {
namespace {

struct ReplayFlags {
  std::string file;
  bool is_traced = false;
  bool as_json = false;
};

struct ShrinkFlags {
  std::string file;
  std::string out;
  std::uint64_t runs_max = 20'000;
  bool as_json = false;
};

class PrintTrace final : public harness::TraceSink {
 public:
  void line(TrueTime at, const std::string& text) override {
    fmt::print("{:12.6f} ms  {}\n", static_cast<double>(at.value) / 1e6, text);
  }
};

// Where the first line begins that is neither a comment nor empty.
std::size_t begin_of(const std::string& text) {
  std::size_t begin = 0;
  while (begin < text.size() && (text[begin] == '#' || text[begin] == '\n')) {
    const std::size_t end = text.find('\n', begin);
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  return begin;
}

bool is_placement(const std::string& text) { return text.compare(begin_of(text), 10, "placement ") == 0; }

void print_violation(const Violation& violation) {
  const Clause& row = clause(violation.clause);
  fmt::print("VIOLATED {} {}\n  promised: {}\n  happened: {}{}\n", row.text_id, row.name, row.sentence,
             violation.message, when(violation));
}

// What a run consists of, for who has only what is printed.
void print_run(const harness::Scenario& scenario) {
  fmt::print("  the run, {}:\n", counted(scenario.size(), "step"));
  const std::string text = harness::to_text(scenario);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    fmt::print("    {}\n", std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  fmt::print(
      "    then, as in every run, all faults end, and each client reads its share of the keys\n"
      "  --trace prints every message of it\n");
}

nlohmann::json to_json(const Violation& violation) {
  return {{"clause", clause(violation.clause).text_id}, {"message", violation.message}, {"at_ns", violation.at.value}};
}

constexpr std::string_view kNotChecked = "the case gives this law nothing to check";

ExitCode exit_of(const LawResult& result) {
  if (result.violation) {
    return ExitCode::violated;
  }
  return result.checks == 0 ? ExitCode::undecided : ExitCode::held;
}

ExitCode replay_placement(const std::string& text, const ReplayFlags& flags) {
  const Result<PlacementReplay> input = parse_placement_replay(text);
  if (!input) {
    return refuse({flags.file + ": " + input.error().where, input.error().what}, flags.as_json);
  }
  const Result<LawResult> result = replay(*input);
  if (!result) {
    return refuse({flags.file, result.error().what}, flags.as_json);
  }
  if (flags.as_json) {
    nlohmann::json violations = nlohmann::json::array();
    if (result->violation) {
      violations.push_back(to_json(*result->violation));
    }
    const ExitCode exit = exit_of(*result);
    fmt::print("{}\n", nlohmann::json{{"file", flags.file},
                                      {"verdict", name_of(exit)},
                                      {"reason", exit == ExitCode::undecided ? kNotChecked : ""},
                                      {"violations", violations}}
                           .dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (result->violation) {
    print_violation(*result->violation);
  } else {
    fmt::print("{}: {} ({})\n", name_of(exit_of(*result)), clause(input->clause).text_id,
               result->checks == 0 ? std::string(kNotChecked) : counted(result->checks, "check"));
  }
  return exit_of(*result);
}

ExitCode verdict_of(const harness::RunReport& report) {
  if (!report.violations.empty()) {
    return ExitCode::violated;
  }
  return report.is_undecided || report.was_cut_short ? ExitCode::undecided : ExitCode::held;
}

// Why nothing could be decided; empty when it could.
std::string_view reason_of(const harness::RunReport& report) {
  if (!report.violations.empty()) {
    return "";
  }
  if (report.was_cut_short) {
    return "the run had more events than a run may have";
  }
  return report.is_undecided ? "the search for an order of the operations ran out of its budget" : "";
}

std::string verdict_text(const harness::RunReport& report) {
  const std::string_view reason = reason_of(report);
  const std::string_view word = name_of(verdict_of(report));
  return reason.empty() ? std::string(word) : fmt::format("{} ({})", word, reason);
}

ExitCode replay_scenario(const std::string& text, const ReplayFlags& flags, const std::vector<UserCluster>& clusters) {
  const Result<harness::Scenario> scenario = harness::parse_scenario(text, flags.file);
  if (!scenario) {
    return refuse(scenario.error(), flags.as_json);
  }
  PrintTrace print_trace;
  PrintTrace* const trace = flags.is_traced && !flags.as_json ? &print_trace : nullptr;
  const Result<harness::RunReport> ran = scenario->system ? replay_user_cluster(clusters, *scenario, trace)
                                                          : harness::ScenarioRunner().run(*scenario, trace);
  if (!ran) {
    return refuse({flags.file, to_string(ran.error())}, flags.as_json);
  }
  const harness::RunReport& report = *ran;
  if (flags.as_json) {
    nlohmann::json violations = nlohmann::json::array();
    for (const Violation& violation : report.violations) {
      violations.push_back(to_json(violation));
    }
    const nlohmann::json document{{"file", flags.file},
                                  {"verdict", name_of(verdict_of(report))},
                                  {"reason", reason_of(report)},
                                  {"violations", violations},
                                  {"events", report.events},
                                  {"digest", fmt::format("{:016x}", report.digest)},
                                  {"figures", cli::to_json(report.figures)}};
    fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    for (const sim::Deviation& deviation : scenario->deviations) {
      fmt::print("fault: {}\n", harness::describe(harness::wording_of(*scenario), deviation));
    }
    for (const Violation& violation : report.violations) {
      print_violation(violation);
    }
    if (!report.violations.empty() && !flags.is_traced) {
      print_run(*scenario);
    }
    const std::string figures = to_text(report.figures);
    if (!figures.empty()) {
      fmt::print("figures: {}\n", figures);
    }
    fmt::print("{}: {}, {} events, digest {:016x}\n", verdict_text(report), counted(scenario->size(), "step"),
               report.events, report.digest);
  }
  return verdict_of(report);
}

ExitCode run_replay(const ReplayFlags& flags, const std::vector<UserCluster>& clusters) {
  const Result<std::string> text = read_text_file(flags.file);
  if (!text) {
    return refuse(text.error(), flags.as_json);
  }
  return is_placement(*text) ? replay_placement(*text, flags) : replay_scenario(*text, flags, clusters);
}

// The promise that the file says it breaks ("# L3 EpochFence violated by ..."), if it still does.
std::optional<ClauseId> named_clause(const std::string& text, const harness::RunReport& report) {
  if (!text.starts_with("# ")) {
    return std::nullopt;
  }
  const auto named = clause_by_text_id(std::string_view(text).substr(2, text.find(' ', 2) - 2));
  return named && report.violation_of(*named) != nullptr ? named : std::nullopt;
}

ExitCode run_shrink(const ShrinkFlags& flags) {
  const Result<std::string> text = read_text_file(flags.file);
  if (!text) {
    return refuse(text.error(), flags.as_json);
  }
  if (is_placement(*text)) {
    return refuse({flags.file, "a case of a placement is shrunk when it is found; only scenarios can be shrunk again"},
                  flags.as_json);
  }
  const Result<harness::Scenario> scenario = harness::parse_scenario(*text, flags.file);
  if (!scenario) {
    return refuse(scenario.error(), flags.as_json);
  }
  if (scenario->system) {
    return refuse({flags.file, "verify has shrunk it already; only scenarios of the reference can be shrunk again"},
                  flags.as_json);
  }
  harness::ScenarioRunner runner;
  const harness::RunReport& report = runner.run(*scenario);
  if (report.violations.empty()) {
    if (flags.as_json) {
      fmt::print(
          "{}\n",
          nlohmann::json{{"file", flags.file}, {"verdict", name_of(verdict_of(report))}, {"reason", reason_of(report)}}
              .dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
      fmt::print("{}: there is nothing to shrink\n", verdict_text(report));
    }
    return verdict_of(report);
  }
  const ClauseId clause_id = named_clause(*text, report).value_or(report.violations.front().clause);
  harness::Shrinker shrinker(runner, flags.runs_max);
  const auto shrunk = shrinker.shrink(*scenario, clause_id);
  const std::string out = flags.out.empty() ? flags.file + ".shrunk" : flags.out;
  const Clause& row = clause(clause_id);
  const std::string header = fmt::format("# {} {} violated: {}\n", row.text_id, row.name, shrunk->violation.message);
  const Result<std::string> path = write_text_file(".", out, header + harness::to_text(shrunk->scenario));
  if (!path) {
    // So that the work is not lost:
    const std::string smaller = harness::to_text(shrunk->scenario);
    fmt::print("{}", flags.as_json ? nlohmann::json{{"error", error_json(path.error())}, {"scenario", smaller}}.dump(
                                         2, ' ', false, nlohmann::json::error_handler_t::replace) +
                                         "\n"
                                   : smaller);
    return refuse(path.error(), false);
  }
  if (flags.as_json) {
    const nlohmann::json document{{"file", *path},
                                  {"clause", clause(clause_id).text_id},
                                  {"steps_before", scenario->size()},
                                  {"steps_after", shrunk->scenario.size()},
                                  {"runs", shrunk->runs}};
    fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    print_violation(shrunk->violation);
    fmt::print("{} instead of {}, in {}: {}\n", counted(shrunk->scenario.size(), "step"), scenario->size(),
               counted(shrunk->runs, "run"), *path);
  }
  return ExitCode::violated;
}

}  // namespace

void add_replay(CLI::App& app, ExitCode& exit, const std::vector<UserCluster>& clusters) {
  CLI::App* replay = app.add_subcommand("replay", "Run a counterexample again");
  auto flags = std::make_shared<ReplayFlags>();
  replay->add_option("file", flags->file, "A file that verify, mutants or a fuzz target wrote")
      ->required()
      ->check(not_empty());
  replay->add_flag("--trace", flags->is_traced, "Print every message, timer and fault");
  replay->add_flag("--json", flags->as_json, "Print JSON");
  replay->callback([flags, &exit, &clusters] { exit = run_replay(*flags, clusters); });
}

void add_shrink(CLI::App& app, ExitCode& exit) {
  CLI::App* shrink = app.add_subcommand("shrink", "Make a failing scenario smaller");
  auto flags = std::make_shared<ShrinkFlags>();
  shrink->add_option("file", flags->file, "A scenario")->required()->check(not_empty());
  shrink->add_option("--out", flags->out, "Where to write the smaller one (FILE.shrunk)")->check(not_empty());
  shrink->add_option("--runs", flags->runs_max, "At most so many runs")
      ->capture_default_str()
      ->check(whole_number_from(2));
  shrink->add_flag("--json", flags->as_json, "Print JSON");
  shrink->callback([flags, &exit] { exit = run_shrink(*flags); });
}

}  // namespace shardcheck::cli
