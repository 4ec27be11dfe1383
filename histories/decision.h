// What a decider of one structure says about the history of a key.
#pragma once

#include <algorithm>
#include <optional>

#include "histories/key_history.h"
#include "histories/verdict.h"

namespace shardcheck::histories {

struct Decision {
  Verdict verdict = Verdict::undecided;
  // Not linearizable: where the first return that cannot be explained probably is. A hint for whoever looks for it.
  Position suspect = kNever;
  Position sound_until = 0;  // for certain, up to just after this the history is linearizable
};

// Nothing when the history is not of the decider's form.
using MaybeDecision = std::optional<Decision>;

inline Decision refuted(Position suspect) { return {.verdict = Verdict::not_linearizable, .suspect = suspect}; }

// The return of the operation that was invoked at `invoked`.
inline Position return_of_invocation(const KeyHistory& history, Position invoked) {
  const auto found = std::ranges::lower_bound(history.operations, invoked, {}, &KeyOperation::invoked);
  return found == history.operations.end() ? kNever : found->returned;
}

}  // namespace shardcheck::histories
