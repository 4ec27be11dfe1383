#include "histories/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "histories/register_transactions.h"
#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

// A value as a reader wants to see it: of a long one the end, which is where a log says something.
std::string shortened(const ValueTable& values, ValueId value) {
  constexpr std::size_t kLengthMax = 60;
  if (value == kAbsent) {
    return "nothing";
  }
  const std::string text = values.to_text(value);
  return text.size() <= kLengthMax
             ? text
             : fmt::format("...{} ({} bytes)", text.substr(text.size() - kLengthMax), text.size());
}

std::string sentence_of(const History& history, std::uint32_t index, const CheckOptions& options) {
  const ValueTable& values = history.values;
  const RecordedOperation& operation = history.operations[index];
  const std::string who =
      options.names ? options.names(index)
                    : fmt::format("process {} at line {}", values.to_text(operation.process), operation.return_line);
  constexpr std::string_view kWhy = "no order of effects explains that together with all answers before";
  switch (operation.kind) {
    case OperationKind::read: return fmt::format("{} read {}; {}", who, shortened(values, operation.observed), kWhy);
    case OperationKind::increment:
      return fmt::format("{} incremented to {}; {}", who, shortened(values, operation.observed), kWhy);
    case OperationKind::compare_and_set:
      if (operation.is_refusal_observed) {
        return fmt::format("{} did not find {} when it was to change it; {}", who,
                           shortened(values, operation.expected), kWhy);
      }
      return fmt::format("{} changed {} to {}; {}", who, shortened(values, operation.expected),
                         shortened(values, operation.argument), kWhy);
    case OperationKind::write:
    case OperationKind::append:
      return fmt::format("{} was told that its {} of {} is done; {}", who, name_of(operation.kind),
                         shortened(values, operation.argument), kWhy);
    case OperationKind::remove: return fmt::format("{} was told that its del is done; {}", who, kWhy);
    case OperationKind::scan: return "";  // never recorded
  }
  return "";
}

// Transactions over several registers are one object, of which no key is a part.
KeyVerdict judge_whole(const History& history, const CheckOptions& options) {
  const TransactionResult result =
      judge_transactions(history, {.steps_max = options.steps_max,
                                   .memory_bytes_max = options.memory_bytes_max,
                                   .is_out_of_time = options.is_out_of_time ? &options.is_out_of_time : nullptr});
  return {.key = kAbsent,
          .verdict = result.verdict,
          .method = "search",
          .operations = history.transactions.size(),
          .steps = result.steps,
          .explanation = {}};
}

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
    const Decision decision = decide(reduced_, options);
    KeyVerdict verdict{.key = whole_.key,
                       .verdict = decision.verdict,
                       .method = decision.method,
                       .operations = partition_.operations_of(key),
                       .steps = decision.steps,
                       .explanation = {}};
    const bool is_violated = decision.verdict == Verdict::not_linearizable;
    if (is_violated && options.explains) {
      verdict.explanation = explain(history, whole_, options);
    }
    report.keys.push_back(std::move(verdict));
    if (is_violated && options.stops_at_first_violation) {
      break;
    }
  }
  if (!history.transactions.empty()) {
    report.operations += history.transactions.size();
    report.keys.push_back(judge_whole(history, options));
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
  std::vector<const KeyOperation*> by_return;
  for (const KeyOperation& operation : whole.operations) {
    if (operation.has_returned()) {
      by_return.push_back(&operation);
    }
  }
  std::ranges::sort(by_return, {}, &KeyOperation::returned);
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
  const std::uint32_t operation = by_return[high]->source;
  return Explanation{.operation = operation,
                     .line = history.operations[operation].return_line,
                     .sentence = sentence_of(history, operation, options)};
}

CheckReport check(const History& history, const CheckOptions& options) { return Checker().check(history, options); }

}  // namespace shardcheck::histories
