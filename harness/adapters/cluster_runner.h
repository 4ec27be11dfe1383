// One way to run a scenario of a foreign cluster, for every driver: what ScenarioRunner is for the reference.
#pragma once

#include <string>

#include "harness/adapters/cluster_system.h"
#include "harness/scenario_driver.h"

namespace shardcheck::harness {

// Keeps its memory from one run to the next. Not for two threads at once.
class ClusterRunner {
 public:
  // `cluster` must outlive this object, and its shape must pass check_shape.
  explicit ClusterRunner(const Cluster& cluster) : system_(cluster) {}

  // Draws and runs. `drawn` is the whole scenario afterwards, deviations included.
  const RunReport& run(sim::Choices& choices, Scenario& drawn) {
    return driver_.run(system_, draw_plan(choices, simulated_shape_of(system_.shape())),
                       fault_limits_of(system_.shape()), choices, drawn);
  }
  // The same run again, or that of a changed scenario.
  const RunReport& run(const Scenario& scenario, TraceSink* trace = nullptr) {
    return driver_.run(system_, scenario, trace);
  }

  // Why the last run cannot be judged; empty if it can.
  const std::string& error() const { return system_.error(); }
  const ClusterShape& shape() const { return system_.shape(); }
  const histories::History& history() const { return driver_.history(); }

 private:
  ClusterSystem system_;
  ScenarioDriver driver_;
};

}  // namespace shardcheck::harness
