// What a run, or many of them, had to bear, in figures: nothing of it is a violation, and none of it may go unseen.
#pragma once

#include <cstdint>
#include <string>

#include "spec/observation.h"

namespace shardcheck::harness {

struct RunFigures {
  std::uint64_t throttled_writes = 0;  // that had to wait for a move
  Duration throttled_for;              // all of them together
  std::uint64_t splits_first = 0;      // moves given up so that their range is split
  std::uint64_t longer_pauses = 0;     // that were accepted
  std::uint64_t refused_for_load = 0;  // attempts
  std::uint64_t inbox_overflows = 0;   // messages lost at a full inbox
  std::uint64_t nodes_left = 0;        // that gave everything away and were stopped

  void note(const Observation& fact);
  RunFigures& operator+=(const RunFigures& other);
  friend bool operator==(const RunFigures&, const RunFigures&) = default;
};

// "3 writes throttled for 12.5 ms, ...": of what there was only; empty if there was nothing.
std::string to_text(const RunFigures& figures);

}  // namespace shardcheck::harness
