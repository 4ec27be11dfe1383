// What a client asks of one key, or of all keys of an interval, and what it is told.
#pragma once

#include <cstdint>
#include <string_view>

#include "spec/types.h"
#include "spec/value.h"

namespace shardcheck {

// The names printed are those of the history format: read, write, del, cas, append, incr. A scan is about an
// interval of keys and has no place in histories, which are judged key by key.
enum class OperationKind : std::uint8_t { read, write, remove, compare_and_set, append, increment, scan };

inline constexpr int kOperationKinds = 7;

constexpr std::string_view name_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::read: return "read";
    case OperationKind::write: return "write";
    case OperationKind::remove: return "del";
    case OperationKind::compare_and_set: return "cas";
    case OperationKind::append: return "append";
    case OperationKind::increment: return "incr";
    case OperationKind::scan: return "scan";
  }
  return "";
}

constexpr bool may_change_state(OperationKind kind) {
  return kind != OperationKind::read && kind != OperationKind::scan;
}

struct Operation {
  OperationKind kind = OperationKind::read;
  Key key;         // scan: the first one
  Value argument;  // write, append: what; compare_and_set: the new value; scan: the end of the interval, a number
  Value expected;  // compare_and_set: the value that must be there

  friend constexpr bool operator==(const Operation&, const Operation&) = default;
};

// It sets the key to its argument.
constexpr bool is_put(const Operation& operation) {
  return operation.kind == OperationKind::write || operation.kind == OperationKind::compare_and_set;
}
// Writing "absent" is a delete.
constexpr bool is_remove(const Operation& operation) {
  return operation.kind == OperationKind::remove || (is_put(operation) && operation.argument.kind == ValueKind::absent);
}

constexpr Operation scan_of(KeyRange interval) {
  return {OperationKind::scan, interval.lo, number(interval.hi.value), absent()};
}
// All keys that it is about.
constexpr KeyRange keys_of(const Operation& operation) {
  const Key end = operation.kind == OperationKind::scan ? Key{static_cast<std::uint32_t>(operation.argument.number)}
                                                        : next(operation.key);
  return {operation.key, end};
}

// The three things a client can know. "refused" is a promise: this operation had no effect and never will have.
// "unknown" promises nothing: it may have taken effect, may yet, or never will.
enum class OutcomeKind : std::uint8_t { ok, refused, unknown };

constexpr std::string_view name_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::ok: return "ok";
    case OutcomeKind::refused: return "refused";
    case OutcomeKind::unknown: return "unknown";
  }
  return "";
}

struct Outcome {
  OutcomeKind kind = OutcomeKind::unknown;
  Value value;  // ok only. read: what was there; increment: the new number; scan: the keys; otherwise absent

  friend constexpr bool operator==(const Outcome&, const Outcome&) = default;
};

}  // namespace shardcheck
