// Forwarding after the fence: what a source hands on, what its target does with it, and what neither may say.
#include <gmock/gmock.h>

#include "impl/driven_storage.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ShardRecord forwarding_in(MovePhase phase) {
  ShardRecord record = record_in(phase);
  record.how.forwards = true;
  return record;
}

// Node A past the barrier of a move that forwards.
class FencedA : public ServingA {
 public:
  FencedA() {
    increment(2, 1).sync();
    const MoveOrder order{.kind = OrderKind::fence,
                          .record = forwarding_in(MovePhase::fenced),
                          .changed_at = position_of(MovePhase::fenced)};
    receive(kMover, order);
    sync();
  }
};

ForwardedRequest forwarded(const Operation& operation, std::uint32_t sequence, std::uint8_t attempt = 0) {
  return {kShard, kRouter, {DrivenStorage::try_of(sequence, attempt), Epoch{1}, operation, kMove}};
}
ForwardedRequest forwarded_increment(std::uint32_t sequence, std::uint8_t attempt = 0) {
  return forwarded({OperationKind::increment, Key{2}, absent(), absent()}, sequence, attempt);
}

// Node B with A's content, which A brought up to the barrier.
class WaitingB : public DrivenStorage {
 public:
  explicit WaitingB(Mutant mutant = Mutant::none) : DrivenStorage(kB, mutant) {
    ServingA a;
    a.increment(2, 1).sync();
    *this = WaitingB(StagedB(a, mutant));
    learn(forwarding_in(MovePhase::fenced), position_of(MovePhase::fenced));
    sync();
  }
  WaitingB& grant() {
    learn(forwarding_in(MovePhase::switched), position_of(MovePhase::switched));
    sync();
    fire(kForwardedTimers + kShard.value);
    return *this;
  }

 private:
  explicit WaitingB(const StagedB& staged) : DrivenStorage(staged) {}
};

TEST(Forwarding, a_source_past_its_barrier_hands_requests_on_once_its_disk_knows_it) {
  FencedA a;

  a.increment(2, 2);
  EXPECT_TRUE(a.is_silent());
  EXPECT_TRUE(a.wants_sync());
  a.sync();

  EXPECT_THAT(a.said(), ElementsAre("to 2: forwarded_request move 5 for router 3: request 0.2 attempt 0 epoch 1: "
                                    "incr key 2"));
  EXPECT_THAT(a.observed<Answered>(), IsEmpty());
  EXPECT_EQ(a.value(2), number(1));
}

TEST(Forwarding, a_source_that_restarted_behind_its_fence_hands_on_as_well) {
  FencedA a;
  a.restart();

  a.increment(2, 2).sync();

  EXPECT_TRUE(a.sent<ForwardedRequest>().has_value());
}

TEST(Forwarding, before_the_barrier_the_answer_is_transient) {
  ServingA a;
  a.receive(kMover, MoveOrder{.kind = OrderKind::fence,
                              .record = forwarding_in(MovePhase::fenced),
                              .changed_at = position_of(MovePhase::fenced)});

  a.increment(2, 2).sync();

  EXPECT_FALSE(a.sent<ForwardedRequest>().has_value());
  EXPECT_EQ(a.sent<Refusal>()->signal, Signal::transient);
}

TEST(Forwarding, a_move_that_does_not_forward_answers_transient) {
  ServingA a;
  a.order_fence().sync();

  a.increment(2, 2).sync();

  EXPECT_FALSE(a.sent<ForwardedRequest>().has_value());
  EXPECT_EQ(a.sent<Refusal>()->signal, Signal::transient);
}

// The attempt, or an earlier one of the same client, may be served by the target at any later time.
TEST(Forwarding, of_what_was_handed_on_nothing_definite_is_said_again) {
  FencedA a;
  a.increment(2, 4).sync();
  a.learn(forwarding_in(MovePhase::switched), position_of(MovePhase::switched)).sync();

  a.increment(2, 4).sync();
  EXPECT_TRUE(a.is_silent());
  a.increment(2, 3).sync();
  EXPECT_TRUE(a.is_silent());
  a.restart();
  a.increment(2, 4).sync();
  EXPECT_TRUE(a.is_silent());

  a.increment(2, 4, 1).sync();
  EXPECT_EQ(a.sent<Refusal>()->signal, Signal::stale_epoch);
}

TEST(Forwarding, after_a_committed_abort_the_source_serves_what_it_had_handed_on) {
  FencedA a;
  a.increment(2, 2).sync();
  a.learn(forwarding_in(MovePhase::aborted), position_of(MovePhase::aborted)).sync();

  a.increment(2, 2).sync();

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.2 attempt 0 ok 2"));
}

TEST(Forwarding, the_target_serves_it_under_the_grant_and_answers_the_router) {
  WaitingB b;

  b.receive(kA, forwarded_increment(2));
  EXPECT_TRUE(b.is_silent());
  EXPECT_EQ(b.value(2), number(1));
  b.grant().sync();

  EXPECT_THAT(b.said(), testing::Contains("to 3: reply request 0.2 attempt 0 ok 2"));
  ASSERT_EQ(b.observed<Served>().size(), 1U);
  EXPECT_EQ(b.observed<Served>()[0].epoch, Epoch{9});
  EXPECT_EQ(b.observed<Served>()[0].request_epoch, Epoch{1});
  EXPECT_EQ(b.observed<Served>()[0].forwarded_by, kMove);
}

// The target was granted the range by the move, did not hear of it, and got it again by a failover.
TEST(Forwarding, the_target_serves_nothing_of_it_under_a_later_grant) {
  WaitingB b;
  b.receive(kA, forwarded_increment(2));
  ShardRecord later = forwarding_in(MovePhase::cleaning);
  later.epoch = Epoch{11};
  later.is_granted_by_move = false;

  b.learn(later, DirectoryPosition{11}).sync();
  b.fire(kForwardedTimers + kShard.value);
  b.receive(kA, forwarded_increment(3)).sync();

  EXPECT_EQ(b.value(2), number(1));
  EXPECT_THAT(b.observed<Served>(), IsEmpty());
}

TEST(Forwarding, the_target_looks_at_what_waits_when_it_took_up_the_grant) {
  WaitingB b;
  b.receive(kA, forwarded_increment(2));

  b.at(5).learn(forwarding_in(MovePhase::switched), position_of(MovePhase::switched));
  EXPECT_FALSE(b.wakes_at(kForwardedTimers + kShard.value).has_value());
  b.sync();

  EXPECT_EQ(b.wakes_at(kForwardedTimers + kShard.value), at_ms(5));
}

TEST(Forwarding, one_that_comes_after_the_grant_is_served_as_well) {
  WaitingB b;
  b.grant();

  b.receive(kA, forwarded_increment(2));
  b.sync();

  EXPECT_THAT(b.said(), ElementsAre("to 3: reply request 0.2 attempt 0 ok 2"));
}

TEST(Forwarding, one_that_was_executed_at_the_source_is_answered_and_not_executed_again) {
  WaitingB b;
  b.receive(kA, forwarded_increment(1, 1));

  b.grant().sync();

  EXPECT_EQ(b.observed<Served>().size(), 1U);
  EXPECT_EQ(b.value(2), number(1));
}

TEST(Forwarding, two_attempts_of_one_request_are_executed_once) {
  WaitingB b;
  b.receive(kA, forwarded_increment(2, 0)).receive(kA, forwarded_increment(2, 0));
  b.receive(kA, forwarded_increment(2, 1));

  b.grant().sync();

  EXPECT_EQ(b.observed<Served>().size(), 2U);  // one for each attempt
  EXPECT_EQ(b.value(2), number(2));
}

TEST(Forwarding, an_abort_drops_what_waits) {
  WaitingB b;
  b.receive(kA, forwarded_increment(2));

  b.learn(forwarding_in(MovePhase::aborted), position_of(MovePhase::aborted)).sync();

  EXPECT_THAT(b.observed<Served>(), IsEmpty());
  EXPECT_FALSE(b.sent<Reply>().has_value());
}

TEST(Forwarding, a_restart_drops_what_waits) {
  WaitingB b;
  b.receive(kA, forwarded_increment(2));

  b.restart();
  b.grant().sync();

  EXPECT_THAT(b.observed<Served>(), IsEmpty());
}

TEST(Forwarding, what_came_by_another_move_is_dropped) {
  WaitingB b;
  ForwardedRequest other = forwarded_increment(2);
  other.request.forwarded_by = MoveId{4};

  b.receive(kA, other);
  b.grant().sync();

  EXPECT_THAT(b.observed<Served>(), IsEmpty());
}

TEST(Forwarding, a_target_keeps_no_more_than_its_bound) {
  WaitingB b;
  for (std::uint8_t attempt = 0; attempt < 20; ++attempt) {
    b.receive(kA, forwarded({OperationKind::read, Key{2}, absent(), absent()}, 2, attempt));
  }

  b.grant();

  EXPECT_EQ(b.observed<Served>().size(), 8U);
}

// There is no signal that fits: it carries an epoch that is over, and may have had its effect.
TEST(Forwarding, one_whose_lease_ran_out_before_the_effect_gets_no_answer) {
  WaitingB b;
  b.grant();
  b.receive(kA, forwarded_increment(2));

  b.at(200).sync();

  EXPECT_TRUE(b.is_silent());
  EXPECT_THAT(b.observed<Answered>(), IsEmpty());
}

TEST(Forwarding, the_mutant_answers_before_the_grant) {
  WaitingB b(Mutant::forwarded_answered_before_grant);

  b.receive(kA, forwarded_increment(2));

  EXPECT_THAT(b.said(), ElementsAre("to 3: reply request 0.2 attempt 0 ok 2"));
  EXPECT_EQ(b.observed<Served>().size(), 1U);
}

}  // namespace
}  // namespace shardcheck::impl
