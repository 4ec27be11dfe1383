// Events in order of true time, those of equal time in the order in which they were added. A four-ary heap of small
// entries: push and pop are O(log n) and touch few cache lines; nothing is allocated once the queue has grown.
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
  struct Entry {
    TrueTime at;
    std::uint32_t sequence;
    Payload payload;
  };

  void push(TrueTime at, const Payload& payload) {
    heap_.push_back({at, next_sequence_++, payload});
    std::size_t child = heap_.size() - 1;
    const Entry moving = heap_[child];
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
  const Entry& front() const { return heap_.front(); }

  Entry pop() {
    SHARDCHECK_ASSERT(!heap_.empty());
    const Entry first = heap_.front();
    const Entry moving = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      sink(moving);
    }
    return first;
  }

  void clear() {
    heap_.clear();
    next_sequence_ = 0;
  }

 private:
  static constexpr std::size_t kArity = 4;

  static bool is_before(const Entry& left, const Entry& right) {
    return left.at != right.at ? left.at < right.at : left.sequence < right.sequence;
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
  std::uint32_t next_sequence_ = 0;
};

}  // namespace shardcheck::sim
