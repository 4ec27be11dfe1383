// Characters that show nothing themselves and change how others are shown: in the order of bidirectional text, in where
// a line ends, or by being there unseen. A recorded text with one of them can look like another text, so whoever shows
// it shows their numbers instead.
#pragma once

#include <cstdint>

namespace shardcheck::histories {

// Unicode's categories Cc (but for ASCII's, which every format has rules of its own for), Cf as far as it is not part
// of writing some language, Zl and Zp.
constexpr bool is_format_character(std::uint32_t c) {
  const auto is_in = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
  return is_in(0x80, 0x9f) || c == 0xad || c == 0x61c || c == 0x180e || is_in(0x200b, 0x200f) ||
         is_in(0x2028, 0x202e) || is_in(0x2060, 0x206f) || c == 0xfeff || is_in(0xfff9, 0xfffb) ||
         is_in(0xe0000, 0xe007f);
}

}  // namespace shardcheck::histories
