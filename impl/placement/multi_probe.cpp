#include "impl/placement/multi_probe.h"

#include <algorithm>
#include <limits>

#include "impl/placement/placement_hash.h"

namespace shardcheck::impl {
namespace {

struct Nearest {
  std::uint64_t distance = std::numeric_limits<std::uint64_t>::max();
  MemberIndex member = std::numeric_limits<MemberIndex>::max();

  friend auto operator<=>(Nearest, Nearest) = default;
};

}  // namespace

PlacementPromises MultiProbeTable::promises() const {
  return {.determinism = Promise::exactly,
          .movement = Promise::exactly,
          .movement_share = Promise::within_bound,
          .balance = Promise::within_bound,
          .points_per_weight = std::uint64_t{options_.probes} * options_.points_per_weight};
}

Result<MultiProbeTable> MultiProbeTable::changed(MemberList members) const {
  MultiProbeTable next(options_);
  next.circle_ = Circle(members, options_.points_per_weight, options_.position_bits);
  next.members_ = std::move(members);
  return next;
}

std::uint64_t MultiProbeTable::probe(std::uint64_t key_hash, std::uint32_t number) const {
  return cut_hash(mix(key_hash + (number + 1) * 0x9e3779b97f4a7c15), options_.position_bits);
}

MemberIndex MultiProbeTable::owner(std::string_view key) const {
  const std::uint64_t key_hash = placement_hash(key);
  Nearest nearest;
  for (std::uint32_t number = 0; number < options_.probes; ++number) {
    const std::uint64_t position = probe(key_hash, number);
    const CirclePoint& point = circle_[circle_.rank_from(position)];
    nearest = std::min(nearest, Nearest{.distance = point.position - position, .member = point.member});
  }
  return nearest.member;
}

std::vector<MemberIndex> MultiProbeTable::replicas(std::string_view key, std::size_t count) const {
  if (count == 1) {
    return {owner(key)};
  }
  const std::uint64_t key_hash = placement_hash(key);
  std::vector<Nearest> nearest(members_.size());
  for (std::size_t index = 0; index < nearest.size(); ++index) {
    nearest[index].member = static_cast<MemberIndex>(index);
  }
  for (std::uint32_t number = 0; number < options_.probes; ++number) {
    const std::uint64_t position = probe(key_hash, number);
    for (std::size_t rank = 0; rank < circle_.size(); ++rank) {
      const CirclePoint& point = circle_[rank];
      std::uint64_t& distance = nearest[point.member].distance;
      distance = std::min(distance, point.position - position);
    }
  }
  std::ranges::sort(nearest);
  return choose_replicas(members_, count, nearest.size(), [&](std::size_t step) { return nearest[step].member; });
}

PlacementFactory multi_probe_factory() {
  return table_factory("multi_probe", [](PlacementParameters parameters) {
    MultiProbeOptions options{.position_bits = parameters.position_bits};
    options.points_per_weight = (parameters.virtual_nodes + options.probes - 1) / options.probes;
    return MultiProbeTable(options);
  });
}

}  // namespace shardcheck::impl
