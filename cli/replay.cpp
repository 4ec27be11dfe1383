// shardcheck replay and shrink: a counterexample again, or smaller.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/finding.h"
#include "cli/flags.h"
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

nlohmann::json to_json(const Violation& violation) {
  return {{"clause", clause(violation.clause).text_id}, {"message", violation.message}, {"at_ns", violation.at.value}};
}

ExitCode bad_input(const Error& error) {
  fmt::print(stderr, "shardcheck: {}\n", to_string(error));
  return ExitCode::bad_input;
}

ExitCode replay_placement(const std::string& text, const ReplayFlags& flags) {
  const Result<PlacementReplay> input = parse_placement_replay(text);
  if (!input) {
    return bad_input({flags.file + ": " + input.error().where, input.error().what});
  }
  const Result<LawResult> result = replay(*input);
  if (!result) {
    return bad_input({flags.file, result.error().what});
  }
  if (flags.as_json) {
    nlohmann::json violations = nlohmann::json::array();
    if (result->violation) {
      violations.push_back(to_json(*result->violation));
    }
    fmt::print("{}\n", nlohmann::json{{"file", flags.file}, {"violations", violations}}.dump(2));
  } else if (result->violation) {
    print_violation(*result->violation);
  } else {
    fmt::print("{}: {} ({} checks)\n", result->checks == 0 ? "undecided" : "held", clause(input->clause).text_id,
               result->checks);
  }
  if (result->violation) {
    return ExitCode::violated;
  }
  return result->checks == 0 ? ExitCode::undecided : ExitCode::held;
}

ExitCode verdict_of(const harness::RunReport& report) {
  if (!report.violations.empty()) {
    return ExitCode::violated;
  }
  return report.is_undecided || report.was_cut_short ? ExitCode::undecided : ExitCode::held;
}

std::string_view word_of(ExitCode exit) {
  switch (exit) {
    case ExitCode::held: return "held";
    case ExitCode::violated: return "violated";
    case ExitCode::undecided: return "undecided";
    case ExitCode::bad_input: return "not judged";
  }
  return "";
}

ExitCode replay_scenario(const std::string& text, const ReplayFlags& flags, const std::vector<UserCluster>& clusters) {
  const Result<harness::Scenario> scenario = harness::parse_scenario(text, flags.file);
  if (!scenario) {
    return bad_input(scenario.error());
  }
  PrintTrace print_trace;
  PrintTrace* const trace = flags.is_traced && !flags.as_json ? &print_trace : nullptr;
  const Result<harness::RunReport> ran = scenario->system ? replay_user_cluster(clusters, *scenario, trace)
                                                          : harness::ScenarioRunner().run(*scenario, trace);
  if (!ran) {
    return bad_input({flags.file, to_string(ran.error())});
  }
  const harness::RunReport& report = *ran;
  if (flags.as_json) {
    nlohmann::json violations = nlohmann::json::array();
    for (const Violation& violation : report.violations) {
      violations.push_back(to_json(violation));
    }
    const nlohmann::json document{{"file", flags.file},
                                  {"violations", violations},
                                  {"events", report.events},
                                  {"digest", fmt::format("{:016x}", report.digest)}};
    fmt::print("{}\n", document.dump(2));
  } else {
    for (const sim::Deviation& deviation : scenario->deviations) {
      fmt::print("fault: {}\n", harness::describe(harness::wording_of(*scenario), deviation));
    }
    for (const Violation& violation : report.violations) {
      print_violation(violation);
    }
    fmt::print("{}: {} steps, {} events, digest {:016x}\n", word_of(verdict_of(report)), scenario->size(),
               report.events, report.digest);
  }
  return verdict_of(report);
}

ExitCode run_replay(const ReplayFlags& flags, const std::vector<UserCluster>& clusters) {
  const Result<std::string> text = read_text_file(flags.file);
  if (!text) {
    return bad_input(text.error());
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
    return bad_input(text.error());
  }
  if (is_placement(*text)) {
    return bad_input(
        {flags.file, "a case of a placement is shrunk when it is found; only scenarios can be shrunk again"});
  }
  const Result<harness::Scenario> scenario = harness::parse_scenario(*text, flags.file);
  if (!scenario) {
    return bad_input(scenario.error());
  }
  if (scenario->system) {
    return bad_input({flags.file, "verify has shrunk it already; only scenarios of the reference can be shrunk again"});
  }
  harness::ScenarioRunner runner;
  const harness::RunReport& report = runner.run(*scenario);
  if (report.violations.empty()) {
    fmt::print("{}: there is nothing to shrink\n", word_of(verdict_of(report)));
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
    fmt::print("{}", harness::to_text(shrunk->scenario));  // so that the work is not lost
    return bad_input(path.error());
  }
  if (flags.as_json) {
    const nlohmann::json document{{"file", *path},
                                  {"clause", clause(clause_id).text_id},
                                  {"steps_before", scenario->size()},
                                  {"steps_after", shrunk->scenario.size()},
                                  {"runs", shrunk->runs}};
    fmt::print("{}\n", document.dump(2));
  } else {
    print_violation(shrunk->violation);
    fmt::print("{} steps instead of {}, in {} runs: {}\n", shrunk->scenario.size(), scenario->size(), shrunk->runs,
               *path);
  }
  return ExitCode::violated;
}

}  // namespace

void add_replay(CLI::App& app, ExitCode& exit, const std::vector<UserCluster>& clusters) {
  CLI::App* replay = app.add_subcommand("replay", "Run a counterexample again");
  auto flags = std::make_shared<ReplayFlags>();
  replay->add_option("file", flags->file, "A file that verify, mutants or a fuzz target wrote")->required();
  replay->add_flag("--trace", flags->is_traced, "Print every message, timer and fault");
  replay->add_flag("--json", flags->as_json, "Print JSON");
  replay->callback([flags, &exit, &clusters] { exit = run_replay(*flags, clusters); });
}

void add_shrink(CLI::App& app, ExitCode& exit) {
  CLI::App* shrink = app.add_subcommand("shrink", "Make a failing scenario smaller");
  auto flags = std::make_shared<ShrinkFlags>();
  shrink->add_option("file", flags->file, "A scenario")->required();
  shrink->add_option("--out", flags->out, "Where to write the smaller one (FILE.shrunk)");
  shrink->add_option("--runs", flags->runs_max, "At most so many runs")
      ->capture_default_str()
      ->check(whole_number_from(2));
  shrink->add_flag("--json", flags->as_json, "Print JSON");
  shrink->callback([flags, &exit] { exit = run_shrink(*flags); });
}

}  // namespace shardcheck::cli
