#include "impl/placement/jump.h"

#include <algorithm>

#include "impl/placement/placement_hash.h"
#include "spec/assert.h"

namespace shardcheck::impl {

std::uint32_t jump_bucket(std::uint64_t hash, std::uint32_t buckets) {
  SHARDCHECK_ASSERT(buckets >= 1 && buckets <= kJumpBucketsMax);
  std::uint64_t bucket = 0;
  std::uint64_t next = 0;
  // Each hop goes forward by a factor of its own, so that there are O(log buckets) of them; never more than buckets.
  while (next < buckets) {
    bucket = next;
    hash = hash * 2862933555777941757 + 1;
    next = ((bucket + 1) << 31) / ((hash >> 33) + 1);
  }
  return static_cast<std::uint32_t>(bucket);
}

PlacementPromises JumpTable::promises() const {
  return {.determinism = Promise::within_bound,
          .movement = Promise::within_bound,
          .movement_share = Promise::within_bound,
          .balance = Promise::within_bound,
          .has_sliding_lists = false,
          .stray_permille_max = 1'000};
}

Result<JumpTable> JumpTable::changed(MemberList members) const {
  JumpTable next(options_);
  next.members_ = std::move(members);
  next.buckets_ = buckets_;
  std::vector<std::int64_t> excess(members_.size());  // buckets that a member has and its weight does not give it
  const std::vector<std::optional<MemberIndex>> indices = next.members_.indices_since(members_);
  for (std::size_t index = 0; index < members_.size(); ++index) {
    const std::int64_t weight_after = indices[index] ? next.members_[*indices[index]].weight : 0;
    excess[index] = members_[static_cast<MemberIndex>(index)].weight - weight_after;
  }
  // From the end, so that a bucket which takes the place of a lost one stays where it is from then on.
  for (std::size_t bucket = next.buckets_.size(); bucket-- > 0;) {
    std::int64_t& lost = excess[next.buckets_[bucket]];
    if (lost > 0) {
      --lost;
      next.lose_bucket(bucket);
    }
  }
  for (MemberIndex& member : next.buckets_) {
    SHARDCHECK_ASSERT(indices[member].has_value());
    member = *indices[member];
  }
  for (std::size_t index = 0; index < next.members_.size(); ++index) {
    const MemberIndex member = static_cast<MemberIndex>(index);
    const std::optional<MemberIndex> before = members_.find(next.members_[member].name);
    const std::int64_t held = before ? members_[*before].weight : 0;
    for (std::int64_t unit = held; unit < next.members_[member].weight; ++unit) {
      next.buckets_.push_back(member);
    }
  }
  return next;
}

void JumpTable::lose_bucket(std::size_t bucket) {
  if (options_.mutant == Mutant::ring_jump_middle_removal) {
    buckets_.erase(buckets_.begin() + static_cast<std::ptrdiff_t>(bucket));
    return;
  }
  buckets_[bucket] = buckets_.back();
  buckets_.pop_back();
}

std::uint32_t JumpTable::bucket_of(std::string_view key) const {
  return jump_bucket(cut_hash(placement_hash(key), options_.position_bits),
                     static_cast<std::uint32_t>(buckets_.size()));
}

MemberIndex JumpTable::owner(std::string_view key) const { return buckets_[bucket_of(key)]; }

std::vector<MemberIndex> JumpTable::replicas(std::string_view key, std::size_t count) const {
  const std::size_t first = bucket_of(key);
  return choose_replicas(members_, count, buckets_.size(),
                         [&](std::size_t step) { return buckets_[(first + step) % buckets_.size()]; });
}

std::size_t JumpTable::bytes() const { return buckets_.size() * sizeof(MemberIndex); }

PlacementFactory jump_factory(Mutant mutant) {
  const std::string name = mutant == Mutant::none ? "jump" : fmt::format("jump+{}", row_of(mutant).name);
  return table_factory(name, [mutant](PlacementParameters parameters) {
    return JumpTable({.position_bits = parameters.position_bits, .mutant = mutant});
  });
}

}  // namespace shardcheck::impl
