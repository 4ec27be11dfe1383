// The disk of one process: an append-only list of records, durable up to the last completed sync. A crash loses what
// was not synced, except for a first part of it that had reached the platter by chance. Of records that are bytes the
// first one lost may leave a beginning, as the last record found; of typed ones, which have no bytes, a torn record is
// one that was not kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "spec/assert.h"

namespace shardcheck::sim {

// So many parts a torn record has; all of them are all but its last byte.
inline constexpr std::uint8_t kTornWhole = 16;

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
  // Keeps everything synced and at most `kept_unsynced` records more. Of the first record behind them, where there is
  // one and records are bytes, it keeps `torn` sixteenths, but at least the first byte and never the last.
  void crash(std::uint64_t kept_unsynced, std::uint8_t torn = 0) {
    const std::uint64_t kept = std::min<std::uint64_t>(records_.size(), synced_ + kept_unsynced);
    const bool is_torn = torn > 0 && kept < records_.size() && tear(records_[kept], torn);
    records_.resize(kept + (is_torn ? 1U : 0U));
    synced_ = records_.size();
  }
  void lose_everything() {
    records_.clear();
    synced_ = 0;
  }
  std::span<const Record> records() const { return records_; }

 private:
  // Whether something of it is left.
  static bool tear(Record& record, std::uint8_t torn) {
    if constexpr (std::is_same_v<Record, std::string>) {
      if (record.size() > 1) {
        record.resize(std::clamp<std::size_t>(record.size() * torn / kTornWhole, 1, record.size() - 1));
        return true;
      }
    }
    return false;
  }

  std::vector<Record> records_;
  std::uint64_t synced_ = 0;
};

}  // namespace shardcheck::sim
