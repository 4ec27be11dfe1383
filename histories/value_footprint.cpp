#include "histories/value_footprint.h"

namespace shardcheck::histories {

std::uint64_t ValueFootprint::count(ValueId value) {
  if (value == kAbsent || ValueTable::is_small_number(value) || is_counted_[value.value]) {
    return 0;
  }
  is_counted_[value.value] = true;
  std::uint64_t bytes = ValueTable::bytes_of_entry();
  switch (values_.kind(value)) {
    case StoredKind::absent:
    case StoredKind::number: return bytes;
    case StoredKind::string: return bytes + values_.length_of(value);
    case StoredKind::list:
      bytes += values_.length_of(value) * sizeof(ValueId);
      for (const ValueId item : values_.list_of(value)) {
        bytes += count(item);
      }
      return bytes;
  }
  return bytes;
}

}  // namespace shardcheck::histories
