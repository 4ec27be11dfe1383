#include "harness/kill.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/placement_check.h"
#include "harness/scenario_runner.h"

namespace shardcheck::harness {
namespace {

using impl::Mutant;

KillOptions quick() {
  KillOptions options;
  options.runs_max = 4'000;
  options.cases_max = 300;
  options.more_failures = 2;
  options.shrink_runs_max = 600;
  return options;
}

bool declares(Mutant mutant, ClauseId id) {
  const auto& clauses = impl::row_of(mutant).clauses;
  return std::ranges::find(clauses, id) != clauses.end();
}

// Each one of another part of the protocol. The reference in the same run breaks nothing.
TEST(Kill, varied_seeded_bugs_are_caught_by_rows_that_they_declare) {
  for (const Mutant mutant :
       {Mutant::dir_overlapping_moves, Mutant::lease_ttl_from_receipt, Mutant::fence_router_only,
        Mutant::move_no_tombstones, Mutant::cleanup_wrong_bounds, Mutant::client_new_request_id_on_retry}) {
    SCOPED_TRACE(impl::row_of(mutant).name);
    const Kill caught = kill(mutant, quick());
    ASSERT_TRUE(caught.is_killed);
    EXPECT_TRUE(declares(mutant, caught.violation.clause)) << clause(caught.violation.clause).text_id;
    EXPECT_GT(caught.runs, 0U);
    EXPECT_LE(caught.runs, 4'000U);
    EXPECT_LE(caught.steps, 15U) << caught.replay;

    Result<Scenario> scenario = parse_scenario(caught.replay, "replay");

    ASSERT_TRUE(scenario.has_value()) << to_string(scenario.error());
    EXPECT_EQ(scenario->size(), caught.steps);
    ScenarioRunner runner;
    const Violation* again = runner.run(*scenario).violation_of(caught.violation.clause);
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(*again, caught.violation);
    scenario->cluster.mutant = Mutant::none;
    const RunReport& sound = runner.run(*scenario);
    EXPECT_TRUE(sound.violations.empty()) << sound.violations.front().message;
  }
}

// Shows that histories earn their keep: no row about what processes tell sees it.
TEST(Kill, a_stale_read_that_no_process_tells_is_caught_by_the_history_alone) {
  const Kill caught = kill(Mutant::read_only_in_history, quick());

  ASSERT_TRUE(caught.is_killed);
  for (const ClauseId clause : caught.clauses) {
    EXPECT_TRUE(clause == ClauseId::C1 || clause == ClauseId::M1 || clause == ClauseId::M2);
  }
}

TEST(Kill, a_seeded_bug_of_the_ring_is_caught_by_a_case_of_a_placement) {
  const Kill caught = kill(Mutant::ring_no_wrap, quick());

  ASSERT_TRUE(caught.is_killed);
  EXPECT_TRUE(declares(Mutant::ring_no_wrap, caught.violation.clause));
  const Result<PlacementReplay> input = parse_placement_replay(caught.replay);
  ASSERT_TRUE(input.has_value()) << to_string(input.error());
  EXPECT_EQ(input->placement, "ring+ring_no_wrap");
  const Result<LawResult> again = replay(*input);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->violation, caught.violation);
}

TEST(Kill, a_search_without_time_or_runs_kills_nothing) {
  KillOptions options = quick();
  options.is_out_of_time = [] { return true; };
  const Kill late = kill(Mutant::fence_router_only, options);
  options = quick();
  options.runs_max = 0;
  const Kill none = kill(Mutant::fence_router_only, options);

  EXPECT_FALSE(late.is_killed);
  EXPECT_EQ(late.runs, 0U);
  EXPECT_FALSE(none.is_killed);
  EXPECT_TRUE(none.clauses.empty());
  EXPECT_TRUE(none.replay.empty());
}

}  // namespace
}  // namespace shardcheck::harness
