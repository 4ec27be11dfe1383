// shardcheck verify: every clause on a system under test, the recorded histories, and the seeded bugs.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/flags.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/refusal.h"
#include "cli/user_cluster.h"
#include "cli/verify_report.h"
#include "harness/annotate.h"
#include "harness/excerpt.h"
#include "harness/scenario_runner.h"

namespace shardcheck::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kScenarios = 20'000;
// Placement is judged by a tenth as many cases as there are scenarios, within these limits.
constexpr std::uint64_t kPlacementCasesMin = 100;
constexpr std::uint64_t kPlacementCasesMax = 2'000;

struct VerifyFlags {
  std::string system = "reference";
  std::uint64_t seed = 1;
  std::uint64_t scenarios = kScenarios;
  bool has_scenarios = false;  // --scenarios was given
  double budget_seconds = 0;   // 0: no limit
  std::string mutant;
  std::string corpus = SHARDCHECK_CORPUS_FOLDER;
  bool has_corpus = false;
  std::string out = "findings";
  std::string junit;
  bool is_short = false;
  bool as_json = false;
};

constexpr std::string_view kDirectory = "directory";

std::string system_name(const VerifyFlags& flags) {
  return flags.mutant.empty() ? flags.system : flags.system + " with the seeded bug " + flags.mutant;
}

Result<impl::Mutant> chosen_mutant(const VerifyFlags& flags) {
  if (flags.mutant.empty()) {
    return impl::Mutant::none;
  }
  const auto found = impl::mutant_by_name(flags.mutant);
  if (!found) {
    return fail("--mutant", fmt::format("there is no mutant '{}'; 'shardcheck list mutants' names them", flags.mutant));
  }
  return *found;
}

void judge_placement(const VerifyFlags& flags, VerifyReport& report) {
  const Clock::time_point start = Clock::now();
  const auto with_bug = placement_by_name("ring+" + flags.mutant);
  const bool is_by_time = flags.budget_seconds > 0 && !flags.has_scenarios;
  const std::uint64_t cases =
      is_by_time ? kPlacementCasesMax : std::clamp(flags.scenarios / 10, kPlacementCasesMin, kPlacementCasesMax);
  report.placement = check_placement(with_bug ? *with_bug : *placement_by_name("ring"), flags.seed, cases);
  report.placement_seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

void judge_cluster(const VerifyFlags& flags, impl::Mutant mutant, VerifyReport& report) {
  Progress progress;
  const Clock::time_point start = Clock::now();
  const auto seconds = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  harness::CampaignOptions options;
  options.seed = flags.seed;
  options.scenarios = flags.scenarios;
  options.mutant = mutant;
  options.progress = [&](std::uint64_t done) { progress.show(fmt::format("{} scenarios, {:.0f} s", done, seconds())); };
  if (flags.budget_seconds > 0) {
    options.scenarios = flags.has_scenarios ? flags.scenarios : UINT64_MAX;
    options.is_out_of_time = [&] { return seconds() > flags.budget_seconds; };
  }
  if (flags.system == kDirectory) {
    harness::ScenarioRunner runner;
    report.campaign = harness::run_campaign(harness::directory_of(runner, mutant), options);
  } else {
    report.campaign = harness::run_campaign(options);
  }
  report.campaign_seconds = seconds();
}

// What cannot be kept is in the report all the same; the first error is given back.
Result<void> keep_findings(const VerifyFlags& flags, VerifyReport& report) {
  Result<void> all_kept;
  const auto add = [&](Finding finding) {
    const Result<std::string> path = keep(finding, flags.out);
    if (!path && all_kept) {
      all_kept = std::unexpected(path.error());
    }
    report.findings.push_back({std::move(finding), path.value_or("")});
  };
  const auto name = [&](ClauseId id) {
    return fmt::format("{}-{}-{}", clause(id).text_id, flags.mutant.empty() ? "reference" : flags.mutant, flags.seed);
  };
  for (const PlacementRow& row : report.placement.rows) {
    if (!row.finding) {
      continue;
    }
    const std::string replay = to_text(PlacementReplay{report.placement.placement, row.clause, row.finding->smallest});
    add({row.finding->violation, system_name(flags), name(row.clause), replay, steps_of(row.finding->smallest)});
  }
  const auto is_declared = [&](ClauseId id) {
    return report.mutant != impl::Mutant::none && std::ranges::count(impl::row_of(report.mutant).clauses, id) != 0;
  };
  // What the seeded bug was made to break says most of it, and comes first.
  for (const bool first : {true, false}) {
    for (const harness::Failure& failure : report.campaign.failures) {
      if (is_declared(failure.violation.clause) != first) {
        continue;
      }
      harness::Excerpt excerpt(failure.scenario);
      harness::FaultListener faults(&excerpt);
      harness::ScenarioRunner().run(failure.scenario, &faults);
      add({failure.violation, system_name(flags), name(failure.violation.clause),
           harness::annotated_text(failure.scenario, faults), failure.scenario.size(),
           excerpt.before(failure.violation)});
    }
  }
  return all_kept;
}

// The seeded bugs: what shows, with the shipped recordings, that a verdict of this suite is worth something.
Result<void> judge_mutants(const VerifyFlags& flags, VerifyReport& report) {
  MutantsOptions options;
  options.seed = flags.seed;
  options.out = (std::filesystem::path(flags.out) / "seeded").string();  // no failures of the system
  const auto mutants = kill_mutants(options);
  if (!mutants) {
    return std::unexpected(mutants.error());
  }
  report.mutants = *mutants;
  return {};
}

ExitCode run_user_cluster(const VerifyFlags& flags, const UserCluster& user) {
  if (!flags.mutant.empty()) {
    return refuse({"--mutant", "only the reference has seeded bugs"}, flags.as_json);
  }
  const Clock::time_point start = Clock::now();
  UserClusterFlags own;
  own.campaign.seed = flags.seed;
  own.campaign.scenarios = flags.scenarios;
  own.out = flags.out;
  own.junit = flags.junit;
  own.as_json = flags.as_json;
  if (flags.budget_seconds > 0) {
    own.campaign.scenarios = flags.has_scenarios ? flags.scenarios : UINT64_MAX;
    own.campaign.is_out_of_time = [&] {
      return std::chrono::duration<double>(Clock::now() - start).count() > flags.budget_seconds;
    };
  }
  return verify_user_cluster(user, own);
}

ExitCode run_verify(const VerifyFlags& flags, const std::vector<UserCluster>& clusters) {
  const UserCluster* user = find_cluster(clusters, flags.system);
  const bool is_directory = flags.system == kDirectory && user == nullptr;
  if (user == nullptr && flags.system != "reference" && !is_directory) {
    return refuse(
        {"--system", fmt::format("there is no system '{}'; 'shardcheck list systems' names them", flags.system)},
        flags.as_json);
  }
  const Result<impl::Mutant> mutant = chosen_mutant(flags);
  if (!mutant) {
    return refuse(mutant.error(), flags.as_json);
  }
  if (is_directory && !harness::is_shown_by_directory_alone(*mutant)) {
    return refuse({"--mutant", fmt::format("the directory alone cannot show '{}'", flags.mutant)}, flags.as_json);
  }
  if (const auto writable = check_writable(flags.out); !writable) {
    return refuse(writable.error(), flags.as_json);
  }
  if (const auto writable = flags.junit.empty() ? Result<void>{} : check_writable_file(flags.junit); !writable) {
    return refuse(writable.error(), flags.as_json);
  }
  if (user != nullptr) {
    return run_user_cluster(flags, *user);
  }
  VerifyReport report;
  report.system = system_name(flags);
  report.program = program();
  report.seed = flags.seed;
  report.mutant = *mutant;
  report.tells_reach = !is_directory;
  const bool judges_suite = flags.mutant.empty() && !flags.is_short && !is_directory;
  if (judges_suite || flags.has_corpus) {
    const auto corpus = histories::judge_corpus(flags.corpus);
    if (!corpus) {
      return refuse(corpus.error(), flags.as_json);
    }
    report.corpus = *corpus;
  }
  if (!is_directory) {
    judge_placement(flags, report);
  }
  judge_cluster(flags, *mutant, report);
  Result<void> kept = keep_findings(flags, report);
  if (judges_suite && kept) {
    kept = judge_mutants(flags, report);
  }
  fmt::print("{}", flags.as_json ? to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                                 : to_text(report));
  if (kept && !flags.junit.empty()) {
    kept = write_junit(report, flags.junit);
  }
  return kept ? report.verdict() : refuse(kept.error(), false);
}

}  // namespace

void add_verify(CLI::App& app, ExitCode& exit, const std::vector<UserCluster>& clusters) {
  CLI::App* verify = app.add_subcommand("verify", "Judge a system by every clause, and the suite by its seeded bugs");
  auto flags = std::make_shared<VerifyFlags>();
  verify->add_option("--system", flags->system, "Which one")->capture_default_str()->check(not_empty());
  verify->add_option("--seed", flags->seed, "Which scenarios to draw")
      ->capture_default_str()
      ->check(whole_number_from(0));
  CLI::Option* scenarios = verify->add_option("--scenarios", flags->scenarios, "How many of them, at most")
                               ->capture_default_str()
                               ->check(whole_number_from(1));
  verify
      ->add_option("--budget", flags->budget_seconds,
                   "Draw scenarios for so long, such as 60s, 5m or 8h; fewer only if --scenarios says so")
      ->transform(as_seconds())
      ->check(seconds_from(0.001));
  verify->add_option("--mutant", flags->mutant, "Judge the reference with this seeded bug")->check(not_empty());
  verify->add_flag(
      "--short", flags->is_short,
      "Leave out what shows that the suite works: the recorded histories, and the catalogue of seeded bugs");
  CLI::Option* corpus =
      verify->add_option("--corpus", flags->corpus, "The folder of labelled histories; judged whenever it is given")
          ->check(not_empty());
  verify->add_option("--out", flags->out, "Where to keep failures")->capture_default_str()->check(not_empty());
  verify->add_option("--junit", flags->junit, "Write JUnit XML to this file")->check(not_empty());
  verify->add_flag("--json", flags->as_json, "Print JSON");
  verify->callback([flags, scenarios, corpus, &exit, &clusters] {
    flags->has_scenarios = scenarios->count() > 0;
    flags->has_corpus = corpus->count() > 0;
    exit = run_verify(*flags, clusters);
  });
}

}  // namespace shardcheck::cli
