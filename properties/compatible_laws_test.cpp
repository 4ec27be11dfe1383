// The compatible rings under the laws: what they promise holds, and what people claim of them is refused where it is
// not true.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/placement_check.h"
#include "impl/placement/ketama.h"
#include "impl/placement/nginx_ring.h"
#include "impl/placement/redis_slots.h"
#include "properties/claiming.h"
#include "spec/placement_shares.h"

namespace shardcheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kCases = 200;

class CompatibleLaws : public testing::TestWithParam<PlacementFactory> {};

TEST_P(CompatibleLaws, what_is_promised_holds) {
  const PlacementReport report = check_placement(GetParam(), 1, kCases);

  for (const PlacementRow& row : report.rows) {
    EXPECT_FALSE(row.finding.has_value()) << row.finding->violation.message << "\n" << to_text(row.finding->smallest);
  }
  for (const ClauseId judged : {ClauseId::P1, ClauseId::P2, ClauseId::P6}) {
    EXPECT_GT(report.row(judged).checks, 0U) << clause(judged).text_id;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CompatibleLaws,
                         testing::Values(impl::ketama_factory(), impl::nginx_ring_factory(),
                                         impl::redis_slots_factory()),
                         [](const auto& parameter) {
                           return parameter.param.name == "redis-slots" ? "redis_slots" : parameter.param.name;
                         });

TEST(CompatibleLaws, nginx_is_judged_by_all_laws_but_golden_vectors) {
  const PlacementReport report = check_placement(impl::nginx_ring_factory(), 1, kCases);

  for (const ClauseId judged : {ClauseId::P3, ClauseId::P4, ClauseId::P5, ClauseId::P7, ClauseId::P9}) {
    EXPECT_GT(report.row(judged).checks, 0U) << clause(judged).text_id;
  }
}

PlacementCase with_members(std::size_t members, std::vector<PlacementEdit> edits) {
  PlacementCase input{.parameters = {}, .members = {}, .edits = std::move(edits), .keys = {}, .answers = {}};
  for (std::size_t number = 0; number < members; ++number) {
    input.members.push_back({.name = fmt::format("cache-{}", number)});
  }
  return input;
}

const PlacementFactory kKetamaClaimingMovement =
    claiming(impl::ketama_factory(), {.movement = Promise::exactly, .balance = Promise::none});

TEST(KetamaClaims, equal_members_would_keep_P3_if_160_points_were_160_for_every_number_of_them) {
  const LawResult result = check_minimal_movement(kKetamaClaimingMovement, with_members(24, {}));

  EXPECT_GT(result.checks, 0U);
  EXPECT_FALSE(result.violation.has_value());
}

// PB69: libmemcached and twemproxy round 160 points down to 156. The balance of the members does not show it, they all
// lose the same; the movement does.
TEST(KetamaClaims, the_25th_of_equal_members_moves_keys_between_the_24_others) {
  const LawResult result = check_minimal_movement(kKetamaClaimingMovement, with_members(25, {}));

  ASSERT_TRUE(result.violation.has_value());
  EXPECT_THAT(result.violation->message, HasSubstr("adding 'cache-24' (weight 1) moves position"));
  EXPECT_THAT(result.violation->message, HasSubstr("neither of which it is about"));
}

TEST(KetamaClaims, balance_of_25_equal_members_is_as_good_as_that_of_24) {
  const PlacementFactory factory = claiming(
      impl::ketama_factory(), {.movement = Promise::none, .balance = Promise::within_bound, .points_per_weight = 160});

  for (const std::size_t members : {24U, 25U, 47U, 100U}) {
    const LawResult result = check_balance(factory, with_members(members, {}));
    EXPECT_GT(result.checks, 0U) << members;
    EXPECT_FALSE(result.violation.has_value()) << members;
  }
}

// Every number up to 100 at which a join costs all others points: the law of movement refuses exactly these joins and
// the ones after them, which give the points back.
TEST(KetamaClaims, joins_that_P3_refuses_are_those_around_25_47_50_55_61_71_94_and_100_members) {
  std::set<std::size_t> refused;
  impl::PointRing before(impl::ketama_convention(), {});
  ASSERT_TRUE(before.add({.name = "cache-0"}));
  for (std::size_t members = 2; members <= 101; ++members) {
    impl::PointRing after = before;
    const std::string joining = fmt::format("cache-{}", members - 1);
    ASSERT_TRUE(after.add({.name = joining}));
    for (const CommonArc& arc : common_arcs(before, after)) {
      if (arc.owner_before != arc.owner_after && arc.owner_after != joining) {
        refused.insert(members);
      }
    }
    before = std::move(after);
  }

  EXPECT_THAT(refused, ElementsAre(25, 26, 47, 48, 50, 51, 55, 56, 61, 62, 71, 72, 94, 95, 100, 101));
}

// PB25, PB26: RJ/ketama #13.
TEST(KetamaClaims, weights_100_200_300_move_keys_between_survivors_when_the_last_leaves) {
  PlacementCase input = with_members(0, {{EditKind::remove, {.name = "c"}}});
  input.members = {{.name = "a", .weight = 100}, {.name = "b", .weight = 200}, {.name = "c", .weight = 300}};

  const LawResult result = check_minimal_movement(kKetamaClaimingMovement, input);

  ASSERT_TRUE(result.violation.has_value());
  EXPECT_THAT(result.violation->message, HasSubstr("neither of which it is about"));
}

// PB70: a member of weight 42 beside 19 and 19 has 252 points and 160 when it is alone.
TEST(KetamaClaims, points_of_a_member_depend_on_the_others_as_P7_says) {
  PlacementCase input = with_members(0, {});
  input.members = {{.name = "a", .weight = 42}, {.name = "b", .weight = 19}, {.name = "c", .weight = 19}};

  const LawResult result = check_collisions(kKetamaClaimingMovement, input);

  ASSERT_TRUE(result.violation.has_value());
  EXPECT_THAT(result.violation->message, HasSubstr("member 'a' has a point at position"));
}

// PB71, PB23: a small weight is rounded to no point at all.
TEST(KetamaClaims, a_member_without_points_is_refused_by_P5) {
  const PlacementFactory factory = claiming(
      impl::ketama_factory(), {.movement = Promise::none, .balance = Promise::within_bound, .points_per_weight = 160});
  PlacementCase input = with_members(0, {});
  input.members = {{.name = "heavy", .weight = 1'000}, {.name = "a-light", .weight = 1}};

  const LawResult result = check_balance(factory, input);

  ASSERT_TRUE(result.violation.has_value());
  EXPECT_THAT(result.violation->message, HasSubstr("member 'a-light' owns 0.000 % of all positions"));
}

TEST(RedisSlotsClaims, a_member_that_joins_moves_boundaries_between_others) {
  const PlacementFactory factory = claiming(impl::redis_slots_factory(), {.movement = Promise::exactly});

  EXPECT_TRUE(check_minimal_movement(factory, with_members(4, {})).violation.has_value());
}

}  // namespace
}  // namespace shardcheck
