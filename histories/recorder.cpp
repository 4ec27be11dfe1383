#include "histories/recorder.h"

#include <algorithm>
#include <span>

#include "spec/assert.h"

namespace shardcheck::histories {

ValueId Recorder::value_of(const PlainValue& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) {
    return builder_.values().number(*number);
  }
  const auto* const text = std::get_if<std::string>(&value);
  return text == nullptr ? kAbsent : builder_.values().string(*text);
}

// Equal times would be concurrent, although one call came after the other.
TrueTime Recorder::later_time() {
  last_ = std::max(now_(), last_ + Duration{1});
  return last_;
}

Recorder::Call Recorder::begin(const PlainValue& process, const PlainValue& key, OperationKind kind,
                               const PlainValue& argument, const PlainValue& expected) {
  const std::scoped_lock lock(mutex_);
  ValueId what = value_of(argument);
  if (kind == OperationKind::append) {
    SHARDCHECK_ASSERT(what != kAbsent);
    what = std::holds_alternative<std::int64_t>(argument) ? builder_.values().list(std::span(&what, 1)) : what;
  }
  const ValueId name = value_of(process);
  const ValueId where = value_of(key);
  const ValueId replaced = value_of(expected);
  return {builder_.invoke(later_time(),
                          {.process = name, .key = where, .kind = kind, .argument = what, .expected = replaced})};
}

void Recorder::ok(Call call, const PlainValue& observed) {
  const std::scoped_lock lock(mutex_);
  builder_.ok(later_time(), call.operation, value_of(observed));
}

void Recorder::refused(Call call) {
  const std::scoped_lock lock(mutex_);
  builder_.refused(later_time(), call.operation);
}

void Recorder::unknown(Call call) {
  const std::scoped_lock lock(mutex_);
  builder_.unknown(later_time(), call.operation);
}

void Recorder::nemesis(std::string_view what) {
  const std::scoped_lock lock(mutex_);
  builder_.nemesis(later_time(), what);
}

History Recorder::history() const {
  const std::scoped_lock lock(mutex_);
  return builder_.history();
}

}  // namespace shardcheck::histories
