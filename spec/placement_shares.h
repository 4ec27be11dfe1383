// Measuring who owns how much of a placement, and how far a share may be from its weight by chance. Used by the laws of
// movement and balance, and by benchmarks.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "spec/placement.h"
#include "spec/placement_case.h"

namespace shardcheck {

// Shares are whole numbers of 2^-32 of everything, so that no verdict depends on floating point.
inline constexpr std::uint64_t kShareUnits = std::uint64_t{1} << 32;

// A stretch of positions on which neither of two placements changes its owner.
struct CommonArc {
  std::uint64_t last_position;  // its other end is just after the arc before it
  std::uint64_t share_units;
  std::string owner_before;
  std::string owner_after;
};

// The circle cut at every point of both, which have the same positions. Asks 2 * points owners. Of placements of whole
// partitions, equally many on both sides: one arc a partition.
std::vector<CommonArc> common_arcs(const Placement& before, const Placement& after);

// Keys to measure with where there are no arcs: always the same ones.
inline constexpr std::uint64_t kShareSampleKeys = 4'096;
std::string share_sample_key(std::uint64_t number);
// The first so many of them.
std::vector<std::string> share_sample(std::uint64_t keys);

// The owner of each key, empty where there is none; asked for together where the scheme can.
std::vector<std::string> owners_of_keys(const Placement& placement, std::span<const std::string> keys);

// Whether there is something to cut: points, or partitions with owners.
bool has_arcs(const Placement& placement);

std::map<std::string, std::uint64_t> shares_on_arcs(const Placement& placement);
std::map<std::string, std::uint64_t> shares_of_sample(const Placement& placement);

// weight / total in units. `total` at least 1.
std::uint64_t fair_share_units(std::int64_t weight, std::int64_t total);

// One standard deviation of a share, in units. Points: the share of w V out of W V uniform points is Beta distributed,
// variance p (1 - p) / (W V + 1) with p = w / W. Sample: binomial, variance p (1 - p) / keys. 0 leaves either out.
struct ShareScatter {
  std::uint64_t points_per_weight = 0;
  std::uint64_t sample_keys = 0;
};
std::uint64_t share_deviation_units(std::int64_t weight, std::int64_t total, ShareScatter scatter);

// The greatest part that an heir of weight / total may take of what `points` uniform arcs held. Each arc goes to it
// with probability q and arcs differ in length, so what it gets is about a compound Poisson sum, and has skewed tails
// where q * points is small: P(part > t) <= exp(-points (sqrt(t) - sqrt(q))^2), the same for what it leaves to others.
// The bound is where this falls to exp(-25). A multiple of q alone would be too narrow for small heirs or say nothing
// of large ones. `points` at least 1.
std::uint64_t inheritance_max_units(std::int64_t weight, std::int64_t total, std::uint64_t points);

}  // namespace shardcheck
