// A queue in one piece of memory, which it keeps: nothing is allocated once it has grown, and an empty one that never
// held anything has none. What std::deque costs is felt where many queues are made and most stay empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "spec/assert.h"

namespace shardcheck {

template <class Item>
class Fifo {
 public:
  bool is_empty() const { return first_ == items_.size(); }
  std::size_t size() const { return items_.size() - first_; }
  const Item& front() const {
    SHARDCHECK_ASSERT(!is_empty());
    return items_[first_];
  }
  const Item& back() const {
    SHARDCHECK_ASSERT(!is_empty());
    return items_.back();
  }

  template <class Predicate>
  std::size_t count_if(Predicate predicate) const {
    return static_cast<std::size_t>(
        std::count_if(items_.begin() + static_cast<std::ptrdiff_t>(first_), items_.end(), predicate));
  }

  template <class... Parts>
  void push(Parts&&... parts) {
    if (first_ == items_.size()) {
      clear();
    } else if (first_ >= kWorthMoving && first_ >= size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    items_.emplace_back(std::forward<Parts>(parts)...);
  }
  Item pop() {
    SHARDCHECK_ASSERT(!is_empty());
    return std::move(items_[first_++]);
  }
  void clear() {
    items_.clear();
    first_ = 0;
  }

 private:
  // What was popped is given up when it is so much and at least half of all, so that each item is moved O(1) times.
  static constexpr std::size_t kWorthMoving = 16;

  std::vector<Item> items_;
  std::size_t first_ = 0;
};

}  // namespace shardcheck
