// An oracle for small histories, for tests and fuzzing: tries every order of effects. It shares nothing with the
// checker but the model (spec/key_model.h): its own values, its own view of time, no reduction, no memory.
#pragma once

#include <cstddef>

#include "histories/history.h"

namespace shardcheck::histories {

inline constexpr std::size_t kOracleOperationsMax = 8;

// `history` must have at most kOracleOperationsMax operations. Exponential.
bool is_linearizable_by_brute_force(const History& history);

}  // namespace shardcheck::histories
