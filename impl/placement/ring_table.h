// The lookup table of a hash ring: what a router holds and asks for every request. Immutable once built, so that any
// number of threads may share one; a lookup takes no lock, allocates nothing and does not branch on the data.
//
// Positions are uniform, so the top bits of a key's position choose a cache line that holds the few points of that part
// of the circle, their owners, and the owner of whatever comes after them. The rare part with more points than fit is
// bisected instead. 29 to 51 bytes a point in all, 6 of them the sorted arrays that it falls back to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "impl/placement/ring_decisions.h"

namespace shardcheck::impl {

class RingTable {
 public:
  // An empty table. Only is_empty() may be asked.
  RingTable() = default;

  // `points` in the order of RingDecisions::stays_before, positions below 2^position_bits. `rack_of_member` has a
  // number for each member, equal for those that share a rack. O(points).
  RingTable(std::span<const RingPoint> points, unsigned position_bits, std::vector<MemberIndex> rack_of_member,
            const RingDecisions& decisions);

  bool is_empty() const noexcept { return owners_.empty(); }
  std::size_t size() const noexcept { return owners_.size(); }
  std::size_t bytes() const noexcept;

  // The owner of a position. O(1) expected, O(log) of the points that share a line at worst. Not on an empty table.
  MemberIndex owner_at(std::uint32_t position) const noexcept {
    const Line& line = lines_[std::size_t{position} >> shift_];
    if (line.is_overfull != 0) [[unlikely]] {
      return owners_[rank_at(position)];
    }
    unsigned below = 0;
    for (const std::uint32_t candidate : line.positions) {
      below += candidate < position ? 1U : 0U;
    }
    return line.owners[below];
  }

  // The same answer by bisection over the sorted array; what the cache lines are compared with.
  MemberIndex owner_by_bisect(std::uint32_t position) const noexcept;

  // Fills `out` with distinct members in the order in which a walk from `position` meets them: first one of every rack,
  // then the others. Returns how many there were, fewer than out.size() only if there are fewer members.
  // O(points walked * out.size()).
  std::size_t preference_list_at(std::uint32_t position, std::span<MemberIndex> out) const noexcept;

 private:
  static constexpr std::size_t kLineCapacity = 10;

  struct alignas(64) Line {
    std::array<std::uint32_t, kLineCapacity> positions;  // ascending, then filled up with the greatest number
    std::array<MemberIndex, kLineCapacity + 1> owners;   // then filled up with the owner of what follows the line
    std::uint16_t is_overfull;
  };
  static_assert(sizeof(Line) == 64);

  void build_lines(unsigned position_bits);
  std::size_t rank_at(std::uint32_t position) const noexcept;
  std::size_t walk(std::size_t start, std::span<MemberIndex> out, std::size_t chosen, bool skips_racks) const noexcept;
  bool is_excluded(MemberIndex member, std::span<const MemberIndex> chosen, bool skips_racks) const noexcept;

  unsigned shift_ = 0;
  std::size_t rank_above_last_ = 0;
  bool counts_points_as_members_ = false;
  std::size_t racks_ = 0;
  std::vector<MemberIndex> rack_of_member_;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> line_start_;  // rank of the first point in or after each line; one more at the end
  std::vector<std::uint32_t> positions_;
  std::vector<MemberIndex> owners_;
};

}  // namespace shardcheck::impl
