// Numbers the values of a key's history from 0 in the order in which they appear. Where values are small numbers, or
// were interned one after the other, as in a long history of one key, this is an array and not a hash table: neighbours
// in time are then neighbours in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "histories/flat_map.h"
#include "histories/value_table.h"

namespace shardcheck::histories {

class ValueIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // Forgets all. The arrays take memory for at most twice as many values as there are `operations`.
  void reset(std::size_t operations) {
    dense_max_ = operations * 2;
    numbers_.clear();
    others_.clear();
    sparse_.clear();
    size_ = 0;
  }

  std::uint32_t size() const { return size_; }

  // The value's number, which is size() as it was if the value is new.
  std::uint32_t find_or_insert(ValueId id) {
    const std::size_t place = place_of(id);
    if (place >= dense_max_) {
      const std::uint32_t number = sparse_.find_or_insert(id.value, size_);
      size_ += number == size_ ? 1 : 0;
      return number;
    }
    std::vector<std::uint32_t>& dense = ValueTable::is_small_number(id) ? numbers_ : others_;
    if (place >= dense.size()) {
      dense.resize(std::min(dense_max_, std::max(place + 1, dense.size() * 2)), kNone);
    }
    if (dense[place] == kNone) {
      dense[place] = size_++;
    }
    return dense[place];
  }

  // kNone when it is not there.
  std::uint32_t find(ValueId id) const {
    const std::size_t place = place_of(id);
    if (place >= dense_max_) {
      const std::uint32_t* number = sparse_.find(id.value);
      return number == nullptr ? kNone : *number;
    }
    const std::vector<std::uint32_t>& dense = ValueTable::is_small_number(id) ? numbers_ : others_;
    return place < dense.size() ? dense[place] : kNone;
  }

 private:
  static std::size_t place_of(ValueId id) {
    return ValueTable::is_small_number(id) ? static_cast<std::size_t>(ValueTable::small_number_of(id)) : id.value;
  }

  std::size_t dense_max_ = 0;
  std::vector<std::uint32_t> numbers_;  // of small numbers
  std::vector<std::uint32_t> others_;   // of other ids
  FlatMap sparse_;                      // of ids that are too large
  std::uint32_t size_ = 0;
};

}  // namespace shardcheck::histories
