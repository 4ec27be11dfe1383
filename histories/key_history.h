// The part of a history that concerns one key, reduced to what the order of effects depends on. The checker judges
// each key by itself: a history is linearizable exactly when that of every key is (Herlihy and Wing 1990, locality).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "histories/flat_map.h"
#include "histories/history.h"

namespace shardcheck::histories {

// Invocations and returns of a key in the order of time, numbered from 0. Where times are equal, invocations come
// first, so that operations that touch are concurrent.
using Position = std::uint32_t;
inline constexpr Position kNever = std::numeric_limits<Position>::max();

struct KeyOperation {
  OperationKind kind = OperationKind::read;
  bool saw_other = false;  // of a read: what it saw was anything but `observed`; only the search can judge such a key
  ValueId argument{};
  ValueId expected{};
  ValueId observed{};  // of a read or an increment that returned
  Position invoked = 0;
  Position returned = kNever;  // kNever: it need not have happened
  std::uint32_t source = 0;    // index into History::operations

  bool has_returned() const { return returned != kNever; }
  friend bool operator==(const KeyOperation&, const KeyOperation&) = default;
};

struct KeyHistory {
  ValueId key;
  const ValueTable* values = nullptr;
  std::vector<KeyOperation> operations;  // in the order of their invocations
};

// Cuts histories by key. Refused operations did not happen and are left out; a compare-and-set that is known to have
// found another value is a read that saw another one. Reusable, and then free of allocation.
class Partition {
 public:
  // Returns how many keys there are; they are numbered in the order in which they appear. `history` must outlive the
  // use.
  std::uint32_t cut(const History& history);
  ValueId key(std::uint32_t key_number) const { return history_->operations[by_key_[starts_[key_number]]].key; }
  // Overwrites `out`.
  void key_history(std::uint32_t key_number, KeyHistory& out);
  // Invoked operations of the key, also those refused.
  std::uint32_t operations_of(std::uint32_t key_number) const { return starts_[key_number + 1] - starts_[key_number]; }

 private:
  struct Return {
    TrueTime at;
    std::uint32_t line;
    std::uint32_t index;  // into KeyHistory::operations

    friend auto operator<=>(const Return&, const Return&) = default;
  };

  void sort_returns();
  void give_positions(KeyHistory& out) const;

  const History* history_ = nullptr;
  FlatMap number_of_key_;
  std::vector<std::uint32_t> starts_;  // of each key in by_key_, and the end
  std::vector<std::uint32_t> by_key_;  // indexes of operations
  std::vector<std::uint32_t> key_of_operation_;
  std::vector<Return> returns_;  // in the order of time
  std::vector<Return> sorted_;   // scratch
  std::vector<std::uint32_t> bucket_ends_;
};

// What is known at the moment just after `last`: later invocations have not been made, later returns not been seen.
void cut_after(const KeyHistory& whole, Position last, KeyHistory& out);

}  // namespace shardcheck::histories
