#include "bench/statistics.h"

#include <gtest/gtest.h>

namespace shardcheck::bench {
namespace {

TEST(Statistics, median_is_the_middle_or_the_mean_of_the_two_in_the_middle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(Statistics, one_outlier_does_not_move_the_median_absolute_deviation) {
  const std::vector<double> samples{10, 11, 12, 13, 1000};

  EXPECT_EQ(median_absolute_deviation(samples), 1);
}

// By hand: of the 20 orders of 3 and 3, one has no left sample after a right one, one has all of them.
TEST(Statistics, three_below_three_is_one_order_in_twenty_on_either_side) {
  const std::vector<double> low{1, 2, 3};
  const std::vector<double> high{4, 5, 6};

  EXPECT_DOUBLE_EQ(mann_whitney_p(low, high), 0.1);
  EXPECT_DOUBLE_EQ(mann_whitney_p(high, low), 0.1);
  EXPECT_DOUBLE_EQ(mann_whitney_p_min(3, 3), 0.1);
}

// By hand: u = 1 has one order, so the lower tail of u <= 1 has two of 20.
TEST(Statistics, one_pair_out_of_order_doubles_the_tail) {
  const std::vector<double> left{1, 2, 4};
  const std::vector<double> right{3, 5, 6};

  EXPECT_DOUBLE_EQ(mann_whitney_p(left, right), 0.2);
}

TEST(Statistics, samples_that_alternate_are_no_sign_of_a_difference) {
  const std::vector<double> left{1, 3, 5, 7, 9, 11};
  const std::vector<double> right{2, 4, 6, 8, 10, 12};

  EXPECT_GT(mann_whitney_p(left, right), 0.5);
}

TEST(Statistics, equal_samples_are_no_sign_of_a_difference) {
  const std::vector<double> samples{5, 5, 5, 5};

  EXPECT_EQ(mann_whitney_p(samples, samples), 1);
}

// The normal approximation with ties, computed by hand: u = 0, mean 12.5, ties 2 groups of 5, variance
// 25 / 12 * (11 - 240 / 90) = 17.361, z = 12 / 4.1667 = 2.88, p = 0.003977.
TEST(Statistics, ties_use_the_corrected_normal_approximation) {
  const std::vector<double> left{1, 1, 1, 1, 1};
  const std::vector<double> right{2, 2, 2, 2, 2};

  EXPECT_NEAR(mann_whitney_p(left, right), 0.003977, 1e-6);
}

TEST(Statistics, holm_multiplies_by_the_number_of_those_left_and_never_decreases) {
  const std::vector<double> p_values{0.04, 0.01, 0.03};

  const std::vector<double> adjusted = holm_adjusted(p_values);

  ASSERT_EQ(adjusted.size(), 3U);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.06);
}

TEST(Statistics, bootstrap_interval_holds_the_ratio_and_is_the_same_every_time) {
  const std::vector<double> left{10, 11, 9, 10, 10, 11, 9};
  const std::vector<double> right{20, 21, 19, 20, 22, 18, 20};

  const Interval first = bootstrap_ratio(left, right);
  const Interval second = bootstrap_ratio(left, right);

  EXPECT_LE(first.low, 2);
  EXPECT_GE(first.high, 2);
  EXPECT_LT(first.high - first.low, 0.6);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
}

}  // namespace
}  // namespace shardcheck::bench
