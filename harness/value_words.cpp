#include "harness/value_words.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace shardcheck::harness {

Value value_of(Words& words) {
  const std::string_view text = words.word("a value");
  if (text == "nil") {
    return absent();
  }
  if (!text.starts_with('[')) {
    Words one(text, "");
    const std::int64_t n = one.whole_number("the value", INT64_MIN, INT64_MAX);
    if (one.error()) {
      words.refuse(fmt::format("'{}' is no value: 'nil', a whole number, or a list such as [7]", text.substr(0, 40)));
    }
    return number(n);
  }
  Value list;
  list.kind = ValueKind::list;
  Words items(text.substr(1, text.size() - 2), "");
  while (!items.is_empty() && list.list_length < Value::kListLengthMax) {
    list.items[list.list_length++] = static_cast<std::uint16_t>(items.whole_number("an item", 0, UINT16_MAX));
  }
  if (!text.ends_with(']') || items.error() || !items.is_empty()) {
    words.refuse(fmt::format("'{}' is no list of at most {} numbers from 0 to 65535", text.substr(0, 40),
                             Value::kListLengthMax));
  }
  return list;
}

}  // namespace shardcheck::harness
