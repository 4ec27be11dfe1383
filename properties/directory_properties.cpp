// The directory alone under every fault: what its clients are told of its settings is linearizable, whoever leads, and
// a directory that does not wait for a majority is found out. So are metadata shards that do not share one order.
#include <gtest/gtest.h>

#include <cstdint>

#include "harness/scenario_runner.h"

namespace shardcheck::harness {
namespace {

constexpr std::uint64_t kRuns = 2'000;

class Directories {
 public:
  explicit Directories(impl::Mutant mutant = impl::Mutant::none) : mutant_(mutant) {}

  const RunReport& run(std::uint64_t seed) {
    sim::SeededChoices choices(seed);
    const RunReport& report = runner_.run_directory(choices, mutant_, scenario_);
    failovers_ += runner_.directory().terms() > 1 ? 1U : 0U;
    return report;
  }
  // From its text.
  const RunReport& again() {
    const Result<Scenario> read = parse_scenario(to_text(scenario_), "text");
    EXPECT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(*read, scenario_);
    return runner_.run(*read);
  }

  const Scenario& scenario() const { return scenario_; }
  std::uint64_t failovers() const { return failovers_; }

 private:
  impl::Mutant mutant_;
  ScenarioRunner runner_;
  Scenario scenario_;
  std::uint64_t failovers_ = 0;
};

TEST(DirectoryProperties, the_directory_is_linearizable) {
  Directories directories;
  std::uint64_t checked = 0;

  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const RunReport& report = directories.run(seed);
    checked += report.checked(ClauseId::C1);
    for (const Violation& violation : report.violations) {
      FAIL() << clause(violation.clause).text_id << ": " << violation.message << "\nseed " << seed << "\n"
             << to_text(directories.scenario());
    }
  }

  EXPECT_GT(checked, kRuns);
  EXPECT_GT(directories.failovers(), kRuns / 50);
}

TEST(DirectoryProperties, a_run_written_down_is_the_same_run_again) {
  Directories directories;

  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::uint64_t digest = directories.run(seed).digest;
    EXPECT_EQ(directories.again().digest, digest) << "seed " << seed;
  }
}

// The number of the first run in which what clients were told was not linearizable; 0: none.
std::uint64_t first_caught(impl::Mutant mutant) {
  Directories directories(mutant);
  for (std::uint64_t seed = 1; seed <= 10 * kRuns; ++seed) {
    if (directories.run(seed).violation_of(ClauseId::C1) != nullptr) {
      return seed;
    }
  }
  return 0;
}

TEST(DirectoryProperties, a_leader_that_counts_only_itself_is_found_out) {
  EXPECT_NE(first_caught(impl::Mutant::dir_epoch_reuse_after_failover), 0U);
}

TEST(DirectoryProperties, a_leader_that_answers_before_a_majority_has_it_is_found_out) {
  EXPECT_NE(first_caught(impl::Mutant::dir_grant_not_majority), 0U);
}

// In a whole cluster: grants need moves and splits. That their epochs are no positions is D2's to find, in any run.
TEST(DirectoryProperties, metadata_shards_that_number_their_own_grants_are_found_out) {
  ScenarioRunner runner;
  Scenario scenario;
  bool is_found = false;

  for (std::uint64_t seed = 1; seed <= 10 * kRuns && !is_found; ++seed) {
    sim::SeededChoices choices(seed);
    const RunReport& report = runner.run(choices, impl::Mutant::metadata_shards_own_clocks, scenario);
    is_found = report.violation_of(ClauseId::D5) != nullptr;
  }

  EXPECT_TRUE(is_found);
}

}  // namespace
}  // namespace shardcheck::harness
