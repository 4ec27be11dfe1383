#include "impl/placement/hot_keys.h"

#include <fmt/format.h>

#include "impl/placement/compound_key.h"

namespace shardcheck::impl {

// The key itself, and then keys that begin with a zero byte, which no key that can be spread does.
std::string HotKeys::part_key(std::string_view key, std::uint32_t part) {
  if (part == 0) {
    return std::string(key);
  }
  return std::string(1, '\0') + to_bytes({.partition = std::string(key), .order = {fmt::format("{}", part)}});
}

Result<void> HotKeys::salt(std::string_view key, std::uint32_t parts) {
  return spread(key, {.way = Way::salted, .parts = parts});
}

Result<void> HotKeys::copy(std::string_view key, std::uint32_t parts) {
  return spread(key, {.way = Way::copied, .parts = parts});
}

Result<void> HotKeys::spread(std::string_view key, Spread wanted) {
  if (wanted.parts < 2 || wanted.parts > kHotKeyPartsMax) {
    return fail("hot keys", fmt::format("{} parts are not in 2..{}", wanted.parts, kHotKeyPartsMax));
  }
  if (key.starts_with('\0')) {
    return fail("hot keys", "a key that begins with a zero byte may be a part of another one");
  }
  const auto known = spreads_.find(key);
  if (known == spreads_.end()) {
    spreads_.emplace(std::string(key), wanted);
    return {};
  }
  if (known->second.way != wanted.way || known->second.parts > wanted.parts) {
    return fail("hot keys", fmt::format("'{}' has data in {} parts; settle it first", key, known->second.parts));
  }
  known->second = wanted;
  return {};
}

Result<void> HotKeys::settle(std::string_view key) {
  const auto known = spreads_.find(key);
  if (known == spreads_.end()) {
    return fail("hot keys", fmt::format("'{}' is not spread", key));
  }
  spreads_.erase(known);
  return {};
}

std::vector<std::string> HotKeys::keys(std::string_view key, std::uint64_t token, Way way_to_all) const {
  const auto known = spreads_.find(key);
  if (known == spreads_.end()) {
    return {std::string(key)};
  }
  const Spread& spread = known->second;
  if (spread.way != way_to_all) {
    return {part_key(key, static_cast<std::uint32_t>(token % spread.parts))};
  }
  std::vector<std::string> all;
  for (std::uint32_t part = 0; part < spread.parts; ++part) {
    all.push_back(part_key(key, part));
  }
  return all;
}

std::vector<std::string> HotKeys::keys_to_write(std::string_view key, std::uint64_t token) const {
  return keys(key, token, Way::copied);
}

std::vector<std::string> HotKeys::keys_to_read(std::string_view key, std::uint64_t token) const {
  return keys(key, token, Way::salted);
}

std::uint32_t HotKeys::parts_of(std::string_view key) const {
  const auto known = spreads_.find(key);
  return known == spreads_.end() ? 1 : known->second.parts;
}

}  // namespace shardcheck::impl
