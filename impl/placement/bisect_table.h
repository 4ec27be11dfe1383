// The two bisections over sorted positions: the standard library's, which is what others are compared with, and one
// without a branch on the data. 6 or 10 bytes a point. O(log points).
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "impl/page_array.h"
#include "impl/placement/point_table.h"
#include "spec/assert.h"

namespace shardcheck::impl {

// `length` if `condition`, else 0, and certainly without a branch: the compiler may not see that this is either of two
// values, because it makes branches even of arithmetic that it sees through (clang 19 does).
inline std::size_t length_if(bool condition, std::size_t length) noexcept {
  std::size_t mask = std::size_t{0} - std::size_t{condition};
  asm("" : "+r"(mask));
  return length & mask;
}

// How many of the ascending positions lie below `position`, without a branch that the data could mispredict: random
// keys would make a plain bisection guess wrong at every second step.
template <class Position>
std::size_t count_below(std::span<const Position> positions, Position position) noexcept {
  const Position* first = positions.data();
  std::size_t length = positions.size();
  while (length > 1) {
    const std::size_t half = length / 2;
    first += length_if(first[half - 1] < position, half);
    length -= half;
  }
  const std::size_t before = static_cast<std::size_t>(first - positions.data());
  return before + std::size_t{length == 1 && *first < position};
}

template <class Position>
class LowerBoundTable {
 public:
  using PositionType = Position;

  explicit LowerBoundTable(PointList<Position> points) : positions_(points.positions), owners_(points.owners) {
    SHARDCHECK_ASSERT(!positions_.empty());
    SHARDCHECK_ASSERT(positions_.size() == owners_.size());
  }

  std::size_t size() const noexcept { return positions_.size(); }
  std::size_t bytes() const noexcept { return positions_.bytes() + owners_.bytes(); }

  MemberIndex owner_at(Position position) const noexcept {
    const std::span<const Position> sorted = positions_.values();
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), position);
    return owners_[found == sorted.end() ? 0 : static_cast<std::size_t>(found - sorted.begin())];
  }

  void owners_at(std::span<const Position> positions, std::span<MemberIndex> owners) const noexcept {
    for (std::size_t index = 0; index < positions.size(); ++index) {
      owners[index] = owner_at(positions[index]);
    }
  }

 private:
  PageArray<Position> positions_;
  PageArray<MemberIndex> owners_;
};

template <class Position>
class BranchFreeTable {
 public:
  using PositionType = Position;

  explicit BranchFreeTable(PointList<Position> points) : positions_(points.positions), owners_(points.owners) {
    SHARDCHECK_ASSERT(!positions_.empty());
    SHARDCHECK_ASSERT(positions_.size() == owners_.size());
  }

  std::size_t size() const noexcept { return positions_.size(); }
  std::size_t bytes() const noexcept { return positions_.bytes() + owners_.bytes(); }

  MemberIndex owner_at(Position position) const noexcept {
    return owner_of_rank(count_below(positions_.values(), position));
  }

  // A group takes each step together: the steps are the same for all, and no step waits for that of another position.
  void owners_at(std::span<const Position> positions, std::span<MemberIndex> owners) const noexcept {
    for (std::size_t from = 0; from < positions.size(); from += kBatchGroup) {
      const std::size_t count = std::min(kBatchGroup, positions.size() - from);
      answer_group(positions.subspan(from, count), owners.subspan(from, count));
    }
  }

 private:
  void answer_group(std::span<const Position> positions, std::span<MemberIndex> owners) const noexcept {
    std::array<std::size_t, kBatchGroup> firsts{};
    const Position* const sorted = positions_.data();
    std::size_t length = positions_.size();
    while (length > 1) {
      const std::size_t half = length / 2;
      length -= half;
      for (std::size_t index = 0; index < positions.size(); ++index) {
        firsts[index] += length_if(sorted[firsts[index] + half - 1] < positions[index], half);
        // Where this position looks next.
        __builtin_prefetch(sorted + firsts[index] + length / 2);
      }
    }
    for (std::size_t index = 0; index < positions.size(); ++index) {
      const std::size_t rank = firsts[index] + std::size_t{sorted[firsts[index]] < positions[index]};
      owners[index] = owner_of_rank(rank);
    }
  }

  MemberIndex owner_of_rank(std::size_t rank) const noexcept { return owners_[rank < owners_.size() ? rank : 0]; }

  PageArray<Position> positions_;
  PageArray<MemberIndex> owners_;
};

}  // namespace shardcheck::impl
