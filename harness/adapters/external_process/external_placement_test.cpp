#include "harness/adapters/external_process/external_placement.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/placement_check.h"
#include "impl/placement/ring.h"
#include "spec/placement_shares.h"

namespace shardcheck::external {
namespace {

using testing::HasSubstr;

Result<PlacementFactory> program(const std::string& arguments, int timeout_ms = 20'000) {
  return external_placement(
      {.command = "exec " PLACEMENT_PROGRAM " " + arguments, .timeout = std::chrono::milliseconds(timeout_ms)});
}

void expect_same_rows(const PlacementReport& one, const PlacementReport& other) {
  ASSERT_EQ(one.rows.size(), other.rows.size());
  for (const PlacementRow& row : one.rows) {
    SCOPED_TRACE(clause(row.clause).text_id);
    EXPECT_EQ(row.checks, other.row(row.clause).checks);
    EXPECT_EQ(row.finding, other.row(row.clause).finding);
  }
}

TEST(ExternalPlacement, the_ring_in_another_program_is_judged_as_the_ring_in_this_one) {
  const PlacementReport outside = check_placement(program("ring").value(), 7, 16);

  EXPECT_FALSE(outside.is_violated());
  EXPECT_EQ(outside.breakdowns, 0U);
  expect_same_rows(outside, check_placement(impl::ring_factory(), 7, 16));
}

class RingMutantOutside : public testing::TestWithParam<const char*> {};

TEST_P(RingMutantOutside, is_refused_with_the_same_smallest_case) {
  const PlacementReport inside = check_placement(placement_by_name(GetParam()).value(), 1, 12);

  const PlacementReport outside = check_placement(program(GetParam()).value(), 1, 12);

  EXPECT_TRUE(outside.is_violated());
  expect_same_rows(outside, inside);
}

INSTANTIATE_TEST_SUITE_P(Some, RingMutantOutside, testing::Values("ring+ring_mod_n", "ring+ring_no_wrap"),
                         [](const auto& parameter) { return std::string(parameter.param).substr(5); });

TEST(ExternalPlacement, a_hundred_thousand_keys_are_asked_for_in_long_lines) {
  const std::unique_ptr<Placement> outside = program("ring").value().make({});
  impl::Ring inside;
  for (const char* name : {"A", "a b", "\xc3\xa9", "-"}) {
    ASSERT_TRUE(outside->add({.name = name}).has_value());
    ASSERT_TRUE(inside.add({.name = name}).has_value());
  }
  const std::vector<std::string> keys = share_sample(100'000);

  const auto owners = outside->owners(keys);

  ASSERT_TRUE(owners.has_value());
  EXPECT_EQ(*owners, inside.owners(keys).value());
  EXPECT_EQ(outside->points(), inside.points());
  EXPECT_EQ(outside->preference_list("k", 3).value(), inside.preference_list("k", 3).value());
}

TEST(ExternalPlacement, a_refusal_is_no_breakdown) {
  const PlacementFactory factory = program("ring").value();
  const std::unique_ptr<Placement> placement = factory.make({});

  EXPECT_FALSE(placement->owner("k").has_value());
  EXPECT_FALSE(placement->add({.name = "A", .weight = 0}).has_value());
  EXPECT_FALSE(placement->remove("B").has_value());
  EXPECT_FALSE(placement->preference_list("k", 1).has_value());
  EXPECT_EQ(factory.take_breakdown(), std::nullopt);
  EXPECT_TRUE(placement->add({.name = "A"}).has_value());
}

struct Breaking {
  const char* how;
  const char* message;
  int timeout_ms = 20'000;
};

class BreakingProgram : public testing::TestWithParam<Breaking> {};

TEST_P(BreakingProgram, is_a_finding_with_the_line_and_a_small_case) {
  const PlacementFactory factory =
      program(std::string("ring ") + GetParam().how + " remove", GetParam().timeout_ms).value();

  const PlacementReport report = check_placement(factory, 1, 8);

  EXPECT_TRUE(report.is_violated());
  ASSERT_TRUE(report.breakdown.has_value());
  EXPECT_THAT(report.breakdown->violation.message, HasSubstr(GetParam().message));
  EXPECT_THAT(report.breakdown->violation.message, HasSubstr("'remove "));
  EXPECT_LE(steps_of(report.breakdown->smallest), 3U);
  EXPECT_EQ(report.breakdowns, kBreakdownsMax);
  EXPECT_TRUE(report.is_cut_short);
  for (const PlacementRow& row : report.rows) {
    EXPECT_FALSE(row.finding.has_value()) << row.finding->violation.message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BreakingProgram,
    testing::Values(Breaking{"die", "illed by signal 9"}, Breaking{"hang", "gave no answer within 200 ms", 200},
                    Breaking{"garbage", "answered '%01%FF garbage' to the line 'remove"},
                    Breaking{"truncate", "ended with exit code 0 after 'o' without an end of line"},
                    Breaking{"flood", "wrote more than 16 MiB without an end of line"},
                    Breaking{"close", "closed its standard output"}),
    [](const auto& parameter) { return std::string(parameter.param.how); });

TEST(ExternalPlacement, an_answer_too_many_is_a_breakdown) {
  const PlacementReport report = check_placement(program("ring extra remove").value(), 1, 20);

  ASSERT_TRUE(report.breakdown.has_value());
  EXPECT_THAT(report.breakdown->violation.message, HasSubstr("before it was asked"));
}

TEST(ExternalPlacement, an_owner_that_is_no_member_is_a_violation) {
  const PlacementCase input{.parameters = {}, .members = {{.name = "A"}}, .edits = {}, .keys = {"k"}, .answers = {}};

  const PlacementReport report = check_placement_case(program("ring foreign 'owner k'").value(), input, ClauseId::P2);

  ASSERT_TRUE(report.row(ClauseId::P2).finding.has_value());
  EXPECT_THAT(report.row(ClauseId::P2).finding->violation.message,
              HasSubstr("with members 'A', key 'k' belongs to 'nobody'"));
  EXPECT_EQ(report.row(ClauseId::P1).checks, 0U);
}

TEST(ExternalPlacement, what_speaks_garbage_from_the_start_is_bad_input) {
  const auto error_of = [](const std::string& command) {
    const Result<PlacementFactory> factory =
        external_placement({.command = command, .timeout = std::chrono::milliseconds(300)});
    return factory ? "started" : to_string(factory.error());
  };

  EXPECT_THAT(error_of("cat"), HasSubstr("answered 'hello 1' to the line 'hello 1': it does not begin with 'ok'"));
  EXPECT_THAT(error_of("read line; yes"), HasSubstr("answered 'y' to the line 'hello 1'"));
  EXPECT_THAT(error_of("yes ok"), HasSubstr("wrote 'ok%0Aok%0A"));
  EXPECT_THAT(error_of("true"), HasSubstr("ended with exit code 0 on the line 'hello 1'"));
  EXPECT_THAT(error_of("sleep 100"), HasSubstr("gave no answer within 300 ms on the line 'hello 1'"));
  EXPECT_THAT(error_of("no_such_command_at_all"), HasSubstr("exit code 127"));
  EXPECT_THAT(error_of("read line; echo ok speed=high; cat"), HasSubstr("'speed=high' is not one of"));
  EXPECT_THAT(error_of(PLACEMENT_PROGRAM " ring die reset"), HasSubstr("on the line 'reset 100 32'"));
}

TEST(ExternalPlacement, is_asked_for_nothing_that_it_does_not_have) {
  const auto factory = external_placement(
      {.command = "while read verb rest; do case $verb in hello) echo ok weights=no racks=no lists=no;; "
                  "reset|add|remove) echo ok;; owner) echo error none;; *) echo $verb >&2; exit 9;; esac; done"});
  ASSERT_TRUE(factory.has_value()) << to_string(factory.error());

  const PlacementReport report = check_placement(*factory, 1, 30);

  EXPECT_EQ(report.row(ClauseId::P6).checks, 0U);
  EXPECT_TRUE(report.row(ClauseId::P1).finding.has_value());  // it takes an unknown member's removal
  ASSERT_TRUE(report.breakdown.has_value());
  EXPECT_THAT(report.breakdown->violation.message, HasSubstr("its standard error says: owners"));
}

}  // namespace
}  // namespace shardcheck::external
