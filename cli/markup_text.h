// Foreign text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace shardcheck::cli {

// As it stands between tags or in an attribute in double quotes. Control characters, which XML forbids even as
// references, become '?'.
inline std::string markup_escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: {
        const auto byte = static_cast<unsigned char>(character);
        const bool is_forbidden = (byte < 0x20 && character != '\n' && character != '\t') || byte == 0x7f;
        result += is_forbidden ? '?' : character;
      }
    }
  }
  return result;
}

}  // namespace shardcheck::cli
