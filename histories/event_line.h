// One line of a recorded history, in whatever format it was written: an invocation or a return. What lines mean
// together is the business of history_assembler.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "histories/history.h"
#include "histories/value_table.h"
#include "spec/error.h"
#include "spec/operation.h"

namespace shardcheck::histories {

enum class LineType : std::uint8_t { invoke, ok, fail, info };

// Absent when the name is none of invoke, ok, fail, info.
std::optional<LineType> line_type_named(std::string_view name);
// Of the names that formats use: read and get, write and put, append, incr, del, cas.
std::optional<OperationKind> operation_kind_named(std::string_view name);

Error unknown_line_type(std::string_view name);
Error unknown_operation_kind(std::string_view name);

// Values are of the table of the history that is read. Views are valid until the next line is parsed.
struct EventLine {
  bool is_nemesis = false;
  std::string_view f{};     // of the nemesis, which may call its deeds as it likes
  std::string_view text{};  // of the nemesis: the whole line

  // The rest, but for the time, is only there when it is no line of the nemesis.
  ValueId process{};
  LineType type = LineType::invoke;
  OperationKind kind = OperationKind::read;
  ValueId key{};
  bool has_value = false;  // false also where nobody asks: of fail and info
  ValueId value{};         // of a compare-and-set the new one
  ValueId expected{};      // of a compare-and-set
  // Of a transaction over several registers; then there is no kind, key nor value.
  std::vector<RegisterStep> steps{};

  std::optional<std::int64_t> time{};

  friend bool operator==(const EventLine&, const EventLine&) = default;
};

}  // namespace shardcheck::histories
