// Decides keys that are read, written, deleted, and changed by compare-and-set, of which no value was written twice: in
// the time of sorting, however many operations overlap. (For reads and writes alone this is Gibbons and Korach,
// "Testing shared memories", 1997.)
#pragma once

#include <cstdint>
#include <vector>

#include "histories/decision.h"
#include "histories/key_history.h"
#include "histories/register_sweep.h"
#include "histories/value_index.h"
#include "histories/witness.h"

namespace shardcheck::histories {

// Reusable; allocates only while its buffers grow.
class UniqueRegisters {
 public:
  // Nothing when the history is not of this form: a value is written twice, a compare-and-set is from or to the
  // absence, or, apart from deletes, something never returned. It must have been reduced (reductions.h).
  MaybeDecision decide(const KeyHistory& history);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Value {
    std::uint32_t producer = kNone;  // the operation that left it behind
    std::uint32_t consumer = kNone;  // the compare-and-set from it
    std::uint32_t reads = 0;
    std::uint32_t reads_begin = 0;  // into reads_
    Position reads_first_return = kNever;
    Position reads_last_invocation = 0;
  };

  bool collect(const KeyHistory& history);
  bool collect_operation(const KeyOperation& operation, std::uint32_t index);
  bool produce(ValueId value, std::uint32_t operation);
  Value& value_of(ValueId id);
  void add_item(const KeyOperation& operation, std::uint32_t index, SweepItem::Kind kind);
  bool join_chains(const KeyHistory& history);
  bool join_chain(const KeyHistory& history, std::uint32_t head);
  bool put(const KeyHistory& history, Position first_return, Position last_invocation);
  void gather_reads(const KeyHistory& history);
  const std::vector<std::uint32_t>& witness(const KeyHistory& history);
  Position suspect_of(const KeyHistory& history, std::uint32_t item) const;
  std::uint32_t next_in_chain(const KeyHistory& history, const Value& value) const;

  ValueIndex index_of_value_;
  std::vector<Value> values_;
  std::vector<SweepItem> items_;
  std::vector<std::uint32_t> subjects_;  // of each item: the index of a block's first value, or of the operation
  std::vector<std::uint32_t> reads_;     // of values, each value's together, in the order of invocation
  std::vector<std::uint32_t> order_;
  TimeCheck time_;             // of the chain that is being joined
  Position suspect_ = kNever;  // of the contradiction found while collecting and joining
  bool is_refuted_ = false;
  RegisterSweep sweep_;
  Witness witness_;
};

}  // namespace shardcheck::histories
