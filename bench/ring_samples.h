// Rings and positions for measuring: always the same ones.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "impl/placement/ring.h"

namespace shardcheck::bench {

// `points` (at least 100) over 100 members, fewer where 100 does not divide them.
impl::Ring ring_with_points(std::size_t points);
std::vector<Member> equal_members(std::size_t count);

// The same points in a std::map, where of equal positions the first in the order of names stays.
std::map<std::uint32_t, impl::MemberIndex> tree_of(const impl::Ring& ring);

std::vector<std::uint32_t> uniform_positions(std::size_t count);

}  // namespace shardcheck::bench
