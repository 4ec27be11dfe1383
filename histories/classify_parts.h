// What classify() finds by the structure of a key. Each fills all of a Classification but is_sequential.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "histories/classify.h"
#include "histories/flat_map.h"

namespace shardcheck::histories {

using OutOfTime = std::function<bool()>;

void classify_register(const History& history, const KeyHistory& whole, Classification& found);
void classify_log(const History& history, const KeyHistory& whole, const OutOfTime& is_out_of_time,
                  Classification& found);
void classify_counter(const History& history, const KeyHistory& whole, Classification& found);

// Of a register: the first return, if any, of an operation that is certainly stale or saw what nobody had written. Up
// to there the history is not linearizable; it may stop being so before. O(n log n).
std::optional<Position> first_stale_return(const KeyHistory& whole);

// Numbers the processes of a key from 0.
class ProcessNumbers {
 public:
  explicit ProcessNumbers(const History& history) : history_(history) {}

  std::uint32_t of(const KeyOperation& operation) {
    const std::uint32_t process = history_.operations[operation.source].process.value;
    return numbers_.find_or_insert(process, static_cast<std::uint32_t>(numbers_.size()));
  }

 private:
  const History& history_;
  FlatMap numbers_;
};

// What of each process is kept, made when it is first asked for.
template <class State>
class OfEachProcess {
 public:
  explicit OfEachProcess(const History& history) : numbers_(history) {}

  State& of(const KeyOperation& operation) {
    const std::uint32_t number = numbers_.of(operation);
    if (number >= states_.size()) {
      states_.resize(number + 1);
    }
    return states_[number];
  }

 private:
  ProcessNumbers numbers_;
  std::vector<State> states_;
};

inline std::uint32_t line_of(const History& history, const KeyOperation& operation) {
  const RecordedOperation& recorded = history.operations[operation.source];
  return operation.has_returned() ? recorded.return_line : recorded.invoke_line;
}

// A read that began when `versions` newer ones had been acknowledged, the first of them at `newer_since`. `tally`: of
// `found`, what it counts as.
inline void add_stale(const History& history, const KeyOperation& read, TrueTime newer_since, std::uint64_t versions,
                      Tally& tally, Classification& found) {
  const std::uint32_t line = line_of(history, read);
  const Duration time = history.operations[read.source].invoked_at - newer_since;
  tally.add(line);
  if (found.worst.time_line == 0 || found.worst.time < time) {
    found.worst.time = time;
    found.worst.time_line = line;
  }
  if (found.worst.versions < versions) {
    found.worst.versions = versions;
    found.worst.versions_line = line;
  }
}

inline Holds holds_unless(const Tally& broken, bool is_all_told_apart) {
  if (broken.count != 0) {
    return Holds::no;
  }
  return is_all_told_apart ? Holds::yes : Holds::undecided;
}

}  // namespace shardcheck::histories
