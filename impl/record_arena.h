// The bytes of an ApplyStore: records of a key, its version and its value, laid one behind another into segments. A
// segment is never rewritten but for values that fit where the old one was; what lies in it and is no longer wanted is
// got back when the last wanted record has gone or was moved out (Rosenblum, Ousterhout: The Design and Implementation
// of a Log-Structured File System, 1992).
//
// The arena does not know which records are wanted, nor what keys there are: its user says so by add() and release().
// Records never change their address but by their user's doing. Sizes are in bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "impl/page_block.h"
#include "spec/types.h"

namespace shardcheck::impl {

// One version of a key. No value: a tombstone. The views belong to whoever made the entry.
struct VersionedEntry {
  std::string_view key;
  Version version;
  std::optional<std::string_view> value = std::nullopt;

  std::size_t value_bytes() const { return value ? value->size() : 0; }
  friend bool operator==(const VersionedEntry&, const VersionedEntry&) = default;
};

// Where a record is: segments times their size, and the offset therein, in units of 16 bytes.
struct RecordPlace : Strong<RecordPlace, std::uint32_t> {
  using Strong::Strong;
};

// The head of a record. The key follows it, then room for the value.
struct StoredRecord {
  static constexpr std::uint32_t kNoValue = 0xffff'ffff;

  Version version;
  std::uint32_t hash;
  std::uint32_t key_size;
  std::uint32_t value_size;  // kNoValue: a tombstone
  std::uint32_t value_room;

  char* key_bytes() { return reinterpret_cast<char*>(this + 1); }
  std::string_view key() const { return {reinterpret_cast<const char*>(this + 1), key_size}; }
  // Views of the arena.
  VersionedEntry entry() const;
};
static_assert(sizeof(StoredRecord) == 32);

struct ArenaOptions {
  std::uint64_t segment_bytes = std::uint64_t{1} << 21U;  // a power of two, at least 4 KiB
  std::uint64_t bytes_max = std::uint64_t{1} << 36U;      // at least 8 segments; at most 64 GiB
};

class RecordArena {
 public:
  // The last segment is for compaction, so that a full arena can still be compacted.
  enum class Reserve { kept, usable };

  // A key and its value together.
  static constexpr std::uint64_t kRecordBytesMax = std::uint64_t{1} << 30U;

  explicit RecordArena(const ArenaOptions& options);

  // Copies the entry to where the last one ended, or into a new segment; entries of more than an eighth of a segment
  // get one of their own. Nothing when there is no room or no memory. O(bytes), and O(segments) for a new segment.
  std::optional<RecordPlace> add(const VersionedEntry& entry, std::uint32_t hash, Reserve reserve);

  // Whether add() would neither open a segment nor fail.
  bool fits_open_segment(const VersionedEntry& entry) const;

  // In place. The value must fit: value_bytes() <= value_room.
  void overwrite(RecordPlace place, const VersionedEntry& entry);

  // The record is not wanted any more. What it pointed to may be gone when this returns.
  void release(RecordPlace place);

  StoredRecord& at(RecordPlace place) { return *reinterpret_cast<StoredRecord*>(address_of(place)); }
  const StoredRecord& at(RecordPlace place) const { return *reinterpret_cast<const StoredRecord*>(address_of(place)); }

  // Of the segments that can be emptied, the one that would give back most, if that is at least an eighth of it; of
  // equal ones the first. O(segments).
  std::optional<std::size_t> segment_to_compact() const;
  // All records of a segment, wanted or not, in the order in which they were added.
  std::vector<RecordPlace> places_in(std::size_t segment) const;

  std::size_t segments() const { return segments_.size(); }
  std::uint64_t segment_bytes() const { return options_.segment_bytes; }
  std::uint64_t allocated_bytes() const { return allocated_bytes_; }
  // What the wanted records would take if each were given just the room it needs.
  std::uint64_t live_bytes() const { return live_bytes_; }
  // Allocated, not live, and not in the part of the open segment that is still to be filled.
  std::uint64_t dead_bytes() const;

 private:
  static constexpr std::size_t kNoSegment = ~std::size_t{0};
  static constexpr unsigned kUnitBits = 4;

  struct Segment {
    PageBlock bytes;  // null: free to be used again
    std::uint64_t size = 0;
    std::uint64_t used_bytes = 0;
    std::uint64_t live_bytes = 0;
  };

  std::byte* address_of(RecordPlace place) const {
    return segments_[place.value >> segment_shift_].bytes.get() +
           (std::size_t{place.value & offset_mask_} << kUnitBits);
  }
  std::size_t segment_of(RecordPlace place) const { return place.value >> segment_shift_; }
  std::size_t open(std::uint64_t bytes, Reserve reserve);
  std::size_t unused_number() const;
  void count_live(std::size_t segment, std::uint64_t added, std::uint64_t removed);
  void free_if_dead(std::size_t segment);

  ArenaOptions options_;
  unsigned segment_shift_;
  std::uint32_t offset_mask_;
  std::vector<Segment> segments_;
  std::size_t open_segment_ = kNoSegment;
  std::uint64_t allocated_bytes_ = 0;
  std::uint64_t live_bytes_ = 0;
};

}  // namespace shardcheck::impl
