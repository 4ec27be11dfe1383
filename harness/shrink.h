// Makes a failing run small: first the tape of answers it was drawn from, then the steps, deviations and clocks of its
// scenario. A smaller run is kept if the same clause is still violated; what is reported in the end is the shrunk run's
// own violation, judged again.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "harness/scenario_runner.h"
#include "harness/subject.h"
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
  Shrinker(Subject subject, std::uint64_t runs_max) : subject_(std::move(subject)), runs_max_(runs_max) {}
  // Of the reference.
  Shrinker(ScenarioRunner& runner, std::uint64_t runs_max)
      : Shrinker(subject_of(runner, impl::Mutant::none), runs_max) {
    reference_ = &runner;
  }

  // From the tape of a run that violates `clause`; nothing if it does not.
  std::optional<Shrunk> shrink(const sim::Tape& tape, ClauseId clause);
  // The same of the reference, whose tapes do not say which mutant they are of.
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
  bool lower_anchors(Scenario& scenario);
  bool calm_details(Scenario& scenario);

  Subject subject_;
  ScenarioRunner* reference_ = nullptr;
  std::uint64_t runs_max_;
  std::uint64_t runs_ = 0;
  ClauseId clause_{};
  std::optional<Violation> last_;  // of the last run that failed
};

}  // namespace shardcheck::harness
