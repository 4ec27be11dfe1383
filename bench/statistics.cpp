#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "spec/assert.h"

namespace shardcheck::bench {
namespace {

constexpr std::size_t kExactSamplesMax = 30;
constexpr int kResamples = 2000;

// ways[u]: in how many orders of `left` and `right` samples exactly u pairs have the left one later.
std::vector<double> orders_by_pairs(std::size_t left, std::size_t right) {
  // ways of (i, j) from (i - 1, j) and (i, j - 1): either the latest of all is a left one, later than j right ones, or
  // it is a right one. One row of i at a time.
  const std::size_t pairs = left * right;
  std::vector<std::vector<double>> ways(right + 1, std::vector<double>(pairs + 1, 0));
  for (auto& row : ways) {
    row[0] = 1;
  }
  for (std::size_t i = 1; i <= left; ++i) {
    for (std::size_t j = 1; j <= right; ++j) {
      for (std::size_t u = pairs + 1; u-- > 0;) {
        ways[j][u] = (u >= j ? ways[j][u - j] : 0) + ways[j - 1][u];
      }
    }
  }
  return ways[right];
}

double two_sided(const std::vector<double>& ways, std::size_t u) {
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  const std::size_t nearer_end = std::min(u, ways.size() - 1 - u);
  const double tail = std::accumulate(ways.begin(), ways.begin() + static_cast<std::ptrdiff_t>(nearer_end) + 1, 0.0);
  return std::min(1.0, 2 * tail / all);
}

// Pairs in which the left one is greater, a tie counting one half, and the sum of t^3 - t over all groups of t ties.
struct Ranks {
  double u = 0;
  double ties = 0;
};

Ranks ranks(std::span<const double> left, std::span<const double> right) {
  Ranks result;
  for (const double a : left) {
    for (const double b : right) {
      result.u += a > b ? 1.0 : (a == b ? 0.5 : 0.0);
    }
  }
  std::vector<double> all(left.begin(), left.end());
  all.insert(all.end(), right.begin(), right.end());
  std::sort(all.begin(), all.end());
  for (auto group = all.begin(); group != all.end();) {
    const auto end = std::upper_bound(group, all.end(), *group);
    const auto size = static_cast<double>(end - group);
    result.ties += size * size * size - size;
    group = end;
  }
  return result;
}

double normal_p(const Ranks& seen, double left, double right) {
  const double count = left + right;
  const double variance = left * right / 12 * (count + 1 - seen.ties / (count * (count - 1)));
  if (variance <= 0) {
    return 1;  // all samples are equal
  }
  const double distance = std::max(0.0, std::abs(seen.u - left * right / 2) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

double resampled_median(std::span<const double> samples, std::uint64_t& state) {
  std::vector<double> drawn;
  drawn.reserve(samples.size());
  for (std::size_t index = 0; index < samples.size(); ++index) {
    drawn.push_back(samples[next_random(state) % samples.size()]);
  }
  return median(std::move(drawn));
}

}  // namespace

double median(std::vector<double> samples) {
  SHARDCHECK_ASSERT(!samples.empty());
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

double median_absolute_deviation(std::span<const double> samples) {
  const double middle = median({samples.begin(), samples.end()});
  std::vector<double> distances;
  for (const double sample : samples) {
    distances.push_back(std::abs(sample - middle));
  }
  return median(std::move(distances));
}

double mann_whitney_p(std::span<const double> left, std::span<const double> right) {
  SHARDCHECK_ASSERT(!left.empty());
  SHARDCHECK_ASSERT(!right.empty());
  const Ranks seen = ranks(left, right);
  if (seen.ties == 0 && left.size() <= kExactSamplesMax && right.size() <= kExactSamplesMax) {
    return two_sided(orders_by_pairs(left.size(), right.size()), static_cast<std::size_t>(seen.u));
  }
  return normal_p(seen, static_cast<double>(left.size()), static_cast<double>(right.size()));
}

double mann_whitney_p_min(std::size_t left, std::size_t right) {
  double orders = 1;
  for (std::size_t index = 1; index <= left; ++index) {
    orders = orders * static_cast<double>(right + index) / static_cast<double>(index);
  }
  return std::min(1.0, 2 / orders);
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(p_values[a], a) < std::pair(p_values[b], b); });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - rank) * p_values[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

Interval bootstrap_ratio(std::span<const double> left, std::span<const double> right) {
  std::uint64_t state = 1;
  std::vector<double> ratios;
  ratios.reserve(kResamples);
  for (int resample = 0; resample < kResamples; ++resample) {
    const double left_median = resampled_median(left, state);
    const double right_median = resampled_median(right, state);
    ratios.push_back(right_median / left_median);
  }
  std::sort(ratios.begin(), ratios.end());
  return {.low = ratios[kResamples / 40], .high = ratios[kResamples - 1 - kResamples / 40]};
}

}  // namespace shardcheck::bench
