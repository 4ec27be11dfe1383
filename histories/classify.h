// What is wrong with a key that is not linearizable, and what still holds: weaker levels, how stale, what was lost.
//
// Everything is counted only where it is certain. Versions are told apart by their values: where a value was written
// several times, a read of it counts as one of the newest of them that it may have seen. What cannot be judged so
// (mixtures of appends or increments with writes) is undecided and counts nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "histories/history.h"
#include "histories/key_history.h"
#include "histories/verdict.h"

namespace shardcheck::histories {

enum class Holds : std::uint8_t { yes, no, undecided };
constexpr std::string_view name_of(Holds holds) {
  switch (holds) {
    case Holds::yes: return "yes";
    case Holds::no: return "no";
    case Holds::undecided: return "undecided";
  }
  return "";
}

// How often something was found, and the line of one example (of its return; of its invocation if it never returned).
struct Tally {
  std::uint64_t count = 0;
  std::uint32_t line = 0;

  void add(std::uint32_t at_line) {
    line = count == 0 ? at_line : line;
    ++count;
  }
};

struct Staleness {
  Duration time{};  // from the acknowledgement of something newer to the invocation of the read
  std::uint32_t time_line = 0;
  std::uint64_t versions = 0;  // how many newer ones had been acknowledged before the read began
  std::uint32_t versions_line = 0;
};

struct Classification {
  Shortage shortage = Shortage::none;  // for want of that, nothing was counted
  Holds is_sequential = Holds::undecided;
  // Of each process by itself. yes: of all that could be told apart.
  Holds has_monotonic_reads = Holds::undecided;
  Holds reads_its_writes = Holds::undecided;
  Tally reads_backwards;    // a read older than one before it of the same process
  Tally own_writes_missed;  // a read older than an acknowledged change of the same process

  Tally stale_reads;
  Staleness worst;
  Tally lost_writes;            // acknowledged, never seen, and an older value was read afterwards
  Tally lost_appends;           // acknowledged, and not in what was read last
  Tally lost_increments;        // acknowledged with a number that another one was told too
  Tally duplicated_appends;     // shown more often than it was asked for
  Tally duplicated_increments;  // how many more were counted than asked for
  Tally never_written;          // a read, or what depends on one, of something that nobody had asked to write
};

struct ClassifyBudget {
  std::function<bool()> is_out_of_time{};
  std::uint64_t memory_bytes_max = std::numeric_limits<std::uint64_t>::max();
};

// `whole`: of one key. O(n log n) but for is_sequential, which is bounded by steps.
Classification classify(const History& history, const KeyHistory& whole, const ClassifyBudget& budget = {});

// Is there an order of effects, each after its process's earlier ones, whatever the time, that gives all answers? The
// memory is for what grows with the steps; the rest is linear.
Holds is_sequentially_consistent(const History& history, const KeyHistory& whole, std::uint64_t steps_max,
                                 std::uint64_t memory_bytes_max = std::numeric_limits<std::uint64_t>::max());

}  // namespace shardcheck::histories
