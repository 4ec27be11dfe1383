#include "histories/edn_values.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace shardcheck::histories {
namespace {

constexpr int kListDepthMax = 16;

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "+7" and "7N" are whole numbers too.
std::string_view plain_number(std::string_view form) {
  if (form.size() > 1 && form.back() == 'N') {
    form.remove_suffix(1);
  }
  if (form.size() > 1 && form.front() == '+' && form[1] != '-') {
    form.remove_prefix(1);
  }
  return form;
}

void append_utf8(std::uint32_t unit, std::string& out) {
  const auto byte = [&out](std::uint32_t b) { out += static_cast<char>(b); };
  if (unit < 0x80) {
    byte(unit);
  } else if (unit < 0x800) {
    byte(0xc0 | (unit >> 6U));
    byte(0x80 | (unit & 0x3fU));
  } else if (unit < 0x10000) {
    byte(0xe0 | (unit >> 12U));
    byte(0x80 | ((unit >> 6U) & 0x3fU));
    byte(0x80 | (unit & 0x3fU));
  } else {
    byte(0xf0 | (unit >> 18U));
    byte(0x80 | ((unit >> 12U) & 0x3fU));
    byte(0x80 | ((unit >> 6U) & 0x3fU));
    byte(0x80 | (unit & 0x3fU));
  }
}

// Four digits behind "\u".
std::optional<std::uint32_t> unit_at(std::string_view text, std::size_t at) {
  if (at > text.size() || text.size() - at < 4) {
    return std::nullopt;
  }
  std::uint32_t unit = 0;
  const char* const end = text.data() + at + 4;
  const auto [read_to, problem] = std::from_chars(text.data() + at, end, unit, 16);
  return problem == std::errc{} && read_to == end ? std::optional(unit) : std::nullopt;
}

// One escape: `at` is behind the backslash and moves behind the escape.
bool append_escape(std::string_view text, std::size_t& at, std::string& out) {
  if (at == text.size()) {
    return false;
  }
  constexpr std::string_view kNames = "ntrbf\"\\";
  constexpr std::string_view kMeanings = "\n\t\r\b\f\"\\";
  const char name = text[at++];
  if (const std::size_t which = kNames.find(name); which != std::string_view::npos) {
    out += kMeanings[which];
    return true;
  }
  const std::optional<std::uint32_t> unit = name == 'u' ? unit_at(text, at) : std::nullopt;
  if (!unit) {
    return false;
  }
  at += 4;
  if (*unit < 0xd800 || *unit > 0xdfff) {
    append_utf8(*unit, out);
    return true;
  }
  // Beyond 16 bits Java writes a pair of units.
  const bool is_pair = *unit < 0xdc00 && text.substr(at, 2) == "\\u";
  const std::optional<std::uint32_t> low = is_pair ? unit_at(text, at + 2) : std::nullopt;
  if (!low || *low < 0xdc00 || *low > 0xdfff) {
    return false;
  }
  at += 6;
  append_utf8(0x10000 + ((*unit - 0xd800) << 10U) + (*low - 0xdc00), out);
  return true;
}

// False when there is an escape that is none.
bool undo_escapes(std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      out += text[at++];
      continue;
    }
    ++at;
    if (!append_escape(text, at, out)) {
      return false;
    }
  }
  return true;
}

Result<ValueId> string_value(std::string_view form, ValueTable& values) {
  const std::string_view text = form.substr(1, form.size() - 2);
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return fail("", "a string is not UTF-8");
  }
  if (text.find('\\') == std::string_view::npos) {
    return values.string(text);
  }
  std::string bytes;
  if (!undo_escapes(text, bytes)) {
    return fail("", "a string has an escape that is not one of EDN");
  }
  return values.string(bytes);
}

Result<ValueId> value_of(std::string_view form, ValueTable& values, int depth);

Result<ValueId> list_value(std::string_view form, ValueTable& values, int depth) {
  if (depth == kListDepthMax) {
    return fail("", fmt::format("\"value\" has lists nested deeper than {}", kListDepthMax));
  }
  std::vector<std::string_view> forms;
  edn_items(form, forms);
  std::vector<ValueId> items;
  for (const std::string_view item : forms) {
    const Result<ValueId> id = value_of(item, values, depth + 1);
    if (!id) {
      return id;
    }
    items.push_back(*id);
  }
  return values.list(items);
}

Result<ValueId> value_of(std::string_view form, ValueTable& values, int depth) {
  if (const std::optional<std::int64_t> number = edn_number(form)) {
    return values.number(*number);
  }
  if (is_edn_nil(form)) {
    return kAbsent;
  }
  switch (form.front()) {
    case '"': return string_value(form, values);
    case '[':
    case '(': return list_value(form, values, depth);
    case ':':
      if (!simdjson::validate_utf8(form.data(), form.size())) {
        return fail("", "a keyword is not UTF-8");
      }
      return values.string(form);
    default: break;
  }
  if (is_edn_whole_number(form)) {
    return fail("", "a number does not fit 64 bits with a sign");
  }
  return fail("", "\"value\" is not a whole number, a string, a keyword, a vector of these, or nil");
}

bool append_items(std::string_view form, std::vector<std::string_view>& items) {
  EdnCursor cursor(form.substr(1, form.size() - 2), true);
  while (cursor.skip_blanks() && !cursor.is_at_end()) {
    const std::size_t start = cursor.offset();
    if (!cursor.skip_form()) {
      return false;
    }
    items.push_back(cursor.since(start));
  }
  return true;
}

}  // namespace

Result<ValueId> edn_value(std::string_view form, ValueTable& values) { return value_of(form, values, 0); }

bool edn_items(std::string_view form, std::vector<std::string_view>& items) {
  items.clear();
  return (form.front() == '[' || form.front() == '(') && append_items(form, items);
}

bool edn_map_items(std::string_view form, std::vector<std::string_view>& items) {
  items.clear();
  return form.front() == '{' && append_items(form, items);
}

bool is_edn_nil(std::string_view form) { return form == "nil"; }

std::optional<std::string_view> edn_name(std::string_view form) {
  if (form.starts_with(':')) {
    return form.substr(1);
  }
  if (form.starts_with('"') && form.find('\\') == std::string_view::npos) {
    return form.substr(1, form.size() - 2);
  }
  return std::nullopt;
}

bool read_edn_string(std::string_view form, std::string& out) {
  out.clear();
  const bool is_string = form.size() >= 2 && form.starts_with('"') && form.ends_with('"');
  return is_string && simdjson::validate_utf8(form.data(), form.size()) &&
         undo_escapes(form.substr(1, form.size() - 2), out);
}

std::optional<std::int64_t> edn_number(std::string_view form) {
  const char first = form.front();
  if ((first < '0' || first > '9') && first != '-' && first != '+') {
    return std::nullopt;
  }
  const std::string_view digits = plain_number(form);
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return problem == std::errc{} && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

bool is_edn_whole_number(std::string_view form) {
  std::string_view digits = plain_number(form);
  if (digits.starts_with('-')) {
    digits.remove_prefix(1);
  }
  return is_digits(digits);
}

void append_edn_string(std::string_view bytes, std::string& out) {
  out += '"';
  for (const char c : bytes) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

// Recursion is bounded by how deep lists are nested, which readers bound.
void append_edn(const ValueTable& values, ValueId value, std::string& out) {
  switch (values.kind(value)) {
    case StoredKind::absent: out += "nil"; return;
    case StoredKind::number: append_number(values.number_of(value), out); return;
    case StoredKind::string: append_edn_string(values.string_of(value), out); return;
    case StoredKind::list: break;
  }
  out += '[';
  bool is_first = true;
  for (const ValueId item : values.list_of(value)) {
    out += is_first ? "" : " ";
    append_edn(values, item, out);
    is_first = false;
  }
  out += ']';
}

}  // namespace shardcheck::histories
