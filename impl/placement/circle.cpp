#include "impl/placement/circle.h"

#include <algorithm>

#include "impl/placement/placement_hash.h"

namespace shardcheck::impl {

Circle::Circle(const MemberList& members, std::uint32_t points_per_weight, std::uint32_t position_bits) {
  points_.reserve(static_cast<std::size_t>(members.weight_total()) * points_per_weight);
  for (std::size_t index = 0; index < members.size(); ++index) {
    const MemberIndex member = static_cast<MemberIndex>(index);
    const std::uint64_t name = placement_hash(members[member].name, 4);
    const std::uint64_t count = static_cast<std::uint64_t>(members[member].weight) * points_per_weight;
    for (std::uint64_t number = 0; number < count; ++number) {
      points_.push_back(
          {.position = cut_hash(mix(name + number * 0x9e3779b97f4a7c15), position_bits), .member = member});
    }
  }
  std::ranges::sort(points_);
}

std::size_t Circle::rank_from(std::uint64_t position) const {
  const auto found = std::ranges::lower_bound(points_, position, {}, &CirclePoint::position);
  return found == points_.end() ? 0 : static_cast<std::size_t>(found - points_.begin());
}

}  // namespace shardcheck::impl
