#include "histories/explain.h"

#include <algorithm>

#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

constexpr std::uint64_t kWorkMax = 10'000'000;

void set_window(const History& history, Explanation& explanation) {
  explanation.window_begin = history.operations[explanation.contradiction.front()].invoked_at;
  explanation.window_end = explanation.window_begin;
  for (const std::uint32_t index : explanation.contradiction) {
    const RecordedOperation& operation = history.operations[index];
    explanation.window_begin = std::min(explanation.window_begin, operation.invoked_at);
    explanation.window_end =
        std::max(explanation.window_end,
                 operation.outcome == OutcomeKind::unknown ? operation.invoked_at : operation.returned_at);
  }
}

}  // namespace

std::vector<const KeyOperation*> by_return(const KeyHistory& whole) {
  std::vector<const KeyOperation*> returned;
  for (const KeyOperation& operation : whole.operations) {
    if (operation.has_returned()) {
      returned.push_back(&operation);
    }
  }
  std::ranges::sort(returned, {}, &KeyOperation::returned);
  return returned;
}

LinearizablePrefix prefix_of(const History& history, std::span<const KeyOperation* const> by_return,
                             std::size_t answers) {
  if (answers == 0) {
    return {};
  }
  const RecordedOperation& last = history.operations[by_return[answers - 1]->source];
  return {.answers = answers, .last_line = last.return_line, .ends_at = last.returned_at};
}

Explanation explain_answer(const History& history, const KeyHistory& whole,
                           std::span<const KeyOperation* const> by_return, std::size_t unexplained,
                           const Decide& decide, const Telling& telling) {
  const KeyOperation& last = *by_return[unexplained];
  KeyHistory known;
  known_after(whole, last, known);
  const auto found = std::ranges::find(known.operations, last.source, &KeyOperation::source);
  SHARDCHECK_ASSERT(found != known.operations.end());
  const Contradiction contradiction =
      ContradictionFinder(known, decide, kWorkMax).find(static_cast<std::uint32_t>(found - known.operations.begin()));

  Explanation explanation{.operation = last.source,
                          .line = history.operations[last.source].return_line,
                          .sentence = "",
                          .prefix = prefix_of(history, by_return, unexplained),
                          .contradiction = {},
                          .is_minimal = contradiction.is_minimal};
  ContradictionCase told{history, whole, known, {}, last, telling};
  for (const std::uint32_t index : contradiction.operations) {
    told.operations.push_back(known.operations[index]);
    explanation.contradiction.push_back(known.operations[index].source);
  }
  explanation.sentence = sentence_of(told);
  if (!explanation.is_minimal) {
    explanation.sentence += " (perhaps fewer operations contradict one another)";
  }
  set_window(history, explanation);
  return explanation;
}

bool is_contradicted_nearby(const KeyHistory& whole, const KeyOperation& last, const Decide& decide) {
  constexpr Position kShortly = 512;
  const std::optional<ValueId> needed = needed_value(last);
  if (!needed) {
    return false;
  }
  KeyHistory known;
  known_after(whole, last, known);
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < known.operations.size(); ++i) {
    const KeyOperation& operation = known.operations[i];
    const bool is_change = operation.kind == OperationKind::write || operation.kind == OperationKind::remove;
    const bool is_shortly_before = operation.returned < last.invoked && operation.returned + kShortly > last.invoked;
    const bool writes_it = operation.kind != OperationKind::read && product_of(operation) == *needed;
    if (operation.source == last.source || writes_it || (is_change && is_shortly_before)) {
      kept.push_back(i);
    }
  }
  KeyHistory tried;
  forget_all_but(known, kept, tried);
  return decide(tried) == Verdict::not_linearizable;
}

Reach reach_of(const History& history, const KeyHistory& whole, const Decide& decide) {
  constexpr int kVerdictsMax = 12;
  const std::vector<const KeyOperation*> returned = by_return(whole);
  KeyHistory beginning;
  std::size_t low = 0;  // so many answers are linearizable
  std::size_t high = returned.size();
  for (int i = 0; i < kVerdictsMax && high - low > 1; ++i) {
    const std::size_t middle = low + (high - low) / 2;
    cut_after(whole, returned[middle - 1]->returned, beginning);
    const Verdict verdict = decide(beginning);
    if (verdict == Verdict::not_linearizable) {
      return {.prefix = prefix_of(history, returned, low), .is_violated = true};
    }
    (verdict == Verdict::linearizable ? low : high) = middle;
  }
  return {.prefix = prefix_of(history, returned, low), .is_violated = false};
}

}  // namespace shardcheck::histories
