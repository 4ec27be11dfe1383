// Range partitioning: sorted boundaries cut the keys, in their own order, into ranges, each with one member. Range 0
// holds what lies below the first boundary, range i the keys from boundary i - 1 on, byte by byte. As in Bigtable,
// HBase and CockroachDB. Keys that belong together stay together, so a scan asks few members; the price is that nothing
// spreads a hot stretch of keys but another boundary.
//
// P1 within a bound: the map is data, a function of the history of changes and splits.
// P3 exactly, range by range (partition_map.h).
// P4, P5 no: members have equally many ranges by weight, but how many keys lie in a range nobody promises. Who joins
//    when there are fewer ranges than members has nothing until a split.
// P6: distinct and over racks; the lists do not slide.
//
// Lookup O(log ranges) comparisons of strings. Memory 2 bytes a range and its boundary. A change costs O(ranges) and
// each moved range O(ranges + members); a split moves nothing and costs O(ranges).
#pragma once

#include <string>
#include <vector>

#include "impl/placement/partition_map.h"
#include "impl/placement/table_placement.h"

namespace shardcheck::impl {

class KeyRangesTable {
 public:
  // `boundaries` ascending, all different, none empty.
  explicit KeyRangesTable(std::vector<std::string> boundaries);

  const MemberList& members() const { return members_; }
  PlacementPromises promises() const;
  Result<KeyRangesTable> changed(MemberList members) const;
  // The range that holds the key `boundary` becomes two of the same member, the right one beginning there. Fails: there
  // is such a boundary, or it is empty.
  Result<KeyRangesTable> split(std::string_view boundary) const;

  MemberIndex owner(std::string_view key) const { return owners_[partition_of(key)]; }
  std::vector<MemberIndex> replicas(std::string_view key, std::size_t count) const {
    return partition_replicas(owners_, members_, partition_of(key), count);
  }
  std::size_t bytes() const;

  std::uint64_t partitions() const { return owners_.size(); }
  std::uint64_t partition_of(std::string_view key) const;
  MemberIndex owner_of(std::uint64_t range) const { return owners_[range]; }

 private:
  MemberList members_;
  std::vector<std::string> boundaries_;
  PartitionOwners owners_;
};

class KeyRanges final : public TablePlacement<KeyRangesTable> {
 public:
  explicit KeyRanges(std::vector<std::string> boundaries) : TablePlacement(KeyRangesTable(std::move(boundaries))) {}

  // Fails as KeyRangesTable::split does, and changes nothing then.
  Result<void> split(std::string_view boundary);
};

// The boundaries "user:10" to "user:99": what an application has whose keys are nearly all of this form.
PlacementFactory key_ranges_factory();

}  // namespace shardcheck::impl
