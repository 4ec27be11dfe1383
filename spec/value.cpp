#include "spec/value.h"

namespace shardcheck {

std::string to_string(const Value& value) {
  switch (value.kind) {
    case ValueKind::absent: return "nil";
    case ValueKind::number: return std::to_string(value.number);
    case ValueKind::list: {
      std::string text = "[";
      for (int i = 0; i < value.list_length; ++i) {
        text += (i == 0 ? "" : " ") + std::to_string(value.items[static_cast<std::size_t>(i)]);
      }
      return text + "]";
    }
  }
  return "";
}

}  // namespace shardcheck
