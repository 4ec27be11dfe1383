// Whether a key could be used, beside whether what it said was right: a key that died is perfectly linearizable.
//
// An operation *succeeds* when it returns ok. So does a compare-and-set that is refused: most often the value was not
// there, and that is an answer. The time without a success runs only where there is evidence of it: from the first
// operation that was asked since the last success (or was outstanding then) to the next success or, if nobody was
// waiting any more, to the last operation that failed. So a key that nobody asks is never called unavailable, and the
// pause between two attempts that both fail belongs to the time without a success. And one that never returned counts
// as waiting only until the next success of another one: whoever asked may be gone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "histories/history.h"

namespace shardcheck::histories {

struct Outage {
  TrueTime begin{};
  TrueTime end{};
  std::uint32_t operation = 0;   // index into History::operations: the first that was waiting
  std::uint64_t operations = 0;  // how many were asked and got no answer, or are the one that ended it
  bool is_final = false;         // it lasted to the end of what was asked of the key

  Duration length() const { return end - begin; }
};

struct KeyAvailability {
  ValueId key;
  std::uint64_t operations = 0;
  std::uint64_t successes = 0;
  std::optional<Outage> longest;
  // From some moment on nothing succeeded any more, though kAsksOfDeadKey operations or more were begun after that.
  std::optional<Outage> dead;
};

// One or two unanswered operations at the end of a recording are its end, not the key's.
inline constexpr std::uint64_t kAsksOfDeadKey = 3;

// In the order in which keys appear. O(n log c) for c operations at a time, and no memory but for them and for each
// key.
std::vector<KeyAvailability> availability_of(const History& history);

}  // namespace shardcheck::histories
