// What each part of a copy adds to its digests (ContentDigest), which do not depend on the order of insertion. Internal
// to storage_state*.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "impl/storage_state.h"

namespace shardcheck::impl {

// The finaliser of murmur3 (Appleby): spreads every input bit. Digests add up over a copy, so each part must be spread.
constexpr std::uint64_t spread(std::uint64_t word) {
  word = (word ^ (word >> 33U)) * 0xff51afd7ed558ccdU;
  word = (word ^ (word >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return word ^ (word >> 33U);
}

inline std::uint64_t digest_of(const Value& value) {
  std::uint64_t digest = spread(static_cast<std::uint64_t>(value.number) ^
                                (static_cast<std::uint64_t>(value.kind) << 60U) ^ value.list_length);
  for (std::size_t i = 0; i < value.list_length; ++i) {
    digest = spread(digest ^ value.items[i]);
  }
  return digest;
}

inline std::uint64_t digest_of(Key key, const Cell& cell) {
  const std::uint64_t place = spread(key.value) ^ spread(cell.version.epoch.value << 32U ^ cell.version.position.value);
  return spread(place ^ digest_of(cell.value));
}

inline std::uint64_t digest_of(std::size_t client, const AnsweredRequest& answered) {
  if (answered.sequence == 0) {
    return 0;
  }
  return spread(spread(client << 32U ^ answered.sequence) ^ digest_of(answered.answer) ^
                static_cast<std::uint64_t>(answered.outcome));
}

// Adds or takes away one cell's share of a digest; the operations are their own inverses modulo 2^64.
inline void count_cell(ContentDigest& digest, Key key, const Cell& cell, bool is_added) {
  if (!cell.exists()) {
    return;
  }
  std::uint64_t& part = cell.value.kind == ValueKind::absent ? digest.tombstones : digest.values;
  part = is_added ? part + digest_of(key, cell) : part - digest_of(key, cell);
}

}  // namespace shardcheck::impl
