#include "impl/placement/ring_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "spec/assert.h"

namespace shardcheck::impl {

RingTable::RingTable(std::span<const RingPoint> points, unsigned position_bits, std::vector<MemberIndex> rack_of_member,
                     const RingDecisions& decisions)
    : position_bits_(position_bits),
      counts_points_as_members_(decisions.counts_points_as_members()),
      rack_of_member_(std::move(rack_of_member)) {
  SHARDCHECK_ASSERT(position_bits >= 1 && position_bits <= 32);
  if (points.empty()) {
    return;
  }
  const std::uint32_t position_max = static_cast<std::uint32_t>((std::uint64_t{1} << position_bits) - 1);
  std::vector<RingPoint> entries(points.begin(), points.end());
  for (RingPoint& entry : entries) {
    entry.position = decisions.last_position_owned(entry.position, position_max);
  }
  // Sorted already, unless the decision above carried the first points around the circle.
  const auto carried_end = std::ranges::is_sorted_until(entries, {}, &RingPoint::position);
  std::rotate(entries.begin(), carried_end, entries.end());
  std::vector<std::uint32_t> positions;
  std::vector<MemberIndex> owners;
  positions.reserve(entries.size());
  owners.reserve(entries.size());
  for (const RingPoint& entry : entries) {
    positions.push_back(entry.position);
    owners.push_back(entry.member);
  }
  std::vector<MemberIndex> racks = rack_of_member_;
  std::sort(racks.begin(), racks.end());
  racks_ = static_cast<std::size_t>(std::unique(racks.begin(), racks.end()) - racks.begin());
  rank_above_last_ = decisions.rank_above_last(entries.size());
  points_ = LineTable<std::uint32_t>(positions, owners, position_bits, rank_above_last_);
}

MemberIndex RingTable::owner_by_bisect(std::uint32_t position) const noexcept {
  const std::size_t rank = count_below(points_.positions(), position);
  return points_.records()[rank < size() ? rank : rank_above_last_];
}

PreferenceTable RingTable::pack_preferences() const {
  SHARDCHECK_ASSERT(!is_empty());
  std::vector<PreferencesOfThree> lists(size(), PreferencesOfThree{});
  std::size_t found = 0;
  for (std::size_t rank = 0; rank < size(); ++rank) {
    // The same number everywhere: a walk for more members than there are goes all the way around.
    found = preference_list_from(rank, lists[rank]);
  }
  return {LineTable<std::uint32_t, PreferencesOfThree>(points_.positions(), lists, position_bits_, rank_above_last_),
          found};
}

std::size_t RingTable::preference_list_at(std::uint32_t position, std::span<MemberIndex> out) const noexcept {
  const std::size_t rank = points_.rank_at(position);
  return preference_list_from(rank < size() ? rank : rank_above_last_, out);
}

std::size_t RingTable::preference_list_from(std::size_t start, std::span<MemberIndex> out) const noexcept {
  const bool has_shared_racks = racks_ < rack_of_member_.size();
  const std::size_t first_of_racks = has_shared_racks ? std::min(racks_, out.size()) : out.size();
  std::size_t chosen = walk(start, out.first(first_of_racks), 0, has_shared_racks);
  if (chosen < out.size()) {
    chosen = walk(start, out, chosen, false);
  }
  return chosen;
}

// Once around at most: a member without a point (a mutant can make one) must not keep the walk going for ever.
std::size_t RingTable::walk(std::size_t start, std::span<MemberIndex> out, std::size_t chosen,
                            bool skips_racks) const noexcept {
  const std::span<const MemberIndex> owners = points_.records();
  std::size_t rank = start;
  for (std::size_t step = 0; step < owners.size() && chosen < out.size(); ++step) {
    const MemberIndex member = owners[rank];
    if (counts_points_as_members_ || !is_excluded(member, out.first(chosen), skips_racks)) {
      out[chosen] = member;
      ++chosen;
    }
    rank = rank + 1 < owners.size() ? rank + 1 : 0;
  }
  return chosen;
}

bool RingTable::is_excluded(MemberIndex member, std::span<const MemberIndex> chosen, bool skips_racks) const noexcept {
  return std::any_of(chosen.begin(), chosen.end(), [&](MemberIndex other) {
    return other == member || (skips_racks && rack_of_member_[other] == rack_of_member_[member]);
  });
}

}  // namespace shardcheck::impl
