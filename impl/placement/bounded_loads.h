// Consistent hashing with bounded loads (Mirrokni, Thorup and Zadimoghaddam 2018, arXiv 1608.01350): nobody takes more
// than (1 + epsilon) times its fair share. What is placed is a fixed number of partitions, in the order of their
// numbers: each goes to the first member on the circle after it that is not full. Full means the fair share by weight
// times 1 + epsilon, rounded up, so there is always room.
//
// P1 exactly: the order of the partitions is fixed, and equal positions are in the order of names.
// P3 within a bound: a member that comes or goes fills or empties others, and what they turn away goes on: the paper's
//    O(1/epsilon^2) for each moved partition. That is an expectation and says nothing of one change; strays are at most
//    kBoundedLoadsStrayPermille thousandths of the changed share and its scatter. When one of 2 to 30 members with 100
//    virtual nodes left, they came to 188 thousandths at worst and 10 on average.
// P4 within a bound: the changed share, its scatter on the circle, and the strays.
// P5 within a bound: exactly no more than fair * (1 + epsilon) and one partition; below it scatters as on a ring.
// P6: distinct and over racks, the owner first and then along the circle; the lists do not slide.
//
// Lookup O(1): one hash, one multiplication, one load. Memory 2 bytes a partition, and 16 bytes a point for lists and
// changes. Build and change O(points log points + partitions * full members passed).
#pragma once

#include "impl/placement/circle.h"
#include "impl/placement/table_placement.h"

namespace shardcheck::impl {

inline constexpr std::uint32_t kBoundedLoadsStrayPermille = 1'000;

struct BoundedLoadsOptions {
  std::uint32_t partitions = 1'024;
  std::uint32_t epsilon_permille = 250;
  std::uint32_t virtual_nodes = 100;
  std::uint32_t position_bits = 32;
};

inline constexpr std::int64_t kBoundedLoadsPointsMax = std::int64_t{1} << 25;

class BoundedLoadsTable {
 public:
  explicit BoundedLoadsTable(BoundedLoadsOptions options)
      : members_("bounded_loads", kBoundedLoadsPointsMax / options.virtual_nodes),
        options_(options),
        owners_(options.partitions) {}

  const MemberList& members() const { return members_; }
  PlacementPromises promises() const;
  Result<BoundedLoadsTable> changed(MemberList members) const;
  MemberIndex owner(std::string_view key) const { return owners_[partition_of(key)]; }
  std::vector<MemberIndex> replicas(std::string_view key, std::size_t count) const;
  std::size_t bytes() const { return owners_.size() * sizeof(MemberIndex) + circle_.bytes(); }

  std::uint64_t partitions() const { return owners_.size(); }
  std::uint64_t partition_of(std::string_view key) const;
  MemberIndex owner_of(std::uint64_t partition) const { return owners_[partition]; }

 private:
  std::uint64_t position_of(std::uint64_t partition) const;
  void fill();

  MemberList members_;
  BoundedLoadsOptions options_;
  Circle circle_;
  std::vector<MemberIndex> owners_;
};

PlacementFactory bounded_loads_factory();

}  // namespace shardcheck::impl
