// One way to run a scenario of the reference, for every driver: from Choices (writing the scenario down) or from a
// scenario (replaying it).
#pragma once

#include "harness/directory_system.h"
#include "harness/reference_system.h"
#include "harness/scenario_driver.h"

namespace shardcheck::harness {

// Keeps its memory from one run to the next. Not for two threads at once.
class ScenarioRunner {
 public:
  // Draws and runs. `drawn` is the whole scenario afterwards, deviations included.
  const RunReport& run(sim::Choices& choices, impl::Mutant mutant, Scenario& drawn);
  // Of the directory alone.
  const RunReport& run_directory(sim::Choices& choices, impl::Mutant mutant, Scenario& drawn);
  // The same run again, or that of a changed scenario.
  const RunReport& run(const Scenario& scenario, TraceSink* trace = nullptr);

  const histories::History& history() const { return driver_.history(); }
  const DirectorySystem& directory() const { return directory_; }

 private:
  ReferenceSystem system_;
  DirectorySystem directory_;
  ScenarioDriver driver_;
};

}  // namespace shardcheck::harness
