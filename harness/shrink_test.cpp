#include "harness/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "harness/campaign.h"
#include "harness/shrink_settings.h"

namespace shardcheck::harness {
namespace {

using impl::Mutant;

// The first run of the mutant, among so many, that violates the clause and is fit for what is to be shown.
struct Failing {
  sim::Tape tape;
  Scenario scenario;
};
using IsFit = bool (*)(const Scenario&);
std::optional<Failing> first_failing(
    ScenarioRunner& runner, Mutant mutant, ClauseId clause, IsFit is_fit = [](const Scenario&) { return true; }) {
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    sim::SeededChoices choices(seed_of(1, i));
    sim::TapeRecorder recorder(choices);
    Scenario drawn;
    if (runner.run(recorder, mutant, drawn).violation_of(clause) != nullptr && is_fit(drawn)) {
      return Failing{recorder.take_tape(), drawn};
    }
  }
  return std::nullopt;
}

class Shrink : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(failing_.has_value()); }

  ScenarioRunner runner_;
  std::optional<Failing> failing_ = first_failing(runner_, Mutant::move_no_tombstones, ClauseId::M5);
};

TEST_F(Shrink, a_tape_shrinks_to_a_few_steps_that_break_the_same_clause) {
  Shrinker shrinker(runner_, 1'500);

  const auto shrunk = shrinker.shrink(failing_->tape, Mutant::move_no_tombstones, ClauseId::M5);

  ASSERT_TRUE(shrunk.has_value());
  EXPECT_LE(shrunk->scenario.size(), 4U) << to_text(shrunk->scenario);
  EXPECT_LT(shrunk->scenario.size(), failing_->scenario.size());
  EXPECT_LE(shrunk->runs, 1'500U);
  EXPECT_EQ(shrunk->violation.clause, ClauseId::M5);
  const Violation* again = runner_.run(shrunk->scenario).violation_of(ClauseId::M5);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(*again, shrunk->violation);
}

TEST_F(Shrink, a_scenario_shrinks_as_well) {
  Shrinker shrinker(runner_, 1'500);

  const auto shrunk = shrinker.shrink(failing_->scenario, ClauseId::M5);

  ASSERT_TRUE(shrunk.has_value());
  EXPECT_LE(shrunk->scenario.size(), 4U) << to_text(shrunk->scenario);
  EXPECT_EQ(shrunk->scenario.network.variety, 0);
  const Violation* again = runner_.run(shrunk->scenario).violation_of(ClauseId::M5);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(*again, shrunk->violation);
}

TEST_F(Shrink, settings_that_do_not_matter_go_back_to_what_is_usual) {
  const auto failing = first_failing(runner_, Mutant::move_no_tombstones, ClauseId::M5, [](const Scenario& it) {
    return it.cluster.moved_entry_cost != impl::ClusterOptions{}.moved_entry_cost && it.cluster.replicas > 1;
  });
  ASSERT_TRUE(failing.has_value());
  Shrinker shrinker(runner_, 1'500);

  const auto shrunk = shrinker.shrink(failing->scenario, ClauseId::M5);

  ASSERT_TRUE(shrunk.has_value());
  const std::string text = to_text(shrunk->scenario);
  for (const char* setting : {"moves ", "replicas", "shards_max", "leases", "held_back"}) {
    EXPECT_EQ(text.find(setting), std::string::npos) << text;
  }
  EXPECT_EQ(shrunk->scenario.network.bytes_per_second, sim::NetworkOptions{}.bytes_per_second);
  const Result<Scenario> parsed = parse_scenario(text, "shrunk");
  ASSERT_TRUE(parsed.has_value()) << to_string(parsed.error());
  EXPECT_EQ(*parsed, shrunk->scenario);
}

// The ids of the halves are numbers of ranges that steps may name.
TEST(ShrinkSettings, a_setting_that_steps_rely_on_stays) {
  const std::string head = "scenario 1\ncluster storage_nodes 2 routers 1 clients 1 shards 1 keys 4\nshards_max 3\n";
  const auto split = parse_scenario(head + "moves movers 2\nat 1ms split range 0 at 2\n", "s");
  const auto of_half = parse_scenario(head + "at 1ms merge range 1\n", "s");
  const auto of_mover = parse_scenario(head + "moves movers 2\nat 1ms fault crash 5 for 1ms\n", "s");
  ASSERT_TRUE(split.has_value() && of_half.has_value() && of_mover.has_value());

  const auto calmed = [](Scenario scenario) {
    for (std::size_t i = 0; i < kCalmedSettings; ++i) {
      calm_setting(i, scenario);
    }
    return scenario.cluster;
  };

  EXPECT_EQ(calmed(*split).shards_max, 0);
  EXPECT_EQ(calmed(*split).movers, 1);
  EXPECT_EQ(calmed(*of_half).shards_max, 3);
  EXPECT_EQ(calmed(*of_mover).movers, 2);
}

TEST_F(Shrink, nothing_can_be_taken_away_from_what_was_shrunk) {
  Shrinker shrinker(runner_, 1'500);
  const auto shrunk = shrinker.shrink(failing_->tape, Mutant::move_no_tombstones, ClauseId::M5);
  ASSERT_TRUE(shrunk.has_value());

  for (std::size_t i = 0; i < shrunk->scenario.steps.size(); ++i) {
    SCOPED_TRACE(i);
    Scenario fewer = shrunk->scenario;
    fewer.steps.erase(fewer.steps.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(runner_.run(fewer).violation_of(ClauseId::M5), nullptr);
  }
}

TEST_F(Shrink, one_member_of_the_directory_is_left_and_the_others_keep_their_places) {
  const auto failing = first_failing(runner_, Mutant::move_no_tombstones, ClauseId::M5,
                                     [](const Scenario& it) { return it.cluster.directories == 3; });
  ASSERT_TRUE(failing.has_value());
  Shrinker shrinker(runner_, 1'500);

  const auto shrunk = shrinker.shrink(failing->scenario, ClauseId::M5);

  ASSERT_TRUE(shrunk.has_value());
  EXPECT_EQ(shrunk->scenario.cluster.directories, 1) << to_text(shrunk->scenario);
  const impl::Roles roles(shrunk->scenario.cluster);
  for (const Step& step : shrunk->scenario.steps) {
    if (const auto* move = std::get_if<MoveStep>(&step.what)) {
      EXPECT_TRUE(roles.is_storage(move->target));
    }
  }
  EXPECT_NE(runner_.run(shrunk->scenario).violation_of(ClauseId::M5), nullptr);
}

TEST_F(Shrink, deviations_strike_the_first_messages_that_will_do) {
  const auto failing =
      first_failing(runner_, Mutant::lease_check_at_admission_only, ClauseId::L2, [](const Scenario& it) {
        return std::ranges::any_of(it.deviations, [](const auto& deviation) { return deviation.anchor.count > 2; });
      });
  ASSERT_TRUE(failing.has_value());
  Shrinker shrinker(runner_, 1'500);
  const auto shrunk = shrinker.shrink(failing->scenario, ClauseId::L2);
  ASSERT_TRUE(shrunk.has_value());
  ASSERT_FALSE(shrunk->scenario.deviations.empty());

  for (std::size_t i = 0; i < shrunk->scenario.deviations.size(); ++i) {
    SCOPED_TRACE(i);
    Scenario lower = shrunk->scenario;
    if (lower.deviations[i].anchor.count > 0) {
      --lower.deviations[i].anchor.count;
      EXPECT_EQ(runner_.run(lower).violation_of(ClauseId::L2), nullptr) << to_text(lower);
    }
  }
}

TEST_F(Shrink, keeps_to_its_budget_and_gives_back_what_it_reached) {
  for (const std::uint64_t runs_max : {0U, 1U, 2U, 3U, 10U, 60U}) {
    SCOPED_TRACE(runs_max);
    Shrinker shrinker(runner_, runs_max);

    const auto from_tape = shrinker.shrink(failing_->tape, Mutant::move_no_tombstones, ClauseId::M5);
    const auto from_scenario = shrinker.shrink(failing_->scenario, ClauseId::M5);

    ASSERT_TRUE(from_tape.has_value());
    ASSERT_TRUE(from_scenario.has_value());
    EXPECT_LE(from_tape->runs, std::max<std::uint64_t>(runs_max, 2));
    EXPECT_LE(from_scenario->runs, std::max<std::uint64_t>(runs_max, 2));
    EXPECT_LE(from_tape->scenario.size(), failing_->scenario.size());
    EXPECT_NE(runner_.run(from_tape->scenario).violation_of(ClauseId::M5), nullptr);
    EXPECT_NE(runner_.run(from_scenario->scenario).violation_of(ClauseId::M5), nullptr);
  }
}

TEST_F(Shrink, what_does_not_break_the_clause_gives_nothing) {
  Shrinker shrinker(runner_, 100);
  Scenario sound = failing_->scenario;
  sound.cluster.mutant = Mutant::none;

  EXPECT_FALSE(shrinker.shrink(sound, ClauseId::M5).has_value());
  EXPECT_FALSE(shrinker.shrink(failing_->scenario, ClauseId::D1).has_value());
  EXPECT_FALSE(shrinker.shrink(failing_->tape, Mutant::none, ClauseId::M5).has_value());
}

}  // namespace
}  // namespace shardcheck::harness
