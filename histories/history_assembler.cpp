#include "histories/history_assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardcheck::histories {
namespace {

// What did not happen, or perhaps did not, may be told without its key.
bool says_key(const EventLine& event) {
  return event.key != kAbsent || event.type == LineType::invoke || event.type == LineType::ok;
}

}  // namespace

// Takes memory for the operations of so many lines, which saves moving them. A guess too high costs address space and
// not memory, which is only taken when it is written to.
void HistoryAssembler::reserve(std::uint64_t lines_expected) {
  constexpr std::uint64_t kOperationsMax = std::uint64_t{1} << 27U;
  history_.operations.reserve(std::min(kOperationsMax, lines_expected / 2 + lines_expected / 32));
}

std::uint64_t HistoryAssembler::memory_bytes() const { return history_.memory_bytes() + bytes_beside_; }

// False when it is spent.
bool HistoryAssembler::keep_to_budget() {
  constexpr std::uint64_t kLinesBetweenLooks = 64;
  if (budget_ == nullptr) {
    return true;
  }
  budget_->memory_bytes = memory_bytes();
  if (budget_->memory_bytes > budget_->memory_bytes_max) {
    budget_->shortage = Shortage::memory;
  } else if (lines_ % kLinesBetweenLooks == 0 && budget_->is_out_of_time && budget_->is_out_of_time()) {
    budget_->shortage = Shortage::time;
  }
  return budget_->shortage == Shortage::none;
}

Result<void> HistoryAssembler::add_line(const EventLine& event, std::uint32_t line) {
  if (event.is_nemesis) {
    NemesisEvent kept{.line = line, .at = {}, .what = std::string(event.f), .text = std::string(event.text)};
    if (event.time) {
      kept.at = TrueTime{*event.time};
    }
    bytes_beside_ += sizeof(NemesisEvent) + kept.what.size() + kept.text.size();
    history_.nemesis.push_back(std::move(kept));
    return {};
  }
  const Result<TrueTime> time = time_of(event, line);
  if (!time) {
    return std::unexpected(time.error());
  }
  if (event.steps.empty() ? !history_.transactions.empty() : !history_.operations.empty()) {
    return fail("", "transactions and operations of single keys are mixed");
  }
  if (!event.steps.empty()) {
    bytes_beside_ += sizeof(RegisterTransaction) + event.steps.size() * sizeof(RegisterStep);
    return add_transaction(event, line, *time);
  }
  if (const Result<void> named = check_names(event); !named) {
    return named;
  }
  return event.type == LineType::invoke ? add_invocation(event, line, *time) : add_return(event, line, *time);
}

// A history without times is ordered by its lines alone. Where times count, those that run backwards would leave open
// which order is the real one, so they are refused; where lines count, a time is moved behind that of the line before.
Result<TrueTime> HistoryAssembler::time_of(const EventLine& event, std::uint32_t line) {
  if (has_times_.value_or(event.time.has_value()) != event.time.has_value()) {
    return fail("", *has_times_ ? "\"time\" is missing, though lines before have it"
                                : "\"time\" is given, though lines before have none");
  }
  has_times_ = event.time.has_value();
  TrueTime time{event.time.value_or(line)};
  if (rules_.are_lines_in_order && time <= last_) {
    if (last_.value == std::numeric_limits<std::int64_t>::max()) {
      return fail("", "\"time\" is too large: nanoseconds have to fit 63 bits");
    }
    time = last_ + Duration{1};
  }
  if (time < last_) {
    return fail("", fmt::format("\"time\" goes backwards, from {} to {}", last_.value, time.value));
  }
  last_ = time;
  return time;
}

Result<void> HistoryAssembler::check_names(const EventLine& event) {
  const auto is_name = [](StoredKind kind) { return kind == StoredKind::number || kind == StoredKind::string; };
  if (!is_name(history_.values.kind(event.process))) {
    return fail("", "\"process\" is neither a whole number nor a string");
  }
  if (!says_key(event)) {
    return {};
  }
  const StoredKind kind = history_.values.kind(event.key);
  if (!is_name(kind)) {
    return fail("", "\"key\" is neither a string nor a whole number");
  }
  // 1 and "1" would be two keys, and whoever mixes them means one.
  if (kind_of_keys_.value_or(kind) != kind) {
    return fail("", "\"key\" is a string in some lines and a number in others");
  }
  kind_of_keys_ = kind;
  return {};
}

Result<void> HistoryAssembler::add_invocation(const EventLine& event, std::uint32_t line, TrueTime time) {
  RecordedOperation operation{
      .process = event.process, .key = event.key, .kind = event.kind, .invoke_line = line, .invoked_at = time};
  if (const Result<void> set = set_argument(event, operation); !set) {
    return set;
  }
  std::uint32_t& outstanding = outstanding_.find_or_insert(event.process.value, 0);
  if (outstanding != 0) {
    return fail("",
                fmt::format("process {} invokes again, though its operation of line {} has not returned",
                            history_.values.to_text(event.process), history_.operations[outstanding - 1].invoke_line));
  }
  history_.operations.push_back(operation);
  outstanding = static_cast<std::uint32_t>(history_.operations.size());
  return {};
}

Result<void> HistoryAssembler::set_argument(const EventLine& event, RecordedOperation& operation) {
  const bool is_null = !event.has_value || event.value == kAbsent;
  switch (event.kind) {
    case OperationKind::read: return {};
    case OperationKind::remove: return is_null ? Result<void>() : fail("", "a del takes no \"value\"");
    case OperationKind::increment:
      return is_null ? Result<void>() : fail("", "an incr takes no \"value\": it always adds one");
    case OperationKind::scan: return fail("", "a scan is about many keys and is not judged in a history");
    case OperationKind::write:
    case OperationKind::append:
    case OperationKind::compare_and_set: break;
  }
  if (!event.has_value) {
    return fail("", fmt::format("a {} needs a \"value\"", name_of(event.kind)));
  }
  operation.argument = event.value;
  operation.expected = event.kind == OperationKind::compare_and_set ? event.expected : kAbsent;
  if (event.kind == OperationKind::append) {
    ValueTable& values = history_.values;
    if (values.kind(event.value) == StoredKind::number) {
      // A bare number is appended to a list, as a list of one.
      operation.argument = values.list(std::span(&event.value, 1));
    } else if (event.value == kAbsent) {
      return fail("", "an append needs a string, a list or a number as \"value\"");
    }
  }
  return {};
}

Result<void> HistoryAssembler::add_return(const EventLine& event, std::uint32_t line, TrueTime time) {
  const ValueTable& values = history_.values;
  std::uint32_t& outstanding = outstanding_.find_or_insert(event.process.value, 0);
  if (outstanding == 0) {
    return fail("", fmt::format("process {} returns, though it has invoked nothing", values.to_text(event.process)));
  }
  RecordedOperation& operation = history_.operations[outstanding - 1];
  if (operation.kind != event.kind || (says_key(event) && operation.key != event.key)) {
    return fail("", fmt::format("process {} returns from {} of key {}, but invoked {} of key {} in line {}",
                                values.to_text(event.process), name_of(event.kind), values.to_text(event.key),
                                name_of(operation.kind), values.to_text(operation.key), operation.invoke_line));
  }
  outstanding = 0;
  operation.return_line = line;
  operation.returned_at = time;
  switch (event.type) {
    case LineType::invoke:
    case LineType::info: return {};
    case LineType::fail: set_refusal(operation); return {};
    case LineType::ok: operation.outcome = OutcomeKind::ok; return set_answer(event, operation);
  }
  return {};
}

void HistoryAssembler::set_refusal(RecordedOperation& operation) const {
  operation.outcome = OutcomeKind::refused;
  operation.is_refusal_observed = rules_.failed_cas_observes && operation.kind == OperationKind::compare_and_set;
}

Result<void> HistoryAssembler::set_answer(const EventLine& event, RecordedOperation& operation) {
  if (operation.kind != OperationKind::read && operation.kind != OperationKind::increment) {
    return check_echo(event, operation);
  }
  if (!event.has_value) {
    return fail("", fmt::format("the answer of the {} has no \"value\"", name_of(operation.kind)));
  }
  if (operation.kind == OperationKind::increment && history_.values.kind(event.value) != StoredKind::number) {
    return fail("", "the answer of an incr is not a number");
  }
  operation.observed = event.value;
  if (rules_.nil_read_tells_nothing && event.value == kAbsent) {
    operation.outcome = OutcomeKind::unknown;
  }
  return {};
}

// An answer that repeats the request must repeat it truly: a different value would be a claim we do not understand.
Result<void> HistoryAssembler::check_echo(const EventLine& event, const RecordedOperation& operation) {
  if (!event.has_value || (event.value == kAbsent && event.kind != OperationKind::compare_and_set)) {
    return {};
  }
  if (operation.kind != OperationKind::remove) {
    RecordedOperation echoed = operation;
    if (const Result<void> set = set_argument(event, echoed); !set) {
      return set;
    }
    if (echoed.argument == operation.argument && echoed.expected == operation.expected) {
      return {};
    }
  }
  return fail("", fmt::format("the answer of the {} carries a \"value\" that is not the one of its invocation",
                              name_of(operation.kind)));
}

// An append of "" to a key that is absent leaves it so, and one to a string changes nothing; so it has no effect ever.
void HistoryAssembler::apply_empty_is_absent() {
  const ValueId empty = history_.values.string("");
  for (RecordedOperation& operation : history_.operations) {
    if (operation.kind == OperationKind::append && operation.argument == empty) {
      operation.outcome = OutcomeKind::refused;
      operation.return_line = operation.has_returned() ? operation.return_line : operation.invoke_line;
      operation.returned_at =
          operation.return_line == operation.invoke_line ? operation.invoked_at : operation.returned_at;
      continue;
    }
    for (const auto field :
         {&RecordedOperation::argument, &RecordedOperation::expected, &RecordedOperation::observed}) {
      if (operation.*field == empty) {
        operation.*field = kAbsent;
      }
    }
  }
}

ValueId HistoryAssembler::initial_value(const std::string& initial) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(initial.data(), initial.data() + initial.size(), number);
  const bool is_number = problem == std::errc{} && end == initial.data() + initial.size();
  return is_number ? history_.values.number(number) : history_.values.string(initial);
}

Result<void> HistoryAssembler::add_transaction(const EventLine& event, std::uint32_t line, TrueTime time) {
  std::uint32_t& outstanding = outstanding_.find_or_insert(event.process.value, 0);
  if ((outstanding != 0) == (event.type == LineType::invoke)) {
    return fail("", fmt::format("process {} {}", history_.values.to_text(event.process),
                                outstanding != 0 ? "invokes again, though its transaction has not returned"
                                                 : "returns, though it has invoked nothing"));
  }
  if (event.type != LineType::invoke) {
    RegisterTransaction& transaction = history_.transactions[outstanding - 1];
    outstanding = 0;
    return return_transaction(event, line, time, transaction);
  }
  history_.transactions.push_back(
      {.process = event.process, .steps = event.steps, .invoke_line = line, .invoked_at = time});
  outstanding = static_cast<std::uint32_t>(history_.transactions.size());
  return {};
}

Result<void> HistoryAssembler::return_transaction(const EventLine& event, std::uint32_t line, TrueTime time,
                                                  RegisterTransaction& transaction) const {
  transaction.return_line = line;
  transaction.returned_at = time;
  if (event.type != LineType::ok) {
    transaction.outcome = event.type == LineType::fail ? OutcomeKind::refused : OutcomeKind::unknown;
    return {};
  }
  transaction.outcome = OutcomeKind::ok;
  const bool is_same =
      std::ranges::equal(event.steps, transaction.steps, [](const RegisterStep& told, const RegisterStep& asked) {
        return told.key == asked.key && told.is_write == asked.is_write &&
               (!told.is_write || told.value == asked.value);
      });
  if (!is_same) {
    return fail(
        "", fmt::format("the answer is not to the transaction that was invoked in line {}", transaction.invoke_line));
  }
  transaction.steps = event.steps;
  for (RegisterStep& step : transaction.steps) {
    step.is_known = !step.is_write && !(rules_.nil_read_tells_nothing && step.value == kAbsent);
  }
  return {};
}

void HistoryAssembler::write_initial_registers(const std::string& initial) {
  const ValueId value = initial_value(initial);
  FlatMap seen;
  RegisterTransaction first{.process = history_.values.string("initial"),
                            .steps = {},
                            .outcome = OutcomeKind::ok,
                            .invoke_line = 1,
                            .return_line = 1,
                            .invoked_at = TrueTime{-2},
                            .returned_at = TrueTime{-1}};
  for (const RegisterTransaction& transaction : history_.transactions) {
    for (const RegisterStep& step : transaction.steps) {
      std::uint32_t& is_seen = seen.find_or_insert(step.key.value, 0);
      if (is_seen == 0) {
        first.steps.push_back({.key = step.key, .value = value, .is_write = true});
      }
      is_seen = 1;
    }
  }
  history_.transactions.insert(history_.transactions.begin(), std::move(first));
}

// As operations of a process of its own, before all others: whatever judges the history then needs no other notion of
// a beginning.
void HistoryAssembler::write_initial_values(const std::string& initial) {
  const ValueId value = initial_value(initial);
  const ValueId process = history_.values.string("initial");
  FlatMap seen;
  std::vector<RecordedOperation> all;
  for (const RecordedOperation& operation : history_.operations) {
    std::uint32_t& is_seen = seen.find_or_insert(operation.key.value, 0);
    if (is_seen == 0) {
      all.push_back({.process = process,
                     .key = operation.key,
                     .argument = value,
                     .kind = OperationKind::write,
                     .outcome = OutcomeKind::ok,
                     .invoke_line = 1,
                     .return_line = 1});
    }
    is_seen = 1;
  }
  std::int64_t time = -2 * static_cast<std::int64_t>(all.size());
  for (RecordedOperation& operation : all) {
    operation.invoked_at = TrueTime{time++};
    operation.returned_at = TrueTime{time++};
  }
  all.insert(all.end(), history_.operations.begin(), history_.operations.end());
  history_.operations = std::move(all);
}

void HistoryAssembler::forget_taken() {
  outstanding_.clear();
  for (std::uint32_t i = 0; i < history_.operations.size(); ++i) {
    if (!history_.operations[i].has_returned()) {
      outstanding_.find_or_insert(history_.operations[i].process.value, i + 1);
    }
  }
}

History HistoryAssembler::take() {
  if (rules_.empty_is_absent) {
    apply_empty_is_absent();
  }
  if (rules_.initial && has_operations()) {
    history_.transactions.empty() ? write_initial_values(*rules_.initial) : write_initial_registers(*rules_.initial);
  }
  if (budget_ != nullptr) {
    budget_->memory_bytes = memory_bytes();
  }
  return std::move(history_);
}

}  // namespace shardcheck::histories
