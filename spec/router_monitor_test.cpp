#include "spec/router_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

RouterLearned learned(NodeId owner, std::uint64_t epoch, std::uint64_t known_at, KeyRange range = keys(0, 16)) {
  return {range, owner, Epoch{epoch}, DirectoryPosition{known_at}};
}

// Granted to node 0 under epoch 1, then to node 1 under epoch 2.
Story twice_granted() {
  Story story;
  story.create(kA, 5).at(10).grant(kB, 500);
  return story;
}

TEST(RouterMonotone, a_map_that_only_grows_is_accepted) {
  Story story = twice_granted();

  story.tell(kRouter, learned(kA, 1, 1)).tell(kRouter, learned(kB, 2, 2)).tell(kRouter, learned(kB, 2, 2));

  EXPECT_TRUE(accepts(story, ClauseId::D4));
}

TEST(RouterMonotone, an_invented_record_is_named) {
  Story owner = twice_granted(), range = twice_granted();

  owner.tell(kRouter, learned(kC, 2, 2));
  range.tell(kRouter, learned(kB, 2, 2, keys(8, 17)));

  EXPECT_TRUE(rejects(owner, ClauseId::D4, {"router 7", "node 2", "epoch 2"}));
  EXPECT_TRUE(rejects(range, ClauseId::D4, {"[8, 17)"}));
}

TEST(RouterMonotone, a_map_that_goes_back_is_named) {
  Story story = twice_granted();

  story.tell(kRouter, learned(kB, 2, 2)).tell(kRouter, learned(kA, 1, 1));

  EXPECT_TRUE(rejects(story, ClauseId::D4, {"router 7 went back", "epoch 2", "epoch 1"}));
}

// Trap: a map is memory, and a restart loses it.
TEST(RouterMonotone, a_restarted_router_begins_again) {
  Story story = twice_granted();

  story.tell(kRouter, learned(kB, 2, 2)).tell(kRouter, Restarted{false}).tell(kRouter, learned(kA, 1, 1));

  EXPECT_TRUE(accepts(story, ClauseId::D4));
}

TEST(ErrorContract, the_three_signals_are_kept_apart) {
  Story story = twice_granted();

  story.answer(kA, Signal::stale_epoch, Epoch{1}, Epoch{2}, kNoNode, 1);
  story.answer(kA, Signal::not_owner, Epoch{2}, Epoch{2}, kB, 2);
  story.answer(kA, Signal::transient, Epoch{3}, Epoch{2}, kNoNode, 3);
  story.answer(kB, Signal::transient, Epoch{2}, Epoch{2}, kNoNode, 4);  // fenced or overloaded

  EXPECT_TRUE(accepts(story, ClauseId::R1));
  EXPECT_EQ(story.findings().checks(ClauseId::R1), 5U);
}

TEST(ErrorContract, a_wrong_signal_is_named) {
  Story stale = twice_granted(), equal = twice_granted(), above = twice_granted(), owner = twice_granted();

  stale.answer(kA, Signal::transient, Epoch{1}, Epoch{2});
  equal.answer(kA, Signal::transient, Epoch{2}, Epoch{2});
  above.answer(kA, Signal::stale_epoch, Epoch{3}, Epoch{2});
  owner.answer(kB, Signal::not_owner, Epoch{2}, Epoch{2}, kB);

  EXPECT_TRUE(rejects(stale, ClauseId::R1, {"node 0 answered transient", "should have been stale_epoch"}));
  EXPECT_TRUE(rejects(equal, ClauseId::R1, {"node 0 answered transient", "should have been not_owner"}));
  EXPECT_TRUE(rejects(above, ClauseId::R1, {"node 0 answered stale_epoch", "should have been transient"}));
  EXPECT_TRUE(rejects(owner, ClauseId::R1, {"node 1 answered not_owner", "transient by the owner"}));
}

// Without the directory's facts the three signals are still told apart by the epochs.
TEST(ErrorContract, stale_epoch_at_the_highest_seen_is_named) {
  Story story;

  story.answer(kA, Signal::stale_epoch, Epoch{2}, Epoch{2});

  EXPECT_TRUE(rejects(story, ClauseId::R1, {"node 0 answered stale_epoch", "should have been not_owner"}));
}

TEST(ErrorContract, a_redirect_names_an_owner) {
  Story story = twice_granted();

  story.answer(kA, Signal::not_owner, Epoch{2}, Epoch{2}, kC);

  EXPECT_TRUE(rejects(story, ClauseId::R1, {"redirected", "node 2"}));
}

TEST(ErrorContract, a_refused_attempt_never_takes_effect) {
  Story served = twice_granted(), refused_later = twice_granted(), applied = twice_granted();

  served.answer(kB, Signal::stale_epoch, Epoch{1}, Epoch{2}).serve(kB);
  refused_later.invoke(request(1), OperationKind::write, number(1)).serve(kB);
  refused_later.answer(kB, Signal::stale_epoch, Epoch{2}, Epoch{3});
  applied.hop(HopCause::first, kB, Epoch{1}, 1).answer(kB, Signal::stale_epoch, Epoch{1}, Epoch{2});
  applied.apply(kB, {Epoch{2}, LogPosition{1}}, ApplyCause::client, request(1));

  EXPECT_TRUE(rejects(served, ClauseId::R1, {"node 1 served attempt 1", "refused for good"}));
  EXPECT_TRUE(rejects(refused_later, ClauseId::R1, {"stale_epoch to attempt 1", "already taken effect"}));
  EXPECT_TRUE(rejects(applied, ClauseId::R1, {"node 1 applied request 1", "all of its attempts"}));
}

// Traps: another attempt of the request may have been served; a read has no effect; a cleaned copy knows nothing.
TEST(ErrorContract, a_late_refusal_of_something_else_is_no_lie) {
  Story retry = twice_granted(), read = twice_granted(), cleaned = twice_granted();

  retry.invoke(request(1), OperationKind::write, number(1)).hop(HopCause::first, kA, Epoch{1}, 1);
  retry.hop(HopCause::unanswered, kB, Epoch{2}, 2).serve(kB, request(1), 2);
  retry.answer(kA, Signal::stale_epoch, Epoch{1}, Epoch{2}, kNoNode, 1);
  retry.apply(kB, {Epoch{2}, LogPosition{1}}, ApplyCause::client, request(1));
  read.invoke(request(1), OperationKind::read).serve(kB).answer(kB, Signal::stale_epoch, Epoch{2}, Epoch{3});
  cleaned.invoke(request(1), OperationKind::write, number(1)).serve(kB).at(600).grant(kC, 900);
  cleaned.tell(kB, CopyRemoved{kShard, keys(0, 16), MoveId{}});
  cleaned.answer(kB, Signal::stale_epoch, Epoch{2}, Epoch{3});

  EXPECT_TRUE(accepts(retry, ClauseId::R1));
  EXPECT_TRUE(accepts(read, ClauseId::R1));
  EXPECT_TRUE(accepts(cleaned, ClauseId::R1));
}

// Trap: the second arrival of an attempt is refused when the epoch has moved on; the first one was served.
TEST(ErrorContract, an_attempt_that_arrives_twice_may_be_served_and_then_refused) {
  Story story = twice_granted();
  story.tell(kB, FaultInjected{FaultKind::duplicated}).invoke(request(1), OperationKind::write, number(1));

  story.hop(HopCause::first, kB, Epoch{2}, 1).serve(kB).answer(kB, Signal::stale_epoch, Epoch{2}, Epoch{3});

  EXPECT_TRUE(accepts(story, ClauseId::R1));
}

// Trap: the first copy of it was handed on to the target of a move, which serves it later.
TEST(ErrorContract, a_node_that_lost_its_disk_may_refuse_the_second_copy_of_what_it_handed_on) {
  Story story = twice_granted();
  story.invoke(request(1), OperationKind::write, number(1)).hop(HopCause::first, kA, Epoch{1}, 1);

  story.tell(kA, FaultInjected{FaultKind::duplicated}).tell(kA, Crashed{}).tell(kA, Restarted{true});
  story.answer(kA, Signal::stale_epoch, Epoch{1}, Epoch{2}).serve(kB);

  EXPECT_TRUE(accepts(story, ClauseId::R1));
}

// A node that tells which attempt it executed is held to it, though the message may have come twice.
TEST(ErrorContract, a_node_that_denies_what_it_executed_is_named) {
  Story denied = twice_granted(), older = twice_granted(), revived = twice_granted();
  denied.tell(kB, FaultInjected{FaultKind::duplicated})
      .execute(kB, 1)
      .answer(kB, Signal::stale_epoch, Epoch{2}, Epoch{3});
  older.execute(kB, 1).execute(kB, 1, request(17)).answer(kB, Signal::not_owner, Epoch{2}, Epoch{2}, kC);
  revived.tell(kB, FaultInjected{FaultKind::duplicated}).answer(kB, Signal::stale_epoch, Epoch{1}, Epoch{2});
  revived.execute(kB, 1);

  EXPECT_TRUE(rejects(denied, ClauseId::R1, {"node 1 answered stale_epoch to attempt 1", "executed itself"}));
  EXPECT_TRUE(older.findings().is_violated(ClauseId::R1));
  EXPECT_TRUE(rejects(revived, ClauseId::R1, {"node 1 applied attempt 1", "refused for good"}));
}

// Traps: a retry that was answered from memory was executed by another attempt; a lost disk has forgotten everything.
TEST(ErrorContract, a_node_may_deny_what_it_only_remembered_or_has_forgotten) {
  Story retry = twice_granted(), forgotten = twice_granted();
  retry.execute(kB, 1).answer(kB, Signal::stale_epoch, Epoch{2}, Epoch{3}, kNoNode, 2);
  forgotten.execute(kB, 1).tell(kB, Restarted{true}).answer(kB, Signal::stale_epoch, Epoch{2}, Epoch{3});

  EXPECT_TRUE(accepts(retry, ClauseId::R1));
  EXPECT_TRUE(accepts(forgotten, ClauseId::R1));
}

TEST(ErrorContract, a_request_returned_as_refused_is_never_applied) {
  Story story = twice_granted();

  story.invoke(request(1), OperationKind::write, number(1)).refused(request(1));
  story.apply(kB, {Epoch{2}, LogPosition{1}}, ApplyCause::client, request(1));

  EXPECT_TRUE(rejects(story, ClauseId::R1, {"node 1 applied request 1", "returned as refused"}));
}

TEST(ErrorContract, each_hop_has_an_answer_as_its_cause) {
  Story story = twice_granted();

  story.hop(HopCause::first, kA, Epoch{1}, 1).answer(kA, Signal::stale_epoch, Epoch{1}, Epoch{2}, kNoNode, 1);
  story.hop(HopCause::stale, kA, Epoch{2}, 2).answer(kA, Signal::not_owner, Epoch{2}, Epoch{2}, kB, 2);
  story.hop(HopCause::redirected, kB, Epoch{2}, 3).answer(kB, Signal::transient, Epoch{2}, Epoch{2}, kNoNode, 3);
  story.hop(HopCause::transient, kB, Epoch{2}, 4).serve(kB, request(1), 4);

  EXPECT_TRUE(accepts(story, ClauseId::R1));
}

TEST(ErrorContract, a_redirect_treated_as_transient_is_named) {
  Story story = twice_granted();
  story.hop(HopCause::first, kA, Epoch{2}, 1).answer(kA, Signal::not_owner, Epoch{2}, Epoch{2}, kB, 1);

  story.hop(HopCause::transient, kA, Epoch{2}, 2);

  EXPECT_TRUE(rejects(story, ClauseId::R1,
                      {"router 7 sent attempt 2",
                       "as if an earlier attempt had been answered transient, but the answers were not_owner"}));
}

TEST(ErrorContract, a_cause_that_no_answer_gave_is_named) {
  Story stale = twice_granted(), redirected = twice_granted();

  stale.hop(HopCause::first, kA, Epoch{1}, 1).hop(HopCause::stale, kA, Epoch{2}, 2);
  redirected.hop(HopCause::first, kA, Epoch{1}, 1).hop(HopCause::redirected, kB, Epoch{2}, 2);

  EXPECT_TRUE(rejects(stale, ClauseId::R1,
                      {"attempt 2", "as if an earlier attempt had been answered stale_epoch, but none was answered"}));
  EXPECT_TRUE(rejects(redirected, ClauseId::R1,
                      {"attempt 2", "as if an earlier attempt had been answered not_owner, but none was answered"}));
}

TEST(ErrorContract, a_redirect_is_followed_or_overtaken) {
  Story overtaken = twice_granted(), ignored = twice_granted();
  ignored.hop(HopCause::first, kA, Epoch{2}, 1).answer(kA, Signal::not_owner, Epoch{2}, Epoch{2}, kB, 1);
  overtaken.hop(HopCause::first, kA, Epoch{2}, 1).answer(kA, Signal::not_owner, Epoch{2}, Epoch{2}, kB, 1);

  overtaken.hop(HopCause::redirected, kC, Epoch{3}, 2);
  ignored.hop(HopCause::redirected, kA, Epoch{2}, 2);

  EXPECT_TRUE(accepts(overtaken, ClauseId::R1));
  EXPECT_TRUE(rejects(ignored, ClauseId::R1, {"to node 0", "neither where it was redirected to"}));
}

TEST(ErrorContract, a_request_given_up_after_a_transient_attempt_is_not_refused) {
  Story definite, lie, executed;

  definite.invoke(request(1), OperationKind::write, number(1)).refused(request(1));
  lie.invoke(request(1), OperationKind::write, number(1));
  lie.tell(kRouter, Returned{request(1), {OutcomeKind::refused, {}}, true, false});
  executed.create(kA, 50).invoke(request(1), OperationKind::compare_and_set, number(1), number(7)).serve(kA);
  executed.tell(kRouter, Returned{request(1), {OutcomeKind::refused, {}}, true, true});

  EXPECT_TRUE(accepts(definite, ClauseId::R1));
  EXPECT_TRUE(rejects(lie, ClauseId::R1, {"request 1 of client 0", "outcome is unknown"}));
  EXPECT_TRUE(accepts(executed, ClauseId::R1));
}

TEST(ErrorContract, a_refused_write_was_never_served) {
  Story story;

  story.create(kA, 50).invoke(request(1), OperationKind::write, number(1)).serve(kA).refused(request(1));

  EXPECT_TRUE(rejects(story, ClauseId::R1, {"request 1 of client 0", "was served"}));
}

Story redirected_twice() {
  Story story = twice_granted();
  story.hop(HopCause::first, kA, Epoch{2}, 1).answer(kA, Signal::not_owner, Epoch{2}, Epoch{2}, kB, 1);
  return story.hop(HopCause::redirected, kB, Epoch{2}, 2).hop(HopCause::redirected, kB, Epoch{2}, 3);
}

TEST(BoundedRedirects, as_many_as_allowed_for_each_epoch) {
  Story story = redirected_twice();

  story.hop(HopCause::redirected, kC, Epoch{3}, 4).hop(HopCause::redirected, kB, Epoch{3}, 5);

  EXPECT_TRUE(accepts(story, ClauseId::R2));
}

TEST(BoundedRedirects, a_cycle_is_named) {
  Story story = redirected_twice();

  story.hop(HopCause::redirected, kB, Epoch{2}, 4);

  EXPECT_TRUE(rejects(story, ClauseId::R2, {"request 1 of client 0", "redirected 3 times", "epoch 2"}));
}

}  // namespace
}  // namespace shardcheck::story
