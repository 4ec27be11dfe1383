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
    const Entry moving{at, next_sequence_++, store(payload)};
    heap_.push_back(moving);
    std::size_t child = heap_.size() - 1;
    while (child > 0) {
      const std::size_t parent = (child - 1) / kArity;
      if (!is_before(moving, heap_[parent])) {
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
    return heap_.front().at;
  }

  Payload pop() {
    SHARDCHECK_ASSERT(!heap_.empty());
    const std::uint32_t slot = heap_.front().slot;
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
  struct Entry {
    TrueTime at;
    std::uint32_t sequence;
    std::uint32_t slot;  // of the payload
  };
  static constexpr std::size_t kArity = 4;

  static bool is_before(const Entry& left, const Entry& right) {
    return left.at != right.at ? left.at < right.at : left.sequence < right.sequence;
  }

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
        if (is_before(heap_[child], heap_[least])) {
          least = child;
        }
      }
      if (!is_before(heap_[least], moving)) {
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
