#include "harness/scenario_runner.h"

namespace shardcheck::harness {

const RunReport& ScenarioRunner::run(sim::Choices& choices, impl::Mutant mutant, Scenario& drawn) {
  Plan plan = draw_plan(choices, mutant);
  const FaultLimits limits = fault_limits_of(plan.scenario);
  return driver_.run(system_, std::move(plan), limits, choices, drawn);
}

const RunReport& ScenarioRunner::run_directory(sim::Choices& choices, impl::Mutant mutant, Scenario& drawn) {
  Plan plan = draw_directory_plan(choices, mutant);
  FaultLimits limits;
  limits.clock_offset_max = plan.scenario.cluster.clock_offset_max;
  return driver_.run(directory_, std::move(plan), limits, choices, drawn);
}

const RunReport& ScenarioRunner::run(const Scenario& scenario, TraceSink* trace) {
  return scenario.is_of_directory_alone ? driver_.run(directory_, scenario, trace)
                                        : driver_.run(system_, scenario, trace);
}

}  // namespace shardcheck::harness
