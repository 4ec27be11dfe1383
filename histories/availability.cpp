#include "histories/availability.h"

#include <algorithm>
#include <compare>

#include "histories/flat_map.h"

namespace shardcheck::histories {
namespace {

struct Event {
  TrueTime at;
  bool is_return;
  std::uint32_t line;
  std::uint32_t operation;

  friend auto operator<=>(const Event&, const Event&) = default;
};

bool is_success(const RecordedOperation& operation) {
  return operation.outcome == OutcomeKind::ok ||
         (operation.outcome == OutcomeKind::refused && operation.kind == OperationKind::compare_and_set);
}

// Goes through the events of one key in the order of time.
class Sweep {
 public:
  Sweep(const History& history, KeyAvailability& found) : history_(history), found_(found) {}

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
    ++asked_;
    ++asked_after_success_;
    waiting_.push_back(event.operation);
  }

  // Whoever still waits does so to the end of the recording.
  void end(TrueTime last) {
    if (!waiting_.empty()) {
      last_failure_ = last;
      has_failure_ = true;
    }
    if (!has_failure_) {
      return;
    }
    const Outage outage{
        .begin = begin_, .end = last_failure_, .operation = first_, .operations = asked_, .is_final = true};
    keep(outage);
    if (asked_after_success_ >= kAsksOfDeadKey) {
      found_.dead = outage;
    }
  }

 private:
  void finish(const Event& event) {
    std::erase(waiting_, event.operation);
    if (!is_success(history_.operations[event.operation])) {
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
    std::erase_if(waiting_, [this](std::uint32_t i) { return !history_.operations[i].has_returned(); });
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

  const History& history_;
  KeyAvailability& found_;
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

std::vector<KeyAvailability> availability_of(const History& history) {
  std::vector<KeyAvailability> keys;
  FlatMap number_of_key;
  std::vector<std::vector<Event>> events;
  TrueTime last;
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const RecordedOperation& operation = history.operations[i];
    const auto next = static_cast<std::uint32_t>(keys.size());
    const std::uint32_t number = number_of_key.find_or_insert(operation.key.value, next);
    if (number == next) {
      keys.push_back({.key = operation.key, .longest = {}, .dead = {}});
      events.emplace_back();
    }
    if (operation.is_initial()) {
      continue;
    }
    ++keys[number].operations;
    events[number].push_back({operation.invoked_at, false, operation.invoke_line, i});
    last = std::max(last, operation.invoked_at);
    if (operation.has_returned()) {
      events[number].push_back({operation.returned_at, true, operation.return_line, i});
      last = std::max(last, operation.returned_at);
    }
  }
  for (std::uint32_t number = 0; number < keys.size(); ++number) {
    std::ranges::sort(events[number]);
    Sweep sweep(history, keys[number]);
    for (const Event& event : events[number]) {
      sweep.take(event);
    }
    sweep.end(last);
  }
  return keys;
}

}  // namespace shardcheck::histories
