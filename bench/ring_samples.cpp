#include "bench/ring_samples.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>

#include "harness/placement_draw.h"
#include "spec/assert.h"

namespace shardcheck::bench {

std::vector<Member> equal_members(std::size_t count) {
  std::vector<Member> members;
  for (std::size_t number = 0; number < count; ++number) {
    members.push_back({.name = fmt::format("node-{:05}", number)});
  }
  return members;
}

impl::Ring ring_with_points(std::size_t points) {
  constexpr std::size_t kMembers = 100;
  SHARDCHECK_ASSERT(points >= kMembers);
  impl::Ring ring({.parameters = {.virtual_nodes = static_cast<std::uint32_t>(points / kMembers)}});
  SHARDCHECK_ASSERT(ring.add_all(equal_members(kMembers)).has_value());
  return ring;
}

std::map<std::uint32_t, impl::MemberIndex> tree_of(const impl::Ring& ring) {
  std::unordered_map<std::string_view, impl::MemberIndex> index_of;
  for (std::size_t index = 0; index < ring.members().size(); ++index) {
    index_of[ring.members()[index].name] = static_cast<impl::MemberIndex>(index);
  }
  std::map<std::uint32_t, impl::MemberIndex> tree;
  for (const PlacementPoint& point : ring.points()) {
    tree.emplace(static_cast<std::uint32_t>(point.position), index_of[point.member]);
  }
  return tree;
}

std::vector<std::uint32_t> uniform_positions(std::size_t count) {
  const PlacementDraws draws = seeded_draws(1);
  std::vector<std::uint32_t> positions;
  for (std::size_t number = 0; number < count; ++number) {
    positions.push_back(static_cast<std::uint32_t>(draws.below(std::uint64_t{1} << 32)));
  }
  return positions;
}

}  // namespace shardcheck::bench
