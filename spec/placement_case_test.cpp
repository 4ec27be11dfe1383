#include "spec/placement_case.h"

#include <gtest/gtest.h>

#include <limits>

namespace shardcheck {
namespace {

TEST(PlacementCase, is_the_same_after_printing_and_parsing) {
  const PlacementCase input{
      .parameters = {.virtual_nodes = 7, .position_bits = 9},
      .members = {{.name = "a b", .weight = 3, .rack = "r1"}, {.name = "-"}, {.name = "50%"}, {.name = "\xc3\xa9"}},
      .edits = {{EditKind::add, {.name = "", .weight = std::numeric_limits<std::int64_t>::min()}},
                {EditKind::remove, {.name = "a b"}},
                {EditKind::set_weight, {.name = "-", .weight = 5}}},
      .keys = {"user:1", "", "line\nbreak"},
      .answers = {GoldenOwner{"user:1", "-"}, GoldenList{"user:1", {"-", "50%"}}, GoldenPosition{4095, "\xc3\xa9"}}};

  const std::string text = to_text(input);

  EXPECT_EQ(parse_placement_case(text).value(), input);
  EXPECT_EQ(steps_of(input), 13U);
}

TEST(PlacementCase, prints_one_line_a_step) {
  const PlacementCase input{.parameters = {.virtual_nodes = 1, .position_bits = 32},
                            .members = {{.name = "A"}},
                            .edits = {{EditKind::add, {.name = "a b", .weight = 2, .rack = "r0"}}},
                            .keys = {"user:42"},
                            .answers = {GoldenPosition{17, "A"}}};

  EXPECT_EQ(to_text(input),
            "virtual_nodes 1\n"
            "position_bits 32\n"
            "member A 1 -\n"
            "edit add a%20b 2 r0\n"
            "key user:42\n"
            "answer position 17 A\n");
}

class BadPlacementCase : public testing::TestWithParam<const char*> {};

TEST_P(BadPlacementCase, is_an_error_that_names_the_line) {
  const Result<PlacementCase> parsed = parse_placement_case(std::string("# a comment\nkey a\n") + GetParam());

  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().where, "line 3");
}

INSTANTIATE_TEST_SUITE_P(All, BadPlacementCase,
                         testing::Values("member A", "member A one -", "member A 1 - more", "key", "key a%2",
                                         "key a%zz", "edit", "edit drop A", "edit set_weight A", "edit remove A 1",
                                         "virtual_nodes 0", "virtual_nodes -1", "virtual_nodes 9999999999",
                                         "position_bits 33", "position_bits 0", "answer", "answer owner k",
                                         "answer owner k A B", "answer position x A", "answer guess k A",
                                         "nonsense 1"));

TEST(Membership, refuses_what_a_placement_has_to_refuse) {
  Membership membership;
  ASSERT_TRUE(membership.apply({EditKind::add, {.name = "A", .weight = 2}}));
  const Membership before = membership;

  EXPECT_FALSE(membership.apply({EditKind::add, {.name = "A"}}));
  EXPECT_FALSE(membership.apply({EditKind::add, {.name = ""}}));
  EXPECT_FALSE(membership.apply({EditKind::add, {.name = "B", .weight = 0}}));
  EXPECT_FALSE(membership.apply({EditKind::add, {.name = "B", .weight = kWeightMax + 1}}));
  EXPECT_FALSE(membership.apply({EditKind::remove, {.name = "B"}}));
  EXPECT_FALSE(membership.apply({EditKind::set_weight, {.name = "B", .weight = 1}}));
  EXPECT_FALSE(membership.apply({EditKind::set_weight, {.name = "A", .weight = -1}}));
  EXPECT_EQ(membership, before);

  EXPECT_TRUE(membership.apply({EditKind::set_weight, {.name = "A", .weight = kWeightMax}}));
  EXPECT_EQ(membership.weight_total(), 1'048'576);
  EXPECT_TRUE(membership.apply({EditKind::remove, {.name = "A"}}));
  EXPECT_EQ(to_words(membership), "no members");
}

}  // namespace
}  // namespace shardcheck
