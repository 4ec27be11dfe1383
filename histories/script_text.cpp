#include "histories/script_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <span>

#include "histories/format_characters.h"

namespace shardcheck::histories {
namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

struct CodePoint {
  std::uint32_t value = kReplacement;
  std::size_t bytes = 1;
};

// The first character of a text that is not empty; of bytes that are no UTF-8 (also overlong or surrogate) one byte.
CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) {
    return {};
  }
  std::uint32_t value = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) {
      return {};
    }
    value = value << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  const bool is_overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool is_surrogate = value >= 0xd800 && value < 0xe000;
  return is_overlong || is_surrogate || value > 0x10ffff ? CodePoint{} : CodePoint{value, bytes};
}

bool is_harmless(std::uint32_t c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

// The end of a text, cut between two characters.
std::string_view end_of(std::string_view text, std::size_t bytes_max) {
  std::size_t start = text.size() > bytes_max ? text.size() - bytes_max : 0;
  while (start < text.size() && start != 0 && is_continuation(text[start])) {
    ++start;
  }
  return text.substr(start);
}

// Stops adding once `out` is full; what is left out is then of no interest, as the whole is cut.
void append_short(const ValueTable& values, ValueId value, std::size_t bytes_max, std::string& out) {
  constexpr std::size_t kItemsMax = 8;
  if (out.size() >= bytes_max) {
    return;
  }
  switch (values.kind(value)) {
    case StoredKind::absent:
    case StoredKind::number: values.append_text(value, out); return;
    case StoredKind::string: {
      const std::string_view text = values.string_of(value);
      const std::string_view end = end_of(text, bytes_max);
      out += end.size() < text.size() ? "..." : "";
      append_quoted(end, out);
      if (end.size() < text.size()) {
        fmt::format_to(std::back_inserter(out), " ({} bytes)", text.size());
      }
      return;
    }
    case StoredKind::list: {
      const std::span<const ValueId> items = values.list_of(value);
      const bool is_cut = items.size() > kItemsMax;
      out += is_cut ? "[..." : "[";
      bool is_first = !is_cut;
      for (const ValueId item : is_cut ? items.last(kItemsMax) : items) {
        out += is_first ? "" : ", ";
        if (out.size() >= bytes_max) {
          out += "...";
          break;
        }
        append_short(values, item, bytes_max, out);
        is_first = false;
      }
      out += ']';
      if (is_cut) {
        fmt::format_to(std::back_inserter(out), " ({} items)", items.size());
      }
      return;
    }
  }
}

}  // namespace

void append_script_string(std::string_view bytes, std::string& out) {
  out += '"';
  while (!bytes.empty()) {
    const CodePoint c = first_code_point(bytes);
    if (is_harmless(c.value)) {
      out += static_cast<char>(c.value);
    } else if (is_format_character(c.value)) {
      fmt::format_to(std::back_inserter(out), "\\\\u{:04x}", c.value);  // the page shows its number
    } else if (c.value < 0x10000) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", c.value);
    } else {
      const std::uint32_t above = c.value - 0x10000;
      fmt::format_to(std::back_inserter(out), "\\u{:04x}\\u{:04x}", 0xd800 + (above >> 10U), 0xdc00 + (above & 0x3ffU));
    }
    bytes.remove_prefix(c.bytes);
  }
  out += '"';
}

std::string beginning_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) {
    return std::string(text);
  }
  std::size_t end = bytes_max;
  while (end != 0 && is_continuation(text[end])) {
    --end;
  }
  return fmt::format("{}... ({} bytes)", text.substr(0, end), text.size());
}

std::string short_text(const ValueTable& values, ValueId value, std::size_t bytes_max) {
  std::string text;
  append_short(values, value, bytes_max, text);
  return beginning_of(text, bytes_max * 2 + 40);
}

}  // namespace shardcheck::histories
