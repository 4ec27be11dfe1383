// Draws the plan of a scenario from Choices: the cluster, the clocks, which faults there are, and what clients and
// operators ask for. Deviations are drawn later, while the run goes on (deviations.h). All answers 0 give a small
// cluster of exact clocks without faults, and the shortest plan.
#pragma once

#include "harness/deviations.h"
#include "harness/scenario.h"
#include "impl/mutant.h"
#include "sim/choices.h"

namespace shardcheck::harness {

struct Plan {
  Scenario scenario;  // without deviations
  FaultProfile faults;
};

Plan draw_plan(sim::Choices& choices, impl::Mutant mutant);

// What the workload keeps under a key: decided by the key alone, so that every operation on it means something.
enum class KeyUse : std::uint8_t { registers, list, counter, compare_and_set };
constexpr KeyUse use_of(Key key) { return static_cast<KeyUse>(key.value % 4); }

}  // namespace shardcheck::harness
