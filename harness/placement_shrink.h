// Makes a placement case smaller while it keeps failing in the same way.
#pragma once

#include <functional>

#include "spec/placement_case.h"

namespace shardcheck {

inline constexpr int kShrinkTriesMax = 4'000;

// Drops answers, keys, edits and members in ever smaller runs, turns what is left into its plainest form (weight 1, no
// rack, whole positions, few points), and begins again until nothing helps or kShrinkTriesMax cases were
// tried. The result fails too. Members and edits stay when there are golden answers, which speak of exactly these.
PlacementCase shrink_placement_case(const PlacementCase& input,
                                    const std::function<bool(const PlacementCase&)>& still_fails);

}  // namespace shardcheck
