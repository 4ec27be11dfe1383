// Whole runs in which somebody never comes back, not even when everything is healed: what must still work is judged,
// and what cannot is not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/scenario_runner.h"

namespace shardcheck::harness {
namespace {

constexpr std::string_view kTargetLost =
    "at 2ms client 0 request 1 write 0 1\nat 5ms move range 0 to 2\nat 6ms fault lose_for_good 2\n";
constexpr std::string_view kSourceLost =
    "at 2ms client 0 request 1 write 0 1\nat 5ms move range 0 to 2\nat 6ms fault lose_for_good 1\n";

// Directory 0, nodes from 1 on, two routers, two movers; ranges are of four keys.
RunReport run(std::string_view cluster, std::string_view lines, impl::Mutant mutant = impl::Mutant::none) {
  const Result<Scenario> parsed = parse_scenario(fmt::format("scenario 1\n{}\n{}", cluster, lines), "s");
  EXPECT_TRUE(parsed.has_value()) << to_string(parsed.error());
  Scenario scenario = *parsed;
  scenario.cluster.mutant = mutant;
  ScenarioRunner runner;
  return runner.run(scenario);
}

constexpr std::string_view kSingleCopies =
    "cluster storage_nodes 3 routers 2 clients 4 shards 2 keys 8\nmoves movers 2";
constexpr std::string_view kTwoCopies =
    "cluster storage_nodes 3 routers 2 clients 4 shards 3 keys 12 directories 3\nmoves movers 2\nreplicas 2";

testing::AssertionResult holds(const RunReport& report) {
  for (const Violation& violation : report.violations) {
    return testing::AssertionFailure() << clause(violation.clause).text_id << ": " << violation.message;
  }
  if (report.was_cut_short || report.checked(ClauseId::V1) == 0) {
    return testing::AssertionFailure() << "V1 was never checked";
  }
  return testing::AssertionSuccess();
}

TEST(LostForGood, a_move_is_aborted_whose_target_never_comes_back) {
  const RunReport report = run(kSingleCopies, kTargetLost);

  EXPECT_TRUE(holds(report));
  EXPECT_GT(report.checked(ClauseId::V2), 0U);
}

TEST(LostForGood, a_mover_that_waits_for_such_a_target_is_caught) {
  const RunReport report = run(kSingleCopies, kTargetLost, impl::Mutant::move_target_death_ignored);

  EXPECT_NE(report.violation_of(ClauseId::V2), nullptr);
}

// Range 0 has no copy any more; range 1, of another node, is served as ever.
TEST(LostForGood, a_source_that_never_comes_back_takes_its_only_copy_along_and_nothing_else) {
  const RunReport report = run(kSingleCopies, kSourceLost);

  EXPECT_TRUE(holds(report));
  EXPECT_GT(report.checked(ClauseId::V2), 0U);
}

TEST(LostForGood, a_range_with_a_copy_left_is_served_again) {
  EXPECT_TRUE(holds(run(kTwoCopies, "at 2ms client 0 request 1 write 0 1\nat 9ms fault lose_for_good 3\n")));
}

TEST(LostForGood, everything_goes_on_without_one_of_each_role) {
  EXPECT_TRUE(holds(run(kTwoCopies,
                        "at 2ms client 0 request 1 write 0 1\nat 5ms move range 0 to 5\nat 6ms fault lose_for_good 8\n"
                        "at 6ms fault lose_for_good 0\nat 6ms fault lose_for_good 6\nat 6ms fault lose_for_good 4\n"
                        "at 8ms client 1 request 1 write 0 2\n")));
}

}  // namespace
}  // namespace shardcheck::harness
