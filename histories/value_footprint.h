// How much of a table's memory the values take that somebody holds; a value that several hold counts once.
#pragma once

#include <cstdint>
#include <vector>

#include "histories/value_table.h"

namespace shardcheck::histories {

class ValueFootprint {
 public:
  // `values` must outlive the use, and not grow during it.
  explicit ValueFootprint(const ValueTable& values) : values_(values), is_counted_(values.size(), false) {}

  // The bytes of the value and, of a list, of its items, as far as they were not counted before.
  std::uint64_t count(ValueId value);

 private:
  const ValueTable& values_;
  std::vector<bool> is_counted_;
};

}  // namespace shardcheck::histories
