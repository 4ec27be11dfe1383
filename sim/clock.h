// The clock of one process: true time plus an offset that starts somewhere, drifts, can be shifted, and never leaves
// the stated bound.
#pragma once

#include <algorithm>
#include <cstdint>

#include "spec/types.h"

namespace shardcheck::sim {

class Clock {
 public:
  Clock() = default;
  // `drift` in parts per million of true time; |offset| is held within `offset_max`.
  Clock(Duration offset, std::int64_t drift, Duration offset_max)
      : offset_(offset), offset_max_(offset_max), drift_(drift) {}

  Instant read(TrueTime now) const { return Instant{now.value + offset_at(now)}; }

  // The first true time, not before `now`, at which the clock reads `instant` or more.
  TrueTime when_reads(Instant instant, TrueTime now) const {
    if (read(now) >= instant) {
      return now;
    }
    // Clocks run within a thousandth of true time, so each correction leaves at most a thousandth of the error; what
    // rounding leaves is a step or two.
    std::int64_t guess = now.value;
    for (int round = 0; round < 8; ++round) {
      guess += instant.value - read(TrueTime{guess}).value;
    }
    guess = std::max(guess, now.value);
    while (guess > now.value && read(TrueTime{guess - 1}) >= instant) {
      --guess;
    }
    while (read(TrueTime{guess}) < instant) {
      ++guess;
    }
    return TrueTime{guess};
  }

  // Sets the offset as of `now`; the drift goes on from there.
  void shift_to(Duration offset, TrueTime now) {
    offset_ = offset;
    since_ = now;
    ++shifts_;
  }
  std::uint32_t shifts() const { return shifts_; }

 private:
  std::int64_t offset_at(TrueTime now) const {
    const std::int64_t drifted = offset_.value + (now.value - since_.value) * drift_ / 1'000'000;
    return std::clamp(drifted, -offset_max_.value, offset_max_.value);
  }

  Duration offset_;
  Duration offset_max_;
  TrueTime since_;
  std::int64_t drift_ = 0;
  std::uint32_t shifts_ = 0;
};

}  // namespace shardcheck::sim
