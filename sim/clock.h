// The clock of one process: true time plus an offset that starts somewhere, drifts at a rate that changes at given
// times, can be shifted, and never leaves the stated bound. When the rate changes is known from the start, so what a
// clock will read is, too, and nothing has to be done when it comes to that.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "spec/assert.h"
#include "spec/types.h"

namespace shardcheck::sim {

// From `at` on.
struct DriftChange {
  TrueTime at;
  std::int64_t drift_ppm = 0;

  friend bool operator==(const DriftChange&, const DriftChange&) = default;
};
inline constexpr std::size_t kDriftChangesMax = 3;  // of one clock

class Clock {
 public:
  Clock() = default;
  // `drift` in parts per million of true time; |offset| is held within `offset_max`.
  Clock(Duration offset, std::int64_t drift, Duration offset_max)
      : pieces_{Piece{TrueTime{}, offset, drift}}, offset_max_(offset_max) {}

  // In order of time, kDriftChangesMax at most.
  void change_drift(DriftChange change) {
    SHARDCHECK_ASSERT(count_ < pieces_.size());
    SHARDCHECK_ASSERT(pieces_[count_ - 1U].since <= change.at);
    pieces_[count_] = {change.at, Duration{offset_at(change.at)}, change.drift_ppm};
    ++count_;
  }

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

  // Sets the offset as of `now`; the drift goes on from there, and changes when it would have.
  void shift_to(Duration offset, TrueTime now) {
    const std::size_t present = piece_at(now);
    const std::array<Piece, kDriftChangesMax + 1> before = pieces_;
    const std::size_t count = std::exchange(count_, std::uint8_t{1});
    pieces_[0] = {now, offset, before[present].drift_ppm};
    for (std::size_t i = present + 1; i < count; ++i) {
      change_drift({before[i].since, before[i].drift_ppm});
    }
    ++shifts_;
  }
  std::uint32_t shifts() const { return shifts_; }

 private:
  struct Piece {
    TrueTime since;
    Duration offset;  // then
    std::int64_t drift_ppm = 0;
  };

  std::size_t piece_at(TrueTime now) const {
    std::size_t piece = count_ - 1U;
    while (piece > 0 && now < pieces_[piece].since) {
      --piece;
    }
    return piece;
  }
  std::int64_t offset_at(TrueTime now) const {
    const Piece& piece = pieces_[piece_at(now)];
    const std::int64_t drifted = piece.offset.value + (now.value - piece.since.value) * piece.drift_ppm / 1'000'000;
    return std::clamp(drifted, -offset_max_.value, offset_max_.value);
  }

  std::array<Piece, kDriftChangesMax + 1> pieces_;
  Duration offset_max_;
  std::uint32_t shifts_ = 0;
  std::uint8_t count_ = 1;  // of `pieces_`
};

}  // namespace shardcheck::sim
