#include "spec/lease_monitor.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

TEST(SingleOwner, claims_may_follow_one_another) {
  Story story;
  story.create(kA, 50).claim(kA, 50).at(10).serve(kA);

  story.at(60).grant(kB, 100).claim(kB, 100).at(70).serve(kB, request(2));

  EXPECT_TRUE(accepts(story, ClauseId::L1));
}

TEST(SingleOwner, two_live_claims_overlap) {
  Story story;
  story.create(kA, 50).at(10).claim(kA, 48);

  story.at(30).tell(kB, ClaimChanged{kOtherShard, keys(4, 6), Epoch{2}, TrueTime{90'000'000}});

  // L5 among them: nobody was granted the other shard.
  EXPECT_TRUE(rejects_among_others(story, ClauseId::L1, {"node 1", "node 0", "[4, 6)", "48.000 ms", "30.000 ms"}));
}

TEST(SingleOwner, neighbours_do_not_overlap) {
  Story story;
  story.tell(kA, ClaimChanged{kShard, keys(0, 8), Epoch{1}, TrueTime{50'000'000}});

  story.tell(kB, ClaimChanged{kOtherShard, keys(8, 16), Epoch{2}, TrueTime{50'000'000}});
  story.tell(kB, ClaimChanged{kOtherShard, keys(7, 16), Epoch{2}, TrueTime{50'000'000}});

  EXPECT_TRUE(rejects(story, ClauseId::L1, {"[7, 16)"}));
}

TEST(SingleOwner, a_claim_without_an_end_is_said_to_be_for_ever) {
  Story story;
  story.tell(kA, ClaimChanged{kShard, keys(0, 16), Epoch{1}, TrueTime{INT64_MAX}});

  story.tell(kB, ClaimChanged{kOtherShard, keys(0, 16), Epoch{2}, TrueTime{50'000'000}});

  EXPECT_TRUE(rejects(story, ClauseId::L1, {"under epoch 1, for ever)", "under epoch 2, until 50.000 ms)"}));
}

TEST(SingleOwner, a_crash_ends_all_claims) {
  Story story;
  story.create(kA, 50).claim(kA, 50).at(10).tell(kA, Crashed{});

  story.tell(kB, ClaimChanged{kShard, keys(0, 16), Epoch{1}, TrueTime{50'000'000}});
  story.tell(kB, ClaimEnded{kShard}).claim(kC, 50);

  EXPECT_EQ(story.findings().checks(ClauseId::L1), 0U);
  EXPECT_FALSE(story.findings().is_violated(ClauseId::L1));
}

// Trap: a pause past the lease is harmless as long as nothing is served.
TEST(SingleOwner, a_paused_node_whose_claim_ran_out_disturbs_nobody) {
  Story story;
  story.create(kA, 50).claim(kA, 50).tell(kA, FaultInjected{FaultKind::paused});

  story.at(60).grant(kB, 100).claim(kB, 100).at(61).serve(kB);

  EXPECT_TRUE(accepts(story, ClauseId::L1));
}

TEST(SingleOwner, an_effect_without_a_claim_is_named) {
  Story story;
  story.create(kA, 50).claim(kA, 40);

  story.at(45).serve(kA);

  EXPECT_TRUE(rejects(story, ClauseId::L1,
                      {"node 0 served key 5", "45.000 ms", "might serve [0, 16) under epoch 1 until 40.000 ms only"}));
}

TEST(LeaseSafety, an_effect_within_the_clock_bound_is_forgiven) {
  Story story;

  story.create(kA, 50).at(51).serve(kA);

  EXPECT_TRUE(accepts(story, ClauseId::L2));
}

TEST(LeaseSafety, an_effect_that_no_correct_clock_allows_is_named) {
  Story story;

  story.create(kA, 50).extend(kA, 60).at(62).serve(kA);

  EXPECT_TRUE(rejects(story, ClauseId::L2, {"node 0", "62.000 ms", "60.000 ms"}));
}

TEST(LeaseSafety, a_holder_may_not_count_from_the_receipt) {
  Story right, wrong;

  right.create(kA, 10).extend(kA, 60).hold_lease(kA, 60);
  wrong.create(kA, 10).extend(kA, 60).hold_lease(kA, 61);

  EXPECT_TRUE(accepts(right, ClauseId::L2));
  EXPECT_TRUE(rejects(wrong, ClauseId::L2, {"until 61.000 ms", "until 60.000 ms only"}));
}

TEST(LeaseSafety, a_new_owner_waits_for_expiry_plus_skew) {
  Story right, early;

  right.create(kA, 50).at(52).grant(kB, 100);
  early.create(kA, 50).at(51).grant(kB, 100);

  EXPECT_TRUE(accepts(right, ClauseId::L2));
  EXPECT_TRUE(rejects(early, ClauseId::L2, {"node 1", "51.000 ms", "node 0", "50.000 ms", "52.000 ms"}));
}

TEST(LeaseSafety, a_confirmed_barrier_is_a_release_for_its_own_move_only) {
  Story own, aborted;

  own.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).at(10).commit_move(100);
  aborted.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).abort_move().at(10).grant(kB, 100);

  EXPECT_TRUE(accepts(own, ClauseId::L2));
  EXPECT_TRUE(rejects(aborted, ClauseId::L2, {"node 1", "node 0"}));
}

TEST(LeaseSafety, a_renewal_of_a_superseded_grant_is_named) {
  Story story;
  story.create(kA, 50).at(60).grant(kB, 100);

  story.tell(kRouter, LeaseExtended{kShard, Epoch{1}, kA, Story::ms(90)});

  EXPECT_TRUE(rejects(story, ClauseId::L2, {"node 0", "epoch 1", "epoch 2 of node 1"}));
}

TEST(EpochFence, all_three_epochs_are_equal) {
  Story story;

  story.create(kA, 50).serve(kA).serve(kA, request(2));

  EXPECT_TRUE(accepts(story, ClauseId::L3));
}

TEST(EpochFence, a_request_one_epoch_behind_is_not_served) {
  Story story;
  story.create(kC, 1).at(10).grant(kA, 50);

  story.tell(kA, Served{kShard, kKey, Epoch{2}, Epoch{1}, Epoch{2}, {request(1), 1}, OperationKind::read});

  EXPECT_TRUE(rejects(story, ClauseId::L3, {"node 0", "under epoch 2", "request at epoch 1"}));
}

TEST(EpochFence, a_forwarded_request_carries_the_epoch_that_its_move_ended_and_no_other) {
  Story right, wrong;
  right.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).at(10).commit_move(100);
  wrong.create(kC, 1).at(10).grant(kA, 50).move_up_to_fence(kB).confirm_barrier(kA).commit_move(100);

  right.tell(
      kB,
      Served{kShard, kKey, right.epoch(), Epoch{1}, right.epoch(), {request(1), 1}, OperationKind::read, right.move()});
  wrong.tell(
      kB,
      Served{kShard, kKey, wrong.epoch(), Epoch{1}, wrong.epoch(), {request(1), 1}, OperationKind::read, wrong.move()});

  EXPECT_TRUE(accepts(right, ClauseId::L3));
  EXPECT_TRUE(rejects(wrong, ClauseId::L3, {"node 1", "request at epoch 1"}));
}

TEST(EpochFence, an_owner_that_saw_a_newer_epoch_serves_nothing) {
  Story story;
  story.create(kA, 50);

  story.tell(kA, Served{kShard, kKey, Epoch{1}, Epoch{1}, Epoch{2}, {request(1), 1}, OperationKind::read});

  EXPECT_TRUE(rejects(story, ClauseId::L3, {"highest seen at epoch 2"}));
}

TEST(EpochFence, the_highest_seen_survives_a_restart) {
  Story story;
  story.create(kA, 50).answer(kA, Signal::stale_epoch, Epoch{1}, Epoch{2});

  story.tell(kA, Crashed{}).tell(kA, Restarted{false}).answer(kA, Signal::transient, Epoch{1}, Epoch{0});

  EXPECT_TRUE(rejects(story, ClauseId::L3, {"node 0", "is 0", "said 2"}));
}

// Traps: the epoch lives with the data, so it may go with it; a bystander never had it on disk.
TEST(EpochFence, who_holds_no_copy_may_forget) {
  Story disk, removed, bystander;

  disk.create(kA, 50).answer(kA, Signal::stale_epoch, Epoch{1}, Epoch{2}).tell(kA, Restarted{true});
  disk.answer(kA, Signal::transient, Epoch{1}, Epoch{0});
  removed.create(kA, 5).move_up_to_fence(kB).confirm_barrier(kA).commit_move(50).serve(kB).begin_cleaning();
  removed.answer(kA, Signal::stale_epoch, Epoch{1}, Epoch{6}).at(200);
  removed.tell(kA, CopyRemoved{kShard, keys(0, 16), removed.move()});
  removed.answer(kA, Signal::transient, Epoch{1}, Epoch{0});
  bystander.create(kA, 50).serve(kA).answer(kC, Signal::stale_epoch, Epoch{1}, Epoch{2});
  bystander.tell(kC, Restarted{false}).answer(kC, Signal::transient, Epoch{1}, Epoch{0});

  EXPECT_FALSE(disk.findings().is_violated(ClauseId::L3));
  EXPECT_TRUE(accepts(removed, ClauseId::L3));
  EXPECT_TRUE(accepts(bystander, ClauseId::L3));
}

// Trap: after a restart the same grant may be renewed under the same epoch.
TEST(AmnesiaUntrusted, a_lease_renewed_after_the_restart_is_trusted) {
  Story story;
  story.create(kA, 50).hold_lease(kA, 50).serve(kA).tell(kA, Crashed{}).tell(kA, Restarted{false});

  story.at(10).extend(kA, 90).hold_lease(kA, 90).serve(kA, request(2));

  EXPECT_TRUE(accepts(story, ClauseId::L4));
}

TEST(AmnesiaUntrusted, a_lease_from_before_the_restart_is_not) {
  Story story;
  story.create(kA, 50).hold_lease(kA, 50).tell(kA, Crashed{}).tell(kA, Restarted{false});

  story.at(10).serve(kA);

  EXPECT_TRUE(rejects(story, ClauseId::L4, {"node 0", "epoch 1", "since its restart"}));
}

TEST(AmnesiaUntrusted, a_lost_disk_is_not_trusted_under_the_old_epoch) {
  Story story;
  story.create(kA, 50).hold_lease(kA, 50).tell(kA, Crashed{}).tell(kA, Restarted{true});

  story.hold_lease(kA, 50).serve(kA);

  EXPECT_TRUE(rejects(story, ClauseId::L4, {"node 0 lost its disk", "epoch 1"}));
}

TEST(AmnesiaUntrusted, a_new_copy_restores_trust) {
  Story story;
  story.create(kA, 50).tell(kA, Restarted{true}).at(60).grant(kB, 90).move_up_to_fence(kA);

  story.confirm_barrier(kB).commit_move(150).hold_lease(kA, 150).serve(kA);

  EXPECT_TRUE(accepts(story, ClauseId::L4));
}

TEST(GrantDurable, a_committed_grant_may_be_acted_on) {
  Story story;

  story.create(kA, 50).hold_lease(kA, 50).serve(kA);

  EXPECT_TRUE(accepts(story, ClauseId::L5));
}

TEST(GrantDurable, an_uncommitted_grant_may_not) {
  Story held, served;

  held.create(kA, 50).tell(kB, LeaseHeld{kShard, Epoch{2}, Story::ms(90)});
  served.create(kA, 50).at(60).serve_under(Epoch{2}, kB);

  EXPECT_TRUE(rejects(held, ClauseId::L5,
                      {"node 1 holds a lease of range 0 under epoch 2", "committed no grant of range 0 under epoch 2",
                       "newest grant of key 0 is range 0 [0, 16) to node 0 under epoch 1"}));
  EXPECT_TRUE(rejects(served, ClauseId::L5,
                      {"node 1 served key 5", "under epoch 2, but the directory has committed no grant"}));
}

TEST(GrantDurable, a_claim_to_an_uncommitted_grant_may_not_either) {
  Story story;
  story.create(kA, 50).move_up_to_fence(kB).confirm_barrier(kA);

  story.tell(kB, ClaimChanged{kShard, keys(0, 16), Epoch{story.position().value + 1}, TrueTime{90'000'000}});

  EXPECT_TRUE(rejects(story, ClauseId::L5, {"node 1 would serve", "epoch 6"}));
}

TEST(GrantDurable, a_claim_beyond_the_granted_bounds_says_what_was_granted) {
  Story story;
  story.create(kA, 50, kShard, keys(0, 8)).create(kA, 50, kOtherShard, keys(8, 16)).step();

  story.tell(kA, ClaimChanged{kShard, keys(9, 16), Epoch{1}, TrueTime{40'000'000}});

  EXPECT_TRUE(rejects(story, ClauseId::L5,
                      {"node 0 would serve range 0 [9, 16) under epoch 1",
                       "the directory granted range 0 [0, 8) to node 0 under epoch 1",
                       "its newest grant of key 9 is range 1 [8, 16) to node 0 under epoch 2"}));
}

// Trap: the owner splits first; until it applies the directory's entry it serves the halves under the parent's epoch.
TEST(GrantDurable, a_half_is_served_under_its_parents_epoch) {
  Story story;
  story.create(kA, 50).tell(kA, Restarted{false}).hold_lease(kA, 50);

  story.tell(kA, Served{kOtherShard, Key{12}, Epoch{1}, Epoch{1}, Epoch{1}, {request(1), 1}, OperationKind::read});

  EXPECT_TRUE(accepts(story, ClauseId::L5));
  EXPECT_TRUE(accepts(story, ClauseId::L4));
}

NodeSet a_and_b() {
  NodeSet members;
  members.insert(kA);
  members.insert(kB);
  return members;
}

TEST(AmnesiaUntrusted, a_range_goes_to_a_member_of_its_replica_set) {
  Story story;
  story.record_of(kShard).members = a_and_b();
  story.create(kA, 50);
  story.record_of(kShard).members = a_and_b();
  story.commit(RecordChange::members_changed, story.epoch());

  EXPECT_TRUE(accepts(story.at(60).grant(kB, 120), ClauseId::L4));
  story.at(130).grant(kC, 200);

  EXPECT_TRUE(rejects(story, ClauseId::L4, {"node 2", "no member"}));
}

TEST(AmnesiaUntrusted, data_is_lost_when_all_members_lost_it) {
  Story story;
  story.create(kA, 50);
  story.record_of(kShard).members = a_and_b();
  story.commit(RecordChange::members_changed, story.epoch());
  story.tell(kA, Crashed{}).tell(kA, Restarted{true}).tell(kB, Crashed{}).tell(kB, Restarted{true});

  EXPECT_TRUE(accepts(story.report_lost(), ClauseId::L4));
}

TEST(AmnesiaUntrusted, a_copy_that_a_member_begins_does_not_bring_back_what_it_lost) {
  Story story;
  story.create(kA, 50);
  story.record_of(kShard).members.insert(kA);
  story.commit(RecordChange::members_changed, story.epoch());
  story.tell(kA, Crashed{}).tell(kA, Restarted{true}).tell(kA, CopyCreated{kShard, keys(0, 16), MoveId{7}});

  EXPECT_TRUE(accepts(story.report_lost(), ClauseId::L4));
}

TEST(AmnesiaUntrusted, data_that_a_member_has_is_not_lost) {
  Story story;
  story.create(kA, 50);
  story.record_of(kShard).members = a_and_b();
  story.commit(RecordChange::members_changed, story.epoch());
  story.tell(kA, Crashed{}).tell(kA, Restarted{true});

  story.report_lost();

  EXPECT_TRUE(rejects(story, ClauseId::L4, {"reported lost", "node 1", "has not lost its disk"}));
}

}  // namespace
}  // namespace shardcheck::story
