#include "harness/scenario_runner.h"

namespace shardcheck::harness {

const RunReport& ScenarioRunner::run(sim::Choices& choices, impl::Mutant mutant, Scenario& drawn) {
  Plan plan = draw_plan(choices, mutant);
  const FaultLimits limits = fault_limits_of(plan.scenario.cluster);
  return driver_.run(system_, std::move(plan), limits, choices, drawn);
}

const RunReport& ScenarioRunner::run(const Scenario& scenario, TraceSink* trace) {
  return driver_.run(system_, scenario, trace);
}

}  // namespace shardcheck::harness
