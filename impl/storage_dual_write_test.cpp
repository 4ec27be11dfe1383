// Moves by dual writes: a source that acknowledges what the target has, and a target that keeps it until its copy is
// complete.
#include <gmock/gmock.h>

#include "impl/driven_storage.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kResend = kDualWriteTimers + kShard.value;

ShardRecord dual_in(MovePhase phase) {
  ShardRecord record = record_in(phase);
  record.how.mode = MoveMode::dual_write;
  return record;
}
MoveOrder dual_order(OrderKind kind, MovePhase phase) {
  return {.kind = kind, .record = dual_in(phase), .changed_at = position_of(phase)};
}

// Node A, which wrote once, with its capture open: the snapshot is position 1.
class CapturingA : public ServingA {
 public:
  explicit CapturingA(Mutant mutant = Mutant::none) : ServingA(mutant) {
    write(0, 1, 1).sync();
    receive(kMover, dual_order(OrderKind::open_capture, MovePhase::preparing));
    sync();
  }
  CapturingA& staged(std::uint64_t up_to, bool has_gap = false) {
    receive(kB, DualWritesStaged{kShard, kMove, LogPosition{up_to}, has_gap});
    return *this;
  }
};

Entry entry_at(std::uint64_t position, std::uint32_t key, std::int64_t n, std::uint32_t sequence) {
  Entry entry;
  entry.key = Key{key};
  entry.version = {Epoch{1}, LogPosition{position}};
  entry.value = number(n);
  entry.request = {ClientId{0}, sequence};
  return entry;
}
// Entries of key 0 at the positions after `after`.
DualWrites dual_writes(std::uint64_t after, std::uint8_t count) {
  DualWrites writes;
  writes.record = dual_in(MovePhase::copying);
  writes.snapshot = LogPosition{1};
  writes.after = LogPosition{after};
  writes.count = count;
  for (std::uint8_t i = 0; i < count; ++i) {
    const std::uint64_t position = after + i + 1;
    writes.entries[i] =
        entry_at(position, 0, static_cast<std::int64_t>(position), static_cast<std::uint32_t>(position));
  }
  return writes;
}

// Node B with an empty copy begun.
class StagingB : public DrivenStorage {
 public:
  explicit StagingB(Mutant mutant = Mutant::none) : DrivenStorage(kB, mutant) {
    receive(kMover, dual_order(OrderKind::prepare_target, MovePhase::preparing));
    sync();
  }
  // A chunk with key 0 as it was at the snapshot, and all there is to copy.
  StagingB& take_chunk() {
    Chunk chunk;
    chunk.record = dual_in(MovePhase::copying);
    chunk.mover = kMover;
    chunk.snapshot = LogPosition{1};
    chunk.next = CopyCursor{6};
    chunk.is_last = true;
    chunk.count = 1;
    chunk.entries[0] = entry_at(1, 0, 1, 0);
    receive(kA, chunk);
    sync();
    return *this;
  }
};

TEST(DualWrite, a_write_is_sent_when_it_is_durable_and_answered_when_the_target_has_it) {
  CapturingA a;

  a.write(0, 2, 2);
  EXPECT_TRUE(a.is_silent());
  a.sync();
  EXPECT_THAT(a.said(), ElementsAre("to 2: dual_writes move 5 1 entries after 1"));
  a.staged(2);

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.2 attempt 0 ok nil"));
}

TEST(DualWrite, what_was_written_before_the_capture_is_not_sent) {
  CapturingA a;

  EXPECT_FALSE(a.sent<DualWrites>().has_value());
}

TEST(DualWrite, a_second_mover_is_told_the_same_snapshot) {
  CapturingA a;
  a.write(0, 2, 2).sync();

  a.receive(kMover, dual_order(OrderKind::open_capture, MovePhase::preparing));
  a.sync();

  EXPECT_EQ(a.sent<MoveReport>()->position, LogPosition{1});
}

TEST(DualWrite, a_repeated_request_waits_as_its_first_attempt_does) {
  CapturingA a;
  a.increment(2, 2).sync();

  a.increment(2, 2, 1);
  EXPECT_FALSE(a.sent<Reply>().has_value());
  a.staged(2);

  EXPECT_THAT(a.said(),
              ElementsAre("to 3: reply request 0.2 attempt 0 ok 1", "to 3: reply request 0.2 attempt 1 ok 1"));
}

TEST(DualWrite, a_read_does_not_wait_for_the_target) {
  CapturingA a;
  a.write(0, 2, 2).sync();

  a.read(0, 3);

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.3 attempt 0 ok 2"));
}

TEST(DualWrite, a_gap_is_sent_again_from_what_the_target_has) {
  CapturingA a;
  a.write(0, 2, 2).sync();
  a.write(0, 3, 3).sync();

  a.staged(1, true);

  EXPECT_EQ(a.sent<DualWrites>()->after, LogPosition{1});
  EXPECT_EQ(a.sent<DualWrites>()->count, 2);
}

TEST(DualWrite, what_is_not_confirmed_is_sent_again_after_a_while) {
  CapturingA a;
  a.at(10).write(0, 2, 2).sync();
  ASSERT_EQ(a.wakes_at(kResend), at_ms(14));

  a.at(14).fire(kResend);

  EXPECT_EQ(a.sent<DualWrites>()->after, LogPosition{1});
  EXPECT_FALSE(a.sent<Command>().has_value());
}

TEST(DualWrite, a_source_that_restarted_asks_from_the_snapshot_on) {
  CapturingA a;
  a.write(0, 2, 2).sync();

  a.restart();

  EXPECT_EQ(a.sent<DualWrites>()->after, LogPosition{1});
  EXPECT_EQ(a.sent<DualWrites>()->count, 1);
}

TEST(DualWrite, a_target_that_is_silent_costs_the_move_and_only_the_committed_abort_ends_the_waiting) {
  CapturingA a;
  a.at(10).write(0, 2, 2).sync();

  a.at(49).fire(kResend);
  EXPECT_FALSE(a.sent<Command>().has_value());
  a.at(53).fire(kResend);
  ASSERT_TRUE(a.sent<Command>().has_value());
  EXPECT_EQ(a.sent<Command>()->kind, CommandKind::abort_move);
  EXPECT_EQ(a.sent<Command>()->move, kMove);
  EXPECT_FALSE(a.sent<Reply>().has_value());

  a.learn(dual_in(MovePhase::aborted), position_of(MovePhase::aborted)).sync();
  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.2 attempt 0 ok nil"));
  a.write(0, 3, 3).sync();
  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.3 attempt 0 ok nil"));
}

TEST(DualWrite, the_barrier_is_confirmed_when_the_target_has_everything) {
  CapturingA a;
  a.write(0, 2, 2).sync();
  a.receive(kMover, dual_order(OrderKind::fence, MovePhase::fenced));

  a.sync();
  EXPECT_THAT(a.observed<BarrierConfirmed>(), IsEmpty());
  a.staged(2);

  EXPECT_THAT(a.said(),
              ElementsAre("to 3: reply request 0.2 attempt 0 ok nil", "to 4: report_fence move 5 from 1 position 2"));
  EXPECT_EQ(a.observed<BarrierConfirmed>().size(), 1U);
}

TEST(DualWrite, a_move_of_the_first_mode_opens_no_capture) {
  ServingA a;
  a.order(OrderKind::open_capture, MovePhase::preparing).sync();

  a.write(0, 1, 1).sync();

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 ok nil"));
}

TEST(DualWrite, the_target_confirms_what_its_disk_has_and_applies_it_when_the_copy_is_complete) {
  StagingB b;

  b.receive(kA, dual_writes(1, 2));
  EXPECT_TRUE(b.is_silent());
  b.sync();
  EXPECT_THAT(b.said(), ElementsAre("to 1: dual_writes_staged move 5 up to 3"));
  EXPECT_EQ(b.value(0), absent());
  b.take_chunk();

  EXPECT_EQ(b.value(0), number(3));
  EXPECT_EQ(b.copy().tail, LogPosition{3});
  const std::vector<Applied> applied = b.observed<Applied>();
  ASSERT_EQ(applied.size(), 3U);
  EXPECT_EQ(applied[0].cause, ApplyCause::backfill);
  EXPECT_EQ(applied[2].cause, ApplyCause::dual_write);
  EXPECT_EQ(applied[2].version.position, LogPosition{3});
}

TEST(DualWrite, after_the_copy_they_are_applied_as_they_come) {
  StagingB b;
  b.take_chunk();

  b.receive(kA, dual_writes(1, 1));
  b.sync();

  EXPECT_THAT(b.said(), ElementsAre("to 1: dual_writes_staged move 5 up to 2"));
  EXPECT_EQ(b.value(0), number(2));
  EXPECT_EQ(b.copy().tail, LogPosition{2});
}

TEST(DualWrite, what_is_kept_survives_a_restart) {
  StagingB b;
  b.receive(kA, dual_writes(1, 2));
  b.sync();

  b.restart();
  b.take_chunk();

  EXPECT_EQ(b.value(0), number(3));
}

TEST(DualWrite, a_gap_is_left_alone_and_said) {
  StagingB b;
  b.receive(kA, dual_writes(1, 1));
  b.sync();

  b.receive(kA, dual_writes(3, 1));
  b.sync();

  EXPECT_THAT(b.said(), ElementsAre("to 1: dual_writes_staged move 5 up to 2, with a gap"));
}

TEST(DualWrite, what_comes_twice_is_taken_once) {
  StagingB b;
  b.receive(kA, dual_writes(1, 2));
  b.sync();

  b.receive(kA, dual_writes(1, 3));
  b.sync();

  EXPECT_EQ(b.sent<DualWritesStaged>()->staged_to, LogPosition{4});
  EXPECT_EQ(b.copy().log.size(), 3U);
}

TEST(DualWrite, a_target_keeps_no_more_than_its_bound) {
  StagingB b;
  for (std::uint64_t after = 1; after < 101; after += 4) {
    b.receive(kA, dual_writes(after, 4));
    b.sync();
  }

  EXPECT_EQ(b.copy().log.size(), 64U);
  EXPECT_TRUE(b.sent<DualWritesStaged>()->has_gap);
}

TEST(DualWrite, a_node_that_stages_no_copy_of_the_move_says_nothing) {
  DrivenStorage b(kB);

  b.receive(kA, dual_writes(1, 1));
  b.sync();

  EXPECT_TRUE(b.is_silent());
}

TEST(DualWrite, the_mutants_say_too_early_that_a_write_is_safe) {
  CapturingA hasty(Mutant::move_source_acks_before_forward);
  hasty.write(0, 2, 2).sync();
  EXPECT_TRUE(hasty.sent<Reply>().has_value());

  StagingB forgetful(Mutant::dual_write_acked_before_staged);
  forgetful.receive(kA, dual_writes(1, 1));
  EXPECT_TRUE(forgetful.sent<DualWritesStaged>().has_value());
  forgetful.restart();
  EXPECT_EQ(forgetful.copy().log.size(), 0U);
}

TEST(DualWrite, the_mutant_sends_nothing_when_there_was_nothing_to_copy) {
  ServingA a(Mutant::move_empty_delta_no_forwarder);
  a.receive(kMover, dual_order(OrderKind::open_capture, MovePhase::preparing));
  a.sync();

  a.write(0, 1, 1).sync();

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 ok nil"));
}

TEST(DualWrite, the_mutant_lets_a_chunk_overwrite_what_it_applied_early) {
  StagingB b(Mutant::move_forward_early);
  b.receive(kA, dual_writes(1, 1));
  b.sync();
  EXPECT_EQ(b.value(0), number(2));

  b.take_chunk();

  EXPECT_EQ(b.value(0), number(1));
}

}  // namespace
}  // namespace shardcheck::impl
