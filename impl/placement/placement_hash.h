// The hash of the schemes that fix none of their own: 64 bits of any text, the same on every machine. Eight bytes at a
// time go through the finalizer of MurmurHash3 in Stafford's variant 13, whose every output bit depends on every input
// bit: a hash that mixes less (plain FNV-1a) leaves like names with like scores. Not for keys that an adversary
// chooses.
#pragma once

#include <cstdint>
#include <string_view>

#include "spec/assert.h"

namespace shardcheck::impl {

__extension__ using Uint128 = unsigned __int128;

constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

// `salt` gives another, independent hash of the same text.
constexpr std::uint64_t placement_hash(std::string_view text, std::uint64_t salt = 0) {
  std::uint64_t hash = mix(salt * 0x9e3779b97f4a7c15 + text.size() + 1);
  while (!text.empty()) {
    const std::string_view chunk = text.substr(0, 8);
    std::uint64_t word = 0;
    for (std::size_t byte = 0; byte < chunk.size(); ++byte) {
      word |= std::uint64_t{static_cast<unsigned char>(chunk[byte])} << (8 * byte);
    }
    hash = mix(hash ^ word) + 0x9e3779b97f4a7c15;
    text.remove_prefix(chunk.size());
  }
  return mix(hash);
}

// The top bits of a hash, to force collisions; all 64 of them where a case asks for its full width, 32.
constexpr std::uint64_t cut_hash(std::uint64_t hash, std::uint32_t position_bits) {
  SHARDCHECK_ASSERT(position_bits >= 1 && position_bits <= 32);
  return position_bits == 32 ? hash : hash >> (64 - position_bits) << (64 - position_bits);
}

// floor(hash * count / 2^64): one of `count` places, evenly, by the top bits of the hash.
constexpr std::uint64_t scale_hash(std::uint64_t hash, std::uint64_t count) {
  return static_cast<std::uint64_t>((Uint128{hash} * count) >> 64);
}

}  // namespace shardcheck::impl
