// What the fuzz targets over scenarios share: they differ in how an input becomes the answers to a run's questions. One
// run: nothing may be violated, no run may go on for ever, and what was written down of a run must be the same run
// again. A failure prints the shrunk run, writes it as a scenario and aborts. All runs are short ones (short_runs.h).
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner.h"
#include "sim/choices.h"

namespace shardcheck::fuzz {

// The first clause that the run violates, if any: then call fail_run with the same answers once more.
std::optional<ClauseId> run_scenario(sim::Choices& choices);
// Shrinks the failure, prints and writes it, and aborts.
[[noreturn]] void fail_run(sim::Choices& same_again, ClauseId clause);

// Seeds.

// Every fault at everybody in every phase of a move, and the three signals.
using Reached = std::bitset<harness::kReachCells + 3>;
Reached reached_in(const harness::RunReport& report);

struct Seed {
  std::string name;
  std::vector<std::uint8_t> bytes;
  Reached reached;
};
// Inputs of one target, of which the seeds are chosen.
using Candidates = std::function<std::vector<Seed>()>;

// Flags.

// Reads --mutant=NAME, --findings=FOLDER and --write-seeds=FOLDER, which writes seeds and ends the program. Whatever
// does not begin so is libFuzzer's. `target` stands in errors.
void read_flags(int argc, char** argv, std::string_view target, const Candidates& candidates);

}  // namespace shardcheck::fuzz
