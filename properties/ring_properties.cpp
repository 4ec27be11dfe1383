// The ring under its laws, driven by RapidCheck: the tape of choices is generated and shrunk by it, everything else is
// what the seeded runs use.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "harness/placement_draw.h"
#include "impl/placement/ring.h"
#include "spec/placement_laws.h"

namespace shardcheck {
namespace {

using Tape = std::vector<std::uint8_t>;

// Long enough for every choice of the largest case; RapidCheck's own lists would mostly be too short to add a member.
rc::Gen<Tape> any_tape() { return rc::gen::container<Tape>(96, rc::gen::arbitrary<std::uint8_t>()); }

// A law that judged nothing proves nothing: such cases are discarded, and RapidCheck gives up when nearly all are.
void check_ring(ClauseId clause_id, const Tape& tape) {
  const PlacementCase input = draw_placement_case(tape_draws(tape));
  const LawResult result = check_law(clause_id, impl::ring_factory(), input);
  RC_PRE(result.checks > 0);

  if (result.violation) {
    RC_FAIL(result.violation->message + "\n" + to_text(input));
  }
}
void check_ring(ClauseId clause_id) { check_ring(clause_id, *any_tape()); }

// The first choice of a case, answered so that its shares can be judged.
void check_shares_of_ring(ClauseId clause_id) {
  Tape tape = *any_tape();
  tape.front() = 15;
  check_ring(clause_id, tape);
}

RC_GTEST_PROP(RingProperty, P1_owners_depend_on_the_members_alone, ()) { check_ring(ClauseId::P1); }
RC_GTEST_PROP(RingProperty, P2_every_position_has_the_owner_that_its_points_give_it, ()) { check_ring(ClauseId::P2); }
RC_GTEST_PROP(RingProperty, P3_no_key_moves_between_survivors, ()) { check_ring(ClauseId::P3); }
RC_GTEST_PROP(RingProperty, P4_no_more_moves_than_the_changed_share, ()) { check_shares_of_ring(ClauseId::P4); }
RC_GTEST_PROP(RingProperty, P5_shares_follow_weights, ()) { check_shares_of_ring(ClauseId::P5); }
RC_GTEST_PROP(RingProperty, P6_preference_lists_are_distinct_and_slide, ()) { check_ring(ClauseId::P6); }
RC_GTEST_PROP(RingProperty, P7_colliding_points_lose_nobody, ()) { check_ring(ClauseId::P7); }
RC_GTEST_PROP(RingProperty, P9_a_leaving_load_is_spread, ()) { check_shares_of_ring(ClauseId::P9); }

// The ring against the definition, read off the points one by one.
RC_GTEST_PROP(RingProperty, lookup_is_the_first_point_at_or_after_the_position, ()) {
  const PlacementCase input = draw_placement_case(tape_draws(*any_tape()));
  impl::Ring ring({.parameters = input.parameters});
  for (const PlacementEdit& edit : history_of(input)) {
    (void)apply(ring, edit);
  }
  RC_PRE(!ring.members().empty());
  const auto position = *rc::gen::inRange<std::uint64_t>(0, ring.position_max() + 1);

  const std::vector<PlacementPoint> points = ring.points();
  const auto reached =
      std::ranges::find_if(points, [&](const PlacementPoint& point) { return point.position >= position; });

  RC_ASSERT(ring.owner_at(position).value() == (reached == points.end() ? points.front() : *reached).member);
}

RC_GTEST_PROP(RingProperty, a_case_is_the_same_after_printing_and_parsing, ()) {
  const PlacementCase input = draw_placement_case(tape_draws(*any_tape()));

  RC_ASSERT(parse_placement_case(to_text(input)).value() == input);
}

// Whether RapidCheck finds the mutant by the clause, and to how many steps it shrinks what it found.
struct RapidCheckFinding {
  bool is_found = false;
  std::size_t smallest_steps = 1'000;
};

RapidCheckFinding find_mutant(impl::Mutant mutant, ClauseId clause_id) {
  RapidCheckFinding finding;
  rc::detail::TestParams parameters;
  parameters.seed = 1;
  parameters.maxSuccess = 500;
  const rc::detail::TestResult result = rc::detail::checkTestable(
      [&] {
        const PlacementCase input = draw_placement_case(tape_draws(*any_tape()));
        if (check_law(clause_id, impl::ring_factory(mutant), input).violation) {
          finding.smallest_steps = std::min(finding.smallest_steps, steps_of(input));
          RC_FAIL("violated");
        }
      },
      rc::detail::TestMetadata{}, parameters);
  finding.is_found = result.is<rc::detail::FailureResult>();
  return finding;
}

TEST(RingProperty, rapidcheck_finds_and_shrinks_points_that_overwrite_one_another) {
  const RapidCheckFinding finding = find_mutant(impl::Mutant::ring_collision_overwrite, ClauseId::P7);

  EXPECT_TRUE(finding.is_found);
  EXPECT_LE(finding.smallest_steps, 8U);
}

TEST(RingProperty, rapidcheck_finds_and_shrinks_keys_that_move_between_survivors) {
  const RapidCheckFinding finding = find_mutant(impl::Mutant::ring_mod_n, ClauseId::P3);

  EXPECT_TRUE(finding.is_found);
  EXPECT_LE(finding.smallest_steps, 8U);
}

TEST(RingProperty, rapidcheck_finds_nothing_in_the_reference) {
  EXPECT_FALSE(find_mutant(impl::Mutant::none, ClauseId::P7).is_found);
}

}  // namespace
}  // namespace shardcheck
