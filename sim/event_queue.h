// Events in order of true time, those of equal time in the order in which they were added. A four-ary heap of keys of
// sixteen bytes, so that the four children of a node are one line of cache; what the events are stays where it was put.
// Push and pop are O(log n), and nothing is allocated once the queue has grown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/assert.h"
#include "spec/types.h"

namespace shardcheck::sim {

template <class Payload>
class EventQueue {
 public:
  void push(TrueTime at, const Payload& payload) {
    const Entry moving = entry_of(at, next_sequence_++, store(payload));
    heap_.push_back(moving);
    std::size_t child = heap_.size() - 1;
    while (child > 0) {
      const std::size_t parent = (child - 1) / kArity;
      if (moving > heap_[parent]) {
        break;
      }
      heap_[child] = heap_[parent];
      child = parent;
    }
    heap_[child] = moving;
  }

  bool is_empty() const { return heap_.empty(); }
  TrueTime next_at() const {
    SHARDCHECK_ASSERT(!heap_.empty());
    return at_of(heap_.front());
  }

  Payload pop() {
    SHARDCHECK_ASSERT(!heap_.empty());
    const std::uint32_t slot = slot_of(heap_.front());
    const Entry moving = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      sink(moving);
    }
    free_.push_back(slot);
    return payloads_[slot];
  }

  void clear() {
    heap_.clear();
    payloads_.clear();
    free_.clear();
    next_sequence_ = 0;
  }

 private:
  // Time, sequence and slot of the payload in one number, which compares without a branch: the order of events at
  // random times is nothing that a processor could foresee.
  __extension__ using Entry = unsigned __int128;
  static constexpr std::size_t kArity = 4;
  static constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;  // turned over, so that times before 0 come first

  static Entry entry_of(TrueTime at, std::uint32_t sequence, std::uint32_t slot) {
    const std::uint64_t high = static_cast<std::uint64_t>(at.value) ^ kSign;
    return (Entry{high} << 64U) | (std::uint64_t{sequence} << 32U) | slot;
  }
  static TrueTime at_of(Entry entry) {
    return TrueTime{static_cast<std::int64_t>(static_cast<std::uint64_t>(entry >> 64U) ^ kSign)};
  }
  static std::uint32_t slot_of(Entry entry) { return static_cast<std::uint32_t>(entry); }

  std::uint32_t store(const Payload& payload) {
    if (free_.empty()) {
      payloads_.push_back(payload);
      return static_cast<std::uint32_t>(payloads_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    payloads_[slot] = payload;
    return slot;
  }

  void sink(const Entry& moving) {
    std::size_t hole = 0;
    while (true) {
      const std::size_t first = hole * kArity + 1;
      if (first >= heap_.size()) {
        break;
      }
      std::size_t least = first;
      const std::size_t end = std::min(first + kArity, heap_.size());
      for (std::size_t child = first + 1; child < end; ++child) {
        least = heap_[child] < heap_[least] ? child : least;
      }
      if (heap_[least] > moving) {
        break;
      }
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = moving;
  }

  std::vector<Entry> heap_;
  std::vector<Payload> payloads_;
  std::vector<std::uint32_t> free_;
  std::uint32_t next_sequence_ = 0;
};

}  // namespace shardcheck::sim
