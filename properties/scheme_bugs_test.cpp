// Bugs that other placement libraries had in schemes other than a ring, as tests that the reference passes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "impl/placement/key_ranges.h"
#include "impl/placement/schemes.h"
#include "spec/placement_laws.h"

namespace shardcheck::impl {
namespace {

PlacementFactory scheme(std::string_view name) {
  const std::optional<PlacementFactory> found = scheme_by_name(name);
  EXPECT_TRUE(found.has_value()) << name;
  return found.value();
}

PlacementCase case_of(std::vector<Member> members) {
  PlacementCase input{.parameters = {}, .members = std::move(members), .edits = {}, .keys = {}, .answers = {}};
  for (int number = 0; number < 200; ++number) {
    input.keys.push_back(fmt::format("user:{}", number));
  }
  return input;
}

void expect_held(const LawResult& result) {
  EXPECT_GT(result.checks, 0U);
  EXPECT_FALSE(result.violation.has_value()) << result.violation->message;
}

// PB03 clohfink/RendezvousHash #1: scores of a few bits, so that many are equal.
TEST(SchemeBugs, equal_scores_of_rendezvous_do_not_depend_on_who_came_first) {
  PlacementCase input = case_of({{.name = "b"}, {.name = "a"}, {.name = "c"}});
  input.parameters.position_bits = 2;

  expect_held(check_determinism(scheme("rendezvous"), input));
}

// PB13 buraksezer/consistent #13, PB14 Tochemey/goakt #1009: no room although there was room, with one or two members
// and while growing from 3 to 7.
TEST(SchemeBugs, bounded_loads_find_room_with_every_number_of_members) {
  const std::unique_ptr<Placement> placement = scheme("bounded_loads").make({});
  for (int members = 1; members <= 7; ++members) {
    ASSERT_TRUE(placement->add({.name = fmt::format("m{}", members)}).has_value()) << members;

    for (int number = 0; number < 3'000; ++number) {
      ASSERT_TRUE(placement->owner(fmt::format("user:{}", number)).has_value()) << members << " " << number;
    }
  }
}

// PB15 dapr/dapr PR #10222: an endless loop when nobody passed the load test, a host that was gone, a division by zero
// without hosts.
TEST(SchemeBugs, bounded_loads_without_members_are_an_error_and_with_one_it_takes_everything) {
  const std::unique_ptr<Placement> placement = scheme("bounded_loads").make({});
  EXPECT_FALSE(placement->owner("user:1").has_value());
  ASSERT_TRUE(placement->add({.name = "a"}) && placement->add({.name = "gone"}) && placement->remove("gone"));

  for (int number = 0; number < 3'000; ++number) {
    ASSERT_EQ(placement->owner(fmt::format("user:{}", number)).value(), "a");
  }
  ASSERT_TRUE(placement->remove("a"));
  EXPECT_FALSE(placement->owner("user:1").has_value());
}

// PB29 envoyproxy/envoy #5982.
TEST(SchemeBugs, slots_of_maglev_follow_the_weights) {
  expect_held(check_balance(scheme("maglev"), case_of({{.name = "a", .weight = 1}, {.name = "b", .weight = 5}})));
}

// PB61 pg-sharding/spqr #1754: a range above one with an open end was refused.
TEST(SchemeBugs, a_range_can_be_cut_out_of_the_one_with_the_open_end) {
  KeyRanges ranges({"0001"});
  ASSERT_TRUE(ranges.add({.name = "sh1"}));

  EXPECT_TRUE(ranges.split("1000").has_value());
  EXPECT_FALSE(ranges.split("1000").has_value());
  EXPECT_EQ(ranges.owner("0999").value(), "sh1");
  EXPECT_EQ(ranges.owner("1000").value(), "sh1");
}

}  // namespace
}  // namespace shardcheck::impl
