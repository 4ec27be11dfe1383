// The algebra of values that the checker executes key_model.h with: the interned values of a history, and the values
// that only arise while searching (concatenations, sums). Those are interned too, by content, so that two states are
// equal exactly when their ids are.
//
// A concatenation is kept as two ids and a hash, never written out: a thousand appends cost a thousand small nodes, not
// a million bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "histories/flat_map.h"
#include "histories/value_table.h"

namespace shardcheck::histories {

class SearchValues {
 public:
  using Value = ValueId;

  // Forgets all that arose and starts over `base`, which must outlive the use and not grow meanwhile.
  void reset(const ValueTable& base);

  static ValueId absent() { return kAbsent; }
  static bool equal(ValueId left, ValueId right) { return left == right; }

  // Strings take strings and lists take lists; an absent value takes either.
  bool can_append(ValueId value, ValueId item) const;
  ValueId append(ValueId value, ValueId item) const;

  // An absent value counts as 0; the largest number has no successor.
  bool can_increment(ValueId value) const;
  ValueId increment(ValueId value) const;

  // Of strings and lists, also of those that arose.
  std::uint64_t length_of(ValueId value) const;
  SequenceHash hash_of(ValueId value) const;

  std::uint64_t memory_bytes() const {
    return arisen_.capacity() * sizeof(Arisen) + appended_.memory_bytes() + first_in_chain_.memory_bytes();
  }

 private:
  // A number that arose, or the sequence `left` followed by `right`, which is one of the base table's.
  struct Arisen {
    StoredKind kind;
    ValueId left;
    ValueId right;
    std::uint32_t next_in_chain;  // among those of equal hash: index into arisen_ plus 1
    std::uint64_t length;         // of a number the number itself
    SequenceHash hash;
  };

  bool is_arisen(ValueId id) const { return !ValueTable::is_small_number(id) && id.value >= base_->size(); }
  const Arisen& arisen(ValueId id) const { return arisen_[id.value - base_->size()]; }
  StoredKind kind(ValueId id) const { return is_arisen(id) ? arisen(id).kind : base_->kind(id); }
  ValueId find_or_add(const Arisen& wanted) const;
  bool is_same_sequence(const Arisen& left, ValueId right) const;

  const ValueTable* base_ = nullptr;
  // Interning changes no meaning, and the model takes its algebra as const: hence mutable.
  mutable std::vector<Arisen> arisen_;
  mutable FlatMap appended_;        // (value, item) -> the result's id
  mutable FlatMap first_in_chain_;  // hash of content -> index into arisen_ plus 1
};

}  // namespace shardcheck::histories
