#include "harness/shrink.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/shrink_settings.h"
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
    is_smaller = lower_anchors(scenario) || is_smaller;
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

// An anchor counts the messages that went the same way before. Taking a step away takes one of them along, and then the
// deviation strikes another message than the one that mattered: so a step is also dropped together with one count.
bool Shrinker::lower_anchors(Scenario& scenario) {
  bool is_smaller = false;
  const auto attempt = [&](Scenario lower) {
    if (!may_go_on() || !fails(lower)) {
      return false;
    }
    scenario = std::move(lower);
    is_smaller = true;
    return true;
  };
  for (std::size_t i = 0; i < scenario.deviations.size(); ++i) {
    for (std::size_t step = scenario.steps.size(); step-- > 0 && scenario.deviations[i].anchor.count > 0;) {
      Scenario lower = scenario;
      --lower.deviations[i].anchor.count;
      lower.steps.erase(lower.steps.begin() + static_cast<std::ptrdiff_t>(step));
      attempt(std::move(lower));
    }
    for (std::uint32_t by = scenario.deviations[i].anchor.count; by > 0; by /= 2) {
      Scenario lower = scenario;
      lower.deviations[i].anchor.count -= by;
      if (attempt(std::move(lower))) {
        by = scenario.deviations[i].anchor.count;
      }
    }
  }
  return is_smaller;
}

namespace {

// The same with one member of the directory: what was about another one is about it, and all later processes move up.
Scenario with_one_directory(Scenario scenario) {
  const auto others = static_cast<std::uint16_t>(scenario.cluster.directories - 1);
  scenario.cluster.directories = 1;
  const auto rename = [others](NodeId& process) {
    if (process != kNoNode) {
      process = NodeId{static_cast<std::uint16_t>(process.value > others ? process.value - others : 0)};
    }
  };
  for (ClockSetting& clock : scenario.clocks) {
    rename(clock.process);
  }
  for (Step& step : scenario.steps) {
    if (auto* move = std::get_if<MoveStep>(&step.what)) {
      rename(move->target);
    } else if (auto* join = std::get_if<JoinStep>(&step.what)) {
      rename(join->node);
    } else if (auto* leave = std::get_if<LeaveStep>(&step.what)) {
      rename(leave->node);
    } else if (auto* fault = std::get_if<FaultStep>(&step.what)) {
      rename(fault->process);
      rename(fault->peer);
    }
  }
  for (sim::Deviation& deviation : scenario.deviations) {
    rename(deviation.anchor.from);
    rename(deviation.anchor.to);
  }
  // The one that is left must not be lost for good.
  std::erase_if(scenario.deviations, [](const sim::Deviation& it) {
    const NodeId victim = it.moment == sim::Moment::after_sending ? it.anchor.from : it.anchor.to;
    return it.kind == FaultKind::lost_for_good && victim == NodeId{0};
  });
  std::erase_if(scenario.steps, [](const Step& it) {
    const auto* fault = std::get_if<FaultStep>(&it.what);
    return fault != nullptr && fault->kind == FaultKind::lost_for_good && fault->process == NodeId{0};
  });
  // Among themselves the members have nothing to say any more, and no two clocks or deviations may be of one thing.
  std::erase_if(scenario.deviations, [](const auto& it) { return it.anchor.from == it.anchor.to; });
  std::ranges::sort(scenario.deviations, {}, [](const auto& it) { return std::pair(it.anchor, it.kind); });
  const auto same = std::ranges::unique(scenario.deviations, {}, &sim::Deviation::anchor);
  scenario.deviations.erase(same.begin(), same.end());
  std::ranges::sort(scenario.clocks, {}, [](const auto& it) { return std::pair(it.process, it.offset); });
  const auto again = std::ranges::unique(scenario.clocks, {}, &ClockSetting::process);
  scenario.clocks.erase(again.begin(), again.end());
  return scenario;
}

}  // namespace

// What is no step but still odd: links of different lengths, settings that do not matter, records that a crash kept by
// chance, whole or torn.
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
  Scenario roomy = scenario;
  roomy.network.inbox_max = 0;
  roomy.cluster.unanswered_max = 0;
  attempt(roomy);
  Scenario steady = scenario;
  for (ClockSetting& clock : steady.clocks) {
    clock.changes.clear();
  }
  attempt(steady);
  if (!scenario.system && scenario.cluster.directories > 1) {
    attempt(with_one_directory(scenario));
  }
  for (std::size_t setting = 0; setting < kCalmedSettings; ++setting) {
    Scenario calmer = scenario;
    calm_setting(setting, calmer);
    attempt(calmer);
  }
  for (std::size_t i = 0; i < scenario.cluster.routers; ++i) {
    Scenario calmer = scenario;
    calmer.cluster.router_kinds[i] = impl::RouterKind::client_cache;
    attempt(calmer);
  }
  for (std::size_t i = 0; i < scenario.deviations.size(); ++i) {
    Scenario calmer = scenario;
    calmer.deviations[i].torn = 0;
    attempt(calmer);
    calmer = scenario;
    calmer.deviations[i].kept_unsynced = 0;
    attempt(calmer);
  }
  return is_calmer;
}

}  // namespace shardcheck::harness
