#include "spec/value.h"

#include "spec/key_set.h"

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
    case ValueKind::keys: {
      const KeySet keys(value);
      std::string text = "{";
      for (std::uint32_t i = 0; i < kScanWidthMax; ++i) {
        const Key key{keys.lo().value + i};
        if (keys.contains(key)) {
          text += (text.size() == 1 ? "" : " ") + std::to_string(key.value);
        }
      }
      return text + (keys.has_twice() ? " twice " + std::to_string(keys.twice().value) + "}" : "}");
    }
  }
  return "";
}

}  // namespace shardcheck
