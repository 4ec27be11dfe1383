// The value of one key as the simulated store holds it: absent, a number, or a short list of small numbers. Plain
// data of fixed size, so that messages and states copy without allocation. Recorded histories use their own, unbounded
// values; both obey key_model.h.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>

#include "spec/assert.h"

namespace shardcheck {

// `keys` is what a scan answers (key_set.h); no key ever holds it.
enum class ValueKind : std::uint8_t { absent, number, list, keys };

struct Value {
  static constexpr int kListLengthMax = 11;

  std::int64_t number = 0;
  std::array<std::uint16_t, kListLengthMax> items{};
  ValueKind kind = ValueKind::absent;
  std::uint8_t list_length = 0;

  friend constexpr bool operator==(const Value&, const Value&) = default;
};
static_assert(sizeof(Value) == 32);

constexpr Value absent() { return Value{}; }
constexpr Value number(std::int64_t n) {
  Value value;
  value.kind = ValueKind::number;
  value.number = n;
  return value;
}
constexpr Value list_of_one(std::uint16_t item) {
  Value value;
  value.kind = ValueKind::list;
  value.list_length = 1;
  value.items[0] = item;
  return value;
}

// "nil", "7", or "[1 4 5]".
std::string to_string(const Value& value);

// The algebra that key_model.h needs, over Value.
struct InlineValues {
  using Value = shardcheck::Value;

  static constexpr Value absent() { return shardcheck::absent(); }
  static constexpr bool equal(const Value& left, const Value& right) { return left == right; }
  // Only a list with room, or an absent value, takes an item; the item is a list of one.
  static constexpr bool can_append(const Value& value, const Value& item) {
    return item.kind == ValueKind::list && item.list_length == 1 &&
           (value.kind == ValueKind::absent ||
            (value.kind == ValueKind::list && value.list_length < Value::kListLengthMax));
  }
  static constexpr Value append(const Value& value, const Value& item) {
    SHARDCHECK_ASSERT(can_append(value, item));
    if (value.kind == ValueKind::absent) {
      return item;
    }
    Value longer = value;
    longer.items[longer.list_length] = item.items[0];
    longer.list_length++;
    return longer;
  }
  // An absent value counts as 0.
  static constexpr bool can_increment(const Value& value) {
    return value.kind != ValueKind::list && value.number != std::numeric_limits<std::int64_t>::max();
  }
  static constexpr Value increment(const Value& value) {
    SHARDCHECK_ASSERT(can_increment(value));
    return shardcheck::number(value.number + 1);
  }
};

}  // namespace shardcheck
