// Decides keys that are only read and incremented: every answer says how many increments came before it. Linear but for
// sorting the increments that never returned.
#pragma once

#include <cstdint>
#include <vector>

#include "histories/decision.h"
#include "histories/key_history.h"
#include "histories/witness.h"

namespace shardcheck::histories {

// Reusable; allocates only while its buffers grow.
class Counters {
 public:
  // The history must be of Structure::counter and have been reduced (reductions.h).
  MaybeDecision decide(const KeyHistory& history);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // All that happens while the counter has one value: the increment that made it so, and the reads of it.
  struct Count {
    std::uint32_t increment = kNone;
    std::uint32_t reads = 0;
    std::uint32_t reads_begin = 0;  // into reads_
    Position first_return = kNever;
    Position last_read_invocation = 0;
  };

  bool collect(const KeyHistory& history);
  bool fill_gaps();
  bool is_in_time(const KeyHistory& history);
  const std::vector<std::uint32_t>& witness(const KeyHistory& history);

  std::vector<Count> counts_;           // from 0 up to the largest that was seen
  std::vector<std::uint32_t> pending_;  // increments that never returned, in the order of invocation
  std::vector<std::uint32_t> reads_;
  std::vector<std::uint32_t> order_;
  Position suspect_ = kNever;
  Witness witness_;
};

}  // namespace shardcheck::histories
