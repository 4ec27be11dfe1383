// A placement that lives in another program, by the protocol of examples/my_ring_any_language/README.md.
//
// Each instance has a process of its own while it lives, taken from those that earlier instances have given back; so
// two instances share nothing, and a whole run needs about four processes. Owners are asked for in lines of many keys.
//
// A program that ends, is silent, or answers what is no answer breaks down: its instance answers errors from then on,
// and PlacementFactory::take_breakdown tells why once. An answer "error ..." is no breakdown but a refusal.
#pragma once

#include <chrono>
#include <string>

#include "spec/error.h"
#include "spec/placement.h"

namespace shardcheck::external {

struct ProgramOptions {
  std::string command;                       // as the shell takes it, on one line
  std::chrono::milliseconds timeout{5'000};  // for each answer
};

// Starts one process and asks what it promises. Fails when it cannot be started or breaks down until it is ready for
// its first member. The factory's name is "exec COMMAND".
Result<PlacementFactory> external_placement(const ProgramOptions& options);

}  // namespace shardcheck::external
