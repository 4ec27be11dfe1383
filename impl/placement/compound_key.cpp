#include "impl/placement/compound_key.h"

#include <fmt/format.h>

namespace shardcheck::impl {
namespace {

constexpr std::string_view kZero("\x00\xff", 2);
constexpr std::string_view kEnd("\x00\x01", 2);

void append_part(std::string& bytes, std::string_view part) {
  for (const char byte : part) {
    if (byte == '\0') {
      bytes += kZero;
    } else {
      bytes.push_back(byte);
    }
  }
  bytes += kEnd;
}

}  // namespace

std::string to_bytes(const CompoundKey& key) {
  std::string bytes;
  append_part(bytes, key.partition);
  for (const std::string& part : key.order) {
    append_part(bytes, part);
  }
  return bytes;
}

Result<CompoundKey> compound_key_from(std::string_view bytes) {
  std::vector<std::string> parts;
  std::string part;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] != '\0') {
      part.push_back(bytes[at]);
      continue;
    }
    const std::string_view pair = bytes.substr(at, 2);
    if (pair == kEnd) {
      parts.push_back(std::move(part));
      part.clear();
    } else if (pair == kZero) {
      part.push_back('\0');
    } else {
      return fail(fmt::format("byte {}", at), "a zero byte is followed by neither 01 nor FF");
    }
    ++at;
  }
  if (!part.empty() || parts.empty()) {
    return fail(fmt::format("byte {}", bytes.size()), "the last part has no end");
  }
  CompoundKey key{.partition = std::move(parts.front())};
  key.order.assign(std::make_move_iterator(parts.begin() + 1), std::make_move_iterator(parts.end()));
  return key;
}

std::string_view placed_by(std::string_view bytes) {
  const std::size_t end = bytes.find(kEnd);
  return end == std::string_view::npos ? bytes : bytes.substr(0, end + kEnd.size());
}

Result<std::string_view> owner_of_compound(const Placement& placement, std::string_view bytes) {
  return placement.owner(placed_by(bytes));
}

// Whatever follows, the key begins with these bytes; the least text above all of those ends in 02 instead of 01.
CompoundRange range_of(const CompoundKey& beginning) {
  CompoundRange range{.first = to_bytes(beginning), .end = to_bytes(beginning)};
  range.end.back() = '\x02';
  return range;
}

}  // namespace shardcheck::impl
