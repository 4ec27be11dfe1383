#include "histories/edn_cursor.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace shardcheck::histories {
namespace {

enum class Kind : std::uint8_t { token, blank, delimiter, wrong };

constexpr std::array<Kind, 256> kinds_of_bytes() {
  std::array<Kind, 256> kinds{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) {
    kinds[byte] = Kind::wrong;
  }
  kinds[0x7f] = Kind::wrong;
  for (const char c : {' ', '\t', '\r', '\n', '\f', ','}) {
    kinds[static_cast<unsigned char>(c)] = Kind::blank;
  }
  for (const char c : {'(', ')', '[', ']', '{', '}', '"', ';'}) {
    kinds[static_cast<unsigned char>(c)] = Kind::delimiter;
  }
  return kinds;
}

constexpr std::array<Kind, 256> kKinds = kinds_of_bytes();

constexpr const char* kOddMap = "not EDN: a map has a key without a value";

Kind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }

}  // namespace

bool EdnCursor::stop(std::string problem) {
  problem_ = std::move(problem);
  return false;
}

bool EdnCursor::stop_at_end() {
  is_cut_ = !is_all_;
  return stop("the text ends in the middle of a form");
}

bool EdnCursor::take(char c) {
  if (at_ == end_ || *at_ != c) {
    return false;
  }
  ++at_;
  return true;
}

bool EdnCursor::take_token(std::string_view& token) {
  const char* const start = at_;
  while (at_ != end_ && kind_of(*at_) == Kind::token) {
    ++at_;
  }
  if (at_ == end_ && !is_all_) {
    return stop_at_end();
  }
  if (at_ == start) {
    return at_ == end_
               ? stop_at_end()
               : stop(fmt::format("not EDN: byte 0x{:02x} has no place here", static_cast<unsigned char>(*at_)));
  }
  if (at_ != end_ && kind_of(*at_) == Kind::wrong) {
    return stop(fmt::format("not EDN: byte 0x{:02x} has no place here", static_cast<unsigned char>(*at_)));
  }
  token = std::string_view(start, static_cast<std::size_t>(at_ - start));
  return true;
}

bool EdnCursor::skip_blanks() { return skip_blanks(0); }

bool EdnCursor::skip_blanks(int depth) {
  while (at_ != end_) {
    if (kind_of(*at_) == Kind::blank) {
      ++at_;
    } else if (*at_ == ';') {
      if (!skip_comment()) {
        return false;
      }
    } else if (*at_ == '#') {
      if (end_ - at_ < 2) {
        return stop_at_end();
      }
      if (at_[1] != '_') {
        return true;
      }
      at_ += 2;
      if (!skip_form(depth + 1)) {
        return false;
      }
    } else {
      return true;
    }
  }
  return true;
}

bool EdnCursor::skip_comment() {
  const void* const line_end = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
  if (line_end == nullptr && !is_all_) {
    return stop_at_end();
  }
  at_ = line_end == nullptr ? end_ : static_cast<const char*>(line_end) + 1;
  return true;
}

bool EdnCursor::skip_form(int depth) {
  if (depth > kDepthMax) {
    return stop(fmt::format("forms are nested deeper than {}", kDepthMax));
  }
  if (!skip_blanks(depth)) {
    return false;
  }
  if (at_ == end_) {
    return stop_at_end();
  }
  std::string_view ignored;
  switch (*at_) {
    case '{': return skip_collection('}', true, depth);
    case '[': return skip_collection(']', false, depth);
    case '(': return skip_collection(')', false, depth);
    case '"': return skip_string();
    case '#': return skip_after_hash(depth);
    case '\\': return skip_character();
    case '}':
    case ']':
    case ')': return stop(fmt::format("not EDN: '{}' closes nothing", *at_));
    default: return take_token(ignored);
  }
}

bool EdnCursor::skip_collection(char close, bool has_pairs, int depth) {
  ++at_;
  std::uint64_t forms = 0;
  while (skip_blanks(depth)) {
    if (take(close)) {
      return !has_pairs || forms % 2 == 0 || stop(kOddMap);
    }
    if (at_ == end_) {
      return stop_at_end();
    }
    if (!skip_form(depth + 1)) {
      return false;
    }
    ++forms;
  }
  return false;
}

bool EdnCursor::take_map(std::vector<std::string_view>& items) {
  ++at_;
  while (skip_blanks(0)) {
    if (take('}')) {
      return items.size() % 2 == 0 || stop(kOddMap);
    }
    const char* const start = at_;
    if (!skip_form(1)) {
      return false;
    }
    items.emplace_back(start, static_cast<std::size_t>(at_ - start));
  }
  return false;
}

bool EdnCursor::skip_string() {
  ++at_;
  while (at_ != end_ && *at_ != '"') {
    at_ += *at_ == '\\' && end_ - at_ >= 2 ? 2 : 1;
  }
  return take('"') || stop_at_end();
}

// A set, or a tag and the form it is about. `#_` was skipped before.
bool EdnCursor::skip_after_hash(int depth) {
  ++at_;
  if (at_ == end_) {
    return stop_at_end();
  }
  if (*at_ == '{') {
    return skip_collection('}', false, depth);
  }
  std::string_view tag;
  if (!take_token(tag)) {
    return false;
  }
  // ##Inf and its like are numbers, no tags.
  return tag.front() == '#' || skip_form(depth + 1);
}

bool EdnCursor::skip_character() {
  ++at_;
  if (at_ == end_) {
    return stop_at_end();
  }
  ++at_;
  std::string_view ignored;
  if (at_ != end_ && kind_of(*at_) == Kind::token) {
    return take_token(ignored);
  }
  return at_ != end_ || is_all_ || stop_at_end();
}

}  // namespace shardcheck::histories
