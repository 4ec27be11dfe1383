// A history of operations of one's own, and what is said of it (model_search.h).
//
// Times are in any unit. An operation takes effect at one instant of the closed interval from its invocation to its
// return, so operations that touch at one instant are concurrent. One that never returned may take effect at any time
// from its invocation on, or never.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "histories/verdict.h"
#include "spec/types.h"

namespace shardcheck::histories {

template <class Operation>
struct Timed {
  std::uint64_t process = 0;  // whose; says nothing to the search
  TrueTime invoked_at;
  std::optional<TrueTime> returned_at;  // not before invoked_at; none: it never returned
  Operation operation;
};

// Steps and memory are for each partition by itself.
struct ModelBudget {
  std::uint64_t steps_max = 400'000'000;  // calls of the model's step
  // Beside the history. While a table grows, its old half is there too.
  std::uint64_t memory_bytes_max = std::uint64_t{2} << 30U;
  // Asked now and then, in each thread; once it says true, what is not decided yet is undecided.
  std::function<bool()> is_out_of_time{};
  std::uint32_t threads = 1;  // at most so many partitions are judged at a time
  // Otherwise it ends with the first violation that is found, and the report has only what was decided until then.
  bool judges_all = false;
};

struct PartitionVerdict {
  Verdict verdict = Verdict::undecided;
  Shortage shortage = Shortage::none;
  std::uint32_t first_operation = 0;  // of the partition: an index into the history
  std::uint64_t operations = 0;
  std::uint64_t steps = 0;         // also of shorter attempts before the last one
  std::uint64_t memory_bytes = 0;  // taken, at most
  // Indices into the history, in an order of effects that the model allows. Linearizable: all that returned, and what
  // else is needed. Otherwise as many of those that returned as were ever brought in an order; no order has more,
  // unless the search ran short or the model says what commutes (then what is certain to be in vain is not tried).
  std::vector<std::uint32_t> longest_prefix;
};

struct ModelReport {
  Verdict verdict = Verdict::linearizable;   // violated if any partition is, else undecided if any is
  std::vector<PartitionVerdict> partitions;  // in the order in which they appear in the history

  std::uint64_t steps() const;
};

}  // namespace shardcheck::histories
