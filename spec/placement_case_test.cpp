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
                                         "answer owner k A B", "answer position x A", "answer guess k A", "nonsense 1",
                                         "member A 0 -", "member A 1048577 -", "member - 1 -", "edit remove A",
                                         "edit set_weight A 2", "edit add A 0 -", "edit add - 1 -", "refused add A 1 -",
                                         "refused drop A"));

struct CaseError {
  const char* name;
  std::string text;
  std::string error;
};
class PlacementCaseErrors : public testing::TestWithParam<CaseError> {};

TEST_P(PlacementCaseErrors, say_what_would_be_right) {
  const Result<PlacementCase> parsed = parse_placement_case(GetParam().text);

  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(to_string(parsed.error()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All, PlacementCaseErrors,
    testing::Values(
        CaseError{"setting_twice", "virtual_nodes 3\nvirtual_nodes 3\n",
                  "line 2: virtual_nodes is given a second time"},
        CaseError{"bits_twice", "position_bits 8\nkey k\nposition_bits 9\n",
                  "line 3: position_bits is given a second time"},
        CaseError{"virtual_nodes_out_of_bounds", "virtual_nodes 0\n",
                  "line 1: virtual_nodes must be a whole number from 1 to 100000, not '0'"},
        CaseError{"bits_out_of_bounds", "position_bits 33\n",
                  "line 1: position_bits must be a whole number from 1 to 32, not '33'"},
        CaseError{"member_twice", "member A 1 -\nmember B 1 -\nmember A 2 -\n", "line 3: there is a member A already"},
        CaseError{"weight_out_of_bounds", "member A 1048577 -\n",
                  "line 1: the weight of a member must be a whole number from 1 to 1048576, not '1048577'"},
        CaseError{
            "nobody_removed", "edit remove B\nmember A 1 -\n",
            "line 1: there is no member B at this point; begin the line with 'refused' if the placement has to refuse "
            "this"},
        CaseError{
            "member_added_again", "member A 1 -\nedit remove A\nedit add A 1 -\nedit add A 1 -\n",
            "line 4: there is a member A already at this point; begin the line with 'refused' if the placement has to "
            "refuse this"},
        CaseError{"nothing_to_refuse", "member A 1 -\nrefused remove A\n",
                  "line 2: nothing is wrong with this edit; begin the line with 'edit' instead of 'refused'"},
        CaseError{"edit_weight_out_of_bounds", "member A 1 -\nedit set_weight A 0\n",
                  "line 2: a weight must be a whole number from 1 to 1048576, not '0'"},
        CaseError{"control_bytes", "key\x1b[2J \xe2\x80\xae\n",
                  "line 1: 'key%1B[2J %E2%80%AE' is not a line of a placement case (virtual_nodes N, position_bits N, "
                  "member NAME WEIGHT RACK, edit or refused: add NAME WEIGHT RACK, remove NAME, set_weight NAME "
                  "WEIGHT; key KEY, answer)"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(PlacementCase, keeps_apart_what_has_to_be_refused) {
  const std::string text =
      "virtual_nodes 1\nposition_bits 32\nmember A 1 -\nrefused add A 1 -\nrefused set_weight A -1\n"
      "edit remove A\nrefused remove A\nedit add A 2 -\nkey k\n";

  const PlacementCase input = parse_placement_case(text).value();

  EXPECT_EQ(input.edits.size(), 5U);
  EXPECT_EQ(to_text(input), text);
}

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
