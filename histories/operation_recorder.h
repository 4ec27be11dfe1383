// Records a history of operations of one's own while it happens (recorder.h is for those of key-value stores): begin()
// before an operation, returned() after it, with the answer filled in. What never returns may have happened or not.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "histories/timed_operation.h"
#include "spec/types.h"

namespace shardcheck::histories {

// Safe to use from several threads at once. Times are taken within the calls, so what is recorded as one after the
// other was so.
template <class Operation>
class OperationRecorder {
 public:
  // `now` gives the time of a clock that never goes backwards; it is called under the recorder's lock.
  explicit OperationRecorder(std::function<TrueTime()> now) : now_(std::move(now)) {}

  // Gives what returned() is to be called with, at most once.
  std::uint32_t begin(std::uint64_t process, Operation asked) {
    const std::scoped_lock lock(mutex_);
    history_.push_back({.process = process, .invoked_at = now_(), .returned_at = {}, .operation = std::move(asked)});
    return static_cast<std::uint32_t>(history_.size() - 1);
  }

  // `answered`: what was asked together with the answer.
  void returned(std::uint32_t call, Operation answered) {
    const std::scoped_lock lock(mutex_);
    history_[call].operation = std::move(answered);
    history_[call].returned_at = now_();
  }

  // All so far.
  std::vector<Timed<Operation>> history() const {
    const std::scoped_lock lock(mutex_);
    return history_;
  }

 private:
  mutable std::mutex mutex_;
  std::function<TrueTime()> now_;
  std::vector<Timed<Operation>> history_;
};

}  // namespace shardcheck::histories
