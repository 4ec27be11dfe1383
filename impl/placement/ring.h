// The reference placement: a hash ring with virtual nodes and whole-number weights, by the convention of kGoldenRing
// (placement.h). Consistent hashing is Karger et al. 1997; the labels and the tie-break are ours and fixed by the
// golden vectors in properties/golden/ring.
//
// A change of membership hashes only the points that come or go and merges them into the sorted list: O(points). The
// table of the lookups is rebuilt beside the old one and then put in its place, so whoever holds table() keeps reading
// an unchanged one: no lookup ever sees half a change.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/mutant.h"
#include "impl/placement/ring_table.h"
#include "spec/placement.h"

namespace shardcheck::impl {

inline constexpr std::size_t kRingPointsMax = std::size_t{1} << 25;
inline constexpr std::size_t kRingMembersMax = 65'535;

// First 32 bits, big-endian, of MD5(text).
std::uint32_t ring_hash(std::string_view text);

struct RingOptions {
  PlacementParameters parameters;
  Mutant mutant = Mutant::none;
};

class Ring final : public Placement {
 public:
  explicit Ring(RingOptions options = {});

  PlacementPromises promises() const override;

  // Refused beside what check_member() and check_distinct() refuse (member_list.h): more than kRingPointsMax points or
  // kRingMembersMax members.
  Result<void> add(const Member& member) override;
  Result<void> remove(std::string_view name) override;
  Result<void> set_weight(std::string_view name, std::int64_t weight) override;
  // Adds all or none, with one merge: a ring of many members is built in O(points log points).
  Result<void> add_all(std::span<const Member> added);

  Result<std::string_view> owner(std::string_view key) const override;
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override;

  std::vector<PlacementPoint> points() const override;
  std::uint64_t position_max() const override;
  std::optional<std::uint64_t> position_of(std::string_view key) const override;
  Result<std::string_view> owner_at(std::uint64_t position) const override;
  std::optional<std::uint64_t> routing_bytes() const override { return table_->bytes(); }

  // In the order of names; a MemberIndex of the table counts in this list.
  std::span<const Member> members() const { return members_; }
  // The table of the members as they are now; it stays as it is when they change.
  std::shared_ptr<const RingTable> table() const { return table_; }

 private:
  std::uint32_t position_of_text(std::string_view text) const;
  MemberIndex owner_index_at(std::uint32_t position) const;
  std::vector<Member>::const_iterator find(std::string_view name) const;
  Result<void> check_new_total(std::int64_t added_weight) const;
  std::vector<RingPoint> points_of(std::string_view name, MemberIndex index, std::int64_t from, std::int64_t to) const;
  void insert_points(std::vector<RingPoint> added);
  void erase_points(MemberIndex member, std::vector<RingPoint> gone);
  void rebuild_table();

  PlacementParameters parameters_;
  RingDecisions decisions_;
  std::vector<Member> members_;
  std::vector<RingPoint> points_;
  std::int64_t weight_total_ = 0;
  std::shared_ptr<const RingTable> table_;
};

// Fresh rings with the parameters of the case; with a mutant, rings that have this bug.
PlacementFactory ring_factory(Mutant mutant = Mutant::none);

}  // namespace shardcheck::impl
