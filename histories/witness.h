// The proof of "linearizable": an order of effects that is replayed through the sequential model. Deciders construct
// one and have it checked, so that a mistake of theirs can never turn into a wrong acceptance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "histories/key_history.h"
#include "histories/search_values.h"

namespace shardcheck::histories {

// Reusable; allocates only while its buffers grow.
class Witness {
 public:
  // Whether `order`, indexes into the history's operations, holds every operation that returned and none twice, no
  // operation behind one that was invoked after its return, and every answer is the model's. Linear time.
  bool explains(const KeyHistory& history, std::span<const std::uint32_t> order);

 private:
  SearchValues values_;
  std::vector<bool> is_taken_;
};

// Builds up a stretch of an order and keeps whether it respects the order of time so far: nothing stands behind
// something that was invoked after its return.
class TimeCheck {
 public:
  // Puts operations of which the earliest return and the last invocation are these behind all others, in the order of
  // their invocations. False when one of them returned before one that stands before it was invoked.
  bool put(Position first_return, Position last_invocation) {
    if (first_return < last_invocation_) {
      return false;
    }
    last_invocation_ = last_invocation > last_invocation_ ? last_invocation : last_invocation_;
    return true;
  }
  Position last_invocation() const { return last_invocation_; }

 private:
  Position last_invocation_ = 0;
};

}  // namespace shardcheck::histories
