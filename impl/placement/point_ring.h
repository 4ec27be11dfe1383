// A ring by somebody else's convention: where a member's points lie and how a key is hashed is the convention's, the
// rest is the same for all of them. Owners are exactly those of the software whose convention it is; that software, and
// what it was compared with, is named where the convention is (ketama.h, nginx_ring.h).
//
// A key belongs to the first point at or after its position, above the last one to the first. Equal points are in the
// order of names, so that owners depend on the members alone. The originals leave it to the order of the server list (a
// stable sort) or to the sort at hand; a list that is in the order of its names has the same owners there and here.
//
// Preference lists are ours, not the convention's: the members in the order in which a walk from the key meets them,
// one of every rack first. Members to which the convention gives no point come last, in the order of names.
//
// A change of membership builds all points anew, O(points log points): these conventions look at all members at once.
// A lookup bisects.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/placement.h"

namespace shardcheck::impl {

inline constexpr std::uint64_t kPointRingPointsMax = std::uint64_t{1} << 25;

struct RingTotals {
  std::uint64_t members = 0;
  std::int64_t weight = 0;

  friend bool operator==(const RingTotals&, const RingTotals&) = default;
};

struct RingConvention {
  std::string_view name;
  // The text that the points are hashed from. Two members of one label would have the same points: the second is
  // refused.
  std::string (*label_of)(std::string_view member_name);
  // How many points a member of this weight has among such members, and where they are: positions of 32 bits.
  std::uint64_t (*point_count)(std::int64_t weight, const RingTotals& totals);
  std::vector<std::uint32_t> (*positions_of)(std::string_view label, std::uint64_t count);
  std::uint32_t (*position_of_key)(std::string_view key);
  PlacementPromises (*promises)(const RingTotals& totals);
};

class PointRing final : public Placement {
 public:
  // `convention` must outlive the ring. Of the parameters only position_bits is used: fewer than 32 are ours, too, and
  // force points to collide.
  PointRing(const RingConvention& convention, PlacementParameters parameters);

  PlacementPromises promises() const override;

  // Refused beside what check_member() and check_distinct() refuse (member_list.h): the label of another member, more
  // than kPointRingPointsMax points in all.
  Result<void> add(const Member& member) override;
  Result<void> remove(std::string_view name) override;
  Result<void> set_weight(std::string_view name, std::int64_t weight) override;
  // All of them or none, with one build.
  Result<void> add_all(std::span<const Member> added);

  // Fails also when the convention gives no member a point.
  Result<std::string_view> owner(std::string_view key) const override;
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override;

  std::vector<PlacementPoint> points() const override;
  std::uint64_t position_max() const override;
  std::optional<std::uint64_t> position_of(std::string_view key) const override;
  Result<std::string_view> owner_at(std::uint64_t position) const override;

  std::optional<std::uint64_t> routing_bytes() const override { return points_.size() * sizeof(Point); }

  // In the order of names.
  std::span<const Member> members() const { return members_; }
  std::uint64_t point_count_of(std::string_view name) const;

 private:
  struct Point {
    std::uint32_t position;
    std::uint32_t member;  // its number in the order of names

    friend auto operator<=>(const Point&, const Point&) = default;
  };

  Result<void> become(std::vector<Member> members);
  Result<void> check(std::span<const Member> members) const;
  std::size_t rank_at(std::uint32_t position) const;
  std::vector<std::size_t> members_met_from(std::size_t rank) const;
  std::vector<Member>::const_iterator find(std::string_view name) const;

  const RingConvention* convention_;
  PlacementParameters parameters_;
  std::vector<Member> members_;
  std::vector<Point> points_;
};

}  // namespace shardcheck::impl
