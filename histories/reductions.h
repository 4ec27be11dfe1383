// Makes the history of a key smaller before it is searched, without changing whether it is linearizable. Each
// reduction's argument stands with it in reductions.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "histories/flat_map.h"
#include "histories/key_history.h"

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
  // Changes `history` and returns the structure of what is left.
  Structure reduce(KeyHistory& history);

 private:
  struct ValueUse {
    std::uint32_t producers = 0;
    std::uint32_t observers = 0;     // including those that need not have happened
    Position first_return = kNever;  // of the observers that have returned
  };

  void reduce_registers(KeyHistory& history);
  bool reduce_registers_once(KeyHistory& history);
  void count_uses(const KeyHistory& history);
  ValueUse& use_of(ValueId value);

  FlatMap index_of_value_;
  std::vector<ValueUse> uses_;
};

}  // namespace shardcheck::histories
