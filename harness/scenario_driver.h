// The two ways in which a scenario comes about, for any simulated system: drawn while it runs, or replayed.
#pragma once

#include <utility>

#include "harness/deviations.h"
#include "harness/generate.h"
#include "harness/runner.h"
#include "harness/scenario.h"
#include "harness/trace_sink.h"

namespace shardcheck::harness {

// Keeps its memory from one run to the next. Not for two threads at once. `system` is a SimulatedSystem.
class ScenarioDriver {
 public:
  // Runs the plan and draws its deviations. `drawn` is the whole scenario afterwards.
  template <class Simulated>
  const RunReport& run(Simulated& system, Plan plan, const FaultLimits& limits, sim::Choices& choices,
                       Scenario& drawn) {
    drawn = std::move(plan.scenario);
    drawn_.reset(plan.faults, limits, choices);
    system.configure(drawn, drawn_);
    const RunReport& report = runner_.run(system, drawn.steps);
    drawn.deviations = drawn_.drawn();
    return report;
  }
  template <class Simulated>
  const RunReport& run(Simulated& system, const Scenario& scenario, TraceSink* trace) {
    scripted_.reset(scenario.deviations);
    system.configure(scenario, scripted_, trace);
    return runner_.run(system, scenario.steps, trace);
  }

  const histories::History& history() const { return runner_.history(); }

 private:
  Runner runner_;
  DrawnDeviations drawn_;
  ScriptedDeviations scripted_;
};

}  // namespace shardcheck::harness
