// What a scan answers: which keys of its interval are there. Packed into a Value, so that a scan's outcome is plain
// data like any other; the keys of one scan lie within 64 of its lower end. A key that came twice stays visible as
// such.
#pragma once

#include <bit>
#include <cstdint>

#include "spec/types.h"
#include "spec/value.h"

namespace shardcheck {

inline constexpr std::uint32_t kScanWidthMax = 64;

class KeySet {
 public:
  explicit constexpr KeySet(Key lo) { value_.kind = ValueKind::keys, set_lo(lo); }
  // Of kind `keys`.
  explicit constexpr KeySet(const Value& value) : value_(value) { SHARDCHECK_ASSERT(value.kind == ValueKind::keys); }

  constexpr const Value& value() const { return value_; }
  constexpr Key lo() const { return Key{value_.items[0] | std::uint32_t{value_.items[1]} << 16U}; }
  constexpr bool contains(Key key) const { return (bits() & bit_of(key)) != 0; }
  constexpr int count() const { return std::popcount(bits()); }
  constexpr bool has_twice() const { return value_.items[2] != 0; }
  // The first key that was added again; only if has_twice().
  constexpr Key twice() const { return Key{lo().value + value_.items[2] - 1U}; }

  // Keys too far from the lower end are nobody's.
  constexpr void add(Key key) {
    const std::uint64_t bit = bit_of(key);
    if ((bits() & bit) != 0 && !has_twice()) {
      value_.items[2] = static_cast<std::uint16_t>(key.value - lo().value + 1U);
    }
    value_.number = static_cast<std::int64_t>(bits() | bit);
  }
  constexpr void add(const KeySet& others) {
    for (std::uint32_t i = 0; i < kScanWidthMax; ++i) {
      const Key key{others.lo().value + i};
      if (others.contains(key)) {
        add(key);
      }
    }
    if (others.has_twice() && !has_twice()) {
      add(others.twice());
    }
  }

 private:
  constexpr void set_lo(Key lo) {
    value_.items[0] = static_cast<std::uint16_t>(lo.value & 0xffffU);
    value_.items[1] = static_cast<std::uint16_t>(lo.value >> 16U);
  }
  constexpr std::uint64_t bits() const { return static_cast<std::uint64_t>(value_.number); }
  constexpr std::uint64_t bit_of(Key key) const {
    const std::uint32_t distance = key.value - lo().value;
    return key < lo() || distance >= kScanWidthMax ? 0 : std::uint64_t{1} << distance;
  }

  Value value_;
};

}  // namespace shardcheck
