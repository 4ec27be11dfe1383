// Reads what follows the time in a line of a scenario that says a step.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/line_words.h"
#include "harness/scenario.h"
#include "spec/system.h"

namespace shardcheck::harness {

// How many there are of everything that lines name.
struct MakeUp {
  int clients = 0;
  int shards = 0;
  int processes = 0;
  KeyRange keys;
};

NodeId read_process(const MakeUp& make_up, Words& words, std::string_view what);

// Beyond its bound the simulated clock would stand still at it, and the run would not be what its file says.
void check_clock_offset(const Scenario& scenario, Duration offset, Words& words);

// The end of a line about a crash: "kept 2", of a cluster whose records are bytes perhaps "torn 5" behind it.
void read_what_a_crash_leaves(Words& words, bool has_bytes, sim::Deviation& deviation);

// For one line. `scenario` is what was read so far; `last_sequence`, by client, is kept up to date. Errors are
// `words`'.
class StepParser {
 public:
  StepParser(const Scenario& scenario, const MakeUp& make_up, std::vector<std::uint32_t>& last_sequence)
      : scenario_(scenario), make_up_(make_up), last_sequence_(last_sequence) {}

  decltype(Step::what) what(Words& words);

 private:
  ClientStep client(Words& words);
  ShardId range(Words& words) const;
  SplitStep split(Words& words) const;
  MetadataSplitStep split_metadata(Words& words) const;
  MoveStep move(Words& words) const;
  static MoveOptions move_options(Words& words);
  LeaveStep leave(Words& words) const;
  NodeId storage_node(Words& words) const;
  FaultStep fault(Words& words) const;

  const Scenario& scenario_;
  const MakeUp& make_up_;
  std::vector<std::uint32_t>& last_sequence_;
};

}  // namespace shardcheck::harness
