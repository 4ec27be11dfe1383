// Does the parts of a work in several threads, so that what comes out does not depend on which was faster.
#pragma once

#include <cstdint>
#include <functional>

namespace shardcheck::histories {

// Asked by a part now and then: whether its result is not wanted any more.
using IsUnwanted = std::function<bool()>;
// Does the part of this number; true: the parts behind it are not wanted any more.
using RunPart = std::function<bool(std::uint32_t part, const IsUnwanted& is_unwanted)>;

// Parts are begun in order, at most `threads` at a time (one: in the caller's thread). Returns how many parts count:
// all, or those up to the first that said true; each of them was done to its end. An exception of a part is thrown
// again here, after all threads have ended; if several parts threw, that of the first one.
std::uint32_t run_partitions(std::uint32_t parts, std::uint32_t threads, const RunPart& run);

}  // namespace shardcheck::histories
