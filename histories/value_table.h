// The values of recorded histories, of any size, interned: within one table two values are equal exactly when their
// ids are. A value is absent, a whole number of 64 bits, a string of bytes, or a list of values.
//
// Whole numbers from 0 to 2^31 - 1 are their own ids and need no table, so histories of small numbers cost nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/types.h"

namespace shardcheck::histories {

struct ValueId : Strong<ValueId, std::uint32_t> {
  using Strong::Strong;
};

inline constexpr ValueId kAbsent{0};

enum class StoredKind : std::uint8_t { absent, number, string, list };

// A hash of a sequence that allows concatenation: the sequence's units as digits of a number in a large base, modulo
// the prime 2^61 - 1. Unequal hashes prove unequal sequences; equal ones prove nothing, and every user compares.
struct SequenceHash {
  std::uint64_t digits = 0;

  void add(std::uint32_t unit);
  // The hash of `this` followed by a sequence of `length` units that has the hash `right`.
  SequenceHash followed_by(SequenceHash right, std::uint64_t length) const;
  friend bool operator==(SequenceHash, SequenceHash) = default;
};
SequenceHash hash_of_bytes(std::string_view bytes);

class ValueTable {
 public:
  ValueTable();
  // Forgets all values and keeps the memory.
  void clear();

  ValueId number(std::int64_t n);
  ValueId string(std::string_view bytes);
  ValueId list(std::span<const ValueId> items);

  StoredKind kind(ValueId id) const;
  std::int64_t number_of(ValueId id) const;
  // Both are valid until the next value is added.
  std::string_view string_of(ValueId id) const;
  std::span<const ValueId> list_of(ValueId id) const;
  // Of a string its bytes, of a list its items.
  std::uint64_t length_of(ValueId id) const;
  SequenceHash hash_of(ValueId id) const;

  // The id of a number that is small or already here.
  std::optional<ValueId> find_number(std::int64_t n) const;
  // The first id of the kind with this hash and length from position `after` in the table's chain on. For users that
  // hold a sequence in pieces and compare by themselves; start with `kAbsent`.
  ValueId next_with_hash(StoredKind kind, SequenceHash hash, std::uint64_t length, ValueId after) const;

  // Ids below this one, and those of small numbers, are the ids that this table has given out.
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }

  std::uint64_t memory_bytes() const {
    return entries_.size() * sizeof(Entry) + buckets_.size() * sizeof(std::uint32_t) + bytes_.size() +
           items_.size() * sizeof(ValueId);
  }

  // Of a value that is in the table, beside the bytes of a string or the items of a list.
  static constexpr std::uint64_t bytes_of_entry() { return sizeof(Entry); }

  // As JSON.
  std::string to_text(ValueId id) const;
  void append_text(ValueId id, std::string& out) const;

  static constexpr bool is_small_number(ValueId id) { return (id.value & kSmallNumber) != 0; }
  static constexpr std::int64_t small_number_of(ValueId id) { return id.value & ~kSmallNumber; }
  static constexpr bool fits_small_number(std::int64_t n) { return n >= 0 && n < std::int64_t{kSmallNumber}; }
  static constexpr ValueId small_number(std::int64_t n) {
    return ValueId{static_cast<std::uint32_t>(n) | kSmallNumber};
  }

 private:
  static constexpr std::uint32_t kSmallNumber = 0x80000000U;

  struct Entry {
    StoredKind kind = StoredKind::absent;
    std::uint32_t next_in_chain = 0;
    std::uint64_t start = 0;   // into bytes_ or items_; of a number the number itself
    std::uint64_t length = 0;  // in units of bytes_ or items_
    std::uint64_t hash = 0;    // SequenceHash of strings and lists
  };

  static std::uint64_t chain_key(StoredKind kind, std::uint64_t hash, std::uint64_t length);
  std::uint32_t& bucket_of(const Entry& entry);
  ValueId add(Entry entry);
  void grow();

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> buckets_;  // heads of chains through entries_; 0 ends a chain
  std::string bytes_;
  std::vector<ValueId> items_;
};

void append_number(std::int64_t number, std::string& out);
// Appends a JSON string, quoted and escaped.
void append_quoted(std::string_view bytes, std::string& out);

}  // namespace shardcheck::histories
