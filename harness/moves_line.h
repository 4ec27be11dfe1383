// The line of a scenario that says how the reference moves ranges: "moves movers 2 at_once 1". Only what is not as
// usual is said, in a fixed order; a cluster in which everything is usual has no such line.
#pragma once

#include <string>

#include "harness/line_words.h"
#include "impl/options.h"

namespace shardcheck::harness {

// With its end of line; empty if everything is usual.
std::string moves_line(const impl::ClusterOptions& cluster);
// What is behind the word "moves". The first thing that is wrong is kept in `words`.
void take_moves(Words& words, impl::ClusterOptions& cluster);

}  // namespace shardcheck::harness
