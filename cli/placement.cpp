// shardcheck placement: a placement scheme under all of its laws.
#include <fmt/core.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/placement_demo.h"
#include "cli/refusal.h"
#include "harness/placement_check.h"
#include "spec/clauses.h"

namespace shardcheck::cli {
namespace {

struct PlacementFlags {
  std::uint64_t seed = 1;
  std::uint64_t cases = 2'000;
  std::string mutant;
  bool is_demo = false;
  bool as_json = false;
};

std::string_view outcome_word(const PlacementRow& row) {
  if (row.finding) {
    return "violated";
  }
  return row.is_held() ? "held" : "not observable";
}

std::string replay_text(const PlacementReport& report, const PlacementRow& row) {
  return to_text(PlacementReplay{report.placement, row.clause, row.finding->smallest});
}

void print_json(const PlacementReport& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const PlacementRow& row : report.rows) {
    nlohmann::json entry{
        {"clause", clause(row.clause).text_id}, {"outcome", outcome_word(row)}, {"checks", row.checks}};
    if (row.finding) {
      entry["violation"] = row.finding->violation.message;
      entry["cases_until"] = row.finding->cases_until;
      entry["steps"] = steps_of(row.finding->smallest);
      entry["replay"] = replay_text(report, row);
    }
    rows.push_back(std::move(entry));
  }
  const nlohmann::json document{
      {"placement", report.placement}, {"seed", report.seed}, {"cases", report.cases}, {"rows", std::move(rows)}};
  fmt::print("{}\n", document.dump(2));
}

void print_table(const PlacementReport& report, const PlacementFlags& flags) {
  fmt::print("placement {}, seed {}, {} cases\n\n", report.placement, report.seed, report.cases);
  for (const PlacementRow& row : report.rows) {
    const Clause& named = clause(row.clause);
    fmt::print("{:<4}{:<22}{:<16}{:>12} checks\n", named.text_id, named.name, outcome_word(row), row.checks);
  }
  for (const PlacementRow& row : report.rows) {
    if (!row.finding) {
      continue;
    }
    const Clause& named = clause(row.clause);
    fmt::print("\n{} {} is violated (first by case {}).\n  Promise: {}\n  Found: {}\n  Smallest case, {}:\n",
               named.text_id, named.name, row.finding->cases_until, named.sentence, row.finding->violation.message,
               counted(steps_of(row.finding->smallest), "step"));
    fmt::print("{}", replay_text(report, row));
  }
  if (report.is_violated()) {
    const std::string mutant = flags.mutant.empty() ? "" : " --mutant " + flags.mutant;
    fmt::print("\nAgain: shardcheck placement --seed {} --cases {}{}\n", flags.seed, flags.cases, mutant);
  }
}

ExitCode print_demo(bool as_json) {
  const PlacementDemo demo = placement_demo();
  fmt::print("{}", as_json ? to_json(demo).dump(2) + "\n" : to_text(demo));
  return ExitCode::held;
}

ExitCode run_placement(const PlacementFlags& flags) {
  if (flags.is_demo) {
    return print_demo(flags.as_json);
  }
  const std::optional<PlacementFactory> factory =
      placement_by_name(flags.mutant.empty() ? "ring" : "ring+" + flags.mutant);
  if (!factory) {
    return refuse({"--mutant", fmt::format("the ring has no mutant '{}'", flags.mutant)}, flags.as_json);
  }
  const PlacementReport report = check_placement(*factory, flags.seed, flags.cases);
  if (flags.as_json) {
    print_json(report);
  } else {
    print_table(report, flags);
  }
  return report.is_violated() ? ExitCode::violated : ExitCode::held;
}

}  // namespace

void add_placement(CLI::App& app, ExitCode& exit) {
  CLI::App* placement = app.add_subcommand("placement", "Put the reference ring under the laws of placement (P1-P9)");
  auto flags = std::make_shared<PlacementFlags>();
  placement->add_option("--seed", flags->seed, "Which cases to draw")
      ->capture_default_str()
      ->check(whole_number_from(0));
  placement->add_option("--cases", flags->cases, "How many cases to draw")
      ->capture_default_str()
      ->check(whole_number_from(1));
  placement->add_option("--mutant", flags->mutant, "Judge the ring with this seeded bug instead")->check(not_empty());
  placement->add_flag("--demo", flags->is_demo, "Print what a ring does to ten thousand keys")
      ->excludes("--seed", "--cases", "--mutant");
  placement->add_flag("--json", flags->as_json, "Print JSON");
  placement->callback([flags, &exit] { exit = run_placement(*flags); });
}

}  // namespace shardcheck::cli
