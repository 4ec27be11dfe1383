// Makes a failing run small: first the tape of answers it was drawn from, then the steps, deviations and clocks of its
// scenario. A smaller run is kept if the same clause is still violated; what is reported in the end is the shrunk run's
// own violation, judged again.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/scenario_runner.h"
#include "sim/choices.h"
#include "spec/violation.h"

namespace shardcheck::harness {

struct Shrunk {
  Scenario scenario;
  Violation violation;     // of the shrunk run
  std::uint64_t runs = 0;  // that shrinking took
};

class Shrinker {
 public:
  // At most `runs_max` runs, or two if that is fewer, for each call below; what was reached by then is given back.
  Shrinker(ScenarioRunner& runner, std::uint64_t runs_max) : runner_(runner), runs_max_(runs_max) {}

  // From the tape of a run that violates `clause`; nothing if it does not.
  std::optional<Shrunk> shrink(const sim::Tape& tape, impl::Mutant mutant, ClauseId clause);
  // The same from a scenario.
  std::optional<Shrunk> shrink(const Scenario& scenario, ClauseId clause);

 private:
  bool fails(const Scenario& scenario);
  bool fails(const sim::Tape& tape, Scenario& drawn);
  std::optional<Shrunk> shrink_further(Scenario scenario);
  // One run is kept for the end.
  bool may_go_on() const { return runs_ + 1 < runs_max_; }
  void shrink_tape(sim::Tape& tape, Scenario& scenario);
  void shrink_scenario(Scenario& scenario);
  template <class Item>
  bool drop_items(Scenario& scenario, std::vector<Item> Scenario::* items);
  bool calm_details(Scenario& scenario);

  ScenarioRunner& runner_;
  std::uint64_t runs_max_;
  std::uint64_t runs_ = 0;
  impl::Mutant mutant_ = impl::Mutant::none;
  ClauseId clause_{};
  std::optional<Violation> last_;  // of the last run that failed
};

}  // namespace shardcheck::harness
