#include "impl/placement/ring_table.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

// How many of the ascending positions lie below `position`, without a branch that the data could mispredict: random
// keys would make a plain bisection guess wrong at every second step.
std::size_t count_below(std::span<const std::uint32_t> positions, std::uint32_t position) noexcept {
  const std::uint32_t* first = positions.data();
  std::size_t length = positions.size();
  while (length > 1) {
    const std::size_t half = length / 2;
    // All ones or all zeros. Arithmetic, because a conditional expression is compiled to the very branch to be avoided.
    const std::size_t mask = std::size_t{0} - std::size_t{first[half - 1] < position};
    first += half & mask;
    length -= half;
  }
  const std::size_t before = static_cast<std::size_t>(first - positions.data());
  return before + (length == 1 && *first < position ? 1 : 0);
}

// About three points a line: fewer waste memory, more overfill lines (at three, one line in a thousand).
std::size_t lines_for(std::size_t points, unsigned position_bits) {
  return std::min(std::bit_ceil(points / 3 + 1), std::size_t{1} << position_bits);
}

}  // namespace

RingTable::RingTable(std::span<const RingPoint> points, unsigned position_bits, std::vector<MemberIndex> rack_of_member,
                     const RingDecisions& decisions)
    : counts_points_as_members_(decisions.counts_points_as_members()), rack_of_member_(std::move(rack_of_member)) {
  SHARDCHECK_ASSERT(position_bits >= 1 && position_bits <= 32);
  SHARDCHECK_ASSERT(points.size() < std::numeric_limits<std::uint32_t>::max());
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
  positions_.reserve(entries.size());
  owners_.reserve(entries.size());
  for (const RingPoint& entry : entries) {
    positions_.push_back(entry.position);
    owners_.push_back(entry.member);
  }
  std::vector<MemberIndex> racks = rack_of_member_;
  std::sort(racks.begin(), racks.end());
  racks_ = static_cast<std::size_t>(std::unique(racks.begin(), racks.end()) - racks.begin());
  rank_above_last_ = decisions.rank_above_last(entries.size());
  build_lines(position_bits);
}

void RingTable::build_lines(unsigned position_bits) {
  const std::size_t count = lines_for(positions_.size(), position_bits);
  shift_ = position_bits - static_cast<unsigned>(std::bit_width(count) - 1);
  lines_.resize(count);
  line_start_.resize(count + 1);
  std::size_t rank = 0;
  for (std::size_t index = 0; index < count; ++index) {
    line_start_[index] = static_cast<std::uint32_t>(rank);
    Line& line = lines_[index];
    line.positions.fill(std::numeric_limits<std::uint32_t>::max());
    std::size_t held = 0;
    while (rank < positions_.size() && std::size_t{positions_[rank]} >> shift_ == index) {
      if (held < kLineCapacity) {
        line.positions[held] = positions_[rank];
        line.owners[held] = owners_[rank];
      }
      ++held;
      ++rank;
    }
    line.is_overfull = held > kLineCapacity ? 1 : 0;
    const MemberIndex owner_after = owners_[rank < owners_.size() ? rank : rank_above_last_];
    for (std::size_t slot = std::min(held, kLineCapacity); slot <= kLineCapacity; ++slot) {
      line.owners[slot] = owner_after;
    }
  }
  line_start_[count] = static_cast<std::uint32_t>(rank);
  SHARDCHECK_ASSERT(rank == positions_.size());
}

std::size_t RingTable::bytes() const noexcept {
  return lines_.size() * sizeof(Line) + line_start_.size() * sizeof(std::uint32_t) +
         positions_.size() * sizeof(std::uint32_t) + owners_.size() * sizeof(MemberIndex);
}

std::size_t RingTable::rank_at(std::uint32_t position) const noexcept {
  const std::size_t line = std::size_t{position} >> shift_;
  const std::size_t first = line_start_[line];
  const std::size_t end = line_start_[line + 1];
  const std::size_t rank = first + count_below(std::span(positions_).subspan(first, end - first), position);
  return rank < positions_.size() ? rank : rank_above_last_;
}

MemberIndex RingTable::owner_by_bisect(std::uint32_t position) const noexcept {
  const std::size_t rank = count_below(positions_, position);
  return owners_[rank < positions_.size() ? rank : rank_above_last_];
}

std::size_t RingTable::preference_list_at(std::uint32_t position, std::span<MemberIndex> out) const noexcept {
  const std::size_t start = rank_at(position);
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
  std::size_t rank = start;
  for (std::size_t step = 0; step < owners_.size() && chosen < out.size(); ++step) {
    const MemberIndex member = owners_[rank];
    if (counts_points_as_members_ || !is_excluded(member, out.first(chosen), skips_racks)) {
      out[chosen] = member;
      ++chosen;
    }
    rank = rank + 1 < owners_.size() ? rank + 1 : 0;
  }
  return chosen;
}

bool RingTable::is_excluded(MemberIndex member, std::span<const MemberIndex> chosen, bool skips_racks) const noexcept {
  return std::any_of(chosen.begin(), chosen.end(), [&](MemberIndex other) {
    return other == member || (skips_racks && rack_of_member_[other] == rack_of_member_[member]);
  });
}

}  // namespace shardcheck::impl
