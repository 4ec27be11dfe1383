#include "impl/apply_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

constexpr std::uint64_t stirred(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x9e3779b97f4a7c15U;
  return state ^ (state >> 32U);
}

// Eight bytes at a time, the last ones overlapping those before; then the finaliser of splitmix64. Differs between byte
// orders, which nobody can see: the store shows no order but that of keys.
std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t state = 0x5348415244434845U ^ bytes.size();
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left > 8; left -= 8, at += 8) {
    state = stirred(state, word_at(at));
  }
  if (bytes.size() >= 8) {
    state = stirred(state, word_at(bytes.data() + bytes.size() - 8));
  } else {
    std::uint64_t word = 0;
    for (const char byte : bytes) {
      word = word << 8U | static_cast<std::uint8_t>(byte);
    }
    state = stirred(state, word);
  }
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31U);
}

std::size_t buckets_for(std::size_t keys, std::size_t slots) {
  return std::bit_ceil(std::max<std::size_t>(keys * 4 / (slots * 3) + 1, 4));
}

}  // namespace

unsigned ApplyStore::Bucket::matching(std::uint32_t hash) const {
  unsigned found = 0;
  for (unsigned slot = 0; slot < kBucketSlots; ++slot) {
    found |= unsigned{hashes[slot] == hash && places[slot] != kNoPlace} << slot;
  }
  return found;
}

ApplyStore::ApplyStore(const ApplyStoreOptions& options)
    : arena_(options.arena),
      hash_mask_(options.hash_bits >= 32 ? 0xffff'ffff : (std::uint32_t{1} << options.hash_bits) - 1) {}

std::uint32_t ApplyStore::hash_of(std::string_view key) const {
  return static_cast<std::uint32_t>(hash_bytes(key)) & hash_mask_;
}

ApplyOutcome ApplyStore::apply(const VersionedEntry& entry) { return apply_hashed(entry, hash_of(entry.key)); }

// Three passes over a block: fetch the buckets, look in them and fetch the records, then do the work.
BatchOutcome ApplyStore::apply(std::span<const VersionedEntry> entries) {
  BatchOutcome outcome;
  std::array<std::uint32_t, kBlock> hashes;
  while (outcome.handled < entries.size()) {
    const auto block = entries.subspan(outcome.handled, std::min(kBlock, entries.size() - outcome.handled));
    for (std::size_t i = 0; i < block.size(); ++i) {
      hashes[i] = hash_of(block[i].key);
      if (buckets_ != 0) {
        __builtin_prefetch(&bucket_at(hashes[i]));
      }
    }
    for (std::size_t i = 0; i < block.size() && buckets_ != 0; ++i) {
      fetch_record(block[i], hashes[i]);
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      const ApplyOutcome one = apply_hashed(block[i], hashes[i]);
      if (one == ApplyOutcome::no_room || one == ApplyOutcome::too_large) {
        outcome.refusal = one;
        return outcome;
      }
      outcome.took_effect += one == ApplyOutcome::took_effect ? 1U : 0U;
      ++outcome.handled;
    }
  }
  return outcome;
}

std::optional<VersionedEntry> ApplyStore::find(std::string_view key) const {
  const std::uint32_t* slot = slot_of_key(key, hash_of(key));
  if (slot == nullptr) {
    return std::nullopt;
  }
  return arena_.at(RecordPlace{*slot}).entry();
}

std::vector<VersionedEntry> ApplyStore::sorted() const {
  std::vector<VersionedEntry> entries;
  entries.reserve(size_);
  for (std::size_t number = 0; number < buckets_; ++number) {
    for (const std::uint32_t place : bucket_at(number).places) {
      if (place != kNoPlace) {
        entries.push_back(arena_.at(RecordPlace{place}).entry());
      }
    }
  }
  std::ranges::sort(entries, {}, &VersionedEntry::key);
  return entries;
}

bool ApplyStore::reserve(std::size_t keys) {
  const std::size_t buckets = buckets_for(keys, kBucketSlots);
  return buckets <= buckets_ || rebuild_index(buckets);
}

// The slot whose hash is this and whose place `is_it`; null if there is none. There is always a bucket that is not
// full.
template <class IsIt>
std::uint32_t* ApplyStore::find_slot(std::uint32_t hash, IsIt is_it) const {
  for (std::size_t probe = 0; probe < buckets_; ++probe) {
    Bucket& bucket = bucket_at(hash + probe);
    for (unsigned left = bucket.matching(hash); left != 0; left &= left - 1) {
      std::uint32_t& place = bucket.places[static_cast<unsigned>(std::countr_zero(left))];
      if (is_it(place)) {
        return &place;
      }
    }
    if (!bucket.is_full()) {
      return nullptr;
    }
  }
  SHARDCHECK_ASSERT(buckets_ == 0);
  return nullptr;
}

std::uint32_t* ApplyStore::slot_of_key(std::string_view key, std::uint32_t hash) const {
  return find_slot(hash, [&](std::uint32_t place) { return arena_.at(RecordPlace{place}).key() == key; });
}

std::uint32_t* ApplyStore::slot_of_place(RecordPlace place, std::uint32_t hash) const {
  return find_slot(hash, [&](std::uint32_t candidate) { return candidate == place.value; });
}

void ApplyStore::insert_slot(std::uint32_t hash, std::uint32_t place) {
  std::size_t probe = 0;
  while (probe < buckets_ && bucket_at(hash + probe).is_full()) {
    ++probe;
  }
  SHARDCHECK_ASSERT(probe < buckets_);
  Bucket& bucket = bucket_at(hash + probe);
  const auto free = std::ranges::find(bucket.places, kNoPlace) - bucket.places.begin();
  bucket.hashes[static_cast<std::size_t>(free)] = hash;
  bucket.places[static_cast<std::size_t>(free)] = place;
}

bool ApplyStore::rebuild_index(std::size_t buckets) {
  PageBlock block = allocate_pages(buckets * sizeof(Bucket));
  if (block == nullptr) {
    return false;
  }
  Bucket empty{};
  empty.places.fill(kNoPlace);
  std::uninitialized_fill_n(reinterpret_cast<Bucket*>(block.get()), buckets, empty);

  const PageBlock old = std::exchange(index_, std::move(block));
  const std::span<const Bucket> old_buckets(reinterpret_cast<const Bucket*>(old.get()), buckets_);
  buckets_ = buckets;
  for (const Bucket& bucket : old_buckets) {
    for (std::size_t slot = 0; slot < kBucketSlots && bucket.places[slot] != kNoPlace; ++slot) {
      insert_slot(bucket.hashes[slot], bucket.places[slot]);
    }
  }
  return true;
}

// The lines of the record that this entry will probably meet. Another key of the same hash costs a miss, no more.
void ApplyStore::fetch_record(const VersionedEntry& entry, std::uint32_t hash) const {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kBytesMax = 4 * kLine;  // the rest of a long value is written in order, and foreseen by the CPU
  const Bucket& bucket = bucket_at(hash);
  const unsigned matching = bucket.matching(hash);
  if (matching == 0) {
    return;
  }
  const std::uint32_t place = bucket.places[static_cast<unsigned>(std::countr_zero(matching))];
  const char* begin = reinterpret_cast<const char*>(&arena_.at(RecordPlace{place}));
  const std::size_t bytes =
      std::min(sizeof(StoredRecord) + entry.key.size() + entry.value_bytes() + kLine - 1, kBytesMax);
  for (std::size_t offset = 0; offset < bytes; offset += kLine) {
    __builtin_prefetch(begin + offset, 1);
  }
}

ApplyOutcome ApplyStore::apply_hashed(const VersionedEntry& entry, std::uint32_t hash) {
  const std::uint32_t* slot = slot_of_key(entry.key, hash);
  if (slot == nullptr) {
    return apply_elsewhere(entry, hash, true);
  }
  const RecordPlace place{*slot};
  const StoredRecord& record = arena_.at(place);
  if (entry.version <= record.version) {
    return ApplyOutcome::superseded;
  }
  if (entry.value_bytes() > record.value_room) {
    return apply_elsewhere(entry, hash, false);
  }
  arena_.overwrite(place, entry);
  return ApplyOutcome::took_effect;
}

// A key that is new, or a value that does not fit where the old one is.
ApplyOutcome ApplyStore::apply_elsewhere(const VersionedEntry& entry, std::uint32_t hash, bool is_new) {
  if (entry.key.size() > RecordArena::kRecordBytesMax ||
      entry.value_bytes() > RecordArena::kRecordBytesMax - entry.key.size()) {
    return ApplyOutcome::too_large;
  }
  if (is_new && (size_ + 1) * 4 > buckets_ * kBucketSlots * 3 &&
      !rebuild_index(std::max<std::size_t>(buckets_ * 2, 4))) {
    return ApplyOutcome::no_room;
  }
  const std::optional<RecordPlace> place = store_record(entry, hash);
  if (!place) {
    return ApplyOutcome::no_room;
  }
  if (is_new) {
    insert_slot(hash, place->value);
    ++size_;
  } else {
    // Only now: making room may have moved the old record.
    std::uint32_t* slot = slot_of_key(entry.key, hash);
    SHARDCHECK_ASSERT(slot != nullptr);
    arena_.release(RecordPlace{std::exchange(*slot, place->value)});
  }
  return ApplyOutcome::took_effect;
}

// Two segments, of which the emptier half is dead, give back at least the one that is about to be opened.
std::optional<RecordPlace> ApplyStore::store_record(const VersionedEntry& entry, std::uint32_t hash) {
  constexpr int kCompactionsEach = 2;
  if (!arena_.fits_open_segment(entry)) {
    for (int i = 0; i < kCompactionsEach && arena_.dead_bytes() > arena_.live_bytes() + arena_.segment_bytes(); ++i) {
      const std::optional<std::size_t> segment = arena_.segment_to_compact();
      if (!segment || !compact_segment(*segment)) {
        break;
      }
    }
  }
  const std::size_t attempts_max = arena_.segments() + 1;
  for (std::size_t attempt = 0; attempt < attempts_max; ++attempt) {
    const std::optional<RecordPlace> place = arena_.add(entry, hash, RecordArena::Reserve::kept);
    if (place) {
      return place;
    }
    const std::optional<std::size_t> segment = arena_.segment_to_compact();
    if (!segment || !compact_segment(*segment)) {
      break;
    }
  }
  return std::nullopt;
}

// Moves the wanted records, those that the index points to, out of a segment, which frees it. False: some had no room
// and stayed. Records are given up after all were moved: with the last one the segment goes.
bool ApplyStore::compact_segment(std::size_t segment) {
  std::vector<RecordPlace> moved;
  bool is_empty = true;
  for (const RecordPlace from : arena_.places_in(segment)) {
    const StoredRecord& record = arena_.at(from);
    std::uint32_t* slot = slot_of_place(from, record.hash);
    if (slot == nullptr) {
      continue;
    }
    const std::optional<RecordPlace> to = arena_.add(record.entry(), record.hash, RecordArena::Reserve::usable);
    if (!to) {
      is_empty = false;
      break;
    }
    *slot = to->value;
    moved.push_back(from);
  }
  for (const RecordPlace from : moved) {
    arena_.release(from);
  }
  return is_empty;
}

}  // namespace shardcheck::impl
