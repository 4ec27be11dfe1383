// Foreign text inside XML and HTML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "histories/format_characters.h"

namespace shardcheck::cli {

// How many bytes the character at the front of the text has in UTF-8; 0 if these are none.
inline std::size_t utf8_front(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xc2 ? 0 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (size == 0 || size > text.size() || byte(0) > 0xf4) {
    return 0;
  }
  for (std::size_t index = 1; index < size; ++index) {
    if ((byte(index) & 0xc0U) != 0x80) {
      return 0;
    }
  }
  // Too long a form, half of a pair, or beyond the last character.
  const bool is_wrong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) > 0x9f) ||
                        (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f);
  return is_wrong ? 0 : size;
}

// The number of that character; of bytes that are none, the first byte. Not of an empty text.
inline std::uint32_t code_point_front(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const std::size_t size = utf8_front(text);
  if (size < 2) {
    return byte(0);
  }
  std::uint32_t number = byte(0) & (0x7fU >> size);
  for (std::size_t index = 1; index < size; ++index) {
    number = number << 6U | (byte(index) & 0x3fU);
  }
  return number;
}

// As it stands between tags or in an attribute in double quotes. Control characters, which XML forbids even as
// references, those that reorder or hide text, and bytes that are no UTF-8 become '?'.
inline std::string markup_escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = utf8_front(text);
    switch (const char character = text.front()) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: {
        const auto byte = static_cast<unsigned char>(character);
        const bool is_control = (byte < 0x20 && character != '\n' && character != '\t') || byte == 0x7f ||
                                (size > 1 && histories::is_format_character(code_point_front(text)));
        result += size == 0 || is_control ? "?" : text.substr(0, size);
      }
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

}  // namespace shardcheck::cli
