#include "bench/replay_samples.h"

#include <fmt/format.h>

#include "sim/digest.h"
#include "spec/assert.h"

namespace shardcheck::bench {
namespace {

constexpr std::size_t kKeyBytesMax = 32;
constexpr std::size_t kValueBytes = 100;
constexpr Epoch kEpochOfFill{1};
constexpr std::uint64_t kNewerOfSixteen = 15;

// Another salt than that of the keys, so that the log does not follow them in any way.
constexpr std::uint64_t kSaltOfLog = 0x7265'706c'6179;

std::uint64_t drawn(std::uint64_t salt, std::uint64_t index) { return sim::mix(sim::mix(salt) ^ index); }

}  // namespace

ReplayLog::ReplayLog(std::size_t entries) {
  bytes_.reserve(entries * (kKeyBytesMax + kValueBytes));
  entries_.reserve(entries);
}

ReplayLog ReplayLog::that_fills(std::size_t keys) {
  ReplayLog log(keys);
  for (std::size_t number = 0; number < keys; ++number) {
    log.add(number, {kEpochOfFill, LogPosition{number + 1}});
  }
  return log;
}

ReplayLog ReplayLog::of_changes(std::size_t keys) {
  ReplayLog log(keys);
  for (std::size_t i = 0; i < keys; ++i) {
    const std::uint64_t word = drawn(kSaltOfLog, i);
    const bool is_newer = (word >> 60U) < kNewerOfSixteen;
    log.add((word & 0xffff'ffff'ffffU) % keys, {kEpochOfFill, LogPosition{is_newer ? keys + i + 1 : 0}});
  }
  return log;
}

void ReplayLog::stamp(std::uint64_t pass) {
  for (impl::VersionedEntry& entry : entries_) {
    entry.version.epoch = entry.version.position == LogPosition{} ? kEpochOfFill : Epoch{pass};
  }
}

void ReplayLog::add(std::uint64_t key_number, Version version) {
  const std::size_t key_begin = bytes_.size();
  const std::uint64_t word = drawn(0, key_number);
  fmt::format_to(std::back_inserter(bytes_), "{:016x}", word);
  bytes_.resize(bytes_.size() + word % (kKeyBytesMax - 15), 'k');
  const std::size_t value_begin = bytes_.size();
  bytes_.resize(value_begin + kValueBytes, static_cast<char>('a' + version.position.value % 26));
  SHARDCHECK_ASSERT(bytes_.size() <= entries_.capacity() * (kKeyBytesMax + kValueBytes));
  entries_.push_back({.key = std::string_view(bytes_.data() + key_begin, value_begin - key_begin),
                      .version = version,
                      .value = std::string_view(bytes_.data() + value_begin, kValueBytes)});
}

bool MapStore::apply(const impl::VersionedEntry& entry) {
  auto found = cells_.find(entry.key);
  if (found == cells_.end()) {
    found = cells_.emplace(std::string(entry.key), Cell{}).first;
  } else if (entry.version <= found->second.version) {
    return false;
  }
  Cell& cell = found->second;
  cell.version = entry.version;
  cell.has_value = entry.value.has_value();
  cell.value.assign(entry.value.value_or(std::string_view{}));
  return true;
}

std::optional<impl::VersionedEntry> MapStore::find(std::string_view key) const {
  const auto found = cells_.find(key);
  if (found == cells_.end()) {
    return std::nullopt;
  }
  impl::VersionedEntry entry{.key = found->first, .version = found->second.version};
  if (found->second.has_value) {
    entry.value = found->second.value;
  }
  return entry;
}

}  // namespace shardcheck::bench
