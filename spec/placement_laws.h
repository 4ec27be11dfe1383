// The laws of placement (P1-P9) as checks over any PlacementFactory. Each law builds its own instances by the case,
// asks, and says how many checks it made and the first one that failed, in words that name the members, the key and
// both owners. Zero checks: the scheme does not promise the clause, or the case or the scheme shows nothing to judge it
// by.
//
// Laws that need points on a circle (P2 and P3 on arcs, P7, P9) use points(), position_of() and owner_at(). Who places
// whole partitions is judged by partition instead of by arc; a scheme with neither, on the keys of the case and on a
// fixed sample of keys.
//
// Nothing here draws: the same factory and case give the same result. Time is a few builds of the placement for each
// edit, O(edits * points).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "spec/placement.h"
#include "spec/placement_case.h"
#include "spec/violation.h"

namespace shardcheck {

struct LawResult {
  std::uint64_t checks = 0;
  std::optional<Violation> violation = std::nullopt;

  friend bool operator==(const LawResult&, const LawResult&) = default;
};

// P1: an edit that must be refused is refused and changes nothing, and a guest that joins may leave and is gone,
// whatever the scheme promises. Within a bound: the same history gives the same answers. Exactly: whatever the order
// and the history in which the members came, the answers are those of a placement built from them afresh.
LawResult check_determinism(const PlacementFactory& factory, const PlacementCase& input);

// P2: every key and every position has the owner that the points give it, every partition has one, and no owner is an
// error only without members. Also while the members leave one by one, which each of them may.
inline constexpr std::uint64_t kCoverageLawPartitionsMax = 4'096;
LawResult check_coverage(const PlacementFactory& factory, const PlacementCase& input);

// P3: a change moves keys only to or from the member that it is about; within a bound, no more between others than the
// scheme states.
LawResult check_minimal_movement(const PlacementFactory& factory, const PlacementCase& input);

// P4, P5, P9 speak of shares, which scatter: judged only when a unit of weight has at least so many points, and against
// so many standard deviations. Both are wide enough that a correct ring never fails by chance.
inline constexpr std::uint64_t kShareLawVirtualNodesMin = 100;
inline constexpr std::uint64_t kShareLawDeviations = 8;
inline constexpr std::uint64_t kShareRunKeys = 256;  // of the sample, next to one another

// P4: a change moves no more than the share of the member that it is about, and the strays that P3 leaves to it.
LawResult check_movement_share(const PlacementFactory& factory, const PlacementCase& input);

// P5: every member's share, on arcs and on a sample of keys, follows its weight; without arcs, so does its share of
// each short run of the sample. For N equal members with V points each the standard deviation relative to the fair
// share is sqrt((N-1)/(N V + 1)), here in its form for any weights.
LawResult check_balance(const PlacementFactory& factory, const PlacementCase& input);

// P6: preference lists.
LawResult check_preference(const PlacementFactory& factory, const PlacementCase& input);

// P7: a member has the points that it would have alone, whoever else is there, came or left; equal points are in one
// order for all. Up to kCollisionLawPointsMax points.
inline constexpr std::size_t kCollisionLawPointsMax = 1'000;
LawResult check_collisions(const PlacementFactory& factory, const PlacementCase& input);

// P8: the answers of a golden vector, if the scheme claims its convention.
LawResult check_golden(const PlacementFactory& factory, const PlacementCase& input);

// P9: what a leaving member owned goes to many, each of them at most about its fair share of it.
LawResult check_scatter(const PlacementFactory& factory, const PlacementCase& input);

// All of the above, in the order of the catalogue, and the one of a clause. `clause` must be one of them.
std::span<const ClauseId> placement_clauses();
LawResult check_law(ClauseId clause, const PlacementFactory& factory, const PlacementCase& input);

}  // namespace shardcheck
