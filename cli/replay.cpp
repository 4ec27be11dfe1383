// shardcheck replay and shrink: a counterexample again, or smaller.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/figures_json.h"
#include "cli/files.h"
#include "cli/finding.h"
#include "cli/flags.h"
#include "cli/refusal.h"
#include "cli/replay_outputs.h"
#include "cli/user_cluster.h"
#include "harness/annotate.h"
#include "harness/excerpt.h"
#include "harness/placement_check.h"
#include "harness/run_story.h"
#include "harness/scenario_runner.h"
#include "harness/shrink.h"
#include "spec/wording.h"

namespace shardcheck::cli {
namespace {

struct ReplayFlags {
  std::string file;
  bool is_traced = false;
  bool as_json = false;
  ReplayOutputs outputs;
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
void print_run(const harness::Scenario& scenario, const harness::FaultListener& faults,
               const std::vector<std::string>& lead_up) {
  fmt::print("  the run, {}:\n", counted(scenario.size(), "step"));
  const std::string text = harness::annotated_text(scenario, faults);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    fmt::print("    {}\n", std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  fmt::print("{}  --trace prints every message of the run\n", lead_up_text(lead_up));
}

void print_faults(const harness::Scenario& scenario, const harness::FaultListener& faults) {
  for (const sim::Deviation& deviation : scenario.deviations) {
    fmt::print("fault: {}\n", harness::described(scenario, deviation, faults));
  }
}

void print_not_applicable(const harness::Scenario& scenario, const harness::RunReport& report) {
  for (const std::size_t step : report.not_applicable) {
    fmt::print("not applicable: {}: there was no such range when it was asked for\n",
               harness::to_text(scenario.steps[step]));
  }
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
  if (flags.outputs.is_wanted()) {
    return refuse({flags.file, "this is a case of a placement: it has no clients, so no history and no picture"},
                  flags.as_json);
  }
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

nlohmann::json document_of(const harness::RunReport& report, const ReplayFlags& flags) {
  nlohmann::json violations = nlohmann::json::array();
  for (const Violation& violation : report.violations) {
    violations.push_back(to_json(violation));
  }
  nlohmann::json document{{"file", flags.file},
                          {"verdict", name_of(verdict_of(report))},
                          {"reason", reason_of(report)},
                          {"violations", violations},
                          {"events", report.events},
                          {"digest", fmt::format("{:016x}", report.digest)},
                          {"figures", cli::to_json(report.figures)}};
  if (!flags.outputs.history.empty()) {
    document["history"] = flags.outputs.history;
  }
  if (!flags.outputs.html.empty()) {
    document["picture"] = flags.outputs.html;
  }
  return document;
}

// The promise that the file says it breaks ("# L3 EpochFence violated by ..."), if it still does.
std::optional<ClauseId> named_clause(const std::string& text, const harness::RunReport& report) {
  if (!text.starts_with("# ")) {
    return std::nullopt;
  }
  const auto named = clause_by_text_id(std::string_view(text).substr(2, text.find(' ', 2) - 2));
  return named && report.violation_of(*named) != nullptr ? named : std::nullopt;
}

// Of the promise that the file is about.
std::vector<std::string> lead_up_of(const std::string& text, const harness::RunReport& report,
                                    const harness::Excerpt& excerpt) {
  if (report.violations.empty()) {
    return {};
  }
  const ClauseId about = named_clause(text, report).value_or(report.violations.front().clause);
  return excerpt.before(*report.violation_of(about));
}

void print_text(const harness::Scenario& scenario, const harness::RunReport& report,
                const harness::FaultListener& faults, const std::vector<std::string>& lead_up) {
  for (const Violation& violation : report.violations) {
    print_violation(violation);
  }
  if (!report.violations.empty()) {
    print_run(scenario, faults, lead_up);
  } else {
    print_faults(scenario, faults);
  }
  print_not_applicable(scenario, report);
  const std::string figures = to_text(report.figures);
  if (!figures.empty()) {
    fmt::print("figures: {}\n", figures);
  }
  fmt::print("{}: {}, {} events, digest {:016x}\n", verdict_text(report), counted(scenario.size(), "step"),
             report.events, report.digest);
}

Result<Replayed> run_again(const harness::Scenario& scenario, const std::vector<UserCluster>& clusters,
                           harness::TraceSink* trace) {
  if (scenario.system) {
    return replay_user_cluster(clusters, scenario, trace);
  }
  harness::ScenarioRunner runner;
  harness::RunReport report = runner.run(scenario, trace);
  return Replayed{std::move(report), runner.history()};
}

ExitCode replay_scenario(const std::string& text, const ReplayFlags& flags, const std::vector<UserCluster>& clusters) {
  const Result<harness::Scenario> scenario = harness::parse_scenario(text, flags.file);
  if (!scenario) {
    return refuse(scenario.error(), flags.as_json);
  }
  if (const Result<void> possible = check_outputs(flags.outputs, flags.file); !possible) {
    return refuse(possible.error(), flags.as_json);
  }
  PrintTrace print_trace;
  harness::Excerpt excerpt(*scenario, flags.is_traced && !flags.as_json ? &print_trace : nullptr);
  harness::FaultListener faults(&excerpt);
  harness::RunStory story(*scenario, &faults);
  const bool is_told = !flags.as_json || flags.outputs.is_wanted();
  const Result<Replayed> ran = run_again(*scenario, clusters, is_told ? &story : nullptr);
  if (!ran) {
    return refuse({flags.file, to_string(ran.error())}, flags.as_json);
  }
  const harness::RunReport& report = ran->report;
  if (flags.outputs.is_wanted()) {
    const histories::History history = story.told_with(ran->history, report.violations);
    const Result<void> written = write_outputs(flags.outputs, flags.file, history, report.violations);
    if (!written) {
      return refuse(written.error(), flags.as_json);
    }
  }
  if (flags.as_json) {
    fmt::print("{}\n", document_of(report, flags).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return verdict_of(report);
  }
  print_text(*scenario, report, faults, lead_up_of(text, report, excerpt));
  if (!flags.outputs.history.empty()) {
    fmt::print("history: {}\n", flags.outputs.history);
  }
  if (!flags.outputs.html.empty()) {
    fmt::print("picture: {}\n", flags.outputs.html);
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
  replay
      ->add_option("--history", flags->outputs.history,
                   "Write what the clients asked and were told, as JSON lines with the faults and moves between")
      ->check(not_empty());
  replay
      ->add_option("--html", flags->outputs.html,
                   "Write an HTML page with a picture of that, and the promise that was broken")
      ->check(not_empty());
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
