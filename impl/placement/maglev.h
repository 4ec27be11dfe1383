// Maglev hashing (Eisenbud et al., NSDI 2016): a table of a prime number of slots, filled in turns. Every member has an
// order of its own over all slots, start and stride from its name, and takes the first one that is free, until it has
// as many as its weight is worth; a member of half the weight of the heaviest takes every second turn, after a first
// one for all. A key's hash names a slot.
//
// P1 exactly: turns are taken in the order of names.
// P3 within a bound: a change of turns passes slots on between members that it is not about. Strays are at most
//    kMaglevStrayPermille thousandths of the changed share, and some slots. There is no proof of such a bound: with
//    65,537 slots, when one of 2 to 30 members left, they came to 124 thousandths at worst and 22 on average.
// P4 within a bound: the changed share, and the strays.
// P5 exactly: a share is rounded to a slot above or below. But nobody has less than one slot; what members that are
//    worth less have too much is taken from all others, so that many of them beside a heavy one cost it as many.
// P6: distinct and over racks, along the table; the lists do not slide.
//
// Lookup O(1): one hash, one multiplication, one load. Memory 2 bytes a slot: 128 KiB for 65,537. Build and change
// O(slots * log slots) expected, all anew. The table should have 100 slots or more a unit of weight; fewer members than
// slots are needed.
#pragma once

#include "impl/placement/table_placement.h"

namespace shardcheck::impl {

inline constexpr std::uint32_t kMaglevSlotsMax = 4'194'301;  // a prime
inline constexpr std::uint32_t kMaglevStrayPermille = 500;
inline constexpr std::uint32_t kMaglevSlotsOff = 3;  // of which shares need one

// The least prime that is not below `number`. `number` at most kMaglevSlotsMax.
std::uint32_t prime_from(std::uint32_t number);

struct MaglevOptions {
  std::uint32_t slots = 65'537;  // a prime
  std::uint32_t position_bits = 32;
};

class MaglevTable {
 public:
  explicit MaglevTable(MaglevOptions options);

  const MemberList& members() const { return members_; }
  PlacementPromises promises() const;
  // Fails: as many members as slots.
  Result<MaglevTable> changed(MemberList members) const;
  MemberIndex owner(std::string_view key) const { return slots_[partition_of(key)]; }
  // The owner, then those of the slots that follow.
  std::vector<MemberIndex> replicas(std::string_view key, std::size_t count) const;
  std::size_t bytes() const { return slots_.size() * sizeof(MemberIndex); }

  std::uint64_t partitions() const { return slots_.size(); }
  std::uint64_t partition_of(std::string_view key) const;
  MemberIndex owner_of(std::uint64_t slot) const { return slots_[slot]; }

 private:
  // How many slots each member has; says in least_ how many have one that are worth less.
  std::vector<std::uint64_t> quotas();
  void fill();

  MemberList members_;
  MaglevOptions options_;
  std::uint32_t least_ = 0;
  std::vector<MemberIndex> slots_;
};

// 65,537 slots for 100 virtual nodes, in proportion for others.
PlacementFactory maglev_factory();

}  // namespace shardcheck::impl
