// How fast the lookup tables are beside what everybody starts with, in one run each: positions, keys, preference lists,
// ranges. Independent lookups of uniform questions unless it says otherwise, answers asserted to be equal where both
// sides answer the same.
#pragma once

#include <cstddef>

#include "bench/key_samples.h"
#include "bench/measure.h"
#include "spec/error.h"

namespace shardcheck::bench {

// LineTable in batches against std::lower_bound over the same 32-bit positions, sorted in one array on pages of the
// same kind; both tell the owner. Takes 2 s, at 20 million points 15 s and 0.7 GB.
Ratio measure_table_lookup(std::size_t points);

// The same, where each lookup waits for the one before: the last answer is part of the next question.
Ratio measure_dependent_lookup(std::size_t points);

// LineTable in batches against independent random reads of as many bytes as its lines have. A speedup of 0.5 says that
// a lookup takes as long as two reads.
Ratio measure_table_against_memory(std::size_t points);

// From a key of 12 bytes to the owner among 20 thousand points, hashing included: XXH3 and LineTable one by one against
// memcached_generate_hash with weighted ketama over 16 thousand points, the most that it can have. Fails: not
// installed.
Result<Ratio> measure_key_to_owner();

// Preference lists of three: packed, in batches, against the walk from point to point, on the ring.
Ratio measure_preference_list(std::size_t points);

// From a key of 16 to 32 bytes to its range: RangeIndex one by one against an ordered map with the boundaries.
Ratio measure_range_lookup_map(std::size_t ranges);
Result<Ratio> measure_range_lookup_btree(std::size_t ranges);  // of Abseil. Fails: not installed

}  // namespace shardcheck::bench
