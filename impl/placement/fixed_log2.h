// The logarithm of rendezvous hashing in whole numbers: floating point is left out of every decision, because libraries
// differ in the last bit of log() and two routers must not.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "impl/placement/placement_hash.h"

namespace shardcheck::impl {

inline constexpr int kLog2FractionBits = 57;

namespace fixed_log2_detail {

// log2 of value / 2^63, value in [2^63, 2^64), in units of 2^-63: squaring doubles the logarithm, bit by bit.
constexpr std::uint64_t log2_by_squaring(std::uint64_t value) {
  std::uint64_t log = 0;
  for (int bit = 62; bit >= 0; --bit) {
    const Uint128 square = Uint128{value} * value;  // 126 fraction bits
    if (square >> 127 != 0) {
      log |= std::uint64_t{1} << bit;
      value = static_cast<std::uint64_t>(square >> 64);
    } else {
      value = static_cast<std::uint64_t>(square >> 63);
    }
  }
  return log;
}

struct Step {
  std::uint64_t log;         // log2(1 + index / 256), units of 2^-63
  std::uint64_t reciprocal;  // 1 / (1 + index / 256), units of 2^-63
};

constexpr std::array<Step, 256> make_steps() {
  std::array<Step, 256> steps{};
  for (std::uint64_t index = 0; index < 256; ++index) {
    const std::uint64_t value = (256 + index) << 55;
    steps[index] = {.log = log2_by_squaring(value),
                    .reciprocal = static_cast<std::uint64_t>((Uint128{1} << 126) / value)};
  }
  return steps;
}

inline constexpr std::array<Step, 256> kSteps = make_steps();

}  // namespace fixed_log2_detail

// -log2((hash + 1) / 2^64) in units of 2^-kLog2FractionBits, in [0, 64]; a uniform hash gives an exponentially
// distributed result. Within 2^-50 of the truth: a table for the top bits, six terms of the series for the rest.
constexpr std::uint64_t negative_log2(std::uint64_t hash) {
  using namespace fixed_log2_detail;
  constexpr std::uint64_t kLog2OfE = 0xb8aa3b295c17f0bc;  // units of 2^-63
  const std::uint64_t value = hash + 1;
  if (value == 0) {
    return 0;
  }
  const int exponent = static_cast<int>(std::bit_width(value)) - 1;
  const std::uint64_t mantissa = value << (63 - exponent);
  const Step step = kSteps[(mantissa >> 55) & 255];
  const auto times = [](std::uint64_t one, std::uint64_t other) {
    return static_cast<std::uint64_t>((Uint128{one} * other) >> 63);
  };
  const std::uint64_t rest = times(mantissa & ((std::uint64_t{1} << 55) - 1), step.reciprocal);  // below 2^-8
  const std::uint64_t square = times(rest, rest);
  const std::uint64_t cube = times(square, rest);
  const std::uint64_t fourth = times(square, square);
  const std::uint64_t natural =
      rest - square / 2 + cube / 3 - fourth / 4 + times(fourth, rest) / 5 - times(fourth, square) / 6;
  const std::uint64_t fraction = step.log + times(natural, kLog2OfE);
  return (static_cast<std::uint64_t>(64 - exponent) << kLog2FractionBits) - (fraction >> (63 - kLog2FractionBits));
}

}  // namespace shardcheck::impl
