// What a driver shows that found a violation: the run, shrunk, in words, and as a file for `shardcheck replay`.
#pragma once

#include <cstdint>
#include <string>

#include "harness/scenario.h"
#include "harness/scenario_runner.h"
#include "impl/mutant.h"
#include "sim/choices.h"
#include "spec/error.h"
#include "spec/violation.h"

namespace shardcheck::harness {

struct Counterexample {
  Violation violation;       // of the shrunk run
  Scenario scenario;         // shrunk
  std::uint64_t digest = 0;  // of the shrunk run
};

// Runs once more what `choices` answers, and shrinks it. `clause` must be violated by that run; `choices` must begin
// anew. At most `shrink_runs_max` runs for the tape and as many for the scenario.
Counterexample shrink_counterexample(ScenarioRunner& runner, sim::Choices& choices, impl::Mutant mutant,
                                     ClauseId clause, std::uint64_t shrink_runs_max);

// "M1-move_no_tombstones-0123456789abcdef.scenario": the same run gets the same name.
std::string file_name(const Counterexample& found);
// Writes the scenario into `folder`, made if it is not there; gives back the file's path.
Result<std::string> write_counterexample(const Counterexample& found, const std::string& folder);
// For people, several lines. The first one, "violated M1 NoLostWrite", is what makes two findings one kind: it must not
// tell anything of the one run. `path` is where the scenario was written.
std::string to_text(const Counterexample& found, const std::string& path);

}  // namespace shardcheck::harness
