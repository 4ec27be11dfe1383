// A placement that answers as long as it may, so that a law which asks a slow one many questions ends with the budget
// and not with its last question.
#pragma once

#include <functional>

#include "spec/placement.h"

namespace shardcheck {

// The same placements; once `goes_on` says no, which every question of an owner or a list and every change asks, they
// refuse it. No verdict may be made of such answers: whoever judges has to ask `goes_on` himself afterwards.
PlacementFactory within_budget(PlacementFactory factory, std::function<bool()> goes_on);

}  // namespace shardcheck
