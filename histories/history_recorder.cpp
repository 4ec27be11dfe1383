#include "histories/history_recorder.h"

#include <fmt/format.h>

#include <limits>
#include <string>

namespace shardcheck::histories {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr int kListDepthMax = 16;

bool is_null(const std::optional<element>& value) { return !value || value->type() == element_type::NULL_VALUE; }

}  // namespace

Result<void> HistoryRecorder::record(const JsonLineFields& fields, std::uint32_t line) {
  if (fields.is_nemesis) {
    NemesisEvent event{.line = line, .at = {}, .what = std::string(fields.f), .text = std::string(fields.line)};
    if (fields.time) {
      event.at = TrueTime{*fields.time};
    }
    history_.nemesis.push_back(std::move(event));
    return {};
  }
  const Result<TrueTime> time = time_of(fields, line);
  if (!time) {
    return std::unexpected(time.error());
  }
  return fields.type == LineType::invoke ? record_invocation(fields, line, *time) : record_return(fields, line, *time);
}

// A history without times is ordered by its lines alone. Times that run backwards would leave open which order is the
// real one, so they are refused.
Result<TrueTime> HistoryRecorder::time_of(const JsonLineFields& fields, std::uint32_t line) {
  if (has_times_.value_or(fields.time.has_value()) != fields.time.has_value()) {
    return fail("", *has_times_ ? "\"time\" is missing, though lines before have it"
                                : "\"time\" is given, though lines before have none");
  }
  has_times_ = fields.time.has_value();
  const TrueTime time{fields.time.value_or(line)};
  if (time < last_) {
    return fail("", fmt::format("\"time\" goes backwards, from {} to {}", last_.value, time.value));
  }
  last_ = time;
  return time;
}

Result<ValueId> HistoryRecorder::name_of_process(const element& name) {
  if (name.type() != element_type::INT64 && name.type() != element_type::STRING) {
    return fail("", "\"process\" is neither a whole number nor a string");
  }
  return value_of(name, 0);
}

Result<ValueId> HistoryRecorder::key_of(const element& key) {
  if (key.type() != element_type::INT64 && key.type() != element_type::STRING) {
    return fail("", "\"key\" is neither a string nor a whole number");
  }
  const Result<ValueId> id = value_of(key, 0);
  if (id) {
    const StoredKind kind = history_.values.kind(*id);
    // 1 and "1" would be two keys, and whoever mixes them means one.
    if (kind_of_keys_.value_or(kind) != kind) {
      return fail("", "\"key\" is a string in some lines and a number in others");
    }
    kind_of_keys_ = kind;
  }
  return id;
}

Result<ValueId> HistoryRecorder::value_of(const element& value, int depth) {
  switch (value.type()) {
    case element_type::NULL_VALUE: return kAbsent;
    case element_type::INT64: return history_.values.number(value.get_int64().value_unsafe());
    case element_type::STRING: return history_.values.string(value.get_string().value_unsafe());
    case element_type::ARRAY: {
      if (depth == kListDepthMax) {
        return fail("", fmt::format("\"value\" has lists nested deeper than {}", kListDepthMax));
      }
      std::vector<ValueId> items;
      const simdjson::dom::array array = value.get_array().value_unsafe();
      for (const element item : array) {
        const Result<ValueId> id = value_of(item, depth + 1);
        if (!id) {
          return id;
        }
        items.push_back(*id);
      }
      return history_.values.list(items);
    }
    case element_type::UINT64: return fail("", "a number does not fit 64 bits with a sign");
    case element_type::DOUBLE:
    case element_type::BOOL:
    case element_type::OBJECT: break;
  }
  return fail("", "\"value\" is not a whole number, a string, a list of these, or null");
}

Result<void> HistoryRecorder::record_invocation(const JsonLineFields& fields, std::uint32_t line, TrueTime time) {
  const Result<ValueId> process = name_of_process(fields.process);
  if (!process) {
    return std::unexpected(process.error());
  }
  const Result<ValueId> key = key_of(fields.key);
  if (!key) {
    return std::unexpected(key.error());
  }
  RecordedOperation operation{
      .process = *process, .key = *key, .kind = fields.kind, .invoke_line = line, .invoked_at = time};
  if (const Result<void> set = set_argument(fields, operation); !set) {
    return set;
  }
  std::uint32_t& outstanding = outstanding_.find_or_insert(process->value, 0);
  if (outstanding != 0) {
    return fail("", fmt::format("process {} invokes again, though its operation of line {} has not returned",
                                history_.values.to_text(*process), history_.operations[outstanding - 1].invoke_line));
  }
  history_.operations.push_back(operation);
  outstanding = static_cast<std::uint32_t>(history_.operations.size());
  return {};
}

Result<void> HistoryRecorder::set_argument(const JsonLineFields& fields, RecordedOperation& operation) {
  switch (fields.kind) {
    case OperationKind::read: return {};
    case OperationKind::remove: return is_null(fields.value) ? Result<void>() : fail("", "a del takes no \"value\"");
    case OperationKind::increment:
      return is_null(fields.value) ? Result<void>() : fail("", "an incr takes no \"value\": it always adds one");
    case OperationKind::scan: return fail("", "a scan is about many keys and is not judged in a history");
    case OperationKind::write:
    case OperationKind::append:
    case OperationKind::compare_and_set: break;
  }
  if (!fields.value) {
    return fail("", fmt::format("a {} needs a \"value\"", name_of(fields.kind)));
  }
  const Result<ValueId> value = value_of(*fields.value, 0);
  if (!value) {
    return std::unexpected(value.error());
  }
  operation.argument = *value;
  ValueTable& values = history_.values;
  const StoredKind kind = values.kind(*value);
  if (fields.kind == OperationKind::append) {
    if (kind == StoredKind::number) {
      // A bare number is appended to a list, as a list of one.
      operation.argument = values.list(std::span(&*value, 1));
    } else if (kind == StoredKind::absent) {
      return fail("", "an append needs a string, a list or a number as \"value\"");
    }
  }
  if (fields.kind == OperationKind::compare_and_set) {
    if (kind != StoredKind::list || values.length_of(*value) != 2) {
      return fail("", "a cas needs a \"value\" of the form [from, to]");
    }
    const std::span<const ValueId> pair = values.list_of(*value);
    operation.expected = pair[0];
    operation.argument = pair[1];
  }
  return {};
}

Result<void> HistoryRecorder::record_return(const JsonLineFields& fields, std::uint32_t line, TrueTime time) {
  const Result<ValueId> process = name_of_process(fields.process);
  if (!process) {
    return std::unexpected(process.error());
  }
  std::uint32_t& outstanding = outstanding_.find_or_insert(process->value, 0);
  if (outstanding == 0) {
    return fail("",
                fmt::format("process {} returns, though it has invoked nothing", history_.values.to_text(*process)));
  }
  const Result<ValueId> key = key_of(fields.key);
  if (!key) {
    return std::unexpected(key.error());
  }
  RecordedOperation& operation = history_.operations[outstanding - 1];
  if (operation.kind != fields.kind || operation.key != *key) {
    return fail("",
                fmt::format("process {} returns from {} of key {}, but invoked {} of key {} in line {}",
                            history_.values.to_text(*process), name_of(fields.kind), history_.values.to_text(*key),
                            name_of(operation.kind), history_.values.to_text(operation.key), operation.invoke_line));
  }
  outstanding = 0;
  operation.return_line = line;
  operation.returned_at = time;
  switch (fields.type) {
    case LineType::invoke:
    case LineType::info: return {};
    case LineType::fail: operation.outcome = OutcomeKind::refused; return {};
    case LineType::ok: operation.outcome = OutcomeKind::ok; return set_answer(fields, operation);
  }
  return {};
}

Result<void> HistoryRecorder::set_answer(const JsonLineFields& fields, RecordedOperation& operation) {
  if (operation.kind != OperationKind::read && operation.kind != OperationKind::increment) {
    return check_echo(fields, operation);
  }
  if (!fields.value) {
    return fail("", fmt::format("the answer of a {} has no \"value\"", name_of(operation.kind)));
  }
  const Result<ValueId> observed = value_of(*fields.value, 0);
  if (!observed) {
    return std::unexpected(observed.error());
  }
  if (operation.kind == OperationKind::increment && history_.values.kind(*observed) != StoredKind::number) {
    return fail("", "the answer of an incr is not a number");
  }
  operation.observed = *observed;
  return {};
}

// An answer that repeats the request must repeat it truly: a different value would be a claim we do not understand.
Result<void> HistoryRecorder::check_echo(const JsonLineFields& fields, const RecordedOperation& operation) {
  if (is_null(fields.value)) {
    return {};
  }
  if (operation.kind != OperationKind::remove) {
    RecordedOperation echoed = operation;
    if (const Result<void> set = set_argument(fields, echoed); !set) {
      return set;
    }
    if (echoed.argument == operation.argument && echoed.expected == operation.expected) {
      return {};
    }
  }
  return fail("", fmt::format("the answer of a {} carries a \"value\" that is not the one of its invocation",
                              name_of(operation.kind)));
}

}  // namespace shardcheck::histories
