#include "harness/placement_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "harness/golden_ring.h"
#include "harness/placement_draw.h"
#include "harness/placement_shrink.h"
#include "impl/placement/ring.h"

namespace shardcheck {
namespace {

using impl::Mutant;
using testing::HasSubstr;

// A ring that claims the points of the case and places a few only: what a forgotten factor does to the shares.
class Boaster final : public Placement {
 public:
  explicit Boaster(PlacementParameters claimed)
      : claimed_(claimed), ring_({.parameters = {.virtual_nodes = 1, .position_bits = claimed.position_bits}}) {}

  PlacementPromises promises() const override {
    PlacementPromises promises = ring_.promises();
    promises.points_per_weight = claimed_.virtual_nodes;
    return promises;
  }
  Result<void> add(const Member& member) override { return ring_.add(member); }
  Result<void> remove(std::string_view name) override { return ring_.remove(name); }
  Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    return ring_.set_weight(name, weight);
  }
  Result<std::string_view> owner(std::string_view key) const override { return ring_.owner(key); }
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override {
    return ring_.preference_list(key, count);
  }
  std::vector<PlacementPoint> points() const override { return ring_.points(); }
  std::uint64_t position_max() const override { return ring_.position_max(); }
  std::optional<std::uint64_t> position_of(std::string_view key) const override { return ring_.position_of(key); }
  Result<std::string_view> owner_at(std::uint64_t position) const override { return ring_.owner_at(position); }

 private:
  PlacementParameters claimed_;
  impl::Ring ring_;
};

TEST(PlacementCheck, the_ring_holds_every_clause) {
  const PlacementReport report = check_placement(impl::ring_factory(), 7, 200);

  for (const PlacementRow& row : report.rows) {
    EXPECT_TRUE(row.is_held()) << clause(row.clause).text_id;
  }
  EXPECT_EQ(report.rows.size(), 9U);
  EXPECT_FALSE(report.is_violated());
}

TEST(PlacementCheck, a_clause_never_checked_is_not_held) {
  const PlacementReport report = check_placement(impl::ring_factory(), 7, 0);

  EXPECT_FALSE(report.row(ClauseId::P1).is_held());
  EXPECT_FALSE(report.row(ClauseId::P1).finding.has_value());
  EXPECT_TRUE(report.row(ClauseId::P8).is_held());
}

class RingMutant : public testing::TestWithParam<Mutant> {};

TEST_P(RingMutant, is_killed_as_declared_by_a_small_case_that_replays) {
  // Weights that differ a hundredfold are drawn seldom.
  const std::uint64_t cases = GetParam() == Mutant::ring_weight_floor_zero ? 300 : 100;
  const PlacementKill kill{GetParam(), check_placement(mutant_factory(GetParam()), 1, cases)};
  // Ten members have numbers of one digit; the golden vector with more of them has a hundred.
  const std::size_t steps_max = GetParam() == Mutant::ring_index_sorted_as_string ? 101 : 6;

  EXPECT_TRUE(kill.is_killed_as_declared());
  for (const ClauseId declared : impl::row_of(GetParam()).clauses) {
    SCOPED_TRACE(clause(declared).text_id);
    const std::optional<PlacementFinding>& finding = kill.report.row(declared).finding;
    ASSERT_TRUE(finding.has_value());
    EXPECT_LE(steps_of(finding->smallest), steps_max);
    const std::string file = to_text(PlacementReplay{kill.report.placement, declared, finding->smallest});
    const Result<LawResult> again = replay(parse_placement_replay(file).value());
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->violation, finding->violation);
    EXPECT_FALSE(check_law(declared, impl::ring_factory(), finding->smallest).violation.has_value());
  }
}

std::vector<Mutant> mutants_of_the_ring() {
  std::vector<Mutant> found;
  for (const impl::MutantRow& row : impl::mutants()) {
    if (row.component == "ring") {
      found.push_back(row.mutant);
    }
  }
  return found;
}

TEST(PlacementCheck, the_catalogue_has_mutants_of_the_ring) { EXPECT_GE(mutants_of_the_ring().size(), 16U); }

INSTANTIATE_TEST_SUITE_P(All, RingMutant, testing::ValuesIn(mutants_of_the_ring()),
                         [](const auto& parameter) { return std::string(impl::row_of(parameter.param).name); });

TEST(PlacementCheck, shares_of_too_few_points_are_rejected) {
  const PlacementFactory boaster{"boaster",
                                 [](PlacementParameters parameters) { return std::make_unique<Boaster>(parameters); }};

  const PlacementReport report = check_placement(boaster, 1, 1'000);

  for (const ClauseId clause_id : {ClauseId::P4, ClauseId::P5, ClauseId::P9}) {
    ASSERT_TRUE(report.row(clause_id).finding.has_value()) << clause(clause_id).text_id;
  }
  EXPECT_THAT(report.row(ClauseId::P4).finding.value().violation.message, HasSubstr("the change of its share allows"));
  EXPECT_THAT(report.row(ClauseId::P5).finding.value().violation.message, HasSubstr("its weight gives"));
  EXPECT_THAT(report.row(ClauseId::P9).finding.value().violation.message, HasSubstr("which may take up to"));
}

TEST(PlacementCheck, the_same_seed_gives_the_same_report) {
  const PlacementFactory factory = impl::ring_factory(Mutant::ring_remove_by_position);

  const PlacementReport one = check_placement(factory, 5, 60);
  const PlacementReport other = check_placement(factory, 5, 60);

  for (const PlacementRow& row : one.rows) {
    EXPECT_EQ(row.checks, other.row(row.clause).checks);
    EXPECT_EQ(row.finding, other.row(row.clause).finding);
  }
}

TEST(PlacementReplay, errors_name_the_line_of_the_file) {
  EXPECT_EQ(parse_placement_replay("").error().where, "line 1");
  EXPECT_EQ(parse_placement_replay("placement ring\nclause M1\n").error().where, "line 2");
  EXPECT_EQ(parse_placement_replay("placement ring\nclause P1\nkey a\nkey\n").error().where, "line 4");
  // As editors of some systems end lines.
  EXPECT_TRUE(parse_placement_replay("placement ring\r\nclause P1\r\nvirtual_nodes 2\r\nmember A 1 -\r\nkey a\r\n"));
  EXPECT_FALSE(replay({"md5", ClauseId::P1, {}}).has_value());
  EXPECT_FALSE(placement_by_name("ring+move_no_tombstones").has_value());
  EXPECT_TRUE(placement_by_name("ring+ring_mod_n").has_value());
  EXPECT_EQ(placement_by_name("ring+ring_jump_middle_removal").value().name, "jump+ring_jump_middle_removal");
  EXPECT_TRUE(placement_by_name("jump+ring_jump_middle_removal").has_value());
  EXPECT_FALSE(placement_by_name("jump+ring_mod_n").has_value());
  EXPECT_EQ(placement_by_name("modulo+exactly_P3").value().name, "modulo+exactly_P3");
  EXPECT_FALSE(placement_by_name("modulo+exactly_P2").has_value());
}

TEST(PlacementDraw, no_choices_give_the_quietest_case) {
  const PlacementCase input = draw_placement_case(tape_draws({}));

  EXPECT_EQ(to_text(input), "virtual_nodes 1\nposition_bits 32\nkey user:0\n");
}

// The same numbers with both compilers and on every machine: a seed in a report has to mean the same case for ever.
TEST(PlacementDraw, a_seed_names_one_case_for_ever) {
  EXPECT_EQ(
      to_text(draw_placement_case(seeded_draws(3))),
      "virtual_nodes 6\nposition_bits 9\nmember A 2 -\nrefused add A 1 -\nrefused remove n10\nkey user:340648\nkey "
      "user:656877\n");
}

TEST(PlacementShrink, keeps_what_is_needed_only) {
  PlacementCase input{
      .parameters = {.virtual_nodes = 64, .position_bits = 10}, .members = {}, .edits = {}, .keys = {}, .answers = {}};
  for (const char* name : {"A", "B", "C", "D", "E"}) {
    input.members.push_back({.name = name, .weight = 3, .rack = "r1"});
    input.keys.push_back(name);
  }

  const PlacementCase smallest = shrink_placement_case(input, [](const PlacementCase& candidate) {
    const bool has_d = std::ranges::find(candidate.members, "D", &Member::name) != candidate.members.end();
    return has_d && candidate.keys.size() >= 2 && candidate.parameters.virtual_nodes > 5;
  });

  EXPECT_EQ(to_text(smallest), "virtual_nodes 6\nposition_bits 32\nmember D 1 -\nkey C\nkey D\n");
}

TEST(GoldenRing, every_vector_and_edge_is_there) {
  EXPECT_EQ(golden_ring_cases().size(), 16U);
  for (const GoldenCase& golden : golden_ring_cases()) {
    EXPECT_GE(check_golden(impl::ring_factory(), golden.input).checks, 1U) << golden.name;
  }
}

}  // namespace
}  // namespace shardcheck
