#include "impl/storage_state.h"

#include <gtest/gtest.h>

#include "impl/directory_state.h"

namespace shardcheck::impl {
namespace {

constexpr NodeId kA{1};
constexpr NodeId kB{2};
constexpr ShardId kShard{0};
constexpr ShardId kOther{1};
constexpr MoveId kMove{5};

// Two ranges of four keys each, [0, 4) and [4, 8), owned by A and B under the epochs 1 and 2.
ClusterOptions options() {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 2;
  options.clients = 2;
  options.shards = 2;
  options.keys = 8;
  return options;
}
constexpr Version version(std::uint64_t epoch, std::uint64_t position) { return {Epoch{epoch}, LogPosition{position}}; }
Entry entry(std::uint32_t key, Version version, Value value, std::uint32_t sequence = 0, std::uint16_t client = 0) {
  Entry entry;
  entry.key = Key{key};
  entry.version = version;
  entry.value = value;
  entry.request = {ClientId{client}, sequence};
  return entry;
}
ShardRecord moving_to_b(MovePhase phase) {
  ShardRecord record = initial_records(options())[0];
  record.move = kMove;
  record.phase = phase;
  record.source = kA;
  record.target = kB;
  record.source_epoch = Epoch{1};
  record.mover_epoch = MoverEpoch{1};
  if (phase >= MovePhase::switched && phase != MovePhase::aborted) {
    record.owner = kB;
    record.epoch = Epoch{9};
  }
  return record;
}

// The state of one node, and the records that led to it.
class Store {
 public:
  explicit Store(NodeId self) : self_(self), state_(options(), self) {
    for (const Record& record : initial_disk(options(), self)) {
      apply(record);
    }
  }

  Store& apply(const Record& record) {
    records_.push_back(record);
    state_.apply(record);
    return *this;
  }
  // As an owner writes: at the next position of the log, under its own epoch.
  Store& write(std::uint32_t key, Value value, std::uint32_t sequence = 0, std::uint16_t client = 0) {
    const ShardId shard = key < 4 ? kShard : kOther;
    const ShardCopy& copy = state_.copy(shard);
    const Entry written = entry(key, {copy.held_epoch, next(copy.tail)}, value, sequence, client);
    return apply(Wrote{shard, Attempt{written.request, 0}, written});
  }
  Store& stage(const Entry& staged, ApplyCause cause = ApplyCause::backfill) {
    return apply(Staged{kShard, cause, staged});
  }
  const StorageState& state() const { return state_; }
  const ShardCopy& copy() const { return state_.copy(kShard); }
  Value value(std::uint32_t key) const { return state_.cell(Key{key}).value; }
  StorageState folded_again() const {
    StorageState again(options(), self_);
    for (const Record& record : records_) {
      again.apply(record);
    }
    return again;
  }

 private:
  NodeId self_;
  StorageState state_;
  std::vector<Record> records_;
};

TEST(StorageState, a_node_begins_with_its_own_ranges_and_knows_of_the_others) {
  const Store a(kA);

  EXPECT_TRUE(a.state().is_formatted());
  EXPECT_EQ(a.copy().copy, CopyState::owned);
  EXPECT_EQ(a.copy().held_epoch, Epoch{1});
  EXPECT_EQ(a.state().copy(kOther).copy, std::nullopt);
  EXPECT_EQ(a.state().copy(kOther).known.owner, kB);
  EXPECT_EQ(a.state().copy(kOther).highest_seen(), Epoch{2});
  EXPECT_EQ(a.state().find(Key{5}), &a.state().copy(kOther));
  EXPECT_EQ(a.state().find(Key{8}), nullptr);
}

TEST(StorageState, a_disk_without_anything_has_been_lost) {
  const StorageState state(options(), kA);

  EXPECT_FALSE(state.is_formatted());
  EXPECT_EQ(state.copy(kShard).copy, std::nullopt);
}

TEST(StorageState, a_write_is_at_the_end_of_the_log_and_in_its_cell) {
  Store a(kA);

  a.write(3, number(7)).write(2, number(8));

  EXPECT_EQ(a.copy().tail, LogPosition{2});
  EXPECT_EQ(a.copy().log.size(), 2U);
  EXPECT_EQ(a.state().cell(Key{3}).version, version(1, 1));
  EXPECT_EQ(a.value(3), number(7));
  EXPECT_EQ(a.value(2), number(8));
  EXPECT_FALSE(a.state().cell(Key{1}).exists());
}

TEST(StorageState, a_deleted_key_is_a_tombstone_with_a_version) {
  Store a(kA);

  a.write(3, number(7)).write(3, absent());

  EXPECT_TRUE(a.state().cell(Key{3}).exists());
  EXPECT_EQ(a.value(3), absent());
  EXPECT_EQ(a.copy().digest.values, 0U);
  EXPECT_NE(a.copy().digest.tombstones, 0U);
}

TEST(StorageState, the_last_answered_request_of_each_client_is_remembered) {
  Store a(kA);

  a.write(3, number(7), 4, 1).write(3, number(8), 6, 1).write(3, number(9), 2, 0);

  EXPECT_EQ(a.copy().answered[1].sequence, 6U);
  EXPECT_EQ(a.copy().answered[0].sequence, 2U);
}

TEST(StorageState, a_refused_request_is_remembered_and_changes_no_cell) {
  Store a(kA);
  Entry refused = entry(3, version(1, 1), number(7), 4);
  refused.outcome = OutcomeKind::refused;
  refused.has_cell = false;

  a.apply(Wrote{kShard, {refused.request, 0}, refused});

  EXPECT_EQ(a.copy().answered[0].outcome, OutcomeKind::refused);
  EXPECT_FALSE(a.state().cell(Key{3}).exists());
  EXPECT_EQ(a.copy().tail, LogPosition{1});
}

TEST(StorageState, the_answer_of_an_increment_is_remembered_with_it) {
  Store a(kA);
  Entry increment = entry(3, version(1, 1), number(5), 4);
  increment.answers_value = true;

  a.apply(Wrote{kShard, {increment.request, 0}, increment}).write(2, number(6), 5, 1);

  EXPECT_EQ(a.copy().answered[0].answer, number(5));
  EXPECT_EQ(a.copy().answered[1].answer, absent());
}

TEST(StorageState, the_last_executed_attempt_of_a_client_is_known_and_older_requests_may_have_been_executed) {
  Store a(kA);
  const Entry written = entry(3, version(1, 1), number(7), 4, 1);

  a.apply(Wrote{kShard, {written.request, 2}, written});

  EXPECT_TRUE(a.state().may_have_executed({{ClientId{1}, 4}, 2}));
  EXPECT_FALSE(a.state().may_have_executed({{ClientId{1}, 4}, 3}));
  EXPECT_FALSE(a.state().may_have_executed({{ClientId{0}, 4}, 2}));
  EXPECT_TRUE(a.state().may_have_executed({{ClientId{1}, 3}, 0}));
  EXPECT_FALSE(a.state().may_have_executed({{ClientId{1}, 5}, 2}));
}

TEST(StorageState, a_grant_to_somebody_else_leaves_a_retained_copy) {
  Store a(kA);
  a.write(3, number(7));

  a.apply(KnowsRecord{moving_to_b(MovePhase::switched), DirectoryPosition{9}, false});

  EXPECT_EQ(a.copy().copy, CopyState::retained);
  EXPECT_EQ(a.copy().held_epoch, Epoch{});
  EXPECT_EQ(a.copy().highest_seen(), Epoch{9});
  EXPECT_EQ(a.copy().move, kMove);
  EXPECT_EQ(a.value(3), number(7));
}

TEST(StorageState, a_fence_is_lifted_by_its_own_move_only) {
  Store a(kA);

  a.apply(FenceSet{kShard, kMove, LogPosition{0}}).apply(FenceLifted{kShard, MoveId{4}});
  EXPECT_EQ(a.copy().copy, CopyState::fenced);
  a.apply(FenceLifted{kShard, kMove});
  EXPECT_EQ(a.copy().copy, CopyState::owned);
}

TEST(StorageState, of_two_staged_versions_the_newer_one_stays) {
  Store b(kB);
  b.apply(StagingBegun{moving_to_b(MovePhase::preparing)});

  b.stage(entry(3, version(1, 5), number(5))).stage(entry(3, version(1, 4), number(4)));
  b.stage(entry(2, version(1, 6), absent())).stage(entry(2, version(1, 3), number(3)), ApplyCause::replay);

  EXPECT_EQ(b.value(3), number(5));
  EXPECT_EQ(b.value(2), absent());
}

TEST(StorageState, a_staged_copy_is_taken_up_with_its_content_under_the_new_grant) {
  Store b(kB);
  b.apply(StagingBegun{moving_to_b(MovePhase::preparing)}).stage(entry(3, version(1, 5), number(5)));
  b.apply(StagingProgress{kShard, CopyCursor{6}, true, LogPosition{5}});

  b.apply(KnowsRecord{moving_to_b(MovePhase::switched), DirectoryPosition{9}, true});

  EXPECT_EQ(b.copy().copy, CopyState::owned);
  EXPECT_EQ(b.copy().held_epoch, Epoch{9});
  EXPECT_EQ(b.copy().digest.source_epoch, Epoch{9});
  EXPECT_EQ(b.copy().tail, LogPosition{5});
  EXPECT_EQ(b.copy().log_begin, LogPosition{5});
  EXPECT_EQ(b.value(3), number(5));
}

TEST(StorageState, a_new_staging_forgets_what_was_staged_or_held_before) {
  Store b(kB);
  b.apply(StagingBegun{moving_to_b(MovePhase::preparing)}).stage(entry(3, version(1, 5), number(5), 4));
  b.apply(StagingProgress{kShard, CopyCursor{6}, true, LogPosition{5}});
  b.apply(CopyDropped{kShard, kMove, {Key{0}, Key{4}}});

  b.apply(StagingBegun{moving_to_b(MovePhase::preparing)});

  EXPECT_EQ(b.copy().cursor, CopyCursor{});
  EXPECT_FALSE(b.copy().is_copied);
  EXPECT_EQ(b.copy().tail, LogPosition{});
  EXPECT_EQ(b.copy().answered[0].sequence, 0U);
  EXPECT_FALSE(b.state().cell(Key{3}).exists());
}

TEST(StorageState, a_dropped_copy_leaves_the_neighbours_keys_alone) {
  Store b(kB);
  b.write(4, number(4));
  b.apply(StagingBegun{moving_to_b(MovePhase::preparing)}).stage(entry(3, version(1, 5), number(5)));

  b.apply(CopyDropped{kShard, kMove, {Key{0}, Key{4}}});

  EXPECT_EQ(b.copy().copy, std::nullopt);
  EXPECT_FALSE(b.state().cell(Key{3}).exists());
  EXPECT_EQ(b.value(4), number(4));
}

TEST(StorageState, the_order_of_entries_does_not_show_in_the_digest) {
  Store one(kB);
  Store other(kB);
  one.apply(StagingBegun{moving_to_b(MovePhase::preparing)});
  other.apply(StagingBegun{moving_to_b(MovePhase::preparing)});

  one.stage(entry(3, version(1, 5), number(5), 4)).stage(entry(2, version(1, 6), absent(), 7, 1));
  other.stage(entry(2, version(1, 6), absent(), 7, 1)).stage(entry(3, version(1, 5), number(5), 4));

  EXPECT_EQ(one.copy().digest, other.copy().digest);
}

TEST(StorageState, every_difference_of_content_shows_in_the_digest) {
  const auto digest_with = [](const Entry& staged) {
    Store b(kB);
    b.apply(StagingBegun{moving_to_b(MovePhase::preparing)}).stage(staged);
    return b.copy().digest;
  };
  const ContentDigest digest = digest_with(entry(3, version(1, 5), number(5), 4));

  EXPECT_NE(digest_with(entry(2, version(1, 5), number(5), 4)).values, digest.values);
  EXPECT_NE(digest_with(entry(3, version(1, 6), number(5), 4)).values, digest.values);
  EXPECT_NE(digest_with(entry(3, version(1, 5), number(6), 4)).values, digest.values);
  EXPECT_NE(digest_with(entry(3, version(1, 5), list_of_one(5), 4)).values, digest.values);
  EXPECT_NE(digest_with(entry(3, version(1, 5), number(5), 5)).requests, digest.requests);
  EXPECT_NE(digest_with(entry(3, version(1, 5), number(5), 4, 1)).requests, digest.requests);
}

// A splitmix64 stream: any numbers do, as long as they are always the same.
class Numbers {
 public:
  std::uint32_t below(std::uint32_t n) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t word = (state_ ^ (state_ >> 30U)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::uint32_t>((word >> 33U) % n);
  }

 private:
  std::uint64_t state_ = 5;
};

// One change of any kind that a target of moves may make.
void change_anyhow(Store& b, Numbers& numbers) {
  const std::uint32_t kind = numbers.below(20);
  if (kind == 0 || !b.copy().copy) {
    if (b.copy().copy) {
      b.apply(CopyDropped{kShard, kMove, {Key{0}, Key{4}}});
    }
    b.apply(StagingBegun{moving_to_b(MovePhase::preparing)});
    return;
  }
  const std::uint32_t key = numbers.below(4);
  const Version written = version(1, 1 + numbers.below(30));
  const Value value = kind < 6 ? absent() : kind < 10 ? list_of_one(7) : number(numbers.below(9));
  const std::uint32_t sequence = numbers.below(12);
  Entry staged = entry(key, written, value, sequence, static_cast<std::uint16_t>(numbers.below(2)));
  staged.has_cell = numbers.below(4) != 0;
  staged.answers_value = numbers.below(2) == 0;
  b.stage(staged, numbers.below(2) == 0 ? ApplyCause::backfill : ApplyCause::replay);
  if (kind == 19) {
    b.write(4 + key, value, sequence + 20);
  }
}

TEST(StorageState, the_digest_kept_up_to_date_equals_the_one_from_scratch) {
  Numbers numbers;
  Store b(kB);

  for (int i = 0; i < 2'000; ++i) {
    SCOPED_TRACE(i);
    change_anyhow(b, numbers);
    ASSERT_EQ(b.copy().digest, b.state().content_of(kShard));
    ASSERT_EQ(b.state().copy(kOther).digest, b.state().content_of(kOther));
  }
}

TEST(StorageState, the_same_records_give_the_same_state) {
  Numbers numbers;
  Store b(kB);
  for (int i = 0; i < 500; ++i) {
    change_anyhow(b, numbers);
  }

  const StorageState again = b.folded_again();

  for (const ShardId shard : {kShard, kOther}) {
    SCOPED_TRACE(shard.value);
    EXPECT_EQ(again.copy(shard).digest, b.state().copy(shard).digest);
    EXPECT_EQ(again.copy(shard).copy, b.state().copy(shard).copy);
    EXPECT_EQ(again.copy(shard).tail, b.state().copy(shard).tail);
    EXPECT_EQ(again.copy(shard).log, b.state().copy(shard).log);
    EXPECT_EQ(again.copy(shard).known, b.state().copy(shard).known);
  }
  for (std::uint32_t key = 0; key < 8; ++key) {
    SCOPED_TRACE(key);
    EXPECT_EQ(again.cell(Key{key}).version, b.state().cell(Key{key}).version);
    EXPECT_EQ(again.cell(Key{key}).value, b.value(key));
  }
}

}  // namespace
}  // namespace shardcheck::impl
