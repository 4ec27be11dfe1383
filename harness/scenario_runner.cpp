#include "harness/scenario_runner.h"

namespace shardcheck::harness {

const RunReport& ScenarioRunner::run(sim::Choices& choices, impl::Mutant mutant, Scenario& drawn) {
  Plan plan = draw_plan(choices, mutant);
  drawn = std::move(plan.scenario);
  drawn_.reset(plan.faults, drawn.cluster, choices);
  system_.configure(drawn, drawn_);
  const RunReport& report = runner_.run(system_, drawn.steps);
  drawn.deviations = drawn_.drawn();
  return report;
}

const RunReport& ScenarioRunner::run(const Scenario& scenario, TraceSink* trace) {
  scripted_.reset(scenario.deviations);
  system_.configure(scenario, scripted_, trace);
  return runner_.run(system_, scenario.steps);
}

}  // namespace shardcheck::harness
