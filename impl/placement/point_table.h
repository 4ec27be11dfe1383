// What every layout of a lookup table offers: the points of a circle go in, ascending, and the owner of a position
// comes out, which is the member of the first point at or after it, above the last one that of the first. Of points at
// one position the first in the list owns. All layouts answer alike and differ in time and memory only:
//
//   LowerBoundTable   std::lower_bound over the sorted positions: what everybody starts with (bisect_table.h)
//   BranchFreeTable   the same bisection without a branch on the data (bisect_table.h)
//   EytzingerTable    the sorted positions in the order of a breadth-first walk of the tree (eytzinger_table.h)
//   LineTable         the top bits of a position choose the cache line that has the answer (line_table.h)
//
// Tables are immutable once built, so any number of threads may share one; a lookup takes no lock and allocates
// nothing. A table needs at least one point. Positions are std::uint32_t or std::uint64_t, the whole range of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "impl/placement/ring_decisions.h"

namespace shardcheck::impl {

// So many questions of a batch are under way at once: enough that the memory is never idle, few enough that the lines
// fetched for the last are still there when the first has been answered.
inline constexpr std::size_t kBatchGroup = 32;

// The points of a circle: positions ascending, and the member of each.
template <class Position>
struct PointList {
  std::span<const Position> positions;
  std::span<const MemberIndex> owners;
};

template <class Table>
concept PointTable = requires(const Table table, typename Table::PositionType position,
                              std::span<const typename Table::PositionType> positions, std::span<MemberIndex> owners) {
  // The owner of a position.
  { table.owner_at(position) } noexcept -> std::same_as<MemberIndex>;
  // The owners of many positions, in their order; both spans are equally long. Faster by the position than owner_at
  // where a layout can work on several at once.
  { table.owners_at(positions, owners) } noexcept -> std::same_as<void>;
  { table.size() } noexcept -> std::same_as<std::size_t>;
  // All memory that the table holds, what it only falls back to included.
  { table.bytes() } noexcept -> std::same_as<std::size_t>;
};

}  // namespace shardcheck::impl
