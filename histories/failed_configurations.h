// The configurations from which a search has found no way on, each described by a few words. A set with exact
// comparison: equal hashes alone never make a configuration count as failed, as that could turn into a wrong verdict.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace shardcheck::histories {

class FailedConfigurations {
 public:
  FailedConfigurations() : slots_(64) {}

  // Keeps the memory unless it is much.
  void clear() {
    if (words_.capacity() > kWordsKeptMax) {
      words_ = {};
    }
    words_.clear();
    if (slots_.size() > kWordsKeptMax) {
      slots_ = std::vector<Slot>(64);
    } else if (count_ != 0) {
      std::ranges::fill(slots_, Slot{});
    }
    count_ = 0;
  }

  bool is_empty() const { return count_ == 0; }

  bool contains(std::uint64_t hash, std::span<const std::uint32_t> description) const {
    return slots_[slot_of(hash, description)].is_used;
  }

  void insert(std::uint64_t hash, std::span<const std::uint32_t> description) {
    if ((count_ + 1) * 2 > slots_.size()) {
      grow();
    }
    Slot& slot = slots_[slot_of(hash, description)];
    if (!slot.is_used) {
      slot = {hash, words_.size(), static_cast<std::uint32_t>(description.size()), true};
      words_.insert(words_.end(), description.begin(), description.end());
      ++count_;
    }
  }

  std::uint64_t memory_bytes() const {
    return words_.capacity() * sizeof(std::uint32_t) + slots_.capacity() * sizeof(Slot);
  }

 private:
  static constexpr std::size_t kWordsKeptMax = std::size_t{1} << 20U;

  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t start = 0;  // into words_
    std::uint32_t length = 0;
    bool is_used = false;
  };

  std::size_t slot_of(std::uint64_t hash, std::span<const std::uint32_t> description) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t index = hash & mask;
    while (slots_[index].is_used && !(slots_[index].hash == hash && is_described(slots_[index], description))) {
      index = (index + 1) & mask;
    }
    return index;
  }

  bool is_described(const Slot& slot, std::span<const std::uint32_t> description) const {
    return std::ranges::equal(std::span(words_).subspan(slot.start, slot.length), description);
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.is_used) {
        std::size_t index = slot.hash & mask;
        while (slots_[index].is_used) {
          index = (index + 1) & mask;
        }
        slots_[index] = slot;
      }
    }
  }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> words_;
  std::size_t count_ = 0;
};

}  // namespace shardcheck::histories
