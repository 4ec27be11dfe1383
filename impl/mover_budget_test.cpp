// What a mover does when a copy costs too much.
#include <gmock/gmock.h>

#include "impl/driven_mover.h"

namespace shardcheck::impl {
namespace {

ClusterOptions with(CatchUpDecision decision) {
  ClusterOptions cluster = options();
  cluster.catch_up = decision;
  cluster.pause_lag_max = 5;
  return cluster;
}

TEST(Mover, throttles_a_source_that_outruns_it_and_gives_up_if_that_does_not_help) {
  DrivenMover mover(with(CatchUpDecision::throttle));
  mover.moved_up_to(MovePhase::catching_up);

  mover.log_is_replayed(7, 20).log_is_replayed(11, 30).log_is_replayed(15, 40);
  ASSERT_THAT(mover.observed<CatchUpDecided>(), testing::SizeIs(1));
  EXPECT_TRUE(mover.order()->is_throttled);
  mover.log_is_replayed(19, 50).log_is_replayed(23, 60).log_is_replayed(27, 70);

  EXPECT_EQ(mover.command()->kind, CommandKind::abort_move);
  ASSERT_THAT(mover.observed<MoveGaveUp>(), testing::SizeIs(1));
  EXPECT_EQ(mover.observed<MoveGaveUp>()[0].reason, GiveUpReason::outrun);
}

TEST(Mover, accepts_a_longer_pause_within_its_bound_only) {
  DrivenMover near(with(CatchUpDecision::longer_pause));
  DrivenMover far(with(CatchUpDecision::longer_pause));
  near.moved_up_to(MovePhase::catching_up);
  far.moved_up_to(MovePhase::catching_up);

  near.log_is_replayed(7, 12).log_is_replayed(11, 16).log_is_replayed(15, 20);
  far.log_is_replayed(7, 12).log_is_replayed(11, 16).log_is_replayed(15, 21);

  EXPECT_EQ(near.command()->phase, MovePhase::fenced);
  EXPECT_EQ(far.command()->kind, CommandKind::abort_move);
}

TEST(Mover, tells_how_much_is_left_when_it_asks_for_the_fence) {
  DrivenMover usual;
  DrivenMover longer(with(CatchUpDecision::longer_pause));
  usual.moved_up_to(MovePhase::catching_up);
  longer.moved_up_to(MovePhase::catching_up);

  usual.log_is_replayed(7, 9);
  longer.log_is_replayed(7, 12).log_is_replayed(11, 16).log_is_replayed(15, 20);

  ASSERT_THAT(usual.observed<FenceDecided>(), testing::SizeIs(1));
  EXPECT_EQ(usual.observed<FenceDecided>()[0].lag, 2U);
  ASSERT_THAT(longer.observed<FenceDecided>(), testing::SizeIs(1));
  EXPECT_EQ(longer.observed<FenceDecided>()[0].lag, 5U);
}

TEST(Mover, a_longer_pause_is_accepted_for_the_copy_that_it_was_decided_for) {
  DrivenMover mover(with(CatchUpDecision::longer_pause));
  mover.moved_up_to(MovePhase::catching_up);
  mover.log_is_replayed(7, 12).log_is_replayed(11, 16).log_is_replayed(15, 20);

  mover.report(kA, {.kind = OrderKind::send_log, .is_trimmed = true, .position = LogPosition{15}});
  mover.report(kB, {.kind = OrderKind::prepare_target, .attempt = 1});
  mover.report(kA, {.kind = OrderKind::open_capture, .attempt = 1, .position = LogPosition{20}});
  mover.report(kB, {.kind = OrderKind::send_chunk,
                    .attempt = 1,
                    .cursor = CopyCursor{12},
                    .is_copied = true,
                    .position = LogPosition{20}});

  EXPECT_EQ(mover.order()->kind, OrderKind::send_log);
  EXPECT_FALSE(mover.command());
}

// Outrun, in three rounds.
DrivenMover outrun(ClusterOptions cluster) {
  DrivenMover mover(cluster);
  mover.moved_up_to(MovePhase::catching_up);
  mover.log_is_replayed(7, 20).log_is_replayed(11, 30).log_is_replayed(15, 40);
  return mover;
}

ClusterOptions splitting() {
  ClusterOptions cluster = with(CatchUpDecision::split_first);
  cluster.shards_max = 3;
  return cluster;
}

TEST(SplitFirst, the_move_is_given_up_for_that_and_the_owner_is_asked_when_the_abort_is_over) {
  DrivenMover mover = outrun(splitting());

  EXPECT_EQ(mover.command()->kind, CommandKind::abort_move);
  ASSERT_THAT(mover.observed<MoveGaveUp>(), testing::SizeIs(1));
  EXPECT_EQ(mover.observed<MoveGaveUp>()[0].reason, GiveUpReason::split_first);
  mover.aborts();
  EXPECT_FALSE(mover.sent<ReshapeOrder>());
  EXPECT_TRUE(mover.node().has_wish());
  mover.finishes();

  ASSERT_TRUE(mover.sent<ReshapeOrder>());
  EXPECT_EQ(mover.sent<ReshapeOrder>()->kind, ReshapeKind::split);
  EXPECT_EQ(mover.sent<ReshapeOrder>()->at, Key{4});
}

TEST(SplitFirst, the_halves_are_moved_one_after_the_other) {
  DrivenMover mover = outrun(splitting());
  mover.aborts().finishes().is_split_at(4);

  EXPECT_EQ(mover.command()->kind, CommandKind::begin_move);
  EXPECT_EQ(mover.command()->shard, ShardId{0});
  EXPECT_EQ(mover.command()->target, kB);
  mover.move_begins().aborts();
  EXPECT_TRUE(mover.node().has_wish());
  mover.finishes();

  EXPECT_EQ(mover.command()->kind, CommandKind::begin_move);
  EXPECT_EQ(mover.command()->shard, ShardId{1});
  EXPECT_EQ(mover.command()->target, kB);
}

TEST(SplitFirst, halves_are_halved_no_more_often_than_is_stated) {
  ClusterOptions cluster = splitting();
  cluster.splits_first_max = 1;
  DrivenMover mover = outrun(cluster);
  mover.aborts().finishes().is_split_at(4).move_begins().target_is_prepared();
  mover.report(kA, {.kind = OrderKind::open_capture, .position = LogPosition{3}}).advances_to(MovePhase::copying);
  mover.chunk_is_staged(12, true).advances_to(MovePhase::catching_up);

  mover.log_is_replayed(7, 20).log_is_replayed(11, 30).log_is_replayed(15, 40);

  EXPECT_EQ(mover.observed<MoveGaveUp>()[0].reason, GiveUpReason::outrun);
}

TEST(SplitFirst, is_not_decided_where_there_is_no_id_for_a_half) {
  ClusterOptions cluster = splitting();
  cluster.shards_max = 1;

  DrivenMover mover = outrun(cluster);

  EXPECT_EQ(mover.observed<MoveGaveUp>()[0].reason, GiveUpReason::outrun);
  EXPECT_FALSE(mover.node().has_wish());
}

TEST(SplitFirst, is_asked_for_again_but_not_for_ever) {
  DrivenMover mover = outrun(splitting());
  mover.aborts().finishes();
  for (std::int64_t poll = 1; poll <= 4; ++poll) {
    SCOPED_TRACE(poll);
    mover.at(40 * poll).fire(0xffff);
    EXPECT_TRUE(mover.sent<ReshapeOrder>());
  }

  mover.at(200).fire(0xffff);

  EXPECT_FALSE(mover.sent<ReshapeOrder>());
  EXPECT_FALSE(mover.node().has_wish());
}

TEST(SplitFirst, is_forgotten_when_the_range_has_become_another_one) {
  DrivenMover mover = outrun(splitting());
  mover.aborts().finishes();

  mover.is_split_at(2);

  EXPECT_FALSE(mover.node().has_wish());
}

TEST(Mover, begins_the_copy_anew_when_the_log_behind_it_is_trimmed_but_not_for_ever) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::catching_up);

  for (std::uint8_t attempt = 0; attempt < 2; ++attempt) {
    SCOPED_TRACE(attempt);
    mover.report(kA, {.kind = OrderKind::send_log, .is_trimmed = true, .attempt = attempt, .position = LogPosition{3}});
    EXPECT_EQ(mover.order()->kind, OrderKind::prepare_target);
    EXPECT_EQ(mover.order()->attempt, attempt + 1);
    mover.report(kB, {.kind = OrderKind::prepare_target, .attempt = static_cast<std::uint8_t>(attempt + 1)});
    EXPECT_EQ(mover.order()->kind, OrderKind::open_capture);
  }
  mover.report(kA, {.kind = OrderKind::send_log, .is_trimmed = true, .attempt = 2, .position = LogPosition{3}});

  EXPECT_EQ(mover.command()->kind, CommandKind::abort_move);
  EXPECT_EQ(mover.observed<MoveGaveUp>()[0].reason, GiveUpReason::log_trimmed);
}

TEST(Mover, an_order_that_was_overtaken_and_finds_the_log_trimmed_means_nothing) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::catching_up).log_is_replayed(7, 20);

  mover.report(kA, {.kind = OrderKind::send_log, .is_trimmed = true, .position = LogPosition{3}});

  EXPECT_EQ(mover.order()->kind, OrderKind::send_log);
}

TEST(Mover, gives_up_a_copy_that_would_have_to_begin_anew_behind_the_fence) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::catching_up);
  mover.report(kA, {.kind = OrderKind::send_log, .is_trimmed = true, .position = LogPosition{3}});
  mover.advances_to(MovePhase::fenced);

  mover.report(kB, {.kind = OrderKind::prepare_target});

  EXPECT_EQ(mover.command()->kind, CommandKind::abort_move);
}

TEST(Mover, what_is_said_of_an_earlier_copy_means_nothing) {
  DrivenMover mover;
  mover.moved_up_to(MovePhase::catching_up);
  mover.report(kA, {.kind = OrderKind::send_log, .is_trimmed = true, .position = LogPosition{3}});

  mover.report(kA, {.kind = OrderKind::open_capture, .position = LogPosition{3}});

  EXPECT_EQ(mover.order()->kind, OrderKind::prepare_target);
}

}  // namespace
}  // namespace shardcheck::impl
