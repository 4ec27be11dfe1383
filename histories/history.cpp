#include "histories/history.h"

#include <fmt/format.h>

#include <limits>

#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

bool is_same_value(const ValueTable& left_values, ValueId left, const ValueTable& right_values, ValueId right) {
  const StoredKind kind = left_values.kind(left);
  if (kind != right_values.kind(right)) {
    return false;
  }
  switch (kind) {
    case StoredKind::absent: return true;
    case StoredKind::number: return left_values.number_of(left) == right_values.number_of(right);
    case StoredKind::string: return left_values.string_of(left) == right_values.string_of(right);
    case StoredKind::list: return left_values.to_text(left) == right_values.to_text(right);
  }
  return false;
}

}  // namespace

void History::clear() {
  operations.clear();
  transactions.clear();
  nemesis.clear();
  values.clear();
}

bool is_same(const History& left, const History& right, bool compare_lines) {
  if (left.operations.size() != right.operations.size() || left.nemesis.size() != right.nemesis.size()) {
    return false;
  }
  for (std::size_t i = 0; i < left.operations.size(); ++i) {
    const RecordedOperation& a = left.operations[i];
    RecordedOperation b = right.operations[i];
    for (const auto field : {&RecordedOperation::process, &RecordedOperation::key, &RecordedOperation::argument,
                             &RecordedOperation::expected, &RecordedOperation::observed}) {
      if (!is_same_value(left.values, a.*field, right.values, b.*field)) {
        return false;
      }
      b.*field = a.*field;
    }
    if (!compare_lines && a.has_returned() == b.has_returned()) {
      b.invoke_line = a.invoke_line;
      b.return_line = a.return_line;
    }
    if (a != b) {
      return false;
    }
  }
  for (std::size_t i = 0; i < left.nemesis.size(); ++i) {
    NemesisEvent b = right.nemesis[i];
    if (!compare_lines) {
      b.line = left.nemesis[i].line;
    }
    if (left.nemesis[i] != b) {
      return false;
    }
  }
  return true;
}

void widen_intervals(History& history, Duration clock_error) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  SHARDCHECK_ASSERT(clock_error.value >= 0);
  for (RecordedOperation& operation : history.operations) {
    const bool is_first = operation.invoked_at.value < kFirst + clock_error.value;
    const bool is_last = operation.returned_at.value > kLast - clock_error.value;
    operation.invoked_at = is_first ? TrueTime{kFirst} : operation.invoked_at - clock_error;
    operation.returned_at = is_last ? TrueTime{kLast} : operation.returned_at + clock_error;
  }
}

void HistoryBuilder::clear() {
  history_.clear();
  lines_ = 0;
  last_ = TrueTime{};
}

std::uint32_t HistoryBuilder::next_line(TrueTime now) {
  SHARDCHECK_ASSERT(last_ <= now);
  last_ = now;
  return ++lines_;
}

std::uint32_t HistoryBuilder::invoke(TrueTime now, const Call& call) {
  history_.operations.push_back({.process = call.process,
                                 .key = call.key,
                                 .argument = call.argument,
                                 .expected = call.expected,
                                 .kind = call.kind,
                                 .invoke_line = next_line(now),
                                 .invoked_at = now});
  return static_cast<std::uint32_t>(history_.operations.size() - 1);
}

RecordedOperation& HistoryBuilder::returned(TrueTime now, std::uint32_t operation) {
  SHARDCHECK_ASSERT(operation < history_.operations.size());
  RecordedOperation& recorded = history_.operations[operation];
  SHARDCHECK_ASSERT(!recorded.has_returned());
  recorded.return_line = next_line(now);
  recorded.returned_at = now;
  return recorded;
}

void HistoryBuilder::ok(TrueTime now, std::uint32_t operation, ValueId observed) {
  RecordedOperation& recorded = returned(now, operation);
  recorded.outcome = OutcomeKind::ok;
  recorded.observed = observed;
}

void HistoryBuilder::refused(TrueTime now, std::uint32_t operation, bool is_observed) {
  RecordedOperation& recorded = returned(now, operation);
  SHARDCHECK_ASSERT(!is_observed || recorded.kind == OperationKind::compare_and_set);
  recorded.outcome = OutcomeKind::refused;
  recorded.is_refusal_observed = is_observed;
}

void HistoryBuilder::unknown(TrueTime now, std::uint32_t operation) { returned(now, operation); }

void HistoryBuilder::nemesis(TrueTime now, std::string_view what) {
  std::string text = R"({"process":"nemesis","type":"info","f":)";
  append_quoted(what, text);
  text += fmt::format(R"(,"key":null,"value":null,"time":{}}})", now.value);
  history_.nemesis.push_back({.line = next_line(now), .at = now, .what = std::string(what), .text = std::move(text)});
}

}  // namespace shardcheck::histories
