#include "bench/compare.h"

#include <gtest/gtest.h>

namespace shardcheck::bench {
namespace {

// Ten samples around `center`, spread by 2 % without ties; `offset` keeps two series from sharing a value.
Figures figures(std::string name, double center, double offset = 0) {
  Figures result{.name = std::move(name), .samples_ns = {}};
  for (int step = 0; step < 10; ++step) {
    result.samples_ns.push_back(center * (0.99 + 0.002 * step) + offset);
  }
  return result;
}

Baseline baseline(std::vector<Figures> benchmarks) {
  Baseline result{.release = "1.0.0", .machine = "m", .benchmarks = std::move(benchmarks)};
  sort_baseline(result);
  return result;
}

Change change_from_to(const Figures& older, const Figures& newer, const CompareOptions& options = {}) {
  return compare(baseline({older}), baseline({newer}), options).at(0).change;
}

TEST(Compare, a_fifth_more_is_slower_and_a_fifth_less_is_faster) {
  EXPECT_EQ(change_from_to(figures("a", 100), figures("a", 120)), Change::slower);
  EXPECT_EQ(change_from_to(figures("a", 120), figures("a", 100)), Change::faster);
}

TEST(Compare, the_same_figures_are_the_same) {
  EXPECT_EQ(change_from_to(figures("a", 100), figures("a", 100)), Change::same);
  EXPECT_EQ(change_from_to(figures("a", 100), figures("a", 100, 0.1)), Change::same);
}

TEST(Compare, a_certain_change_below_the_threshold_is_none) {
  EXPECT_EQ(change_from_to(figures("a", 100), figures("a", 103)), Change::same);
  EXPECT_EQ(change_from_to(figures("a", 100), figures("a", 103), {.threshold = 0.01}), Change::slower);
}

TEST(Compare, a_large_change_within_noise_is_none) {
  const Figures noisy_old{.name = "a", .samples_ns = {50, 60, 80, 100, 101, 130, 150, 180, 220, 300}};
  const Figures noisy_new{.name = "a", .samples_ns = {52, 66, 84, 115, 125, 140, 160, 190, 230, 290}};

  EXPECT_EQ(change_from_to(noisy_old, noisy_new), Change::same);
}

TEST(Compare, three_samples_each_can_show_nothing) {
  const Figures older{.name = "a", .samples_ns = {1, 2, 3}};
  const Figures newer{.name = "a", .samples_ns = {101, 102, 103}};

  EXPECT_EQ(change_from_to(older, newer), Change::too_few);
}

TEST(Compare, the_level_is_of_the_whole_comparison) {
  // Five samples each: two in 252 alone (0.0079), too weak for two benchmarks.
  const Figures older{.name = "a", .samples_ns = {1, 2, 3, 4, 5}};
  const Figures newer{.name = "a", .samples_ns = {11, 12, 13, 14, 15}};
  const auto renamed = [](Figures row) {
    row.name = "b";
    return row;
  };

  EXPECT_EQ(change_from_to(older, newer), Change::slower);
  EXPECT_EQ(compare(baseline({older, renamed(older)}), baseline({newer, renamed(newer)})).at(0).change,
            Change::too_few);
}

TEST(Compare, what_one_side_lacks_is_missing_or_new) {
  const std::vector<Comparison> rows =
      compare(baseline({figures("a", 1), figures("b", 1)}), baseline({figures("b", 1), figures("c", 1)}));

  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].change, Change::missing);
  EXPECT_EQ(rows[1].change, Change::same);
  EXPECT_EQ(rows[2].change, Change::added);
}

TEST(Compare, the_ratio_is_new_to_old_and_lies_in_its_interval) {
  const Comparison row = compare(baseline({figures("a", 100)}), baseline({figures("a", 150)})).at(0);

  EXPECT_NEAR(row.ratio, 1.5, 1e-9);
  EXPECT_LE(row.ratio_interval.low, row.ratio);
  EXPECT_GE(row.ratio_interval.high, row.ratio);
  EXPECT_LT(row.p, 0.001);
}

TEST(Compare, one_slower_benchmark_is_enough_for_the_verdict) {
  const std::vector<Comparison> rows{{.name = "a", .change = Change::faster},
                                     {.name = "b", .change = Change::missing},
                                     {.name = "c", .change = Change::slower}};

  EXPECT_EQ(verdict_of(rows), CompareVerdict::slower);
}

TEST(Compare, what_was_not_compared_is_never_held) {
  const std::vector<Comparison> held{{.name = "a", .change = Change::same}, {.name = "b", .change = Change::added}};
  const std::vector<Comparison> missing{{.name = "a", .change = Change::same},
                                        {.name = "b", .change = Change::missing}};
  const std::vector<Comparison> too_few{{.name = "a", .change = Change::same},
                                        {.name = "b", .change = Change::too_few}};
  const std::vector<Comparison> all_new{{.name = "a", .change = Change::added}};

  EXPECT_EQ(verdict_of(held), CompareVerdict::held);
  EXPECT_EQ(verdict_of(missing), CompareVerdict::undecided);
  EXPECT_EQ(verdict_of(too_few), CompareVerdict::undecided);
  EXPECT_EQ(verdict_of(all_new), CompareVerdict::undecided);
  EXPECT_EQ(verdict_of({}), CompareVerdict::undecided);
}

}  // namespace
}  // namespace shardcheck::bench
