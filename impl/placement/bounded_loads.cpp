#include "impl/placement/bounded_loads.h"

#include "impl/placement/placement_hash.h"
#include "spec/assert.h"

namespace shardcheck::impl {

PlacementPromises BoundedLoadsTable::promises() const {
  return {.determinism = Promise::exactly,
          .movement = Promise::within_bound,
          .movement_share = Promise::within_bound,
          .balance = Promise::within_bound,
          .has_sliding_lists = false,
          .points_per_weight = options_.virtual_nodes,
          .stray_permille_max = kBoundedLoadsStrayPermille,
          .partitions_off_max = 1,
          .overload_permille_max = options_.epsilon_permille};
}

Result<BoundedLoadsTable> BoundedLoadsTable::changed(MemberList members) const {
  BoundedLoadsTable next(options_);
  next.circle_ = Circle(members, options_.virtual_nodes, options_.position_bits);
  next.members_ = std::move(members);
  if (!next.members_.is_empty()) {
    next.fill();
  }
  return next;
}

void BoundedLoadsTable::fill() {
  std::vector<std::int64_t> room;
  for (std::size_t index = 0; index < members_.size(); ++index) {
    const std::int64_t weight = members_[static_cast<MemberIndex>(index)].weight;
    const std::int64_t whole = 1'000 * members_.weight_total();
    const std::int64_t share = std::int64_t{options_.partitions} * (1'000 + options_.epsilon_permille) * weight;
    room.push_back((share + whole - 1) / whole);
  }
  for (std::size_t partition = 0; partition < owners_.size(); ++partition) {
    std::size_t rank = circle_.rank_from(position_of(partition));
    std::size_t passed = 0;
    while (room[circle_[rank].member] == 0) {
      rank = rank + 1 < circle_.size() ? rank + 1 : 0;
      ++passed;
      SHARDCHECK_ASSERT(passed < circle_.size());
    }
    owners_[partition] = circle_[rank].member;
    --room[circle_[rank].member];
  }
}

std::vector<MemberIndex> BoundedLoadsTable::replicas(std::string_view key, std::size_t count) const {
  const std::uint64_t partition = partition_of(key);
  const std::size_t first = circle_.rank_from(position_of(partition));
  return choose_replicas(members_, count, circle_.size() + 1, [&](std::size_t step) {
    return step == 0 ? owners_[partition] : circle_[(first + step - 1) % circle_.size()].member;
  });
}

std::uint64_t BoundedLoadsTable::partition_of(std::string_view key) const {
  return scale_hash(cut_hash(placement_hash(key), options_.position_bits), owners_.size());
}

std::uint64_t BoundedLoadsTable::position_of(std::uint64_t partition) const {
  return mix((partition + 1) * 0x9e3779b97f4a7c15);
}

PlacementFactory bounded_loads_factory() {
  return table_factory("bounded_loads", [](PlacementParameters parameters) {
    return BoundedLoadsTable({.virtual_nodes = parameters.virtual_nodes, .position_bits = parameters.position_bits});
  });
}

}  // namespace shardcheck::impl
