// Random numbers for histories that are made up. Deterministic on every machine: splitmix64, and no distribution of the
// standard library.
#pragma once

#include <cstdint>

#include "histories/flat_map.h"

namespace shardcheck::histories {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return (next() >> 32U) * bound >> 32U; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t next() {
    const std::uint64_t number = mixed(state_);
    state_ += 0x9e3779b97f4a7c15U;
    return number;
  }

  std::uint64_t state_;
};

}  // namespace shardcheck::histories
