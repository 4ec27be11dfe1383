// A hash table from 64-bit numbers to 32-bit ones that is emptied without freeing or touching its slots, so that a
// checker can use it for thousands of small histories without allocating. Never iterated: nothing depends on order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardcheck::histories {

// The finaliser of splitmix64: spreads every input bit over the whole word.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

class FlatMap {
 public:
  FlatMap() : slots_(16) {}

  std::uint64_t memory_bytes() const { return slots_.capacity() * sizeof(slots_[0]); }

  void clear() {
    ++generation_;
    used_ = 0;
    if (generation_ == 0) {
      slots_.assign(slots_.size(), Slot{});
      generation_ = 1;
    }
  }

  std::size_t size() const { return used_; }

  // Null when the key is not there. Valid until the next insertion.
  std::uint32_t* find(std::uint64_t key) {
    Slot& slot = slots_[slot_of(key)];
    return slot.generation == generation_ ? &slot.value : nullptr;
  }
  const std::uint32_t* find(std::uint64_t key) const {
    const Slot& slot = slots_[slot_of(key)];
    return slot.generation == generation_ ? &slot.value : nullptr;
  }

  // The value of the key, which is `initial` if it was not there.
  std::uint32_t& find_or_insert(std::uint64_t key, std::uint32_t initial) {
    if ((used_ + 1) * 2 > slots_.size()) {
      grow();
    }
    Slot& slot = slots_[slot_of(key)];
    if (slot.generation != generation_) {
      slot = Slot{key, initial, generation_};
      ++used_;
    }
    return slot.value;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = 0;
    std::uint32_t generation = 0;  // the slot is empty unless this is the map's
  };

  std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t index = mixed(key) & mask;
    while (slots_[index].generation == generation_ && slots_[index].key != key) {
      index = (index + 1) & mask;
    }
    return index;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.generation == generation_) {
        slots_[slot_of(slot.key)] = slot;
      }
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::uint32_t generation_ = 1;
};

}  // namespace shardcheck::histories
