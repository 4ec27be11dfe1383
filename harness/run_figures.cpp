#include "harness/run_figures.h"

#include <fmt/format.h>

#include <variant>

namespace shardcheck::harness {

void RunFigures::note(const Observation& fact) {
  if (const auto* answered = std::get_if<Answered>(&fact)) {
    refused_for_load += answered->is_overloaded ? 1 : 0;
  } else if (const auto* throttled = std::get_if<WriteThrottled>(&fact)) {
    ++throttled_writes;
    throttled_for = throttled_for + throttled->added;
  } else if (const auto* given_up = std::get_if<MoveGaveUp>(&fact)) {
    splits_first += given_up->reason == GiveUpReason::split_first ? 1 : 0;
  } else if (const auto* decided = std::get_if<CatchUpDecided>(&fact)) {
    longer_pauses += decided->decision == CatchUpDecision::longer_pause ? 1 : 0;
  } else if (std::holds_alternative<InboxOverflowed>(fact)) {
    ++inbox_overflows;
  } else if (std::holds_alternative<Left>(fact)) {
    ++nodes_left;
  }
}

RunFigures& RunFigures::operator+=(const RunFigures& other) {
  throttled_writes += other.throttled_writes;
  throttled_for = throttled_for + other.throttled_for;
  splits_first += other.splits_first;
  longer_pauses += other.longer_pauses;
  refused_for_load += other.refused_for_load;
  inbox_overflows += other.inbox_overflows;
  nodes_left += other.nodes_left;
  steps_not_applicable += other.steps_not_applicable;
  return *this;
}

std::string to_text(const RunFigures& figures) {
  std::string text;
  const auto add = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) {
      text += (text.empty() ? "" : ", ") + what;
    }
  };
  add(figures.throttled_writes, fmt::format("{} writes throttled for {:.1f} ms in all", figures.throttled_writes,
                                            static_cast<double>(figures.throttled_for.value) / 1e6));
  add(figures.splits_first, fmt::format("{} moves given up to split first", figures.splits_first));
  add(figures.longer_pauses, fmt::format("{} longer pauses accepted", figures.longer_pauses));
  add(figures.refused_for_load, fmt::format("{} attempts refused for load", figures.refused_for_load));
  add(figures.inbox_overflows, fmt::format("{} messages lost at a full inbox", figures.inbox_overflows));
  add(figures.nodes_left, fmt::format("{} leaves of nodes", figures.nodes_left));
  add(figures.steps_not_applicable,
      fmt::format("{} steps not applicable (their range did not exist then)", figures.steps_not_applicable));
  return text;
}

}  // namespace shardcheck::harness
