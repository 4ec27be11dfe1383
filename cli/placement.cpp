// shardcheck placement: placement schemes under all of their laws, ours or a program's, one or several compared.
#include <fmt/core.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/flags.h"
#include "cli/placement_comparison.h"
#include "cli/placement_demo.h"
#include "cli/placement_report.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/refusal.h"
#include "cli/shell_word.h"
#include "harness/adapters/external_process/external_placement.h"
#include "harness/adapters/placement_server.h"
#include "harness/placement_budget.h"

namespace shardcheck::cli {
namespace {

constexpr std::uint64_t kCasesOfRing = 2'000;
constexpr std::uint64_t kCasesOfProgram = 200;  // each question is a message to another process
constexpr std::uint64_t kCasesCompared = 200;

struct PlacementFlags {
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> cases;
  std::string scheme;
  std::string mutant;
  std::string exec;
  double timeout_seconds = 5;
  double budget_seconds = 600;
  std::string compare;
  std::string html;
  std::string case_file;
  std::string junit;
  FiguresOptions figures;
  bool is_without_figures = false;
  bool is_served = false;
  bool is_demo = false;
  bool as_json = false;
};

ExitCode print_demo(bool as_json) {
  const PlacementDemo demo = placement_demo();
  fmt::print("{}", as_json ? to_json(demo).dump(2) + "\n" : to_text(demo));
  return ExitCode::held;
}

Result<PlacementFactory> scheme_named(std::string_view flag, const std::string& name) {
  const std::optional<PlacementFactory> factory = placement_by_name(name);
  return factory
             ? Result<PlacementFactory>(*factory)
             : fail(std::string(flag),
                    fmt::format("there is no placement scheme '{}'; `{} list schemes` names them", name, program()));
}

Result<PlacementFactory> program_of(const PlacementFlags& flags) {
  if (flags.exec.find('\n') != std::string::npos) {
    return fail("--exec", "the command must be one line");
  }
  return external::external_placement(
      {.command = flags.exec,
       .timeout = std::chrono::milliseconds(static_cast<std::int64_t>(flags.timeout_seconds * 1'000))});
}

// What is judged: the schemes that are compared, or the one that was named.
Result<std::vector<PlacementFactory>> factories_of(const PlacementFlags& flags) {
  std::vector<PlacementFactory> factories;
  for (std::size_t begin = 0; !flags.compare.empty() && begin <= flags.compare.size();) {
    const std::size_t end = std::min(flags.compare.find(',', begin), flags.compare.size());
    Result<PlacementFactory> factory = scheme_named("--compare", flags.compare.substr(begin, end - begin));
    if (!factory) {
      return std::unexpected<Error>(factory.error());
    }
    factories.push_back(*std::move(factory));
    begin = end + 1;
  }
  if (factories.size() > kComparedMax) {
    return fail("--compare", fmt::format("at most {} schemes at once", kComparedMax));
  }
  if (flags.exec.empty() && !factories.empty()) {
    return factories;
  }
  Result<PlacementFactory> one = fail("", "");
  if (!flags.exec.empty()) {
    one = program_of(flags);
  } else if (!flags.mutant.empty()) {
    one = placement_by_name("ring+" + flags.mutant)
              ? scheme_named("--mutant", "ring+" + flags.mutant)
              : fail("--mutant", fmt::format("the ring has no mutant '{}'", flags.mutant));
  } else {
    one = scheme_named("--scheme", flags.scheme.empty() ? "ring" : flags.scheme);
  }
  if (!one) {
    return std::unexpected<Error>(one.error());
  }
  factories.push_back(*std::move(one));
  return factories;
}

std::uint64_t cases_of(const PlacementFlags& flags) {
  if (flags.cases) {
    return *flags.cases;
  }
  return !flags.compare.empty() ? kCasesCompared : !flags.exec.empty() ? kCasesOfProgram : kCasesOfRing;
}

// `case_file`: the one case to judge; empty: all that the flags ask for.
std::string again(const PlacementFlags& flags, const PlacementFactory& factory, const std::string& case_file) {
  const bool is_program = factory.name.starts_with("exec ");
  const std::string which = is_program               ? "--exec " + shell_word(flags.exec)
                            : !flags.mutant.empty()  ? "--mutant " + flags.mutant
                            : factory.name == "ring" ? ""
                                                     : "--scheme " + shell_word(factory.name);
  if (!case_file.empty()) {
    return fmt::format("{} placement --case {}{}{}", program(), shell_word(case_file), which.empty() ? "" : " ", which);
  }
  return fmt::format("{} placement --seed {} --cases {}{}{}", program(), flags.seed, cases_of(flags),
                     which.empty() ? "" : " ", which);
}

struct CaseToJudge {
  PlacementReplay replay;
  PlacementFactory factory;
};

// `factory`: what the flags name; whoever names nothing means what the case is of.
Result<CaseToJudge> case_of(const PlacementFlags& flags, const PlacementFactory& factory) {
  const Result<std::string> text = read_text_file(flags.case_file);
  if (!text) {
    return std::unexpected<Error>(text.error());
  }
  const Result<PlacementReplay> replay = parse_placement_replay(*text);
  if (!replay) {
    return fail(flags.case_file, to_string(replay.error()));
  }
  if (replay->placement.starts_with("exec ") && flags.exec.empty()) {
    return fail(flags.case_file, "is the case of a program; give the program to judge by it, with --exec");
  }
  CaseToJudge found{*replay, factory};
  if (flags.exec.empty() && flags.scheme.empty() && flags.mutant.empty()) {
    const Result<PlacementFactory> named = scheme_named(flags.case_file, replay->placement);
    if (!named) {
      return std::unexpected<Error>(named.error());
    }
    found.factory = *named;
  }
  if (!is_within(found.factory.abilities, replay->input)) {
    return fail(flags.case_file,
                fmt::format("{} takes no weights or no racks, and the case has some", found.factory.name));
  }
  return found;
}

Result<PlacementReport> laws_of(const PlacementFlags& flags, const PlacementFactory& factory) {
  const auto start = std::chrono::steady_clock::now();
  const auto goes_on = [start, budget = flags.budget_seconds] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < budget;
  };
  if (!flags.case_file.empty()) {
    const Result<CaseToJudge> found = case_of(flags, factory);
    return found ? Result<PlacementReport>(check_placement_case(within_budget(found->factory, goes_on),
                                                                found->replay.input, found->replay.clause,
                                                                [&](ClauseId, std::uint64_t) { return goes_on(); }))
                 : std::unexpected<Error>(found.error());
  }
  Progress progress;
  const std::uint64_t cases = cases_of(flags);
  return check_placement(within_budget(factory, goes_on), flags.seed, cases, [&](ClauseId id, std::uint64_t number) {
    if (number % 16 == 1) {
      progress.show(
          fmt::format("placement {}: {} case {} of {}", factory.name.substr(0, 40), clause(id).text_id, number, cases));
    }
    return goes_on();
  });
}

Result<SchemeReport> report_on(const PlacementFlags& flags, const PlacementFactory& factory) {
  Result<PlacementReport> laws = laws_of(flags, factory);
  if (!laws) {
    return std::unexpected<Error>(laws.error());
  }
  SchemeReport report{.laws = *std::move(laws),
                      .figures = {},
                      .why_no_figures = {},
                      .which_cases = flags.case_file.empty()
                                         ? fmt::format("seed {}, {}", flags.seed, counted(cases_of(flags), "case"))
                                         : "the case of " + flags.case_file,
                      .again = again(flags, factory, flags.case_file),
                      .again_one_case = flags.case_file.empty() ? again(flags, factory, "FILE") : ""};
  if (flags.is_without_figures || !flags.case_file.empty()) {
    return report;
  }
  if (report.laws.is_cut_short || report.laws.is_out_of_time) {
    report.why_no_figures = report.laws.is_cut_short ? "it stopped answering" : "the time was up";
    return report;
  }
  Result<PlacementFigures> figures = measure_placement(factory, flags.figures);
  if (figures) {
    report.figures = *std::move(figures);
  } else {
    report.why_no_figures = to_string(figures.error());
  }
  return report;
}

Result<void> write_file(const std::string& path, const std::string& text) {
  const std::filesystem::path file(path);
  const auto written =
      write_text_file(file.has_parent_path() ? file.parent_path().string() : ".", file.filename().string(), text);
  return written ? Result<void>{} : std::unexpected<Error>(written.error());
}

// Everything that can be refused before any work is done.
Result<void> check_flags(const PlacementFlags& flags) {
  const std::uint64_t points = flags.figures.members * flags.figures.virtual_nodes;
  if (points > kFigurePointsMax) {
    return fail("--virtual-nodes",
                fmt::format("{} members with {} virtual nodes each are {} points; at most {}", flags.figures.members,
                            flags.figures.virtual_nodes, points, kFigurePointsMax));
  }
  for (const std::string& path : {flags.html, flags.junit}) {
    if (path.empty()) {
      continue;
    }
    if (const Result<void> writable = check_writable_file(path); !writable) {
      return writable;
    }
  }
  return {};
}

void print_reports(const PlacementFlags& flags, const std::vector<SchemeReport>& reports) {
  const bool is_comparison = !flags.compare.empty();
  if (flags.as_json) {
    const nlohmann::json document = is_comparison ? comparison_json(reports) : to_json(reports.front());
    fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}", is_comparison ? comparison_text(reports) : to_text(reports.front()));
  }
}

ExitCode run_placement(const PlacementFlags& flags) {
  if (flags.is_demo) {
    return print_demo(flags.as_json);
  }
  if (const Result<void> possible = check_flags(flags); !possible) {
    return refuse(possible.error(), flags.as_json);
  }
  const Result<std::vector<PlacementFactory>> factories = factories_of(flags);
  if (!factories) {
    return refuse(factories.error(), flags.as_json);
  }
  if (flags.is_served) {
    return serve_placement(factories->front(), std::cin, std::cout) == 0 ? ExitCode::held : ExitCode::bad_input;
  }
  std::vector<SchemeReport> reports;
  for (const PlacementFactory& factory : *factories) {
    Result<SchemeReport> report = report_on(flags, factory);
    if (!report) {
      return refuse(report.error(), flags.as_json);
    }
    reports.push_back(*std::move(report));
  }
  print_reports(flags, reports);
  const std::vector<std::pair<std::string, std::string>> files{{flags.html, comparison_page(reports)},
                                                               {flags.junit, to_junit(reports)}};
  for (const auto& [path, text] : files) {
    if (path.empty()) {
      continue;
    }
    if (const Result<void> written = write_file(path, text); !written) {
      return refuse(written.error(), false);
    }
  }
  return verdict_of(reports);
}

CLI::Validator whole_number_between(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        std::uint64_t found = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), found);
        const bool is_right =
            problem == std::errc{} && end == text.data() + text.size() && found >= least && found <= most;
        return is_right ? std::string() : fmt::format("'{}' must be a whole number from {} to {}", text, least, most);
      },
      "");
}

void add_choice_flags(CLI::App& placement, PlacementFlags& flags) {
  CLI::Option* scheme = placement.add_option("--scheme", flags.scheme, "Judge this scheme instead of the ring");
  CLI::Option* mutant = placement.add_option("--mutant", flags.mutant, "Judge the ring with this seeded bug instead");
  CLI::Option* exec = placement.add_option("--exec", flags.exec,
                                           "Judge a program: the command to start it, which then answers lines "
                                           "(examples/my_ring_any_language/README.md)");
  CLI::Option* timeout = placement.add_option("--timeout", flags.timeout_seconds,
                                              "How long the program may take for "
                                              "an answer, e.g. 500ms");
  CLI::Option* compare = placement.add_option("--compare", flags.compare,
                                              "Compare schemes: names with commas between them; --exec beside it "
                                              "compares the program with them");
  scheme->check(not_empty());
  mutant->check(not_empty())->excludes(scheme);
  exec->check(not_empty())->excludes(scheme)->excludes(mutant);
  timeout->transform(as_seconds())->check(seconds_from(0.001))->needs(exec);
  placement
      .add_option("--budget", flags.budget_seconds,
                  "How long to judge each scheme, e.g. 10m; what is not judged by then "
                  "is undecided")
      ->transform(as_seconds())
      ->check(seconds_from(0.001))
      ->default_str("10m");
  compare->check(not_empty())->excludes(scheme)->excludes(mutant);
}

void add_figure_flags(CLI::App& placement, PlacementFlags& flags) {
  placement.add_option("--members", flags.figures.members, "Figures: how many members")
      ->capture_default_str()
      ->check(whole_number_between(1, kFigureMembersMax));
  placement
      .add_option("--virtual-nodes", flags.figures.virtual_nodes, "Figures: points of each member, where it has any")
      ->capture_default_str()
      ->check(whole_number_between(1, kFigureVirtualNodesMax));
  placement.add_option("--keys", flags.figures.keys, "Figures: how many keys")
      ->capture_default_str()
      ->check(whole_number_between(1, kFigureKeysMax));
  placement.add_flag("--no-figures", flags.is_without_figures, "Judge the laws and measure nothing");
}

}  // namespace

void add_placement(CLI::App& app, ExitCode& exit) {
  CLI::App* placement = app.add_subcommand(
      "placement", "Put placement schemes under the laws of placement (P1-P9): ours, or a program in any language");
  auto flags = std::make_shared<PlacementFlags>();
  CLI::Option* seed = placement->add_option("--seed", flags->seed, "Which cases to draw");
  CLI::Option* cases = placement->add_option(
      "--cases", flags->cases, "How many cases to draw; without it 2000, of programs and comparisons 200");
  seed->capture_default_str()->check(whole_number_from(0));
  cases->check(whole_number_from(1));
  add_choice_flags(*placement, *flags);
  add_figure_flags(*placement, *flags);
  placement->add_option("--case", flags->case_file, "Judge the case in this file, as a report prints it, and no other")
      ->check(not_empty())
      ->excludes(seed)
      ->excludes(cases)
      ->excludes("--compare");
  placement->add_option("--html", flags->html, "Write tables and plots as one page into this file")->check(not_empty());
  placement->add_option("--junit", flags->junit, "Write JUnit XML into this file")->check(not_empty());
  placement->add_flag("--serve", flags->is_served, "Answer the lines of --exec with the scheme, from standard input");
  placement->add_flag("--demo", flags->is_demo, "Print what a ring does to ten thousand keys")
      ->excludes(seed)
      ->excludes(cases)
      ->excludes("--scheme", "--mutant", "--exec", "--compare", "--case", "--serve");
  placement->add_flag("--json", flags->as_json, "Print JSON");
  placement->callback([flags, &exit] { exit = run_placement(*flags); });
}

}  // namespace shardcheck::cli
