#include "impl/apply_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kKiB = 1'024;
constexpr ArenaOptions kSmallArena{.segment_bytes = 4 * kKiB, .bytes_max = 256 * kKiB};

Version version_of(std::uint64_t epoch, std::uint64_t position) { return {Epoch{epoch}, LogPosition{position}}; }

VersionedEntry put(std::string_view key, std::uint64_t position, std::string_view value) {
  return {.key = key, .version = version_of(1, position), .value = value};
}

VersionedEntry tombstone(std::string_view key, std::uint64_t position) {
  return {.key = key, .version = version_of(1, position)};
}

// splitmix64.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t below(std::uint64_t bound) {
    std::uint64_t word = state_ += 0x9e3779b97f4a7c15U;
    word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
    return (word ^ (word >> 31U)) % bound;
  }

 private:
  std::uint64_t state_;
};

// The same, with nothing that could go wrong.
class Model {
 public:
  bool apply(const VersionedEntry& entry) {
    const auto found = cells_.find(std::string(entry.key));
    if (found != cells_.end() && entry.version <= found->second.version) {
      return false;
    }
    Cell& cell = cells_[std::string(entry.key)];
    cell.version = entry.version;
    cell.value.reset();
    if (entry.value) {
      cell.value = std::string(*entry.value);
    }
    return true;
  }

  std::vector<VersionedEntry> sorted() const {
    std::vector<VersionedEntry> entries;
    for (const auto& [key, cell] : cells_) {
      entries.push_back({.key = key, .version = cell.version, .value = cell.value});
    }
    return entries;
  }

 private:
  struct Cell {
    Version version;
    std::optional<std::string> value;
  };
  std::map<std::string, Cell> cells_;
};

// Entries with the bytes they are views of.
struct Log {
  std::vector<std::string> bytes;
  std::vector<VersionedEntry> entries;
};

struct LogShape {
  std::size_t entries = 0;
  std::uint64_t keys = 1;
  std::uint64_t value_bytes_max = 0;
};

// Versions from a small set in no order: older, equal and newer ones meet. One in eight is a tombstone. Equal versions
// of a key have equal values, as in a log.
Log random_log(std::uint64_t seed, const LogShape& shape) {
  Numbers numbers(seed);
  Log log;
  log.bytes.reserve(2 * shape.entries);
  for (std::size_t i = 0; i < shape.entries; ++i) {
    const std::uint64_t key = numbers.below(shape.keys);
    const std::uint64_t epoch = 1 + numbers.below(3);
    const std::uint64_t position = 1 + numbers.below(64);
    Numbers content(key << 20U ^ epoch << 10U ^ position);
    const bool is_tombstone = content.below(8) == 0;
    const std::string_view key_bytes =
        log.bytes.emplace_back(std::string(key % 40, 'k') + (key == 0 ? "" : std::to_string(key)));
    const std::string_view value =
        log.bytes.emplace_back(content.below(shape.value_bytes_max + 1), static_cast<char>('a' + content.below(26)));
    log.entries.push_back({.key = key_bytes, .version = version_of(epoch, position)});
    if (!is_tombstone) {
      log.entries.back().value = value;
    }
  }
  return log;
}

void expect_equal_to_model(const Log& log, const ApplyStoreOptions& options) {
  ApplyStore one_by_one(options);
  ApplyStore in_batches(options);
  Model model;
  std::size_t took_effect = 0;

  for (const VersionedEntry& entry : log.entries) {
    const bool is_newer = model.apply(entry);
    took_effect += is_newer ? 1U : 0U;
    ASSERT_EQ(one_by_one.apply(entry), is_newer ? ApplyOutcome::took_effect : ApplyOutcome::superseded);
  }
  const BatchOutcome outcome = in_batches.apply(log.entries);

  EXPECT_EQ(outcome, (BatchOutcome{.handled = log.entries.size(), .took_effect = took_effect}));
  EXPECT_EQ(one_by_one.sorted(), model.sorted());
  EXPECT_EQ(in_batches.sorted(), model.sorted());
  for (const VersionedEntry& entry : model.sorted()) {
    ASSERT_EQ(one_by_one.find(entry.key), entry);
    ASSERT_EQ(in_batches.find(entry.key), entry);
  }
  EXPECT_EQ(one_by_one.find("never applied"), std::nullopt);
}

TEST(ApplyStore, an_empty_store_finds_nothing) {
  const ApplyStore store;

  EXPECT_EQ(store.find("a"), std::nullopt);
  EXPECT_EQ(store.find(""), std::nullopt);
  EXPECT_EQ(store.size(), 0);
  EXPECT_THAT(store.sorted(), ElementsAre());
}

TEST(ApplyStore, the_newer_version_wins_and_an_epoch_counts_before_a_position) {
  ApplyStore store;

  EXPECT_EQ(store.apply(put("k", 7, "seven")), ApplyOutcome::took_effect);
  EXPECT_EQ(store.apply(put("k", 6, "six")), ApplyOutcome::superseded);
  EXPECT_EQ(store.find("k"), put("k", 7, "seven"));
  EXPECT_EQ(store.apply({.key = "k", .version = version_of(2, 1), .value = "next epoch"}), ApplyOutcome::took_effect);
  EXPECT_EQ(store.apply(put("k", 8, "eight")), ApplyOutcome::superseded);

  EXPECT_EQ(store.find("k"), (VersionedEntry{.key = "k", .version = version_of(2, 1), .value = "next epoch"}));
  EXPECT_EQ(store.size(), 1);
}

TEST(ApplyStore, an_equal_version_changes_nothing) {
  ApplyStore store;
  store.apply(put("k", 7, "first"));

  EXPECT_EQ(store.apply(put("k", 7, "other")), ApplyOutcome::superseded);
  EXPECT_EQ(store.apply(tombstone("k", 7)), ApplyOutcome::superseded);

  EXPECT_EQ(store.find("k"), put("k", 7, "first"));
}

TEST(ApplyStore, a_tombstone_hides_the_value_and_refuses_older_ones) {
  ApplyStore store;
  store.apply(put("k", 1, "value"));

  EXPECT_EQ(store.apply(tombstone("k", 5)), ApplyOutcome::took_effect);
  EXPECT_EQ(store.apply(put("k", 4, "older")), ApplyOutcome::superseded);
  EXPECT_EQ(store.find("k"), tombstone("k", 5));
  EXPECT_EQ(store.apply(tombstone("never written", 9)), ApplyOutcome::took_effect);
  EXPECT_EQ(store.apply(put("never written", 8, "older")), ApplyOutcome::superseded);
  EXPECT_EQ(store.apply(put("k", 6, "again")), ApplyOutcome::took_effect);

  EXPECT_THAT(store.sorted(), ElementsAre(put("k", 6, "again"), tombstone("never written", 9)));
}

TEST(ApplyStore, an_empty_key_and_an_empty_value_are_a_key_and_a_value) {
  ApplyStore store;

  store.apply(put("", 1, "of the empty key"));
  store.apply(put("empty value", 2, ""));

  EXPECT_EQ(store.find(""), put("", 1, "of the empty key"));
  EXPECT_EQ(store.find("empty value"), put("empty value", 2, ""));
  EXPECT_NE(store.find("empty value"), tombstone("empty value", 2));
}

TEST(ApplyStore, keys_that_differ_in_one_byte_or_in_length_are_different) {
  ApplyStore store;
  const std::string zero(1, '\0');
  const std::vector<std::string> keys = {"", zero, zero + zero, "a", "ab", "abcdefgh", "abcdefgi", "abcdefghi"};

  for (const std::string& key : keys) {
    EXPECT_EQ(store.apply(put(key, 1, key)), ApplyOutcome::took_effect) << key;
  }

  for (const std::string& key : keys) {
    EXPECT_EQ(store.find(key), put(key, 1, key)) << key;
  }
}

TEST(ApplyStore, a_batch_takes_several_versions_of_one_key_in_order) {
  ApplyStore store;
  const std::vector<VersionedEntry> log = {put("k", 1, "one"), put("k", 3, "three, longer than one was"),
                                           put("k", 2, "two"), put("j", 4, "four")};

  const BatchOutcome outcome = store.apply(log);

  EXPECT_EQ(outcome, (BatchOutcome{.handled = 4, .took_effect = 3}));
  EXPECT_THAT(store.sorted(), ElementsAre(put("j", 4, "four"), put("k", 3, "three, longer than one was")));
}

TEST(ApplyStore, a_random_log_leaves_what_a_map_has) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE(seed);
    expect_equal_to_model(random_log(seed, {.entries = 20'000, .keys = 500, .value_bytes_max = 200}),
                          {.arena = {.segment_bytes = 4 * kKiB, .bytes_max = 1'024 * kKiB}});
  }
}

TEST(ApplyStore, values_larger_than_a_segment_leave_what_a_map_has) {
  expect_equal_to_model(random_log(5, {.entries = 4'000, .keys = 40, .value_bytes_max = 10'000}),
                        {.arena = {.segment_bytes = 4 * kKiB, .bytes_max = 4'096 * kKiB}});
}

TEST(ApplyStore, keys_that_all_collide_leave_what_a_map_has) {
  for (const unsigned hash_bits : {0U, 1U, 4U}) {
    SCOPED_TRACE(hash_bits);
    expect_equal_to_model(random_log(6, {.entries = 4'000, .keys = 300, .value_bytes_max = 50}),
                          {.arena = kSmallArena, .hash_bits = hash_bits});
  }
}

TEST(ApplyStore, the_index_grows_and_keeps_everything) {
  const Log log = random_log(7, {.entries = 200'000, .keys = 60'000, .value_bytes_max = 20});
  ApplyStore store;
  store.apply(std::vector<VersionedEntry>{log.entries[0]});
  const std::uint64_t index_bytes_before = store.index_bytes();

  expect_equal_to_model(log, {});
  store.apply(log.entries);

  EXPECT_EQ(index_bytes_before, 256);
  EXPECT_GT(store.size(), 50'000);
  EXPECT_GE(store.index_bytes(), 11 * store.size() - 256);
  EXPECT_LE(store.index_bytes(), 22 * store.size());
}

TEST(ApplyStore, a_reserved_index_does_not_grow) {
  const Log log = random_log(8, {.entries = 20'000, .keys = 10'000, .value_bytes_max = 20});
  ApplyStore store;
  ASSERT_TRUE(store.reserve(10'000));
  const std::uint64_t reserved_bytes = store.index_bytes();

  store.apply(log.entries);
  ASSERT_TRUE(store.reserve(1));

  EXPECT_GT(store.size(), 8'000);
  EXPECT_EQ(store.index_bytes(), reserved_bytes);
}

TEST(ApplyStore, a_value_that_fits_is_written_where_the_old_one_was) {
  ApplyStore store({.arena = kSmallArena});
  store.apply(put("k", 1, std::string(100, 'a')));
  const std::uint64_t live_bytes = store.arena().live_bytes();
  const char* const where = store.find("k")->key.data();

  store.apply(put("k", 2, "short"));
  store.apply(tombstone("k", 3));
  const std::uint64_t live_bytes_of_tombstone = store.arena().live_bytes();
  store.apply(put("k", 4, std::string(100, 'b')));

  EXPECT_EQ(store.find("k"), put("k", 4, std::string(100, 'b')));
  EXPECT_EQ(store.find("k")->key.data(), where);
  EXPECT_EQ(live_bytes, 144);  // 32 + 1 + 100, rounded up to 16
  EXPECT_EQ(live_bytes_of_tombstone, 48);
  EXPECT_EQ(store.arena().live_bytes(), 144);
}

TEST(ApplyStore, values_that_grow_again_and_again_do_not_fill_the_arena) {
  ApplyStore store({.arena = kSmallArena});
  Model model;

  // Each value is longer than all before it. One in eight goes to a key that is seldom written, so that hardly a
  // segment dies as a whole.
  Numbers numbers(9);
  std::uint64_t written_bytes = 0;
  for (std::uint64_t position = 1; position <= 8'000; ++position) {
    const bool is_seldom_written = numbers.below(8) == 0;
    const std::string key = "key" + std::to_string(is_seldom_written ? 10 + numbers.below(90) : numbers.below(10));
    const std::string value(position / 20, 'v');
    written_bytes += value.size();
    ASSERT_EQ(store.apply(put(key, position, value)), ApplyOutcome::took_effect) << position;
    model.apply(put(key, position, value));
  }

  EXPECT_GT(written_bytes, 6 * kSmallArena.bytes_max);
  EXPECT_EQ(store.sorted(), model.sorted());
  // Half of it dead, and the segment that is being filled, one that may be kept for later, and the ends of segments.
  EXPECT_LE(store.arena().allocated_bytes(), 2 * store.arena().live_bytes() + 4 * store.arena().segment_bytes());
}

TEST(ApplyStore, room_of_values_that_shrank_is_used_for_others) {
  ApplyStore store({.arena = kSmallArena});
  Model model;
  const auto apply = [&](const VersionedEntry& entry) {
    EXPECT_EQ(store.apply(entry), ApplyOutcome::took_effect) << entry.key;
    model.apply(entry);
  };

  for (int key = 0; key < 400; ++key) {
    apply(put("large" + std::to_string(key), 1, std::string(400, 'l')));
  }
  for (int key = 0; key < 400; ++key) {
    apply(tombstone("large" + std::to_string(key), 2));
  }
  for (int key = 0; key < 300; ++key) {
    apply(put("other" + std::to_string(key), 3, std::string(400, 'o')));
  }

  EXPECT_EQ(store.sorted(), model.sorted());
  EXPECT_LE(store.arena().allocated_bytes(), kSmallArena.bytes_max);
}

TEST(ApplyStore, a_full_arena_refuses_and_keeps_everything) {
  ApplyStore store({.arena = kSmallArena});
  Model model;
  const std::string value(200, 'v');
  std::vector<std::string> names;
  std::vector<VersionedEntry> log;
  for (std::uint64_t key = 0; key < 2'000; ++key) {
    names.push_back("key" + std::to_string(10'000 + key));
  }
  for (std::uint64_t key = 0; key < 2'000; ++key) {
    log.push_back(put(names[key], 1 + key, value));
  }

  const BatchOutcome outcome = store.apply(log);
  for (std::size_t i = 0; i < outcome.handled; ++i) {
    model.apply(log[i]);
  }

  EXPECT_EQ(outcome.refusal, ApplyOutcome::no_room);
  EXPECT_EQ(outcome.took_effect, outcome.handled);
  EXPECT_EQ(store.apply(log[outcome.handled]), ApplyOutcome::no_room);
  EXPECT_EQ(store.sorted(), model.sorted());
  EXPECT_GE(store.arena().live_bytes() * 8, kSmallArena.bytes_max * 7);
  EXPECT_LE(store.arena().allocated_bytes(), kSmallArena.bytes_max);
  // What needs no room still works, and what it gives back is room for others.
  for (std::size_t i = 0; i < outcome.handled / 2; ++i) {
    ASSERT_EQ(store.apply(tombstone(names[i], 9'000 + i)), ApplyOutcome::took_effect);
  }
  EXPECT_EQ(store.apply(log[outcome.handled]), ApplyOutcome::took_effect);
}

TEST(ApplyStore, a_value_larger_than_the_arena_is_refused_and_the_old_one_stays) {
  ApplyStore store({.arena = kSmallArena});
  store.apply(put("k", 1, "old"));

  EXPECT_EQ(store.apply(put("k", 2, std::string(300 * kKiB, 'x'))), ApplyOutcome::no_room);
  EXPECT_EQ(store.find("k"), put("k", 1, "old"));
  EXPECT_EQ(store.apply(put("k", 2, std::string(200 * kKiB, 'x'))), ApplyOutcome::took_effect);

  EXPECT_EQ(store.find("k"), put("k", 2, std::string(200 * kKiB, 'x')));
}

TEST(ApplyStore, more_than_a_gibibyte_in_one_entry_is_too_large) {
  ApplyStore store;
  const char byte = 'x';
  const std::string_view huge(&byte, (std::size_t{1} << 30U) + 1);  // refused before any byte of it is read

  EXPECT_EQ(store.apply(put("k", 1, huge)), ApplyOutcome::too_large);
  EXPECT_EQ(store.apply(std::vector{put("j", 1, "v"), put("k", 1, huge), put("l", 1, "v")}),
            (BatchOutcome{.handled = 1, .took_effect = 1, .refusal = ApplyOutcome::too_large}));

  EXPECT_THAT(store.sorted(), ElementsAre(put("j", 1, "v")));
}

}  // namespace
}  // namespace shardcheck::impl
