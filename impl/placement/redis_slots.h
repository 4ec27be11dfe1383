// Redis Cluster's placement: a key belongs to one of 16,384 hash slots, and slots belong to members. Slots of keys are
// those of Redis 7.0 (properties/golden/redis, ci/placement_peers); the rules are in the Redis Cluster specification.
//
// A slot is CRC16 (XMODEM: polynomial 0x1021, starting from 0) of the key or of its hash tag, modulo 16,384: always
// that, however many slots are assigned. The hash tag is what stands between the first '{' and the first '}' after it,
// unless that is nothing.
//
// Redis leaves it to the operator who owns a slot. RedisSlots does what `redis-cli --cluster create` does: one run of
// slots for each member, in the order of names; with weights, which redis-cli does not have here, in proportion. In
// exact arithmetic; redis-cli adds up floats, which may put a boundary one slot further.
//
// Guarantees:
// - P1 exactly.
// - P3 and P4 none: a member in the middle moves all boundaries. Moving single slots is the work of a map of
// partitions.
// - P5: everybody within one slot of its weight, which is nearer than chance and further than the law's exactly; not
// promised
//   to the laws. A member that would have less than half a slot may own none, and comes last in preference lists.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "spec/placement.h"

namespace shardcheck::impl {

inline constexpr std::uint32_t kRedisSlots = 16'384;

// What a key is hashed by: its hash tag, or all of it. A part of `key`.
std::string_view redis_hash_tag(std::string_view key);
std::uint32_t redis_slot(std::string_view key);

class RedisSlots final : public Placement {
 public:
  PlacementPromises promises() const override { return {.movement = Promise::none}; }

  // Errors beyond those of the seam: more than kRedisSlots members.
  Result<void> add(const Member& member) override;
  Result<void> remove(std::string_view name) override;
  Result<void> set_weight(std::string_view name, std::int64_t weight) override;

  Result<std::string_view> owner(std::string_view key) const override;
  // The owners of the runs of slots after the key's own, around.
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override;

  // The last slot of every run.
  std::vector<PlacementPoint> points() const override;
  std::uint64_t position_max() const override { return kRedisSlots - 1; }
  std::optional<std::uint64_t> position_of(std::string_view key) const override { return redis_slot(key); }
  Result<std::string_view> owner_at(std::uint64_t position) const override;
  std::optional<std::uint64_t> routing_bytes() const override { return slot_end_.size() * sizeof(slot_end_[0]); }

 private:
  Result<void> become(std::vector<Member> members);
  std::vector<Member>::const_iterator find(std::string_view name) const;
  std::size_t member_at(std::uint64_t slot) const;

  std::vector<Member> members_;  // in the order of names
  std::vector<std::uint32_t>
      slot_end_;  // one after the last slot of each member; that of the one before if it has none
};

PlacementFactory redis_slots_factory();

}  // namespace shardcheck::impl
