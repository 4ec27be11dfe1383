// Makes the history of a key smaller before it is searched, without changing whether it is linearizable. Each
// reduction's argument stands with it in reductions.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "histories/key_history.h"
#include "histories/value_index.h"

namespace shardcheck::histories {

// What the operations of a key (those left) make of its value.
enum class Structure : std::uint8_t {
  registers,  // reads, writes, deletes, compare-and-sets: every value is one that an operation names
  counter,    // reads and increments: the value only grows, by one
  log,        // reads and appends: the value only grows, at its end
  mixed,      // anything else, and whatever has reads that saw any value but one
};
Structure structure_of(const KeyHistory& history);

// Of operations of Structure::registers: the value that an operation leaves behind; reads have none.
ValueId product_of(const KeyOperation& operation);

// Reusable; allocates only while its buffers grow.
class Reducer {
 public:
  // Leaves out what tells nothing, and returns the structure of what is left. Enough for the deciders of logs and
  // counters.
  Structure leave_out_idle(KeyHistory& history);
  // Of a history that leave_out_idle() has gone through: leaves out or dates what never returned, as far as is certain.
  // Returns the structure of what is left. Linear, except for logs, where it compares what never returned with what was
  // read, up to a bound.
  Structure reduce_pending(KeyHistory& history, Structure structure);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct ValueUse {
    std::uint32_t producers = 0;
    std::uint32_t observers = 0;          // including those that need not have happened
    Position first_return = kNever;       // of the observers that have returned
    std::uint32_t first_pending = kNone;  // index into pending_: a producer that never returned
  };
  struct Pending {
    std::uint32_t operation;
    std::uint32_t next;  // index into pending_: another producer of the same value
    bool is_settled = false;
  };

  void reduce_registers(KeyHistory& history);
  void count_uses(const KeyHistory& history);
  void settle(KeyHistory& history, std::uint32_t pending);
  void look_again_at_producers(const ValueUse& use);
  ValueUse& use_of(ValueId value);

  ValueIndex index_of_value_;
  std::vector<ValueUse> uses_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> to_look_at_;  // indexes into pending_
  std::vector<bool> is_left_out_;          // of each operation
};

}  // namespace shardcheck::histories
