// The ring once more, as plainly as its definition reads: all points made anew after each change, a search over the
// sorted list. Without a bug it answers as Ring does, which the tests use; it carries the seeded bugs of rings that the
// reference has no place for, because it keeps no instance state, counts no members in a label and divides no weights.
#pragma once

#include <string>
#include <vector>

#include "impl/mutant.h"
#include "impl/placement/member_list.h"

namespace shardcheck::impl {

class NaiveRing final : public Placement {
 public:
  NaiveRing(PlacementParameters parameters, Mutant mutant);

  PlacementPromises promises() const override;
  Result<void> add(const Member& member) override;
  Result<void> remove(std::string_view name) override;
  Result<void> set_weight(std::string_view name, std::int64_t weight) override;
  Result<std::string_view> owner(std::string_view key) const override;
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override;
  std::vector<PlacementPoint> points() const override { return sorted_points(); }
  std::uint64_t position_max() const override;
  std::optional<std::uint64_t> position_of(std::string_view key) const override;
  Result<std::string_view> owner_at(std::uint64_t position) const override;

 private:
  std::uint64_t position_of_text(std::string_view text) const;
  std::int64_t points_for(const Member& member) const;
  const std::vector<PlacementPoint>& sorted_points() const;
  std::size_t rank_at(std::uint64_t position) const;
  std::string_view name_at(std::size_t rank) const;
  void mix_up_names() const;

  PlacementParameters parameters_;
  Mutant mutant_;
  MemberList members_;
  mutable std::vector<PlacementPoint> points_;  // by position, equal ones by name; made when they are asked for
  mutable bool has_points_ = false;
  // What only the bugs use.
  std::vector<std::string> joined_;           // names in the order in which they came
  std::string salt_;                          // of this instance
  std::size_t members_at_last_join_ = 0;      // counted in labels
  std::vector<PlacementPoint> residue_;       // points of members that left
  mutable std::vector<std::string> answers_;  // for each point, whom a lookup names
};

// Mutant::none gives the ring without a bug.
PlacementFactory naive_ring_factory(Mutant mutant);
// Whether the bug is one of this ring; Ring has the others.
bool is_in_naive_ring(Mutant mutant);

}  // namespace shardcheck::impl
