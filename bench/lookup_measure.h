// How fast the ring's lookup is beside std::map, in one run: both on this machine, now, so that their ratio says
// something although the absolute times of another machine would not.
#pragma once

#include <cstddef>

#include "bench/measure.h"

namespace shardcheck::bench {

// CPU time of one lookup of a position among `points` points (at least 100): RingTable::owner_at against
// std::map::lower_bound with wrap-around. Independent lookups of uniform positions; medians of interleaved repetitions,
// so that a change of clock speed or a noisy neighbour hits both. Hashing is not included. Takes about a second at
// 20,000 points. Asserts that both give the same owners.
Ratio measure_ring_lookup(std::size_t points);

}  // namespace shardcheck::bench
