#include "histories/availability.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <queue>

#include "histories/flat_map.h"

namespace shardcheck::histories {
namespace {

struct Event {
  TrueTime at;
  std::uint32_t line;
  std::uint32_t operation;
  std::uint32_t key;
  bool is_return;

  friend auto operator<=>(const Event&, const Event&) = default;
};

bool is_success(const RecordedOperation& operation) {
  return operation.outcome == OutcomeKind::ok ||
         (operation.outcome == OutcomeKind::refused && operation.kind == OperationKind::compare_and_set);
}

// Goes through the events of one key in the order of time.
class Sweep {
 public:
  Sweep(const History& history, ValueId key) : history_(&history) { found_.key = key; }

  void take(const Event& event) {
    if (event.is_return) {
      finish(event);
      return;
    }
    if (waiting_.empty()) {
      busy_since_ = event.at;
      busy_first_ = event.operation;
    }
    if (asked_ == 0) {
      begin_ = event.at;
      first_ = event.operation;
    }
    ++found_.operations;
    ++asked_;
    ++asked_after_success_;
    waiting_.push_back(event.operation);
  }

  // Whoever still waits does so to the end of the recording.
  KeyAvailability end(TrueTime last) {
    if (!waiting_.empty()) {
      last_failure_ = last;
      has_failure_ = true;
    }
    if (!has_failure_) {
      return found_;
    }
    const Outage outage{
        .begin = begin_, .end = last_failure_, .operation = first_, .operations = asked_, .is_final = true};
    keep(outage);
    if (asked_after_success_ >= kAsksOfDeadKey) {
      found_.dead = outage;
    }
    return found_;
  }

 private:
  void finish(const Event& event) {
    std::erase(waiting_, event.operation);
    if (!is_success(history_->operations[event.operation])) {
      has_failure_ = true;
      last_failure_ = event.at;
      return;
    }
    ++found_.successes;
    if (has_failure_ && last_failure_ < busy_since_) {
      keep({.begin = begin_, .end = last_failure_, .operation = first_, .operations = asked_ - 1});
      keep({.begin = busy_since_, .end = event.at, .operation = busy_first_, .operations = 1 + waiting_.size()});
    } else {
      keep({.begin = begin_, .end = event.at, .operation = first_, .operations = asked_});
    }
    std::erase_if(waiting_, [this](std::uint32_t i) { return !history_->operations[i].has_returned(); });
    has_failure_ = false;
    asked_ = waiting_.size();
    asked_after_success_ = 0;
    begin_ = event.at;
    busy_since_ = event.at;
    if (!waiting_.empty()) {
      first_ = waiting_.front();
      busy_first_ = first_;
    }
  }

  void keep(const Outage& outage) {
    if (!found_.longest || found_.longest->length() < outage.length()) {
      found_.longest = outage;
    }
  }

  const History* history_;
  KeyAvailability found_{.key = {}, .longest = {}, .dead = {}};
  std::vector<std::uint32_t> waiting_;  // in the order of invocation; as many as there are clients
  // Since the last success.
  TrueTime begin_{};
  std::uint32_t first_ = 0;
  std::uint64_t asked_ = 0;  // with those that were outstanding then
  std::uint64_t asked_after_success_ = 0;
  bool has_failure_ = false;
  TrueTime last_failure_{};
  // The time for which somebody has been waiting without a break, as far as it lies behind the last success.
  TrueTime busy_since_{};
  std::uint32_t busy_first_ = 0;
};

}  // namespace

// Operations are in the order of their invocations, so that only the returns that are due have to be sorted.
std::vector<KeyAvailability> availability_of(const History& history) {
  std::vector<Sweep> sweeps;
  FlatMap number_of_key;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> returns;
  TrueTime last;
  const auto take_return = [&] {
    last = std::max(last, returns.top().at);
    sweeps[returns.top().key].take(returns.top());
    returns.pop();
  };
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const RecordedOperation& operation = history.operations[i];
    const auto next = static_cast<std::uint32_t>(sweeps.size());
    const std::uint32_t key = number_of_key.find_or_insert(operation.key.value, next);
    if (key == next) {
      sweeps.emplace_back(history, operation.key);
    }
    if (operation.is_initial()) {
      continue;
    }
    while (!returns.empty() && returns.top().at < operation.invoked_at) {
      take_return();
    }
    last = std::max(last, operation.invoked_at);
    sweeps[key].take(
        {.at = operation.invoked_at, .line = operation.invoke_line, .operation = i, .key = key, .is_return = false});
    if (operation.has_returned()) {
      returns.push(
          {.at = operation.returned_at, .line = operation.return_line, .operation = i, .key = key, .is_return = true});
    }
  }
  while (!returns.empty()) {
    take_return();
  }
  std::vector<KeyAvailability> keys;
  for (Sweep& sweep : sweeps) {
    keys.push_back(sweep.end(last));
  }
  return keys;
}

}  // namespace shardcheck::histories
