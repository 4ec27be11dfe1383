#include "harness/scenario_runner.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/campaign.h"

namespace shardcheck::harness {
namespace {

using impl::Mutant;

RunReport run_drawn(ScenarioRunner& runner, std::uint64_t seed, Mutant mutant, Scenario& drawn) {
  sim::SeededChoices choices(seed);
  return runner.run(choices, mutant, drawn);
}

// A run that is drawn and its replay from text, by a runner that has done nothing before, are the same run.
TEST(ScenarioRunner, a_replay_from_text_is_the_same_run) {
  ScenarioRunner used;
  for (const Mutant mutant : {Mutant::none, Mutant::move_no_tombstones, Mutant::fence_router_only,
                              Mutant::client_never_refreshes, Mutant::cleanup_before_confirm}) {
    SCOPED_TRACE(mutant == Mutant::none ? "none" : impl::row_of(mutant).name);
    std::size_t violated = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
      SCOPED_TRACE(i);
      Scenario drawn;
      const RunReport first = run_drawn(used, seed_of(3, i), mutant, drawn);
      const Result<Scenario> parsed = parse_scenario(to_text(drawn), "drawn");
      ASSERT_TRUE(parsed.has_value()) << to_string(parsed.error());
      ScenarioRunner fresh;

      const RunReport again = fresh.run(*parsed);

      EXPECT_EQ(again.digest, first.digest);
      EXPECT_EQ(again.violations, first.violations);
      EXPECT_EQ(again.checks, first.checks);
      EXPECT_EQ(again.events, first.events);
      EXPECT_EQ(again.reached, first.reached);
      violated += first.violations.empty() ? 0U : 1U;
    }
    EXPECT_EQ(violated > 0, mutant != Mutant::none);
  }
}

TEST(ScenarioRunner, one_seed_gives_one_run_and_different_seeds_different_ones) {
  constexpr std::uint64_t kSeeds = 50;
  ScenarioRunner runner;
  std::set<std::uint64_t> digests;

  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Scenario drawn;
    Scenario drawn_again;
    const RunReport first = run_drawn(runner, seed, Mutant::none, drawn);
    const RunReport again = run_drawn(runner, seed, Mutant::none, drawn_again);

    EXPECT_EQ(again.digest, first.digest);
    EXPECT_EQ(drawn_again, drawn);
    digests.insert(first.digest);
  }

  EXPECT_EQ(digests.size(), kSeeds);
}

class Lines final : public TraceSink {
 public:
  void line(TrueTime at, const std::string& text) override {
    EXPECT_GE(at, last);
    last = at;
    count += text.empty() ? 0U : 1U;
  }
  TrueTime last;
  std::size_t count = 0;
};

TEST(ScenarioRunner, tracing_changes_nothing) {
  ScenarioRunner runner;
  Scenario drawn;
  const RunReport untraced = run_drawn(runner, 5, Mutant::none, drawn);
  Lines lines;

  const RunReport traced = runner.run(drawn, &lines);

  EXPECT_EQ(traced.digest, untraced.digest);
  EXPECT_GE(lines.count, untraced.events / 2);
}

TEST(ScenarioRunner, runs_the_smallest_and_the_largest_cluster) {
  for (const char* text : {"scenario 1\ncluster storage_nodes 1 routers 1 clients 1 shards 1 keys 1\n"
                           "at 1ms client 0 request 1 write 0 5\nat 2ms move range 0 to 1\n",
                           "scenario 1\ncluster storage_nodes 30 routers 16 clients 64 shards 64 keys 1024\n"
                           "at 1ms client 63 request 1 write 1023 5\nat 2ms move range 63 to 30\n"}) {
    SCOPED_TRACE(text);
    const Result<Scenario> scenario = parse_scenario(text, "s");
    ASSERT_TRUE(scenario.has_value()) << to_string(scenario.error());
    ScenarioRunner runner;

    const RunReport& report = runner.run(*scenario);

    EXPECT_TRUE(report.violations.empty()) << report.violations.front().message;
    EXPECT_GT(report.checked(ClauseId::C1), 0U);
    EXPECT_GT(report.checked(ClauseId::V1), 0U);
  }
}

TEST(ScenarioRunner, a_step_about_a_range_that_does_not_exist_is_not_applicable) {
  const Result<Scenario> scenario = parse_scenario(
      "scenario 1\ncluster storage_nodes 2 routers 1 clients 1 shards 1 keys 4\nshards_max 4\n"
      "at 1ms move range 1 to node 2\nat 2ms split range 0 at 2\nat 40ms move range 1 to node 2\nat 41ms merge range "
      "3\n",
      "s");
  ASSERT_TRUE(scenario.has_value()) << to_string(scenario.error());
  ScenarioRunner runner;

  const RunReport& report = runner.run(*scenario);

  EXPECT_EQ(report.not_applicable, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(report.figures.steps_not_applicable, 2U);
}

// A step in eleven days: the run hits the bound on its work. That is no verdict about the cluster.
TEST(ScenarioRunner, a_run_without_end_is_cut_short_and_violates_nothing) {
  const Result<Scenario> scenario = parse_scenario(
      "scenario 1\ncluster storage_nodes 3 routers 2 clients 4 shards 3 keys 12\nat 1ms client 0 request 1 write 0 5\n"
      "at 2ms move range 0 to 2\nat 1000000000ms client 0 request 2 read 0\n",
      "s");
  ASSERT_TRUE(scenario.has_value()) << to_string(scenario.error());
  ScenarioRunner runner;

  const RunReport& report = runner.run(*scenario);

  EXPECT_TRUE(report.was_cut_short);
  EXPECT_TRUE(report.violations.empty()) << report.violations.front().message;
}

}  // namespace
}  // namespace shardcheck::harness
