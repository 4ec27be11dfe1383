// The states that a search has come by, each kept once: two are equal exactly when their numbers are. Their hashes only
// say where to look; states are compared.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "histories/flat_map.h"
#include "spec/assert.h"
#include "spec/model.h"

namespace shardcheck::histories {

template <SequentialModel Model>
class StateTable {
 public:
  using State = typename Model::State;

  StateTable() : slots_(64) {}

  const State& at(std::uint32_t number) const { return states_[number]; }  // stays where it is

  std::uint32_t number_of(Model& model, const State& state) {
    if ((states_.size() + 1) * 2 > slots_.size()) {
      grow();
    }
    const std::uint64_t hash = mixed(static_cast<std::uint64_t>(model.hash(state)));
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t number = slots_[slot] - 1;
      if (hashes_[number] == hash && states_[number] == state) {
        return number;
      }
    }
    SHARDCHECK_ASSERT(states_.size() < 0xfffffffe);
    states_.push_back(state);
    hashes_.push_back(hash);
    if constexpr (CountsMemory<Model>) {
      held_bytes_ += static_cast<std::size_t>(model.memory_bytes(state));
    }
    slots_[slot] = static_cast<std::uint32_t>(states_.size());
    return slots_[slot] - 1;
  }

  std::uint64_t memory_bytes() const {
    return states_.size() * sizeof(State) + held_bytes_ + hashes_.capacity() * sizeof(std::uint64_t) +
           slots_.capacity() * sizeof(std::uint32_t);
  }

 private:
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t number = 0; number < states_.size(); ++number) {
      std::size_t slot = hashes_[number] & (slots_.size() - 1);
      while (slots_[slot] != 0) {
        slot = (slot + 1) & (slots_.size() - 1);
      }
      slots_[slot] = number + 1;
    }
  }

  std::deque<State> states_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  // number + 1; 0: empty
  std::size_t held_bytes_ = 0;
};

}  // namespace shardcheck::histories
