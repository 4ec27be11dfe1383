// Fixed partitions with a map: a key's hash names one of a fixed number of partitions, a map names the partition's
// member. Partitions never split; a change of members moves whole ones (partition_map.h). As in Riak, Couchbase (1,024
// vBuckets) and Redis Cluster (16,384 slots).
//
// P1 within a bound: the map is data, a function of the history of changes; routers have to be given it.
// P3 exactly, partition by partition: from 8 to 10 equal members the two that join take 205 of 1,024 partitions,
//    and nothing else moves.
// P4 within two partitions of the changed share.
// P5 exactly: everybody is within two partitions of its fair share. Keys scatter over the partitions.
// P6: distinct and over racks; the lists do not slide, since a partition keeps no order of all members.
//
// Lookup O(1): one hash, one multiplication, one load. Memory 2 bytes a partition, no matter how many members. A change
// costs O(partitions) and each moved partition O(partitions + members). At most as many members as partitions.
#pragma once

#include "impl/placement/partition_map.h"
#include "impl/placement/table_placement.h"

namespace shardcheck::impl {

struct FixedPartitionsOptions {
  std::uint32_t partitions = 1'024;
  std::uint32_t position_bits = 32;
};

class FixedPartitionsTable {
 public:
  explicit FixedPartitionsTable(FixedPartitionsOptions options)
      : members_("partitions"), options_(options), owners_(options.partitions) {}

  const MemberList& members() const { return members_; }
  PlacementPromises promises() const;
  // Fails: more members than partitions.
  Result<FixedPartitionsTable> changed(MemberList members) const;
  MemberIndex owner(std::string_view key) const { return owners_[partition_of(key)]; }
  std::vector<MemberIndex> replicas(std::string_view key, std::size_t count) const {
    return partition_replicas(owners_, members_, partition_of(key), count);
  }
  std::size_t bytes() const { return owners_.size() * sizeof(MemberIndex); }

  std::uint64_t partitions() const { return owners_.size(); }
  std::uint64_t partition_of(std::string_view key) const;
  MemberIndex owner_of(std::uint64_t partition) const { return owners_[partition]; }

 private:
  MemberList members_;
  FixedPartitionsOptions options_;
  PartitionOwners owners_;
};

PlacementFactory fixed_partitions_factory();

}  // namespace shardcheck::impl
