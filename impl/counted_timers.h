// Timers for a deadline that moves on. They cannot be taken back, so those of earlier deadlines fire all the same; and
// one may fire before its time, when the clock is set back while it waits for a busy process. Nobody waits for ever as
// long as the last one that is under way is set again.
#pragma once

#include <cstdint>

#include "impl/records.h"

namespace shardcheck::impl {

class CountedTimers {
 public:
  void set(Instant at, TimerToken token, ClusterOutputs& outputs) {
    ++under_way_;
    outputs.wake_at(at, token);
  }
  // Says of a timer that fires whether the deadline is over, and sets another one if it was the last and came early.
  bool is_due(Instant deadline, TimerToken token, Instant now, ClusterOutputs& outputs) {
    fired();
    if (deadline <= now) {
      return true;
    }
    if (under_way_ == 0) {
      set(deadline, token, outputs);
    }
    return false;
  }
  // One fires of which nothing is expected any more.
  void fired() { under_way_ -= under_way_ > 0 ? 1U : 0U; }

 private:
  std::uint32_t under_way_ = 0;
};

}  // namespace shardcheck::impl
