// Boundaries of ranges and keys for measuring directory lookups: always the same ones.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bench/point_samples.h"

namespace shardcheck::bench {

// `random`: 16 to 32 letters and digits. `numbered`: "user:" and twelve digits, so that all share a beginning.
enum class KeyKind { random, numbered };

inline std::string sample_key(KeyKind kind, impl::UniformNumbers& numbers) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  if (kind == KeyKind::numbered) {
    return fmt::format("user:{:012}", numbers.next() % 1'000'000'000'000);
  }
  std::string key(16 + numbers.next() % 17, ' ');
  for (char& letter : key) {
    letter = kLetters[numbers.next() % kLetters.size()];
  }
  return key;
}

inline std::vector<std::string> sample_keys(KeyKind kind, std::size_t count, std::uint64_t seed) {
  impl::UniformNumbers numbers(seed);
  std::vector<std::string> keys(count);
  for (std::string& key : keys) {
    key = sample_key(kind, numbers);
  }
  return keys;
}

// Ascending and distinct, the first one empty.
inline std::vector<std::string> sample_starts(KeyKind kind, std::size_t ranges) {
  std::vector<std::string> starts = sample_keys(kind, ranges - 1, 1);
  starts.emplace_back();
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

inline std::vector<std::string_view> views_of(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}

}  // namespace shardcheck::bench
