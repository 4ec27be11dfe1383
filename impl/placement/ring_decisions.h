// Every decision of the ring on which a promise rests, as a question with one place. A mutant is one wrong answer.
// All of them are asked while the membership changes or the table is built, none in a lookup of the table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "impl/mutant.h"

namespace shardcheck::impl {

using MemberIndex = std::uint16_t;

// A virtual node. Members are numbered in the order of their names.
struct RingPoint {
  std::uint32_t position = 0;
  MemberIndex member = 0;

  friend auto operator<=>(RingPoint, RingPoint) = default;
};

class RingDecisions {
 public:
  explicit RingDecisions(Mutant mutant) : mutant_(mutant) {}

  // Which of two points comes first. By name where positions are equal: anything that depends on who came first would
  // give two routers with the same members different owners.
  bool stays_before(RingPoint present, RingPoint added) const {
    if (present.position != added.position) {
      return present.position < added.position;
    }
    return mutant_ == Mutant::ring_insertion_tiebreak || present.member <= added.member;
  }

  // Whether two points at one position both stay. The one that is not first owns nothing as long as both are there,
  // and owns the arc once the other one's member has left.
  bool keeps_both_at_one_position() const { return mutant_ != Mutant::ring_collision_overwrite; }

  // Whether a point goes when `member` gives up a point at the same position.
  bool goes_with(RingPoint point, MemberIndex member) const {
    return mutant_ == Mutant::ring_remove_by_position || point.member == member;
  }

  // Whether giving up a point takes one point only, the own one: a member may have two at one position.
  bool takes_one_point_each() const { return mutant_ != Mutant::ring_remove_by_position; }

  // The last position of a key that the point still owns: its own.
  std::uint32_t last_position_owned(std::uint32_t position, std::uint32_t position_max) const {
    return mutant_ == Mutant::ring_upper_bound ? (position - 1) & position_max : position;
  }

  // Where the search goes on when a key lies above the last point: around, at the first one.
  std::size_t rank_above_last(std::size_t points) const { return mutant_ == Mutant::ring_no_wrap ? points - 1 : 0; }

  // Whether the same member counts as another replica when the walk meets another point of it.
  bool counts_points_as_members() const { return mutant_ == Mutant::pref_counts_vnodes; }

  // Whether the position modulo the number of members is the owner, instead of the next point.
  bool routes_by_modulo() const { return mutant_ == Mutant::ring_mod_n; }

 private:
  Mutant mutant_;
};

}  // namespace shardcheck::impl
