// Many scenarios of one system, drawn from seeds, judged by every clause that can be observed, and what they
// reached. A failure is looked for a few times more, each of them is shrunk, and the smallest is kept.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/runner.h"
#include "harness/scenario.h"
#include "harness/subject.h"
#include "impl/mutant.h"
#include "spec/violation.h"

namespace shardcheck::harness {

struct CampaignOptions {
  std::uint64_t seed = 1;
  std::uint64_t scenarios = 20'000;
  impl::Mutant mutant = impl::Mutant::none;  // of the reference
  // After the first failure, how many more of the same clause to collect, and in how many scenarios.
  std::uint64_t more_failures = 4;
  std::uint64_t more_scenarios = 400;
  std::uint64_t shrink_runs_max = 3'000;
  // One run in so many is done again from its written scenario, and the digests compared (X1).
  std::uint64_t repeat_every = 16;
  // X2 is judged when at least so many scenarios were run.
  std::uint64_t scenarios_for_reach = 20'000;
  // Asked before each scenario; true ends the campaign.
  std::function<bool()> is_out_of_time{};
  // Told now and then how many scenarios are done.
  std::function<void(std::uint64_t done)> progress{};
};

struct Failure {
  Violation violation;                  // of the shrunk scenario
  Scenario scenario;                    // shrunk
  std::uint64_t seed = 0;               // of the run in which it was found
  std::uint64_t scenarios = 0;          // so many had been run until then, this one included
  std::vector<ClauseId> also_violated;  // by the shrunk scenario
};

struct CampaignReport {
  std::array<std::uint64_t, kClauses> checks{};
  std::uint64_t scenarios = 0;
  std::uint64_t events = 0;
  std::uint64_t operations = 0;
  std::uint64_t undecided = 0;  // runs in which the history checker, or the run itself, hit its bound
  std::string error;            // why the system cannot be judged; empty: it can
  std::uint64_t digest = 0;     // of all runs, in order
  Reach reached;
  std::bitset<3> signals;
  RunFigures figures;             // of all runs
  std::vector<Failure> failures;  // for each violated clause one, the smallest

  bool is_violated() const { return !failures.empty(); }
  std::uint64_t checked(ClauseId id) const { return checks[static_cast<std::size_t>(id)]; }
  const Failure* failure_of(ClauseId id) const;
};

// The seed of the i-th scenario of a campaign.
std::uint64_t seed_of(std::uint64_t campaign_seed, std::uint64_t i);

// Of the reference, and of anything else.
CampaignReport run_campaign(const CampaignOptions& options);
CampaignReport run_campaign(const Subject& subject, const CampaignOptions& options);

}  // namespace shardcheck::harness
