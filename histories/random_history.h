// Small random histories for tests: most of them nearly linearizable, so that both verdicts are common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "histories/history.h"
#include "histories/random_numbers.h"

namespace shardcheck::histories {

struct RandomHistoryShape {
  std::vector<OperationKind> kinds;
  std::uint64_t operations_max = 8;
  std::uint64_t clients = 3;
  std::uint64_t values = 3;  // how many different ones are written; 0: every write has its own
  std::uint64_t pending_one_in = 8;
  std::uint64_t wrong_one_in = 2;  // an answer that is made up
  bool observes_refusals = false;  // a compare-and-set that is refused is known to have found another value
  bool uses_strings = false;       // of appends; otherwise lists of one number
  bool writes_pieces = false;      // a write too is of such a piece, which begins the log anew
  bool has_empty_piece = false;    // one of the pieces is empty: appending it changes at most that something is there
};

// How many random histories a test tries: so many, or what the environment variable SHARDCHECK_RANDOM_HISTORIES says,
// as in the nightly run.
std::uint64_t random_histories_wanted(std::uint64_t ordinarily);

// Runs clients against one true value, each operation taking effect somewhere between invocation and return, and now
// and then lies. Time often stands still, so that intervals touch.
void make_random_history(RandomNumbers& random, const RandomHistoryShape& shape, HistoryBuilder& out);

}  // namespace shardcheck::histories
