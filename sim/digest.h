// An order-sensitive 64-bit digest of a run: the same events in the same order give the same number, on every compiler
// and at every optimisation level. Not for use against an adversary.
#pragma once

#include <cstdint>

namespace shardcheck::sim {

// The finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection that spreads every input bit.
constexpr std::uint64_t mix(std::uint64_t word) {
  word += 0x9e3779b97f4a7c15U;
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}

class Digest {
 public:
  constexpr void add(std::uint64_t word) { state_ = mix(state_ ^ word); }
  constexpr std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x5348415244434845U;
};

}  // namespace shardcheck::sim
