// shardcheck mutants: the kill matrix. And the table that verify prints of it.
#include "cli/mutants.h"

#include <fmt/format.h>

#include <ctime>
#include <memory>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/finding.h"
#include "cli/flags.h"
#include "cli/progress.h"
#include "cli/refusal.h"

namespace shardcheck::cli {
namespace {

struct MutantsFlags {
  MutantsOptions options;
  std::string only;
  bool as_json = false;
};

std::string names_of(const std::vector<ClauseId>& clauses) {
  std::string names;
  for (const ClauseId id : clauses) {
    names += (names.empty() ? "" : " ") + std::string(clause(id).text_id);
  }
  return names;
}

ExitCode run_mutants(const MutantsFlags& flags) {
  MutantsOptions options = flags.options;
  if (!flags.only.empty()) {
    const auto mutant = impl::mutant_by_name(flags.only);
    if (!mutant) {
      return refuse(
          {"--only", fmt::format("there is no mutant '{}'; 'shardcheck list mutants' names them", flags.only)},
          flags.as_json);
    }
    options.only = *mutant;
  }
  if (const auto writable = check_writable(options.out); !writable) {
    return refuse(writable.error(), flags.as_json);
  }
  const Result<std::vector<KilledMutant>> rows = kill_mutants(options);
  if (!rows) {
    return refuse(rows.error(), flags.as_json);
  }
  fmt::print("{}", flags.as_json ? to_json(*rows).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                                 : to_text(*rows));
  return survivors(*rows) == 0 ? ExitCode::held : ExitCode::violated;
}

}  // namespace

Result<std::vector<KilledMutant>> kill_mutants(const MutantsOptions& options) {
  std::vector<KilledMutant> rows;
  Progress progress;
  for (const impl::MutantRow& row : impl::mutants()) {
    if (options.only && *options.only != row.mutant) {
      continue;
    }
    progress.show(fmt::format("mutant {} ({} of {})", row.name, rows.size() + 1, impl::mutants().size()));
    // Of one core: what else runs on the machine makes no bug survive.
    const std::clock_t start = std::clock();
    const auto seconds = [start] { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; };
    harness::KillOptions kill_options;
    kill_options.seed = options.seed;
    kill_options.is_out_of_time = [&] { return seconds() > options.seconds_each; };
    KilledMutant killed{harness::kill(row.mutant, kill_options), seconds(), {}};
    if (killed.kill.is_killed) {
      const Finding finding{killed.kill.violation, "reference with the seeded bug " + std::string(row.name),
                            fmt::format("mutant-{}", row.name), killed.kill.replay, killed.kill.steps};
      const Result<std::string> path = keep(finding, options.out);
      if (!path) {
        return std::unexpected(path.error());
      }
      killed.replay_file = *path;
    }
    rows.push_back(std::move(killed));
  }
  return rows;
}

std::size_t survivors(const std::vector<KilledMutant>& rows) {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const KilledMutant& row) { return !row.kill.is_killed; }));
}

std::string to_text(const std::vector<KilledMutant>& rows) {
  std::string text = fmt::format("{:<32}{:<10}{:>8}{:>9}{:>7}  {:<20}{}\n", "seeded bug", "caught by", "runs",
                                 "seconds", "steps", "violated in all", "kept as (shows it again with: replay FILE)");
  for (const KilledMutant& row : rows) {
    const harness::Kill& kill = row.kill;
    text += fmt::format("{:<32}{:<10}{:>8}{:>9.2f}{:>7}  {:<20}{}\n", impl::row_of(kill.mutant).name,
                        kill.is_killed ? clause(kill.violation.clause).text_id : "SURVIVED", kill.runs, row.seconds,
                        kill.steps, names_of(kill.clauses), row.replay_file);
  }
  return text + fmt::format("{} of {} seeded bugs caught by a row that they name\n", rows.size() - survivors(rows),
                            rows.size());
}

nlohmann::json to_json(const std::vector<KilledMutant>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const KilledMutant& row : rows) {
    const harness::Kill& kill = row.kill;
    nlohmann::json entry{{"name", impl::row_of(kill.mutant).name},
                         {"component", impl::row_of(kill.mutant).component},
                         {"killed", kill.is_killed},
                         {"clause", nullptr},
                         {"runs", kill.runs},
                         {"seconds", row.seconds},
                         {"steps_after_shrink", kill.steps}};
    if (kill.is_killed) {
      nlohmann::json violated = nlohmann::json::array();
      for (const ClauseId id : kill.clauses) {
        violated.push_back(clause(id).text_id);
      }
      entry["clause"] = clause(kill.violation.clause).text_id;
      entry["violated"] = violated;
      entry["message"] = kill.violation.message;
      entry["replay"] = row.replay_file;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void add_mutants(CLI::App& app, ExitCode& exit) {
  CLI::App* mutants = app.add_subcommand("mutants", "Which clause catches which seeded bug, and how fast");
  auto flags = std::make_shared<MutantsFlags>();
  mutants->add_option("--seed", flags->options.seed, "Which runs to draw")
      ->capture_default_str()
      ->check(whole_number_from(0));
  mutants->add_option("--seconds", flags->options.seconds_each, "At most so many seconds of one core for each")
      ->capture_default_str()
      ->check(number_between(0.01, 1e6));
  mutants->add_option("--only", flags->only, "Just this one")->check(not_empty());
  mutants->add_option("--out", flags->options.out, "Where to keep the smallest runs")
      ->capture_default_str()
      ->check(not_empty());
  mutants->add_flag("--json", flags->as_json, "Print JSON");
  mutants->callback([flags, &exit] { exit = run_mutants(*flags); });
}

}  // namespace shardcheck::cli
