// Rendezvous hashing: every member scores every key, the best score owns it (Thaler and Ravishankar 1998). A weight
// counts by the score -log(hash) / weight, the least of which wins: then a member wins with probability weight / total
// (Schindelhauer and Schomaker 2005). The score of a member depends on the key and itself alone.
//
// P1 exactly: equal scores go to the first name.
// P3 exactly: a member that joins takes keys from others and changes nothing between these; likewise for a leave and
// for
//    a weight, since the logarithm stays and only the own score is divided by another number.
// P4, P5 within what a sample scatters: shares are the weights' to one in 2^14 or better, no matter how many members.
// P6: the preference list is the order of the scores, so it slides.
//
// Lookup O(members): one hash of the key, then a dozen multiplications for each member. Memory 8 bytes a member. Build
// and change O(members).
#pragma once

#include "impl/placement/table_placement.h"

namespace shardcheck::impl {

class RendezvousTable {
 public:
  explicit RendezvousTable(std::uint32_t position_bits) : members_("rendezvous"), position_bits_(position_bits) {}

  const MemberList& members() const { return members_; }
  PlacementPromises promises() const;
  Result<RendezvousTable> changed(MemberList members) const;
  MemberIndex owner(std::string_view key) const;
  std::vector<MemberIndex> replicas(std::string_view key, std::size_t count) const;
  std::size_t bytes() const;

 private:
  // A score is log / weight; compared by multiplication, so that no quotient is rounded.
  struct Score {
    std::uint64_t log;
    std::int64_t weight;
    MemberIndex member;

    bool is_before(const Score& other) const;
  };
  Score score(std::uint64_t key_hash, MemberIndex member) const;

  MemberList members_;
  std::uint32_t position_bits_;  // of the score
  std::vector<std::uint64_t> hashes_;
};

PlacementFactory rendezvous_factory();

}  // namespace shardcheck::impl
