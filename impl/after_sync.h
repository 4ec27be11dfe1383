// Things that may be said or done only once the disk has everything they are based on: each waits for a number of
// records to be durable, and they come out in the order in which they went in.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "spec/assert.h"

namespace shardcheck::impl {

template <class Item>
class AfterSync {
 public:
  void add(std::uint64_t needed_records, Item item) {
    SHARDCHECK_ASSERT(waiting_.empty() || waiting_.back().first <= needed_records);
    waiting_.emplace_back(needed_records, std::move(item));
  }
  bool has_ready(std::uint64_t durable_records) const {
    return !waiting_.empty() && waiting_.front().first <= durable_records;
  }
  Item take() {
    Item item = std::move(waiting_.front().second);
    waiting_.pop_front();
    return item;
  }
  // What the last one added waits for; 0 when nothing waits.
  std::uint64_t last_needed() const { return waiting_.empty() ? 0 : waiting_.back().first; }

 private:
  std::deque<std::pair<std::uint64_t, Item>> waiting_;
};

}  // namespace shardcheck::impl
