// The disk of one process: an append-only list of records, durable up to the last completed sync. A crash loses what
// was not synced, except for a first part of it that had reached the platter by chance; a torn last record is one that
// was not kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "spec/assert.h"

namespace shardcheck::sim {

template <class Record>
class Disk {
 public:
  Disk() = default;
  // Everything it begins with is durable.
  explicit Disk(std::vector<Record> records) : records_(std::move(records)), synced_(records_.size()) {}

  // As if newly made of `records`, in the memory that it has.
  void format(const std::vector<Record>& records) {
    records_ = records;
    synced_ = records_.size();
  }
  void append(const Record& record) { records_.push_back(record); }
  std::uint64_t appended() const { return records_.size(); }
  std::uint64_t synced() const { return synced_; }
  void complete_sync(std::uint64_t count) {
    SHARDCHECK_ASSERT(count <= records_.size());
    synced_ = std::max(synced_, count);
  }
  // Keeps everything synced and at most `kept_unsynced` records more.
  void crash(std::uint64_t kept_unsynced) {
    records_.resize(std::min<std::uint64_t>(records_.size(), synced_ + kept_unsynced));
    synced_ = records_.size();
  }
  void lose_everything() {
    records_.clear();
    synced_ = 0;
  }
  std::span<const Record> records() const { return records_; }

 private:
  std::vector<Record> records_;
  std::uint64_t synced_ = 0;
};

}  // namespace shardcheck::sim
