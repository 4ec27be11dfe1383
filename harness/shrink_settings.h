// The settings of a scenario that may go back to what they usually are, one by one, while it still fails.
#pragma once

#include <cstddef>

#include "harness/scenario.h"

namespace shardcheck::harness {

inline constexpr std::size_t kCalmedSettings = 13;

// Gives the setting of that number its usual value, unless steps or deviations rely on it. The scenario stays one that
// can be run.
void calm_setting(std::size_t number, Scenario& scenario);

}  // namespace shardcheck::harness
