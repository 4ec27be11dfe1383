// Hash mod N: the owner of a key is its hash modulo the number of units of weight, which are dealt to the members in
// the order of their names. Here to show what the other schemes are for.
//
// P1 exactly: nothing but the members decides.
// P3 no: from N to N + 1 equal members all but 1 of N + 1 keys move, most of them between members that stay; a member
//    that leaves moves as many. A placement of this kind that claims P3 is refused by it.
// P4 no, for the same reason.
// P5 within what a sample scatters: shares are the weights' to one in 2^32.
//
// Lookup O(log members): one hash, one division, one bisection. Memory 8 bytes a member. Build and change O(members).
#pragma once

#include "impl/placement/table_placement.h"

namespace shardcheck::impl {

class ModuloTable {
 public:
  explicit ModuloTable(std::uint32_t position_bits) : members_("modulo"), position_bits_(position_bits) {}

  const MemberList& members() const { return members_; }
  PlacementPromises promises() const;
  Result<ModuloTable> changed(MemberList members) const;
  MemberIndex owner(std::string_view key) const;
  // The owner, then the members that follow it in the order of names.
  std::vector<MemberIndex> replicas(std::string_view key, std::size_t count) const;
  std::size_t bytes() const;

 private:
  MemberList members_;
  std::uint32_t position_bits_;
  std::vector<std::int64_t> unit_end_;  // of the units of weight of each member, one behind its last
};

PlacementFactory modulo_factory();

}  // namespace shardcheck::impl
