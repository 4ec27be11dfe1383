// The lookup table of a hash ring: what a router holds and asks for every request. Immutable once built, so that any
// number of threads may share one; a lookup takes no lock, allocates nothing and does not branch on the data. The
// layout is that of line_table.h: 17.4 bytes a point.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "impl/placement/line_table.h"
#include "impl/placement/ring_decisions.h"

namespace shardcheck::impl {

// A preference list of three, precomputed for the points: each answer is in one cache line, about 34 bytes a point.
inline constexpr std::size_t kPackedPreferences = 3;
using PreferencesOfThree = std::array<MemberIndex, kPackedPreferences>;

class PreferenceTable {
 public:
  // What RingTable::preference_list_at would answer to a question for three: the first size() of these. O(1) expected.
  PreferencesOfThree at(std::uint32_t position) const noexcept { return lists_.owner_at(position); }
  // As above, of many positions; both spans are equally long.
  void at(std::span<const std::uint32_t> positions, std::span<PreferencesOfThree> lists) const noexcept {
    lists_.owners_at(positions, lists);
  }
  // Three, or as many members as there are if they are fewer.
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return lists_.bytes(); }

 private:
  friend class RingTable;
  PreferenceTable(LineTable<std::uint32_t, PreferencesOfThree> lists, std::size_t size)
      : lists_(std::move(lists)), size_(size) {}

  LineTable<std::uint32_t, PreferencesOfThree> lists_;
  std::size_t size_;
};

class RingTable {
 public:
  // An empty table. Only is_empty() may be asked.
  RingTable() = default;

  // `points` in the order of RingDecisions::stays_before, positions below 2^position_bits. `rack_of_member` has a
  // number for each member, equal for those that share a rack. O(points).
  RingTable(std::span<const RingPoint> points, unsigned position_bits, std::vector<MemberIndex> rack_of_member,
            const RingDecisions& decisions);

  bool is_empty() const noexcept { return points_.size() == 0; }
  std::size_t size() const noexcept { return points_.size(); }
  std::size_t bytes() const noexcept { return points_.bytes(); }

  // The owner of a position. O(1) expected, O(log) of the points that share a line at worst. Not on an empty table.
  MemberIndex owner_at(std::uint32_t position) const noexcept { return points_.owner_at(position); }

  // The owners of many positions; both spans are equally long. Several times as fast as one by one where the table does
  // not fit a cache. Not on an empty table.
  void owners_at(std::span<const std::uint32_t> positions, std::span<MemberIndex> owners) const noexcept {
    points_.owners_at(positions, owners);
  }

  // The answer of owner_at by bisection over the sorted array.
  MemberIndex owner_by_bisect(std::uint32_t position) const noexcept;

  // Fills `out` with distinct members in the order in which a walk from `position` meets them: first one of every rack,
  // then the others. Returns how many there were, fewer than out.size() only if there are fewer members.
  // O(points walked * out.size()).
  std::size_t preference_list_at(std::uint32_t position, std::span<MemberIndex> out) const noexcept;

  // The lists of all points, walked once. O(points) for a ring of many members. Not on an empty table.
  PreferenceTable pack_preferences() const;

 private:
  std::size_t preference_list_from(std::size_t start, std::span<MemberIndex> out) const noexcept;
  std::size_t walk(std::size_t start, std::span<MemberIndex> out, std::size_t chosen, bool skips_racks) const noexcept;
  bool is_excluded(MemberIndex member, std::span<const MemberIndex> chosen, bool skips_racks) const noexcept;

  unsigned position_bits_ = 0;
  std::size_t rank_above_last_ = 0;
  bool counts_points_as_members_ = false;
  std::size_t racks_ = 0;
  std::vector<MemberIndex> rack_of_member_;
  LineTable<std::uint32_t> points_;
};

}  // namespace shardcheck::impl
