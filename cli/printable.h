// Foreign text on a terminal.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/markup_text.h"
#include "histories/format_characters.h"

namespace shardcheck::cli {

// Recordings come from anywhere: what would steer a terminal, or make a text look like another one, is shown by its
// number: "\x1b", "\u202e". Everything else stays as it is.
inline std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t size = utf8_front(text);
    const std::uint32_t c = code_point_front(text);
    if (c < 0x20 || (c >= 0x7f && c < 0xa0 && size > 0)) {
      shown += fmt::format("\\x{:02x}", c);
    } else if (size > 0 && histories::is_format_character(c)) {
      shown += fmt::format("\\u{:04x}", c);
    } else {
      shown += text.substr(0, size == 0 ? 1 : size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return shown;
}

}  // namespace shardcheck::cli
