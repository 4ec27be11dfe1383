// Says why a key is not linearizable, or how far it is.
#pragma once

#include <span>

#include "histories/contradiction.h"
#include "histories/contradiction_words.h"
#include "histories/explanation.h"
#include "histories/history.h"
#include "histories/key_history.h"

namespace shardcheck::histories {

// The operations of a key that returned, in the order of their returns.
std::vector<const KeyOperation*> by_return(const KeyHistory& whole);

// The first `answers` of them.
LinearizablePrefix prefix_of(const History& history, std::span<const KeyOperation* const> by_return,
                             std::size_t answers);

// `unexplained`: how many answers are linearizable, the next one not (by_return[unexplained]). `decide` may be
// undecided; it is given about a hundred histories, most of them tiny, of ten million operations in all.
Explanation explain_answer(const History& history, const KeyHistory& whole,
                           std::span<const KeyOperation* const> by_return, std::size_t unexplained,
                           const Decide& decide, const Telling& telling);

// Whether a few operations of a register alone prove that the history up to just after `last` returned is not
// linearizable: `last`, whatever may have written its value, and the changes that were acknowledged shortly before it
// began. False says nothing. One small verdict.
bool is_contradicted_nearby(const KeyHistory& whole, const KeyOperation& last, const Decide& decide);

struct Reach {
  LinearizablePrefix prefix;  // the longest one that `decide` could decide; it may well be longer in truth
  // Some longer beginning is not linearizable, and so the whole is not.
  bool is_violated = false;
};

// For a key that was not decided as a whole. At most twelve verdicts.
Reach reach_of(const History& history, const KeyHistory& whole, const Decide& decide);

}  // namespace shardcheck::histories
