#include "bench/promises.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardcheck::bench {
namespace {

const SpeedPromise kTwice{.name = "twice", .what = "w", .against = "a", .bar = 2};

std::string error_of(std::string_view rows) {
  const auto parsed = parse_promises("name\twhat\tagainst\tbar\n" + std::string(rows), "p.tsv");
  return parsed ? "no error" : to_string(parsed.error());
}

TEST(Promises, the_table_is_read_and_not_empty) {
  ASSERT_FALSE(promises().empty());
  EXPECT_EQ(promises()[0].name, "ring_lookup_20k");
}

TEST(Promises, every_row_has_a_measure_and_every_measure_a_row) {
  std::vector<std::string_view> unmeasured;
  for (const SpeedPromise& promise : promises()) {
    if (measure_of(promise.name) == nullptr) {
      unmeasured.push_back(promise.name);
    }
  }
  std::vector<std::string_view> without_row;
  for (const std::string_view name : measured_names()) {
    if (std::none_of(promises().begin(), promises().end(), [&](const SpeedPromise& row) { return row.name == name; })) {
      without_row.push_back(name);
    }
  }

  EXPECT_THAT(unmeasured, testing::IsEmpty());
  EXPECT_THAT(without_row, testing::IsEmpty());
}

TEST(Promises, a_ratio_at_the_bar_is_held) {
  const PromiseOutcome outcome =
      judge_promise(kTwice, []() -> Result<Ratio> { return Ratio{.subject_ns = 10, .baseline_ns = 20}; });

  EXPECT_EQ(outcome.verdict, PromiseVerdict::held);
  EXPECT_EQ(outcome.ratio.speedup(), 2);
}

TEST(Promises, a_ratio_below_the_bar_is_short) {
  const PromiseOutcome outcome =
      judge_promise(kTwice, []() -> Result<Ratio> { return Ratio{.subject_ns = 10, .baseline_ns = 19}; });

  EXPECT_EQ(outcome.verdict, PromiseVerdict::fell_short);
}

TEST(Promises, nothing_measured_is_not_held) {
  EXPECT_EQ(judge_promise(kTwice, []() -> Result<Ratio> { return Ratio{}; }).verdict, PromiseVerdict::fell_short);
  EXPECT_EQ(judge_promise(kTwice, nullptr).verdict, PromiseVerdict::unmeasured);
}

TEST(Promises, what_is_not_installed_is_unmeasured_and_says_so) {
  const PromiseOutcome outcome =
      judge_promise(kTwice, []() -> Result<Ratio> { return fail("libmemcached", "not installed"); });

  EXPECT_EQ(outcome.verdict, PromiseVerdict::unmeasured);
  EXPECT_EQ(outcome.why_not, "libmemcached: not installed");
}

TEST(Promises, rows_are_parsed_and_broken_ones_refused_with_their_line) {
  const auto parsed = parse_promises("heading\na\tb\tc\t1.5\n", "p.tsv");

  ASSERT_TRUE(parsed.has_value());
  EXPECT_THAT(*parsed, testing::ElementsAre(SpeedPromise{.name = "a", .what = "b", .against = "c", .bar = 1.5}));
  EXPECT_EQ(error_of("a\tb\tc\n"), "p.tsv:2: has 3 fields; name, what, against and bar are needed");
  EXPECT_EQ(error_of("a\tb\tc\t2\n\na\tb\tc\t0\n"), "p.tsv:4: the bar is \"0\", not a number above 0");
  EXPECT_EQ(error_of("a\tb\tc\t2x\n"), "p.tsv:2: the bar is \"2x\", not a number above 0");
  EXPECT_EQ(error_of("a\tb\tc\tinf\n"), "p.tsv:2: the bar is \"inf\", not a number above 0");
  EXPECT_EQ(error_of("a\tb\tc\t2\na\tb\tc\t2\n"), "p.tsv:3: \"a\" is there twice");
}

}  // namespace
}  // namespace shardcheck::bench
