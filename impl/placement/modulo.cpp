#include "impl/placement/modulo.h"

#include <algorithm>

#include "impl/placement/placement_hash.h"

namespace shardcheck::impl {

PlacementPromises ModuloTable::promises() const {
  return {.determinism = Promise::exactly,
          .movement = Promise::none,
          .movement_share = Promise::none,
          .balance = Promise::within_bound};
}

Result<ModuloTable> ModuloTable::changed(MemberList members) const {
  ModuloTable next(position_bits_);
  std::int64_t end = 0;
  for (std::size_t index = 0; index < members.size(); ++index) {
    end += members[static_cast<MemberIndex>(index)].weight;
    next.unit_end_.push_back(end);
  }
  next.members_ = std::move(members);
  return next;
}

MemberIndex ModuloTable::owner(std::string_view key) const {
  // The high half: where a case cuts the hash short, it is this end that is left.
  const std::uint64_t hash = cut_hash(placement_hash(key), position_bits_) >> 32;
  const std::int64_t unit = static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(members_.weight_total()));
  return static_cast<MemberIndex>(std::ranges::upper_bound(unit_end_, unit) - unit_end_.begin());
}

std::vector<MemberIndex> ModuloTable::replicas(std::string_view key, std::size_t count) const {
  const std::size_t first = owner(key);
  return choose_replicas(members_, count, members_.size(),
                         [&](std::size_t step) { return static_cast<MemberIndex>((first + step) % members_.size()); });
}

std::size_t ModuloTable::bytes() const { return unit_end_.size() * sizeof(std::int64_t); }

PlacementFactory modulo_factory() {
  return table_factory("modulo", [](PlacementParameters parameters) { return ModuloTable(parameters.position_bits); });
}

}  // namespace shardcheck::impl
