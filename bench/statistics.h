// The statistics by which two sets of timings are compared: medians and ranks, because timings have a long tail on one
// side and a mean follows it. No library randomness: the same samples give the same figures everywhere.
#pragma once

#include <span>
#include <vector>

namespace shardcheck::bench {

// The middle sample, or the mean of the two in the middle. `samples` is not empty.
double median(std::vector<double> samples);

// The median distance from the median: a spread that one outlier does not move. `samples` is not empty.
double median_absolute_deviation(std::span<const double> samples);

// How likely samples of one and the same distribution would differ in rank as much as these do, in either direction:
// the two-sided Mann-Whitney U test. Exact without ties and up to 30 samples a side, else the normal approximation,
// corrected for ties and continuity. Neither is empty. O(n1 * n2 * (n1 + n2)) when exact.
// Mann, Whitney: On a test of whether one of two random variables is stochastically larger than the other, 1947.
double mann_whitney_p(std::span<const double> left, std::span<const double> right);

// The smallest value mann_whitney_p can give for so many samples without ties.
double mann_whitney_p_min(std::size_t left, std::size_t right);

// The values that may be compared with one level although there are several of them, in the given order: Holm's
// step-down correction. Without it one in a hundred unchanged benchmarks would be called changed at level 0.01.
std::vector<double> holm_adjusted(std::span<const double> p_values);

struct Interval {
  double low = 0;
  double high = 0;
};

// The 95 % percentile-bootstrap interval of median(right) / median(left). Neither is empty, all are positive.
Interval bootstrap_ratio(std::span<const double> left, std::span<const double> right);

}  // namespace shardcheck::bench
