// Draws the plan of a scenario from Choices: the cluster, the clocks, which faults there are, and what clients and
// operators ask for. Deviations are drawn later, while the run goes on (deviations.h). All answers 0 give a small
// cluster of exact clocks without faults, and the shortest plan.
#pragma once

#include <string>

#include "harness/deviations.h"
#include "harness/scenario.h"
#include "harness/workload.h"
#include "impl/mutant.h"
#include "sim/choices.h"

namespace shardcheck::harness {

struct Plan {
  Scenario scenario;  // without deviations
  FaultProfile faults;
};

// Of the reference, whose make-up is drawn as well.
Plan draw_plan(sim::Choices& choices, impl::Mutant mutant);
FaultLimits fault_limits_of(const Scenario& scenario);

// Of a system that is made up as it is.
struct SimulatedShape {
  std::uint16_t processes = 0;  // that have clocks to set: the first ones
  Duration clock_offset_max;
  WorkloadShape workload;
};
Plan draw_plan(sim::Choices& choices, const SimulatedShape& shape);

}  // namespace shardcheck::harness
