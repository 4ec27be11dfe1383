// What campaigns and the shrinker work on: anything whose scenarios can be drawn and replayed.
#pragma once

#include <functional>
#include <string>

#include "harness/runner.h"
#include "harness/scenario_runner.h"

namespace shardcheck::harness {

// Reports are valid until the next call. Whatever is behind it must outlive it.
struct Subject {
  // Draws and runs; `drawn` is the whole scenario afterwards.
  std::function<const RunReport&(sim::Choices& choices, Scenario& drawn)> draw;
  std::function<const RunReport&(const Scenario& scenario)> replay;
  // Why the last run cannot be judged at all; none, or empty: it can.
  std::function<std::string()> error{};
  // Every fault in every phase of a move is expected to come up in many scenarios (X2).
  bool is_reach_expected = false;
};

// The reference's directory alone.
inline Subject directory_of(ScenarioRunner& runner, impl::Mutant mutant) {
  Subject subject;
  subject.draw = [&runner, mutant](sim::Choices& choices, Scenario& drawn) -> const RunReport& {
    return runner.run_directory(choices, mutant, drawn);
  };
  subject.replay = [&runner](const Scenario& scenario) -> const RunReport& { return runner.run(scenario); };
  return subject;
}

inline Subject subject_of(ScenarioRunner& runner, impl::Mutant mutant) {
  Subject subject;
  subject.draw = [&runner, mutant](sim::Choices& choices, Scenario& drawn) -> const RunReport& {
    return runner.run(choices, mutant, drawn);
  };
  subject.replay = [&runner](const Scenario& scenario) -> const RunReport& { return runner.run(scenario); };
  subject.is_reach_expected = true;
  return subject;
}

}  // namespace shardcheck::harness
