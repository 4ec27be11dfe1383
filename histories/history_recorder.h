// Joins the lines of a history to operations: every return to its invocation, in the order of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "histories/flat_map.h"
#include "histories/history.h"
#include "histories/json_line_fields.h"
#include "spec/error.h"

namespace shardcheck::histories {

class HistoryRecorder {
 public:
  // Errors have no place: the caller knows the file.
  Result<void> record(const JsonLineFields& fields, std::uint32_t line);

  bool has_operations() const { return !history_.operations.empty(); }
  History take() { return std::move(history_); }

 private:
  Result<TrueTime> time_of(const JsonLineFields& fields, std::uint32_t line);
  Result<ValueId> name_of_process(const simdjson::dom::element& element);
  Result<ValueId> key_of(const simdjson::dom::element& element);
  Result<ValueId> value_of(const simdjson::dom::element& element, int depth);
  Result<void> record_invocation(const JsonLineFields& fields, std::uint32_t line, TrueTime time);
  Result<void> record_return(const JsonLineFields& fields, std::uint32_t line, TrueTime time);
  Result<void> set_argument(const JsonLineFields& fields, RecordedOperation& operation);
  Result<void> set_answer(const JsonLineFields& fields, RecordedOperation& operation);
  Result<void> check_echo(const JsonLineFields& fields, const RecordedOperation& operation);

  History history_;
  FlatMap outstanding_;  // process -> 1 + index of its operation without return; 0 when there is none
  std::optional<bool> has_times_;
  std::optional<StoredKind> kind_of_keys_;
  TrueTime last_;
};

}  // namespace shardcheck::histories
