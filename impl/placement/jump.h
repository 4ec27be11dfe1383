// Jump consistent hash (Lamping and Veach 2014, arXiv 1406.2294): a key hops over the numbers of the buckets, without a
// table; of n buckets it lands on each with probability 1/n, and one bucket more takes 1/(n+1) from each. A member has
// as many buckets as its weight. New buckets come last, in the order of the changes.
//
// The scheme can lose its last bucket only. When another one goes, the last one takes its number: the keys of the lost
// bucket go to the member of the last one, and those of the last one are spread over all. Shifting the later numbers
// down instead would move about half of all keys.
//
// P1 within a bound: which bucket has which number is history, so routers must follow one log of changes.
// P3 within a bound: joins and more weight move keys only to the member that they are about, and so does what the last
//    bucket loses. A bucket lost in the middle moves as many keys once more, between others: strays are at most the
//    changed share, 1,000 thousandths of it.
// P4 within a bound: the changed share, and the strays.
// P5 within what a sample scatters.
//
// Lookup O(log buckets), expected, in whole numbers: where the paper divides in floating point, this takes the exact
// quotient. Memory 2 bytes a bucket, a unit of weight. Build and change O(buckets).
#pragma once

#include "impl/mutant.h"
#include "impl/placement/table_placement.h"

namespace shardcheck::impl {

inline constexpr std::int64_t kJumpBucketsMax = std::int64_t{1} << 25;

// The bucket of a key's hash, in [0, buckets). `buckets` in [1, kJumpBucketsMax].
std::uint32_t jump_bucket(std::uint64_t hash, std::uint32_t buckets);

struct JumpOptions {
  std::uint32_t position_bits = 32;
  Mutant mutant = Mutant::none;
};

class JumpTable {
 public:
  explicit JumpTable(JumpOptions options) : members_("jump", kJumpBucketsMax), options_(options) {}

  const MemberList& members() const { return members_; }
  PlacementPromises promises() const;
  Result<JumpTable> changed(MemberList members) const;
  MemberIndex owner(std::string_view key) const;
  // The owner, then the members of the buckets that follow.
  std::vector<MemberIndex> replicas(std::string_view key, std::size_t count) const;
  std::size_t bytes() const;

 private:
  std::uint32_t bucket_of(std::string_view key) const;
  void lose_bucket(std::size_t bucket);

  MemberList members_;
  JumpOptions options_;
  std::vector<MemberIndex> buckets_;
};

PlacementFactory jump_factory(Mutant mutant = Mutant::none);

}  // namespace shardcheck::impl
