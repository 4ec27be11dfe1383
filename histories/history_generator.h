// Makes histories of any size that are linearizable by construction, or wrong in exactly one read: for benchmarks, and
// for trying a checker.
//
// A closed loop of clients, in virtual time. Each operation takes effect at a moment drawn between its invocation and
// its return, on one true state. Every value that is written is new.
#pragma once

#include <cstdint>

#include "histories/history.h"
#include "spec/error.h"
#include "spec/types.h"

namespace shardcheck::histories {

// A share in millionths.
struct Share {
  std::uint32_t millionths = 0;

  friend bool operator==(Share, Share) = default;
};
constexpr Share percent(std::uint32_t n) { return Share{n * 10'000}; }

struct GeneratorOptions {
  std::uint64_t operations = 1'000;
  std::uint32_t clients = 4;
  std::uint32_t keys = 1;
  // Of all operations: those that never return a verdict. Half of them take effect; their clients go on under a new
  // name, as Jepsen's do.
  Share pending{};
  Share writes = percent(50);  // of all operations: those that change something
  // Of the changes of a register; the rest are writes.
  Share deletes{};
  Share compare_and_sets{};
  // Of the keys; the rest are registers. What is read of a log is the whole log.
  Share logs{};
  Share counters{};
  Duration think_mean{100'000};  // a client's pause between operations, which last 1 ms on average
  // One read in the last tenth returns what had been replaced before by a change that returned before the read began.
  bool is_bad = false;
  std::uint64_t seed = 1;
  std::uint64_t items_read_max = std::uint64_t{1} << 26U;  // of logs, by all reads together
};

// Overwrites `out`. An error when shares of one whole are more than 1 together, when there is no place for the wrong
// read, or when the logs would be too long: what all reads of them return together is bounded.
Result<void> generate_history(const GeneratorOptions& options, HistoryBuilder& out);

}  // namespace shardcheck::histories
