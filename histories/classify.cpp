#include "histories/classify.h"

#include "histories/classify_parts.h"
#include "histories/reductions.h"

namespace shardcheck::histories {

Classification classify(const History& history, const KeyHistory& whole, const ClassifyBudget& budget) {
  constexpr std::uint64_t kStepsOfSequential = 300'000;
  constexpr std::uint64_t kBytesPerOperation = 400;  // of whatever counts
  Classification found;
  const auto has_time = [&] { return !budget.is_out_of_time || !budget.is_out_of_time(); };
  if (!has_time()) {
    found.shortage = Shortage::time;
    return found;
  }
  if (whole.operations.size() > budget.memory_bytes_max / kBytesPerOperation) {
    found.shortage = Shortage::memory;
    return found;
  }
  switch (structure_of(whole)) {
    case Structure::registers: classify_register(history, whole, found); break;
    case Structure::log: classify_log(history, whole, budget.is_out_of_time, found); break;
    case Structure::counter: classify_counter(history, whole, found); break;
    case Structure::mixed: found.untold = Untold::mixture; break;
  }
  if (has_time()) {
    found.is_sequential = is_sequentially_consistent(history, whole, kStepsOfSequential, budget.memory_bytes_max / 2);
  }
  if (found.is_sequential == Holds::yes) {
    // Then one order has every process's own reads and writes in its place. What only the time between processes told
    // to be older is counted as stale.
    found.has_monotonic_reads = Holds::yes;
    found.reads_its_writes = Holds::yes;
    found.reads_backwards = {};
    found.own_writes_missed = {};
  }
  return found;
}

}  // namespace shardcheck::histories
