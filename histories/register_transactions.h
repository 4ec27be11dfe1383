// Judges histories of transactions that read and write several registers at once, as Knossos' multi-register model
// does: each takes effect as a whole, at one instant between its invocation and its return. Such a history falls into
// no parts by keys, so it is searched as one, by trying orders and remembering what has failed (Wing and Gong; Lowe);
// it decides histories of hundreds of transactions with little concurrency, and leaves others undecided within its
// budget.
#pragma once

#include <cstdint>
#include <functional>

#include "histories/history.h"
#include "histories/verdict.h"

namespace shardcheck::histories {

struct TransactionLimits {
  std::uint64_t steps_max = 50'000'000;
  std::uint64_t memory_bytes_max = std::uint64_t{1} << 30U;
  const std::function<bool()>* is_out_of_time = nullptr;  // asked now and then; null: never
};

struct TransactionResult {
  Verdict verdict = Verdict::undecided;
  std::uint64_t steps = 0;
  Shortage shortage = Shortage::none;  // when undecided
};

// Of history.transactions; every register is absent at first.
TransactionResult judge_transactions(const History& history, const TransactionLimits& limits);

}  // namespace shardcheck::histories
