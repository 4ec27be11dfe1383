// One way to run a scenario of a foreign cluster, for every driver: what ScenarioRunner is for the reference.
#pragma once

#include <string>

#include "harness/adapters/cluster_system.h"
#include "harness/scenario_driver.h"
#include "harness/subject.h"

namespace shardcheck::harness {

// Keeps its memory from one run to the next. Not for two threads at once.
class ClusterRunner {
 public:
  // `cluster` must outlive this object, and its shape must pass check_shape. `name` stands in scenarios.
  ClusterRunner(const Cluster& cluster, std::string name);

  // Draws and runs. `drawn` is the whole scenario afterwards, deviations included.
  const RunReport& run(sim::Choices& choices, Scenario& drawn);
  // The same run again, or that of a changed scenario; it must pass `check`.
  const RunReport& run(const Scenario& scenario, TraceSink* trace = nullptr);
  // Whether a scenario, perhaps from a file, is one of a cluster that is made up like this one.
  Result<void> check(const Scenario& scenario) const;

  // Why the last run cannot be judged; empty if it can.
  const std::string& error() const { return system_.error(); }
  const ClusterShape& shape() const { return system_.shape(); }
  const histories::History& history() const { return driver_.history(); }

 private:
  ClusterSystem system_;
  const ForeignSystem make_up_;
  ScenarioDriver driver_;
};

Subject subject_of(ClusterRunner& runner);

}  // namespace shardcheck::harness
