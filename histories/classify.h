// What is wrong with a key that is not linearizable, and what still holds: weaker levels, how stale, what was lost.
//
// Everything is counted only where it is certain. Versions are told apart by their values: where a value was written
// several times, a read of it counts as one of the newest of them that it may have seen. What cannot be judged so
// (mixtures of appends or increments with writes, appended pieces that cannot be told apart: `Untold`) is undecided and
// counts nothing.
//
// What is counted are operations. No operation counts both as a stale read and as a resurrected delete, and what misses
// nothing but lost appends or increments is not stale. But one contradiction may be counted from both of its sides: of
// a register, the reads are stale and the write that they miss may be lost.
//
// One stale read proves no loss. An acknowledged write whose value nobody ever saw is lost only if
// - at least two reads began after it was acknowledged, and all that did show something older; or the first
//   compare-and-set that began after that found something older; and
// - no change that was acknowledged later can have overwritten it by then: of a chain of writes only the last can be
//   lost, and of writes that overlap the one that was acknowledged last.
// An acknowledged append that the last read does not show is lost only if that read shows something that was asked for
// after the acknowledgement, or if the read before it began after the acknowledgement too and does not show it either.
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

// Why a history's structure lets nothing be counted.
enum class Untold : std::uint8_t { nothing, pieces, mixture };
constexpr std::string_view name_of(Untold untold) {
  switch (untold) {
    case Untold::nothing: return "";
    case Untold::pieces: return "what was appended cannot be told apart in what was read";
    case Untold::mixture:
      return "appends or increments are mixed with other changes, or a cas told that it found another value";
  }
  return "";
}

struct Classification {
  Shortage shortage = Shortage::none;  // for want of that, nothing was counted
  Untold untold = Untold::nothing;     // because of that, nothing but is_sequential was decided
  Holds is_sequential = Holds::undecided;
  // Of each process by itself, its own changes in its order. yes: of all that could be told apart. Both follow from
  // sequential consistency: then they are yes, and what only other processes and the time tell to be older is stale,
  // but not counted here.
  Holds has_monotonic_reads = Holds::undecided;
  Holds reads_its_writes = Holds::undecided;
  Tally reads_backwards;    // a read older than one before it of the same process
  Tally own_writes_missed;  // a read older than an acknowledged change of the same process

  // Reads, and compare-and-sets and increments by what they must have found, of something older than what had been
  // acknowledged or read before they began.
  Tally stale_reads;
  // The same where an acknowledged delete, over before they began, had removed the value, and nobody wrote it again.
  Tally resurrected_deletes;
  Staleness worst;              // of both
  Tally lost_writes;            // see above; not deletes
  Tally lost_appends;           // see above
  Tally lost_increments;        // acknowledged with a number that another one was told too
  Tally duplicated_appends;     // shown more often than it was asked for
  Tally duplicated_increments;  // how many more were counted than asked for
  Tally never_written;          // a read of something that nobody had asked to write
  Tally never_there;            // a compare-and-set from a value that nobody had asked to write, which succeeded
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
