// What a copy may cost: the source's log, its throttle, the room at the target.
#include <gmock/gmock.h>

#include "impl/driven_storage.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Keeps 2 entries at least and 6 at most.
ClusterOptions short_log() {
  ClusterOptions options = two_nodes();
  options.log_kept = 2;
  options.log_max = 6;
  return options;
}

DrivenStorage& write_up_to(DrivenStorage& node, std::uint32_t last) {
  for (std::uint32_t sequence = static_cast<std::uint32_t>(node.copy().tail.value) + 1; sequence <= last; ++sequence) {
    node.write(1, sequence, sequence).sync();
  }
  return node;
}

TEST(Log, an_owner_keeps_only_the_last_entries_of_its_log) {
  ServingA a(short_log());

  write_up_to(a, 4);

  EXPECT_EQ(a.copy().log_begin, LogPosition{2});
  ASSERT_THAT(a.observed<LogTrimmed>(), testing::SizeIs(1));
  EXPECT_EQ(a.observed<LogTrimmed>()[0].up_to, LogPosition{2});
  EXPECT_EQ(a.value(1), number(4));
}

TEST(Log, is_kept_from_the_snapshot_of_a_copy_on_also_after_a_restart) {
  ServingA a(short_log());
  write_up_to(a, 1);
  a.order(OrderKind::open_capture, MovePhase::preparing).sync();

  write_up_to(a, 5);
  EXPECT_EQ(a.copy().log_begin, LogPosition{1});
  a.restart();
  a.with_lease_until(60).sync();
  write_up_to(a, 6);

  EXPECT_EQ(a.copy().log_begin, LogPosition{1});
}

TEST(Log, over_its_bound_it_is_trimmed_all_the_same_and_the_copy_has_to_begin_anew) {
  ServingA a(short_log());
  a.order(OrderKind::open_capture, MovePhase::preparing).sync();

  write_up_to(a, 7);
  EXPECT_EQ(a.copy().log_begin, LogPosition{5});
  a.order(OrderKind::send_log, MovePhase::catching_up, 0, 0).sync();
  ASSERT_TRUE(a.sent<MoveReport>().has_value());
  EXPECT_TRUE(a.sent<MoveReport>()->is_trimmed);
  EXPECT_TRUE(a.sent<MoveReport>()->is_possible);
  a.order(OrderKind::open_capture, MovePhase::catching_up).sync();

  EXPECT_EQ(a.sent<MoveReport>()->position, LogPosition{7});
}

TEST(Log, who_asks_again_is_told_the_same_snapshot) {
  ServingA a;
  a.write(1, 1, 1).order(OrderKind::open_capture, MovePhase::preparing).sync();
  a.write(1, 2, 2).sync();

  a.order(OrderKind::open_capture, MovePhase::preparing).sync();

  EXPECT_EQ(a.sent<MoveReport>()->position, LogPosition{1});
}

TEST(Log, is_trimmed_again_once_the_move_is_over) {
  ServingA a(short_log());
  a.order(OrderKind::open_capture, MovePhase::preparing).sync();
  a.learn(MovePhase::aborted).sync();

  write_up_to(a, 4);

  EXPECT_EQ(a.copy().log_begin, LogPosition{2});
}

ServingA throttled_at_10() {
  ServingA a;
  a.at(10);
  MoveOrder order{.kind = OrderKind::send_log, .record = record_in(MovePhase::catching_up)};
  order.changed_at = position_of(MovePhase::catching_up);
  order.is_throttled = true;
  a.receive(kMover, order).sync();
  return a;
}

TEST(Throttle, writes_pass_one_by_one_with_a_gap_and_reads_do_not_wait) {
  ServingA a = throttled_at_10();
  a.write(1, 7, 1).sync();

  a.at(11).write(2, 8, 2);
  EXPECT_TRUE(a.is_silent());
  ASSERT_EQ(a.wakes_at(0x1000), at_ms(14));
  a.read(1, 3);
  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.3 attempt 0 ok 7"));
  a.at(14).fire(0x1000);

  ASSERT_THAT(a.observed<WriteThrottled>(), testing::SizeIs(1));
  EXPECT_EQ(a.observed<WriteThrottled>()[0].added, milliseconds(3));
  a.sync();
  EXPECT_EQ(a.value(2), number(8));
}

TEST(Throttle, what_it_cost_is_told_when_the_move_is_over_and_nothing_waits_any_more) {
  ServingA a = throttled_at_10();
  a.write(1, 7, 1).sync();
  a.at(11).write(2, 8, 2);
  a.at(12).write(3, 9, 3);
  a.at(14).fire(0x1000).sync();

  a.at(15).learn(MovePhase::aborted).sync();
  EXPECT_THAT(a.observed<ThrottleEnded>(), IsEmpty());
  a.at(16).fire(0x1000).sync();

  ASSERT_THAT(a.observed<ThrottleEnded>(), testing::SizeIs(1));
  EXPECT_EQ(a.observed<ThrottleEnded>()[0].writes, 2U);
  EXPECT_EQ(a.observed<ThrottleEnded>()[0].added, milliseconds(3 + 4));
}

TEST(Throttle, ends_with_the_phase) {
  ServingA a = throttled_at_10();
  a.write(1, 7, 1).sync();

  a.learn(MovePhase::aborted).sync();
  a.write(2, 8, 2).sync();

  EXPECT_EQ(a.value(2), number(8));
  EXPECT_THAT(a.observed<WriteThrottled>(), IsEmpty());
}

MoveOrder prepare(MovePhase phase, std::uint8_t attempt) {
  MoveOrder order{.kind = OrderKind::prepare_target, .record = record_in(phase)};
  order.changed_at = position_of(phase);
  order.attempt = attempt;
  return order;
}

TEST(Target, begins_its_copy_anew_when_a_later_one_is_asked_for) {
  ServingA a;
  a.write(1, 7, 1).sync();
  StagedB b(a);

  b.receive(kMover, prepare(MovePhase::catching_up, 1)).sync();

  EXPECT_EQ(b.value(1), absent());
  EXPECT_FALSE(b.copy().is_copied);
  EXPECT_EQ(b.sent<MoveReport>()->attempt, 1);
  EXPECT_THAT(b.observed<CopyCreated>(), testing::SizeIs(1));
  EXPECT_THAT(b.observed<CopyRemoved>(), IsEmpty());
  b.receive(kMover, prepare(MovePhase::catching_up, 1)).sync();
  EXPECT_THAT(b.observed<CopyCreated>(), IsEmpty());
}

TEST(Target, a_chunk_of_an_earlier_copy_makes_no_progress) {
  ServingA a;
  a.write(1, 7, 1).sync();
  StagedB b(a);
  a.order(OrderKind::send_chunk, MovePhase::copying, 0, 0).sync();
  const Chunk old = *a.sent<Chunk>();
  b.receive(kMover, prepare(MovePhase::catching_up, 1)).sync();

  b.receive(kA, old).sync();

  EXPECT_EQ(b.copy().cursor, CopyCursor{0});
}

TEST(Target, who_has_no_room_says_that_it_cannot_take_part) {
  ClusterOptions options = two_nodes();
  options.node_keys_max = 3;
  DrivenStorage b(kB, options);

  b.order(OrderKind::prepare_target, MovePhase::preparing).sync();

  EXPECT_FALSE(b.sent<MoveReport>()->is_possible);
}

}  // namespace
}  // namespace shardcheck::impl
