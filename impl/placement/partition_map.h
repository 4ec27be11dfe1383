// Which member has which partition, as a map that changes as little as it can: what fixed partitions and ranges share.
//
// A change moves partitions only to or from the members that it is about. Who joins, or whose weight grows, takes whole
// partitions up to its fair share, each from whoever is furthest above its own: rounded down, or up while that member
// has a whole one too many. What a leaving or lighter member gives up goes, one by one, to whoever is furthest below.
// Nobody ends up further than a partition or two from its fair share, and the map depends on the history of changes: it
// is data, which routers have to be given.
#pragma once

#include <optional>
#include <vector>

#include "impl/placement/member_list.h"

namespace shardcheck::impl {

using PartitionOwners = std::vector<MemberIndex>;  // by partition

// The map of `after` that follows `owners`, that of `before`. Nobody loses its last partition to another. Without
// members afterwards the owners mean nothing. O(partitions + moves * (members + partitions)).
PartitionOwners move_partitions(const PartitionOwners& owners, const MemberList& before, const MemberList& after);

// The preference list of a partition: its owner, those of the partitions behind it, then whoever has none.
std::vector<MemberIndex> partition_replicas(const PartitionOwners& owners, const MemberList& members,
                                            std::size_t partition, std::size_t count);

}  // namespace shardcheck::impl
