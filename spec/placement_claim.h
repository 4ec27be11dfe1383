// A placement under another promise: the same answers, judged as if the scheme had said something else. What shows that
// a law refuses a scheme that promises too much, and how a user asks what a scheme would be refused for.
#pragma once

#include <functional>

#include "spec/placement.h"

namespace shardcheck {

// The placements of `factory` with promises changed by `claim`; the name stays.
PlacementFactory claiming(PlacementFactory factory, std::function<void(PlacementPromises&)> claim);

// The placements of `factory` as if they promised this clause, one of P1, P3, P4 and P5, exactly; what they promise of
// the others stays. The name is "NAME+exactly_P3".
PlacementFactory held_to(const PlacementFactory& factory, ClauseId clause_id);

}  // namespace shardcheck
