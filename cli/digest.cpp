// shardcheck digest: one number for many runs, the same from every compiler and at every optimisation level.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/flags.h"
#include "harness/campaign.h"
#include "spec/clauses.h"

namespace shardcheck::cli {

void add_digest(CLI::App& app, ExitCode& exit) {
  CLI::App* digest = app.add_subcommand("digest", "One number for many runs, equal for all builds of one version");
  struct Flags {
    std::uint64_t seed = 1;
    std::uint64_t scenarios = 2'000;
    bool as_json = false;
  };
  auto flags = std::make_shared<Flags>();
  digest->add_option("--seed", flags->seed, "Which scenarios to draw")
      ->capture_default_str()
      ->check(whole_number_from(0));
  digest->add_option("--scenarios", flags->scenarios, "How many of them")
      ->capture_default_str()
      ->check(whole_number_from(1));
  digest->add_flag("--json", flags->as_json, "Print JSON");
  digest->callback([flags, &exit] {
    harness::CampaignOptions options;
    options.seed = flags->seed;
    options.scenarios = flags->scenarios;
    options.repeat_every = 4;
    options.scenarios_for_reach = UINT64_MAX;  // a digest is of a few runs: what they reach is not judged
    const harness::CampaignReport report = harness::run_campaign(options);
    if (flags->as_json) {
      const nlohmann::json document{{"digest", fmt::format("{:016x}", report.digest)},
                                    {"scenarios", report.scenarios},
                                    {"events", report.events}};
      fmt::print("{}\n", document.dump(2));
    } else {
      fmt::print("{:016x} {} scenarios {} events\n", report.digest, report.scenarios, report.events);
    }
    for (const harness::Failure& failure : report.failures) {
      fmt::print(stderr, "violated {}: {}\n", clause(failure.violation.clause).text_id, failure.violation.message);
    }
    exit = report.is_violated() ? ExitCode::violated : ExitCode::held;
  });
}

}  // namespace shardcheck::cli
