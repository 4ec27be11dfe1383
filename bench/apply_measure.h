// How fast a log is replayed onto ApplyStore beside a std::unordered_map, in one run.
#pragma once

#include <cstddef>

#include "bench/measure.h"

namespace shardcheck::bench {

// CPU time of one entry of a log of `keys` entries, replayed onto a store of so many keys (replay_samples.h), in
// batches: ApplyStore against std::unordered_map, which look up, compare versions, and copy the value. Steady state:
// all keys are there and values fit where the old ones were. Medians of interleaved passes; both include the stamping
// of the log, a few nanoseconds an entry. At the end both are compared, key by key, and asserted to be equal. Takes
// about 2 s at 100,000 keys.
Ratio measure_replay_apply(std::size_t keys);

}  // namespace shardcheck::bench
