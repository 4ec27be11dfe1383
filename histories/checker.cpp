#include "histories/checker.h"

#include <algorithm>
#include <utility>

#include "histories/explain.h"

namespace shardcheck::histories {
namespace {

// Of one verdict out of about a hundred that an explanation asks for.
constexpr std::uint64_t kStepsOfExplanation = 200'000;
// How far an undecided key got is found out with this part of its steps for each of at most twelve verdicts.
constexpr std::uint64_t kPartOfStepsToReach = 16;

}  // namespace

std::uint64_t CheckReport::count(Verdict wanted) const {
  return static_cast<std::uint64_t>(std::ranges::count(keys, wanted, &KeyVerdict::verdict));
}

CheckReport Checker::check(const History& history, const CheckOptions& options) {
  CheckReport report;
  report.operations = history.operations.size();
  const std::uint32_t keys = partition_.cut(history);
  for (std::uint32_t key = 0; key < keys; ++key) {
    partition_.key_history(key, whole_);
    reduced_ = whole_;
    Decision decision = decide(reduced_, options);
    std::optional<LinearizablePrefix> reached;
    if (decision.verdict == Verdict::undecided && options.explains) {
      const Reach reach = reach_of(history, whole_, decider(options, options.steps_max / kPartOfStepsToReach));
      if (reach.is_violated) {
        decision.verdict = Verdict::not_linearizable;
      } else {
        reached = reach.prefix;
      }
    }
    KeyVerdict verdict{.key = whole_.key,
                       .verdict = decision.verdict,
                       .method = decision.method,
                       .operations = partition_.operations_of(key),
                       .steps = decision.steps,
                       .explanation = {},
                       .reached = reached};
    const bool is_violated = decision.verdict == Verdict::not_linearizable;
    if (is_violated && options.explains) {
      verdict.explanation = explain(history, whole_, options);
    }
    report.keys.push_back(std::move(verdict));
    if (is_violated && options.stops_at_first_violation) {
      break;
    }
  }
  if (report.count(Verdict::not_linearizable) != 0) {
    report.verdict = Verdict::not_linearizable;
  } else if (report.count(Verdict::undecided) != 0) {
    report.verdict = Verdict::undecided;
  }
  return report;
}

Checker::Decision Checker::decide(KeyHistory& history, const CheckOptions& options) {
  if (options.is_out_of_time && options.is_out_of_time()) {
    return {Verdict::undecided, "none", 0};
  }
  const Structure structure = reducer_.reduce(history);
  // Without an answer that must hold there is nothing to contradict.
  if (std::ranges::none_of(history.operations, &KeyOperation::has_returned)) {
    return {Verdict::linearizable, "trivial", 0};
  }
  if (structure == Structure::registers && !options.only_searches) {
    if (const std::optional<Verdict> verdict = unique_registers_.decide(history)) {
      return {*verdict, "zones", 0};
    }
  }
  const SearchLimits limits{.steps_max = options.steps_max,
                            .memory_bytes_max = options.memory_bytes_max,
                            .is_out_of_time = options.is_out_of_time ? &options.is_out_of_time : nullptr};
  const SearchResult result = search_.run(history, structure, limits);
  return {result.verdict, "search", result.steps};
}

// Whatever is linearizable stays so when its end is cut off, so the first return at which it stops being so can be
// found by bisection.
std::optional<Explanation> Checker::explain(const History& history, const KeyHistory& whole,
                                            const CheckOptions& options) {
  const std::vector<const KeyOperation*> by_return = histories::by_return(whole);
  std::size_t low = 0;
  std::size_t high = by_return.size() - 1;  // cut just after this one, it is known to be not linearizable
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    cut_after(whole, by_return[middle]->returned, reduced_);
    const Verdict verdict = decide(reduced_, options).verdict;
    if (verdict == Verdict::undecided) {
      return std::nullopt;
    }
    if (verdict == Verdict::not_linearizable) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  Checker fresh;  // of small buffers: most of what it is asked is tiny
  const Decide decide = fresh.decider(options, kStepsOfExplanation);
  return explain_answer(history, whole, by_return, high, decide, options.names);
}

Decide Checker::decider(const CheckOptions& options, std::uint64_t steps_max) {
  CheckOptions limited = options;
  limited.steps_max = std::min(options.steps_max, steps_max);
  return [this, limited = std::move(limited)](KeyHistory& history) { return decide(history, limited).verdict; };
}

CheckReport check(const History& history, const CheckOptions& options) { return Checker().check(history, options); }

}  // namespace shardcheck::histories
