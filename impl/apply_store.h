// What the target of a move replays the source's log into: byte strings as keys and values, a version for each key,
// tombstones for deleted ones; of two versions of a key the newer wins, so that a copy and a log that overlap may be
// applied in any order and more than once.
//
// Records lie in an arena (record_arena.h); an index of open addressing finds them. A bucket of the index is one cache
// line of eight hashes and places, so a key costs one line of the index and the lines of its record. Applied one by one
// these misses come one after another; in a batch they are fetched ahead for 32 entries at a time.
//
// Memory: 32 bytes a key beside key and value, and 11 to 22 bytes of index. The arena grows only while less than half
// of it is dead (overwritten, or room that a value no longer fills); otherwise one or two segments are compacted for
// each new one, which bounds what a single apply can take: it moves 4 MiB at most, unless the arena is nearly full or
// single values are larger than that. Nothing is allocated for an entry. The index doubles at three quarters and is
// then rewritten at once (O(keys), some 10 ns each): a caller who knows how many keys will come should reserve() them.
//
// Limits: keys and values of any length, empty too, 1 GiB together; 64 GiB in the arena, or less by ArenaOptions.
// Beyond them, and without memory, an entry is refused and the store is as it was. There is always room while less than
// 7/8 of the limit is live (for a value of more than an eighth of a segment: while it and its predecessor both fit).
//
// The hash is of no use against an adversary who chooses keys. One thread at a time; readers may share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "impl/page_block.h"
#include "impl/record_arena.h"

namespace shardcheck::impl {

enum class ApplyOutcome : std::uint8_t {
  took_effect,
  superseded,  // the store has this version or a newer one; applying it again is harmless
  no_room,     // nothing was done
  too_large,   // nothing was done, and never will be
};

struct BatchOutcome {
  std::size_t handled = 0;  // entries before the first that was refused: all of them unless `refusal` says why not
  std::size_t took_effect = 0;
  std::optional<ApplyOutcome> refusal = std::nullopt;

  friend bool operator==(const BatchOutcome&, const BatchOutcome&) = default;
};

struct ApplyStoreOptions {
  ArenaOptions arena;
  unsigned hash_bits = 32;  // fewer only to make keys collide in tests
};

class ApplyStore {
 public:
  explicit ApplyStore(const ApplyStoreOptions& options = {});

  // Entries are copied; they must not be views of this store. O(bytes of the entry) expected.
  ApplyOutcome apply(const VersionedEntry& entry);

  // In order; stops at the first entry that is refused, so that the position replayed to stays known. The same as one
  // by one, but several times as fast on a store larger than the caches.
  BatchOutcome apply(std::span<const VersionedEntry> entries);

  // The newest version of the key, a tombstone too; nothing if it was never applied. Valid until the next apply.
  std::optional<VersionedEntry> find(std::string_view key) const;

  // Everything, ascending by key. Valid until the next apply. O(n log n).
  std::vector<VersionedEntry> sorted() const;

  // So that the index need not grow until there are so many keys. False: no memory, and nothing changed.
  bool reserve(std::size_t keys);

  // Keys with a version, tombstones among them.
  std::size_t size() const { return size_; }
  const RecordArena& arena() const { return arena_; }
  std::uint64_t index_bytes() const { return buckets_ * sizeof(Bucket); }

 private:
  static constexpr std::uint32_t kNoPlace = 0xffff'ffff;
  static constexpr std::size_t kBucketSlots = 8;
  static constexpr std::size_t kBlock = 32;  // entries whose lines are fetched at once: more than a core can wait for

  // Slots fill up from the first one and are never emptied, so a bucket with a free slot ends a search.
  struct alignas(64) Bucket {
    std::array<std::uint32_t, kBucketSlots> hashes;
    std::array<std::uint32_t, kBucketSlots> places;

    bool is_full() const { return places[kBucketSlots - 1] != kNoPlace; }
    // A bit for each used slot with this hash.
    unsigned matching(std::uint32_t hash) const;
  };
  static_assert(sizeof(Bucket) == 64);

  std::uint32_t hash_of(std::string_view key) const;
  Bucket& bucket_at(std::size_t number) const {
    return reinterpret_cast<Bucket*>(index_.get())[number & (buckets_ - 1)];
  }
  template <class IsIt>
  std::uint32_t* find_slot(std::uint32_t hash, IsIt is_it) const;
  std::uint32_t* slot_of_key(std::string_view key, std::uint32_t hash) const;
  std::uint32_t* slot_of_place(RecordPlace place, std::uint32_t hash) const;
  void insert_slot(std::uint32_t hash, std::uint32_t place);
  bool rebuild_index(std::size_t buckets);

  void fetch_record(const VersionedEntry& entry, std::uint32_t hash) const;
  ApplyOutcome apply_hashed(const VersionedEntry& entry, std::uint32_t hash);
  ApplyOutcome apply_elsewhere(const VersionedEntry& entry, std::uint32_t hash, bool is_new);
  std::optional<RecordPlace> store_record(const VersionedEntry& entry, std::uint32_t hash);
  bool compact_segment(std::size_t segment);

  RecordArena arena_;
  std::uint32_t hash_mask_;
  PageBlock index_;
  std::size_t buckets_ = 0;  // a power of two, or 0 at first
  std::size_t size_ = 0;
};

}  // namespace shardcheck::impl
