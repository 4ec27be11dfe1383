// Gives each new identity the next small number, so that what is known of it can live in plain vectors. Open
// addressing; numbers depend on the order of first appearance only. Clearing takes constant time: slots of earlier
// runs are recognised by their generation.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace shardcheck {

class DenseIndex {
 public:
  struct Identity {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    friend bool operator==(Identity, Identity) = default;
  };
  struct Found {
    std::uint32_t index;
    bool is_new;
  };
  static constexpr std::uint32_t kAbsent = 0xffffffff;

  DenseIndex() : slots_(kSlotsMin) {}

  void clear() {
    identities_.clear();
    if (++generation_ == 0) {
      slots_.assign(slots_.size(), Slot{});
      generation_ = 1;
    }
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(identities_.size()); }

  // kAbsent if it has no number yet.
  std::uint32_t find(Identity identity) const {
    const Slot& slot = slots_[slot_of(identity)];
    return slot.generation == generation_ ? slot.index : kAbsent;
  }

  Found index_of(Identity identity) {
    const std::size_t place = slot_of(identity);
    if (slots_[place].generation == generation_) {
      return {slots_[place].index, false};
    }
    const std::uint32_t index = size();
    slots_[place] = {generation_, index};
    identities_.push_back(identity);
    if (identities_.size() * 2 > slots_.size()) {
      grow();
    }
    return {index, true};
  }

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t index = 0;
  };
  static constexpr std::size_t kSlotsMin = 256;  // a power of two, like every later size

  // Where the identity is, or the free slot where it belongs. Ends because at least half of the slots are free.
  std::size_t slot_of(Identity identity) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t mixed = (identity.first ^ std::rotl(identity.second, 32)) * 0x9e3779b97f4a7c15U;
    // The high bits of a product depend on all bits of its factors; the low ones do not.
    std::size_t place = static_cast<std::size_t>(mixed >> (64 - std::countr_zero(slots_.size())));
    while (slots_[place].generation == generation_ && identities_[slots_[place].index] != identity) {
      place = (place + 1) & mask;
    }
    return place;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, Slot{});
    for (std::uint32_t index = 0; index < size(); ++index) {
      slots_[slot_of(identities_[index])] = {generation_, index};
    }
  }

  std::vector<Slot> slots_;
  std::vector<Identity> identities_;
  std::uint32_t generation_ = 1;
};

}  // namespace shardcheck
