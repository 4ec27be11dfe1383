// What reading a history may take. A reader that would take more stops with an error and says here what there was too
// little of: then the history is undecided, and not bad input.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "histories/verdict.h"

namespace shardcheck::histories {

struct ReadBudget {
  std::uint64_t memory_bytes_max = std::numeric_limits<std::uint64_t>::max();  // of the history
  std::function<bool()> is_out_of_time{};

  // Set by the reader.
  std::uint64_t memory_bytes = 0;
  Shortage shortage = Shortage::none;
};

}  // namespace shardcheck::histories
