// Numbers without an apparent order, always the same ones: what tests and benchmarks of placement draw their points,
// keys and questions from. Decisions draw nothing.
#pragma once

#include <cstdint>

#include "impl/placement/placement_hash.h"

namespace shardcheck::impl {

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (SplitMix), 2014.
class UniformNumbers {
 public:
  explicit UniformNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    return mix(state_);
  }

 private:
  std::uint64_t state_;
};

}  // namespace shardcheck::impl
