// Small random histories for tests: most of them nearly linearizable, so that both verdicts are common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "histories/flat_map.h"
#include "histories/history.h"

namespace shardcheck::histories {

// Deterministic on every machine: splitmix64, and no distribution of the standard library.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return (next() >> 32U) * bound >> 32U; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t next() {
    const std::uint64_t number = mixed(state_);
    state_ += 0x9e3779b97f4a7c15U;
    return number;
  }

  std::uint64_t state_;
};

struct RandomHistoryShape {
  std::vector<OperationKind> kinds;
  std::uint64_t operations_max = 8;
  std::uint64_t clients = 3;
  std::uint64_t values = 3;  // how many different ones are written; 0: every write has its own
  std::uint64_t pending_one_in = 8;
  std::uint64_t wrong_one_in = 2;  // an answer that is made up
  bool uses_strings = false;       // of appends; otherwise lists of one number
};

// How many random histories a test tries: so many, or what the environment variable SHARDCHECK_RANDOM_HISTORIES says,
// as in the nightly run.
std::uint64_t random_histories_wanted(std::uint64_t ordinarily);

// Runs clients against one true value, each operation taking effect somewhere between invocation and return, and now
// and then lies. Time often stands still, so that intervals touch.
void make_random_history(RandomNumbers& random, const RandomHistoryShape& shape, HistoryBuilder& out);

}  // namespace shardcheck::histories
