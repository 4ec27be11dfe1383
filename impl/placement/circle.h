// Points of members on a circle of 2^64 positions, sorted, for the schemes that walk it in ways of their own. Equal
// positions are in the order of names. Immutable once built.
#pragma once

#include <cstdint>
#include <vector>

#include "impl/placement/member_list.h"

namespace shardcheck::impl {

struct CirclePoint {
  std::uint64_t position = 0;
  MemberIndex member = 0;

  friend auto operator<=>(CirclePoint, CirclePoint) = default;
};

class Circle {
 public:
  Circle() = default;
  // So many points for each unit of weight, their hashes cut to the top `position_bits` (32: none cut).
  Circle(const MemberList& members, std::uint32_t points_per_weight, std::uint32_t position_bits);

  std::size_t size() const { return points_.size(); }
  std::size_t bytes() const { return points_.size() * sizeof(CirclePoint); }
  const CirclePoint& operator[](std::size_t rank) const { return points_[rank]; }
  // The rank of the first point at or after the position, around the circle. Not on an empty one. O(log points).
  std::size_t rank_from(std::uint64_t position) const;

 private:
  std::vector<CirclePoint> points_;
};

}  // namespace shardcheck::impl
