#include "impl/record_arena.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

constexpr std::uint64_t kUnit = 16;

constexpr std::uint64_t record_bytes(std::uint64_t key_size, std::uint64_t value_size) {
  return (sizeof(StoredRecord) + key_size + value_size + kUnit - 1) & ~(kUnit - 1);
}

std::uint64_t bytes_of(const VersionedEntry& entry) { return record_bytes(entry.key.size(), entry.value_bytes()); }

std::uint64_t live_bytes_of(const StoredRecord& record) {
  return record_bytes(record.key_size, record.value_size == StoredRecord::kNoValue ? 0 : record.value_size);
}

void copy_bytes(char* to, std::string_view from) {
  if (!from.empty()) {
    std::memcpy(to, from.data(), from.size());
  }
}

void put_value(StoredRecord& record, const VersionedEntry& entry) {
  record.version = entry.version;
  record.value_size = entry.value ? static_cast<std::uint32_t>(entry.value->size()) : StoredRecord::kNoValue;
  if (entry.value) {
    copy_bytes(record.key_bytes() + record.key_size, *entry.value);
  }
}

}  // namespace

VersionedEntry StoredRecord::entry() const {
  VersionedEntry entry{.key = key(), .version = version};
  if (value_size != kNoValue) {
    entry.value = std::string_view(entry.key.data() + key_size, value_size);
  }
  return entry;
}

RecordArena::RecordArena(const ArenaOptions& options)
    : options_(options),
      segment_shift_(static_cast<unsigned>(std::countr_zero(options.segment_bytes)) - kUnitBits),
      offset_mask_((std::uint32_t{1} << segment_shift_) - 1) {
  SHARDCHECK_ASSERT(std::has_single_bit(options.segment_bytes));
  SHARDCHECK_ASSERT(options.segment_bytes >= 4'096);
  SHARDCHECK_ASSERT(options.bytes_max >= 8 * options.segment_bytes);
  SHARDCHECK_ASSERT(options.bytes_max <= std::uint64_t{1} << 36U);
}

std::optional<RecordPlace> RecordArena::add(const VersionedEntry& entry, std::uint32_t hash, Reserve reserve) {
  const std::uint64_t bytes = bytes_of(entry);
  std::size_t segment = open_segment_;
  if (!fits_open_segment(entry)) {
    segment = open(bytes, reserve);
    if (segment == kNoSegment) {
      return std::nullopt;
    }
  }
  Segment& to = segments_[segment];
  const RecordPlace place{static_cast<std::uint32_t>((segment << segment_shift_) + (to.used_bytes >> kUnitBits))};
  to.used_bytes += bytes;

  StoredRecord* record = new (address_of(place)) StoredRecord{.version = {},
                                                              .hash = hash,
                                                              .key_size = static_cast<std::uint32_t>(entry.key.size()),
                                                              .value_size = 0,
                                                              .value_room = 0};
  record->value_room = static_cast<std::uint32_t>(bytes - sizeof(StoredRecord) - entry.key.size());
  copy_bytes(record->key_bytes(), entry.key);
  put_value(*record, entry);
  count_live(segment, bytes, 0);
  return place;
}

bool RecordArena::fits_open_segment(const VersionedEntry& entry) const {
  const std::uint64_t bytes = bytes_of(entry);
  return open_segment_ != kNoSegment && bytes <= options_.segment_bytes / 8 &&
         bytes <= options_.segment_bytes - segments_[open_segment_].used_bytes;
}

void RecordArena::overwrite(RecordPlace place, const VersionedEntry& entry) {
  StoredRecord& record = at(place);
  const std::uint64_t before = live_bytes_of(record);
  put_value(record, entry);
  const std::uint64_t after = live_bytes_of(record);
  if (before != after) {
    count_live(segment_of(place), after, before);
  }
}

void RecordArena::release(RecordPlace place) {
  const std::size_t segment = segment_of(place);
  count_live(segment, 0, live_bytes_of(at(place)));
  free_if_dead(segment);
}

std::optional<std::size_t> RecordArena::segment_to_compact() const {
  std::optional<std::size_t> best;
  std::uint64_t best_dead_bytes = 0;
  for (std::size_t number = 0; number < segments_.size(); ++number) {
    const Segment& segment = segments_[number];
    const std::uint64_t dead_bytes = segment.size - segment.live_bytes;
    const bool can_be_emptied =
        segment.size == options_.segment_bytes || segment.live_bytes <= options_.bytes_max - allocated_bytes_;
    if (segment.bytes != nullptr && number != open_segment_ && can_be_emptied && dead_bytes >= segment.size / 8 &&
        dead_bytes > best_dead_bytes) {
      best = number;
      best_dead_bytes = dead_bytes;
    }
  }
  return best;
}

std::vector<RecordPlace> RecordArena::places_in(std::size_t segment) const {
  std::vector<RecordPlace> places;
  for (std::uint64_t offset = 0; offset < segments_[segment].used_bytes;) {
    const RecordPlace place{static_cast<std::uint32_t>((segment << segment_shift_) + (offset >> kUnitBits))};
    places.push_back(place);
    offset += record_bytes(at(place).key_size, at(place).value_room);
  }
  return places;
}

std::uint64_t RecordArena::dead_bytes() const {
  std::uint64_t still_to_fill = 0;
  if (open_segment_ != kNoSegment) {
    still_to_fill = segments_[open_segment_].size - segments_[open_segment_].used_bytes;
  }
  return allocated_bytes_ - live_bytes_ - still_to_fill;
}

// A segment for a record of so many bytes: the one that is filled from now on, or one for this record alone.
std::size_t RecordArena::open(std::uint64_t bytes, Reserve reserve) {
  const bool is_shared = bytes <= options_.segment_bytes / 8;
  const std::uint64_t size = is_shared ? options_.segment_bytes : bytes;
  const std::uint64_t limit = options_.bytes_max - (reserve == Reserve::kept ? options_.segment_bytes : 0);
  const std::size_t number = unused_number();
  if (allocated_bytes_ + size > limit || number >= (std::uint64_t{1} << 32U) >> segment_shift_) {
    return kNoSegment;
  }
  PageBlock block = allocate_pages(size);
  if (block == nullptr) {
    return kNoSegment;
  }
  if (number == segments_.size()) {
    segments_.emplace_back();
  }
  segments_[number] = Segment{.bytes = std::move(block), .size = size};
  allocated_bytes_ += size;
  if (is_shared) {
    const std::size_t full = std::exchange(open_segment_, number);
    if (full != kNoSegment) {
      free_if_dead(full);
    }
  }
  return number;
}

std::size_t RecordArena::unused_number() const {
  const auto unused =
      std::find_if(segments_.begin(), segments_.end(), [](const Segment& segment) { return segment.bytes == nullptr; });
  return static_cast<std::size_t>(unused - segments_.begin());
}

void RecordArena::count_live(std::size_t segment, std::uint64_t added, std::uint64_t removed) {
  segments_[segment].live_bytes += added - removed;
  live_bytes_ += added - removed;
}

void RecordArena::free_if_dead(std::size_t segment) {
  Segment& it = segments_[segment];
  if (it.live_bytes == 0 && segment != open_segment_) {
    allocated_bytes_ -= it.size;
    it = Segment{};
  }
}

}  // namespace shardcheck::impl
