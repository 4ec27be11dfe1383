#include "histories/oracle.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "spec/assert.h"
#include "spec/key_model.h"

namespace shardcheck::histories {
namespace {

// Values as plain text: of a list the texts of its items, each with a line end behind it, so that appending is joining.
struct PlainValues {
  struct Value {
    StoredKind kind = StoredKind::absent;
    std::int64_t number = 0;
    std::string text;

    friend bool operator==(const Value&, const Value&) = default;
  };

  static Value absent() { return {}; }
  static bool equal(const Value& left, const Value& right) { return left == right; }
  static bool can_append(const Value& value, const Value& item) {
    return (item.kind == StoredKind::string || item.kind == StoredKind::list) &&
           (value.kind == StoredKind::absent || value.kind == item.kind);
  }
  static Value append(const Value& value, const Value& item) { return {item.kind, 0, value.text + item.text}; }
  static bool can_increment(const Value& value) {
    return value.kind == StoredKind::absent ||
           (value.kind == StoredKind::number && value.number != std::numeric_limits<std::int64_t>::max());
  }
  static Value increment(const Value& value) { return {StoredKind::number, value.number + 1, ""}; }
};

PlainValues::Value plain(const ValueTable& values, ValueId id) {
  PlainValues::Value value{.kind = values.kind(id), .number = 0, .text = ""};
  switch (value.kind) {
    case StoredKind::absent: break;
    case StoredKind::number: value.number = values.number_of(id); break;
    case StoredKind::string: value.text = values.string_of(id); break;
    case StoredKind::list:
      for (const ValueId item : values.list_of(id)) {
        value.text += values.to_text(item) + "\n";
      }
      break;
  }
  return value;
}

struct PlainOperation {
  OperationKind kind;
  PlainValues::Value argument;
  PlainValues::Value expected;
  PlainValues::Value observed;
  TrueTime invoked_at;
  TrueTime returned_at;
  bool must_happen;
  bool was_refused;  // and is known to have been
  bool has_happened = false;
};

bool precedes(const PlainOperation& first, const PlainOperation& second) {
  return first.must_happen && first.returned_at < second.invoked_at;
}

bool may_be_next(const std::vector<PlainOperation>& operations, const PlainOperation& candidate) {
  for (const PlainOperation& other : operations) {
    if (!other.has_happened && precedes(other, candidate)) {
      return false;
    }
  }
  return !candidate.has_happened;
}

bool can_go_on(std::vector<PlainOperation>& operations, const PlainValues::Value& value) {
  bool is_done = true;
  for (const PlainOperation& operation : operations) {
    is_done &= operation.has_happened || !operation.must_happen;
  }
  if (is_done) {
    return true;
  }
  for (PlainOperation& operation : operations) {
    if (!may_be_next(operations, operation)) {
      continue;
    }
    const auto step =
        KeyModel<PlainValues>::apply(PlainValues{}, operation.kind, value, operation.argument, operation.expected);
    const bool answers = operation.kind == OperationKind::read || operation.kind == OperationKind::increment;
    const OutcomeKind told = operation.was_refused ? OutcomeKind::refused : OutcomeKind::ok;
    if (step.outcome != told || (operation.must_happen && answers && step.answer != operation.observed)) {
      continue;
    }
    operation.has_happened = true;
    const bool is_possible = can_go_on(operations, step.after);
    operation.has_happened = false;
    if (is_possible) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_linearizable_by_brute_force(const History& history) {
  SHARDCHECK_ASSERT(history.operations.size() <= kOracleOperationsMax);
  std::vector<ValueId> keys;
  for (const RecordedOperation& operation : history.operations) {
    keys.push_back(operation.key);
  }
  for (const ValueId key : keys) {
    std::vector<PlainOperation> operations;
    for (const RecordedOperation& operation : history.operations) {
      if (operation.key == key && (operation.outcome != OutcomeKind::refused || operation.is_refusal_observed)) {
        operations.push_back({.kind = operation.kind,
                              .argument = plain(history.values, operation.argument),
                              .expected = plain(history.values, operation.expected),
                              .observed = plain(history.values, operation.observed),
                              .invoked_at = operation.invoked_at,
                              .returned_at = operation.returned_at,
                              .must_happen = operation.outcome != OutcomeKind::unknown,
                              .was_refused = operation.outcome == OutcomeKind::refused});
      }
    }
    if (!can_go_on(operations, PlainValues::absent())) {
      return false;
    }
  }
  return true;
}

}  // namespace shardcheck::histories
