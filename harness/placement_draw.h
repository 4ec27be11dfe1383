// Draws a placement case from a source of choices. Every open question is one call of below(n), answered in [0, n); 0
// is always the quietest answer, so a source that ran out and answers 0 still gives a whole case.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "spec/placement_case.h"

namespace shardcheck {

struct PlacementDraws {
  std::function<std::uint64_t(std::uint64_t)> below;
};

// Answers from a seed (splitmix64), and from recorded answers: those of a fuzzer or of a property's tape, one byte
// each, 0 when they run out. `tape` must outlive the draws.
PlacementDraws seeded_draws(std::uint64_t seed);
PlacementDraws tape_draws(std::span<const std::uint8_t> tape);

// Small on purpose: up to 6 members with few points each and positions often cut to 8..12 bits, because collisions,
// wraps and ties need small circles. One case in 16 is a ring of kShareLawVirtualNodesMin points for each unit of
// weight, on which shares can be judged. Some edits are not valid and have to be refused.
PlacementCase draw_placement_case(const PlacementDraws& draws);

}  // namespace shardcheck
