// The configurations from which a search has found no way on, each described by a few words. A set with exact
// comparison: equal hashes alone never make a configuration count as failed, as that could turn into a wrong verdict.
//
// A search remembers millions of them, so they are packed: words as differences, small ones in a byte, in blocks that
// never move. Not for two threads at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace shardcheck::histories {

class FailedConfigurations {
 public:
  FailedConfigurations() : slots_(kSlotsMin) {}

  // Keeps the memory unless it is much.
  void clear() {
    while (block_bytes_ > kBytesKeptMax) {
      block_bytes_ -= blocks_.back().size;
      blocks_.pop_back();
    }
    if (slots_.size() > kSlotsMin && count_ < slots_.size() / kSlotsMin) {
      slots_ = std::vector<Slot>(kSlotsMin);
    } else if (count_ != 0) {
      std::ranges::fill(slots_, Slot{});
    }
    used_blocks_ = 0;
    used_bytes_ = 0;
    count_ = 0;
  }

  bool is_empty() const { return count_ == 0; }

  bool contains(std::uint64_t hash, std::span<const std::uint32_t> description) {
    pack(hash, description);
    return slots_[slot_of(hash)].place != 0;
  }

  // What is no longer remembered when there is too much of it is only searched again.
  void insert(std::uint64_t hash, std::span<const std::uint32_t> description) {
    if ((count_ + 1) * 4 > slots_.size() * 3) {
      grow();
    }
    pack(hash, description);
    Slot& slot = slots_[slot_of(hash)];
    if (slot.place == 0) {
      slot = {.tag = tag_of(hash), .place = store()};
      count_ += slot.place != 0 ? 1U : 0U;
    }
  }

  std::uint64_t memory_bytes() const {
    return block_bytes_ + blocks_.capacity() * sizeof(Block) + slots_.capacity() * sizeof(Slot);
  }

 private:
  static constexpr std::size_t kSlotsMin = 64;
  static constexpr std::size_t kBytesKeptMax = std::size_t{4} << 20U;
  static constexpr std::size_t kFirstBlock = std::size_t{1} << 10U;
  static constexpr std::size_t kLargestBlock = std::size_t{1} << 20U;
  static constexpr std::size_t kUnit = 8;  // entries begin at multiples of it
  static constexpr std::uint32_t kUnitsOfBlock = kLargestBlock / kUnit;
  static constexpr std::size_t kBlocksMax = 0xffffffffU / kUnitsOfBlock;
  static constexpr std::size_t kLengthAt = sizeof(std::uint64_t);
  static constexpr std::size_t kHead = kLengthAt + sizeof(std::uint32_t);

  struct Slot {
    std::uint32_t tag = 0;    // the upper half of the hash
    std::uint32_t place = 0;  // of the entry, in units, plus 1; 0: free
  };
  struct Block {
    std::unique_ptr<unsigned char[]> bytes;
    std::size_t size = 0;
  };

  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

  const unsigned char* entry(std::uint32_t place) const {
    return blocks_[(place - 1) / kUnitsOfBlock].bytes.get() + std::size_t{(place - 1) % kUnitsOfBlock} * kUnit;
  }

  // Writes the entry to packed_: its hash, its length, and each word's difference to the one before. Signs stand in the
  // lowest bit; seven bits in a byte, the upper bit says that more follow.
  void pack(std::uint64_t hash, std::span<const std::uint32_t> description) {
    if (packed_.size() < kHead + description.size() * 5) {
      packed_.resize(2 * (kHead + description.size() * 5));
    }
    unsigned char* out = packed_.data() + kHead;
    std::uint32_t last = 0;
    for (const std::uint32_t word : description) {
      const std::uint32_t difference = word - last;
      std::uint32_t left = (difference << 1U) ^ (0U - (difference >> 31U));
      for (; left >= 0x80U; left >>= 7U) {
        *out++ = static_cast<unsigned char>(left | 0x80U);
      }
      *out++ = static_cast<unsigned char>(left);
      last = word;
    }
    packed_size_ = static_cast<std::size_t>(out - packed_.data());
    const auto length = static_cast<std::uint32_t>(packed_size_);
    std::memcpy(packed_.data(), &hash, sizeof hash);
    std::memcpy(packed_.data() + kLengthAt, &length, sizeof length);
  }

  // Of what is packed, or the free one where it belongs. The length is compared first, being in the head.
  std::size_t slot_of(std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t index = hash & mask;
    while (slots_[index].place != 0 && !(slots_[index].tag == tag_of(hash) && is_packed(entry(slots_[index].place)))) {
      index = (index + 1) & mask;
    }
    return index;
  }

  bool is_packed(const unsigned char* stored) const {
    return std::memcmp(stored, packed_.data(), kHead) == 0 && std::memcmp(stored, packed_.data(), packed_size_) == 0;
  }

  // Returns its place; 0 when there is none.
  std::uint32_t store() {
    if (used_blocks_ == 0 || used_bytes_ >= kLargestBlock ||
        packed_size_ > blocks_[used_blocks_ - 1].size - used_bytes_) {
      if (used_blocks_ == kBlocksMax) {
        return 0;
      }
      open_block();
    }
    const Block& block = blocks_[used_blocks_ - 1];
    std::memcpy(block.bytes.get() + used_bytes_, packed_.data(), packed_size_);
    const std::size_t unit = (used_blocks_ - 1) * kUnitsOfBlock + used_bytes_ / kUnit;
    used_bytes_ = std::min(block.size, (used_bytes_ + packed_size_ + kUnit - 1) / kUnit * kUnit);
    return static_cast<std::uint32_t>(unit + 1);
  }

  // One that is large enough for what is packed, whatever was there before.
  void open_block() {
    ++used_blocks_;
    used_bytes_ = 0;
    if (used_blocks_ > blocks_.size()) {
      blocks_.emplace_back();
    }
    Block& block = blocks_[used_blocks_ - 1];
    if (block.size < packed_size_) {
      const std::size_t usual = used_blocks_ > 10 ? kLargestBlock : kFirstBlock << used_blocks_;
      block_bytes_ -= block.size;
      block.size = std::max(usual, packed_size_);
      block.bytes = std::make_unique_for_overwrite<unsigned char[]>(block.size);
      block_bytes_ += block.size;
    }
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.place != 0) {
        std::uint64_t hash = 0;
        std::memcpy(&hash, entry(slot.place), sizeof hash);
        std::size_t index = hash & mask;
        while (slots_[index].place != 0) {
          index = (index + 1) & mask;
        }
        slots_[index] = slot;
      }
    }
  }

  std::vector<Slot> slots_;
  std::vector<Block> blocks_;
  std::size_t used_blocks_ = 0;
  std::size_t used_bytes_ = 0;  // of the last of them
  std::uint64_t block_bytes_ = 0;
  std::size_t count_ = 0;
  std::vector<unsigned char> packed_;  // scratch, of which so much is in use:
  std::size_t packed_size_ = 0;
};

}  // namespace shardcheck::histories
