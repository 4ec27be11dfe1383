#include "harness/campaign.h"

#include <gtest/gtest.h>

#include <vector>

namespace shardcheck::harness {
namespace {

using impl::Mutant;

TEST(Campaign, the_reference_is_clean_and_every_clause_of_the_campaign_is_checked) {
  std::vector<std::uint64_t> told;
  CampaignOptions options;
  options.scenarios = 500;
  options.progress = [&](std::uint64_t done) { told.push_back(done); };

  const CampaignReport report = run_campaign(options);

  for (const Failure& failure : report.failures) {
    ADD_FAILURE() << clause(failure.violation.clause).text_id << ": " << failure.violation.message << "\n"
                  << to_text(failure.scenario);
  }
  EXPECT_FALSE(report.is_violated());
  EXPECT_EQ(report.scenarios, 500U);
  EXPECT_EQ(report.undecided, 0U);
  EXPECT_EQ(report.checked(ClauseId::X1), 32U);  // one run in sixteen
  EXPECT_EQ(told, (std::vector<std::uint64_t>{500}));
  using enum ClauseId;
  for (const ClauseId id :
       {D1, D2, D3, D4, L1, L2, L3, L4, L5, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, C1, R1, R2, V1, V2, X1}) {
    EXPECT_GT(report.checked(id), 0U) << clause(id).text_id;
  }
  EXPECT_EQ(report.checked(X2), 0U);  // too few scenarios to say what is never reached
}

TEST(Campaign, is_the_same_for_the_same_seed) {
  CampaignOptions options;
  options.scenarios = 40;
  const CampaignReport first = run_campaign(options);

  const CampaignReport again = run_campaign(options);
  options.seed = 2;
  const CampaignReport other = run_campaign(options);

  EXPECT_EQ(again.digest, first.digest);
  EXPECT_EQ(again.events, first.events);
  EXPECT_EQ(again.checks, first.checks);
  EXPECT_NE(other.digest, first.digest);
}

TEST(Campaign, a_seeded_bug_is_found_shrunk_and_replays) {
  CampaignOptions options;
  options.mutant = Mutant::move_no_tombstones;
  options.scenarios = 5'000;
  options.more_failures = 1;
  options.more_scenarios = 50;
  options.shrink_runs_max = 400;

  const CampaignReport report = run_campaign(options);

  ASSERT_TRUE(report.is_violated());
  ASSERT_NE(report.failure_of(ClauseId::M5), nullptr);
  EXPECT_LT(report.scenarios, 1'000U);  // it stopped early
  ScenarioRunner runner;
  for (const Failure& failure : report.failures) {
    SCOPED_TRACE(clause(failure.violation.clause).text_id);
    EXPECT_EQ(failure.scenario.cluster.mutant, Mutant::move_no_tombstones);
    const RunReport& again = runner.run(failure.scenario);
    const Violation* violation = again.violation_of(failure.violation.clause);
    ASSERT_NE(violation, nullptr);
    EXPECT_EQ(*violation, failure.violation);
    EXPECT_LE(failure.scenarios, report.scenarios);
    std::vector<ClauseId> violated;
    for (const Violation& each : again.violations) {
      violated.push_back(each.clause);
    }
    EXPECT_EQ(failure.also_violated, violated);
  }
}

TEST(Campaign, out_of_time_ends_it) {
  CampaignOptions options;
  std::uint64_t asked = 0;
  options.is_out_of_time = [&] { return ++asked > 7; };

  const CampaignReport report = run_campaign(options);

  EXPECT_EQ(report.scenarios, 7U);
  EXPECT_FALSE(report.is_violated());
}

TEST(Campaign, what_was_never_reached_is_violated) {
  CampaignOptions options;
  options.scenarios = 3;
  options.scenarios_for_reach = 3;

  const CampaignReport report = run_campaign(options);

  const Failure* failure = report.failure_of(ClauseId::X2);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->violation.message.substr(0, 18), "in 3 scenarios no ");
}

}  // namespace
}  // namespace shardcheck::harness
