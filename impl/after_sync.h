// Things that may be said or done only once the disk has everything they are based on: each waits for a number of
// records to be durable, and they come out in the order in which they went in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "spec/assert.h"
#include "spec/fifo.h"

namespace shardcheck::impl {

template <class Item>
class AfterSync {
 public:
  void add(std::uint64_t needed_records, Item item) {
    SHARDCHECK_ASSERT(waiting_.is_empty() || waiting_.back().first <= needed_records);
    waiting_.push(needed_records, std::move(item));
  }
  bool has_ready(std::uint64_t durable_records) const {
    return !waiting_.is_empty() && waiting_.front().first <= durable_records;
  }
  template <class Predicate>
  std::size_t count_if(Predicate predicate) const {
    return waiting_.count_if([&](const auto& waiting) { return predicate(waiting.second); });
  }
  Item take() { return waiting_.pop().second; }
  // What the last one added waits for; 0 when nothing waits.
  std::uint64_t last_needed() const { return waiting_.is_empty() ? 0 : waiting_.back().first; }

 private:
  Fifo<std::pair<std::uint64_t, Item>> waiting_;
};

}  // namespace shardcheck::impl
