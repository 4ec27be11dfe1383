#include "spec/placement_shares.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/assert.h"

namespace shardcheck {
namespace {

__extension__ using Uint128 = unsigned __int128;

// The greatest root with root * root <= square, by Newton's steps from above.
std::uint64_t integer_root(Uint128 square) {
  if (square == 0) {
    return 0;
  }
  Uint128 root = Uint128{1} << 64;
  for (int step = 0; step < 200; ++step) {
    const Uint128 next = (root + square / root) / 2;
    if (next >= root) {
      break;
    }
    root = next;
  }
  return static_cast<std::uint64_t>(root);
}

// p (1 - p) in units squared, p = weight / total.
Uint128 spread_units_squared(std::int64_t weight, std::int64_t total) {
  SHARDCHECK_ASSERT(weight >= 0 && weight <= total && total >= 1);
  const Uint128 share = fair_share_units(weight, total);
  return share * (kShareUnits - share);
}

std::uint64_t scaled(Uint128 length, Uint128 circle) {
  return static_cast<std::uint64_t>(length * kShareUnits / circle);
}

// Those of `batch`, and one by one where the batch is an error, because that may be one key's alone.
template <class Batch, class One>
std::vector<std::string> named_owners(std::size_t count, const Batch& batch, const One& one) {
  std::vector<std::string> names(count);
  if (batch && batch->size() == count) {
    std::ranges::copy(*batch, names.begin());
    return names;
  }
  for (std::size_t index = 0; index < count; ++index) {
    names[index] = one(index).value_or("");
  }
  return names;
}

std::vector<std::string> owners_of_positions(const Placement& placement, std::span<const std::uint64_t> positions) {
  return named_owners(positions.size(), placement.owners_at(positions),
                      [&](std::size_t index) { return placement.owner_at(positions[index]); });
}

std::vector<CommonArc> partition_arcs(const Placement& before, const Placement& after) {
  const std::uint64_t partitions = after.partitions();
  std::vector<CommonArc> arcs;
  arcs.reserve(partitions);
  for (std::uint64_t partition = 0; partition < partitions; ++partition) {
    const std::uint64_t first = scaled(partition, partitions);
    arcs.push_back({.last_position = partition,
                    .share_units = scaled(Uint128{partition} + 1, partitions) - first,
                    .owner_before = std::string(before.owner_at(partition).value_or("")),
                    .owner_after = std::string(after.owner_at(partition).value_or(""))});
  }
  return arcs;
}

}  // namespace

std::vector<std::string> owners_of_keys(const Placement& placement, std::span<const std::string> keys) {
  return named_owners(keys.size(), placement.owners(keys),
                      [&](std::size_t index) { return placement.owner(keys[index]); });
}

std::vector<std::string> share_sample(std::uint64_t keys) {
  std::vector<std::string> sample;
  for (std::uint64_t number = 0; number < keys; ++number) {
    sample.push_back(share_sample_key(number));
  }
  return sample;
}

bool has_arcs(const Placement& placement) {
  return !placement.points().empty() || (placement.partitions() > 0 && placement.owner_at(0));
}

std::vector<CommonArc> common_arcs(const Placement& before, const Placement& after) {
  if (after.partitions() > 0) {
    return partition_arcs(before, after);
  }
  std::vector<std::uint64_t> cuts;
  for (const Placement* placement : {&before, &after}) {
    for (const PlacementPoint& point : placement->points()) {
      cuts.push_back(point.position);
    }
  }
  std::ranges::sort(cuts);
  cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
  const Uint128 circle = Uint128{after.position_max()} + 1;
  const std::vector<std::string> owners_before = owners_of_positions(before, cuts);
  const std::vector<std::string> owners_after = owners_of_positions(after, cuts);
  std::vector<CommonArc> arcs;
  for (std::size_t index = 0; index < cuts.size(); ++index) {
    // The first arc reaches around the circle to the last cut; the subtraction wraps with it.
    const std::uint64_t previous = cuts[index == 0 ? cuts.size() - 1 : index - 1];
    const Uint128 length = index > 0 ? Uint128{cuts[index] - previous} : Uint128{cuts[index]} + circle - previous;
    arcs.push_back({.last_position = cuts[index],
                    .share_units = scaled(length, circle),
                    .owner_before = owners_before[index],
                    .owner_after = owners_after[index]});
  }
  return arcs;
}

std::string share_sample_key(std::uint64_t number) { return fmt::format("sample:{}", number); }

std::map<std::string, std::uint64_t> shares_on_arcs(const Placement& placement) {
  std::map<std::string, std::uint64_t> shares;
  for (const CommonArc& arc : common_arcs(placement, placement)) {
    shares[arc.owner_after] += arc.share_units;
  }
  return shares;
}

std::map<std::string, std::uint64_t> shares_of_sample(const Placement& placement) {
  std::map<std::string, std::uint64_t> shares;
  for (const std::string& owner : owners_of_keys(placement, share_sample(kShareSampleKeys))) {
    shares[owner] += kShareUnits / kShareSampleKeys;
  }
  return shares;
}

std::uint64_t fair_share_units(std::int64_t weight, std::int64_t total) {
  SHARDCHECK_ASSERT(weight >= 0 && total >= 1);
  return scaled(static_cast<Uint128>(weight), static_cast<Uint128>(total));
}

std::uint64_t share_deviation_units(std::int64_t weight, std::int64_t total, ShareScatter scatter) {
  const Uint128 spread = spread_units_squared(weight, total);
  Uint128 variance = 0;
  if (scatter.points_per_weight > 0) {
    variance += spread / (static_cast<Uint128>(total) * scatter.points_per_weight + 1);
  }
  if (scatter.sample_keys > 0) {
    variance += spread / scatter.sample_keys;
  }
  return integer_root(variance);
}

std::uint64_t inheritance_max_units(std::int64_t weight, std::int64_t total, std::uint64_t points) {
  constexpr Uint128 kExponent = 25;
  const Uint128 share = fair_share_units(weight, total);
  const Uint128 slack = integer_root(kExponent * kShareUnits / points * kShareUnits);
  const Uint128 root_of_share = integer_root(share * kShareUnits);
  const Uint128 root_of_rest = integer_root((kShareUnits - share) * kShareUnits);
  const Uint128 most = (root_of_share + slack) * (root_of_share + slack) / kShareUnits;
  const Uint128 rest = root_of_rest > slack ? root_of_rest - slack : 0;
  return static_cast<std::uint64_t>(std::min(most, kShareUnits - rest * rest / kShareUnits));
}

}  // namespace shardcheck
