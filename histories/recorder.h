// Records a history while it happens: for programs that talk to a store from several threads and want it judged.
//
// Call begin() before an operation is sent and one of ok(), refused() and unknown() after its answer came. Each takes
// the time itself, within the call and in one order for all threads, so that what is recorded as one after the other
// was so. Every process (a thread, or a client) has one operation at a time; after unknown() give it another name, or
// count on it to have nothing under way any more.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

#include "histories/history.h"
#include "spec/operation.h"
#include "spec/types.h"

namespace shardcheck::histories {

// Nothing, a whole number, or a string.
using PlainValue = std::variant<std::monostate, std::int64_t, std::string>;

// Safe to use from several threads at once.
class Recorder {
 public:
  // `now` gives nanoseconds of a clock that never goes backwards; it is called under the recorder's lock.
  explicit Recorder(std::function<TrueTime()> now) : now_(std::move(now)) {}

  struct Call {
    std::uint32_t operation;
  };

  // `argument`: of a write or an append what, of a compare-and-set the new value; `expected` the one to be replaced.
  // A number that is appended is a list of one.
  Call begin(const PlainValue& process, const PlainValue& key, OperationKind kind, const PlainValue& argument = {},
             const PlainValue& expected = {});
  // `observed`: what a read or an increment was told.
  void ok(Call call, const PlainValue& observed = {});
  // It did not happen and never will.
  void refused(Call call);
  // It may have happened, now or later, or never.
  void unknown(Call call);
  // A fault or a move, for whoever looks at the history later.
  void nemesis(std::string_view what);

  // All so far. What has not returned yet may have happened or not.
  History history() const;

 private:
  ValueId value_of(const PlainValue& value);
  TrueTime later_time();

  mutable std::mutex mutex_;
  std::function<TrueTime()> now_;
  TrueTime last_;
  HistoryBuilder builder_;
};

}  // namespace shardcheck::histories
