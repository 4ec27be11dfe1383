#include "impl/placement/fixed_partitions.h"

#include "impl/placement/placement_hash.h"

namespace shardcheck::impl {

PlacementPromises FixedPartitionsTable::promises() const {
  return {.determinism = Promise::within_bound,
          .movement = Promise::exactly,
          .movement_share = Promise::within_bound,
          .balance = Promise::exactly,
          .has_sliding_lists = false,
          .partitions_off_max = 2};
}

Result<FixedPartitionsTable> FixedPartitionsTable::changed(MemberList members) const {
  if (members.size() > owners_.size()) {
    return fail(members.scheme(), fmt::format("more members than the {} partitions", owners_.size()));
  }
  FixedPartitionsTable next(options_);
  next.owners_ = move_partitions(owners_, members_, members);
  next.members_ = std::move(members);
  return next;
}

std::uint64_t FixedPartitionsTable::partition_of(std::string_view key) const {
  return scale_hash(cut_hash(placement_hash(key), options_.position_bits), owners_.size());
}

PlacementFactory fixed_partitions_factory() {
  return table_factory("partitions", [](PlacementParameters parameters) {
    return FixedPartitionsTable({.position_bits = parameters.position_bits});
  });
}

}  // namespace shardcheck::impl
