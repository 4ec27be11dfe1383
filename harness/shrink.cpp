#include "harness/shrink.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "spec/assert.h"

namespace shardcheck::harness {

std::optional<Shrunk> Shrinker::shrink(const sim::Tape& tape, impl::Mutant mutant, ClauseId clause) {
  SHARDCHECK_ASSERT(reference_ != nullptr);
  subject_ = subject_of(*reference_, mutant);
  return shrink(tape, clause);
}

std::optional<Shrunk> Shrinker::shrink(const sim::Tape& tape, ClauseId clause) {
  runs_ = 0;
  clause_ = clause;
  Scenario scenario;
  if (!fails(tape, scenario)) {
    return std::nullopt;
  }
  sim::Tape smaller = tape;
  shrink_tape(smaller, scenario);
  return shrink_further(std::move(scenario));
}

std::optional<Shrunk> Shrinker::shrink(const Scenario& scenario, ClauseId clause) {
  runs_ = 0;
  clause_ = clause;
  return fails(scenario) ? shrink_further(scenario) : std::nullopt;
}

// `scenario` fails, and so does what is given back: the last run says how.
std::optional<Shrunk> Shrinker::shrink_further(Scenario scenario) {
  shrink_scenario(scenario);
  if (!fails(scenario)) {
    return std::nullopt;
  }
  return Shrunk{std::move(scenario), *last_, runs_};
}

bool Shrinker::fails(const Scenario& scenario) {
  ++runs_;
  const Violation* found = subject_.replay(scenario).violation_of(clause_);
  if (found != nullptr) {
    last_ = *found;
  }
  return found != nullptr;
}

bool Shrinker::fails(const sim::Tape& tape, Scenario& drawn) {
  ++runs_;
  sim::RecordedChoices choices(tape);
  const Violation* found = subject_.draw(choices, drawn).violation_of(clause_);
  if (found != nullptr) {
    last_ = *found;
  }
  return found != nullptr;
}

// Takes answers off the tape, in runs of halving length, until no single one can be spared.
void Shrinker::shrink_tape(sim::Tape& tape, Scenario& scenario) {
  for (std::size_t length = std::max<std::size_t>(tape.size() / 2, 1); may_go_on(); length = length / 2) {
    std::size_t begin = 0;
    while (begin < tape.size() && may_go_on()) {
      sim::Tape fewer = tape;
      const std::size_t end = std::min(begin + length, tape.size());
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin), fewer.begin() + static_cast<std::ptrdiff_t>(end));
      Scenario drawn;
      if (fails(fewer, drawn)) {
        tape = std::move(fewer);
        scenario = std::move(drawn);
      } else {
        begin = end;
      }
    }
    if (length <= 1) {
      return;
    }
  }
}

void Shrinker::shrink_scenario(Scenario& scenario) {
  bool is_smaller = true;
  while (is_smaller && may_go_on()) {
    is_smaller = drop_items(scenario, &Scenario::deviations);
    is_smaller = drop_items(scenario, &Scenario::steps) || is_smaller;
    is_smaller = drop_items(scenario, &Scenario::clocks) || is_smaller;
    is_smaller = calm_details(scenario) || is_smaller;
  }
}

template <class Item>
bool Shrinker::drop_items(Scenario& scenario, std::vector<Item> Scenario::* items) {
  bool is_smaller = false;
  for (std::size_t length = std::max<std::size_t>((scenario.*items).size() / 2, 1); may_go_on(); length /= 2) {
    std::size_t begin = 0;
    while (begin < (scenario.*items).size() && may_go_on()) {
      Scenario fewer = scenario;
      std::vector<Item>& list = fewer.*items;
      const std::size_t end = std::min(begin + length, list.size());
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(begin), list.begin() + static_cast<std::ptrdiff_t>(end));
      if (fails(fewer)) {
        scenario = std::move(fewer);
        is_smaller = true;
      } else {
        begin = end;
      }
    }
    if (length <= 1) {
      break;
    }
  }
  return is_smaller;
}

// What is no step but still odd: links of different lengths, records that a crash kept by chance.
bool Shrinker::calm_details(Scenario& scenario) {
  bool is_calmer = false;
  const auto attempt = [&](const Scenario& calmer) {
    if (!(calmer == scenario) && may_go_on() && fails(calmer)) {
      scenario = calmer;
      is_calmer = true;
    }
  };
  Scenario even = scenario;
  even.network.variety = 0;
  attempt(even);
  for (std::size_t i = 0; i < scenario.cluster.routers; ++i) {
    Scenario calmer = scenario;
    calmer.cluster.router_kinds[i] = impl::RouterKind::client_cache;
    attempt(calmer);
  }
  for (std::size_t i = 0; i < scenario.deviations.size(); ++i) {
    Scenario calmer = scenario;
    calmer.deviations[i].kept_unsynced = 0;
    attempt(calmer);
  }
  return is_calmer;
}

}  // namespace shardcheck::harness
