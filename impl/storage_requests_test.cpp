// A storage node and its clients: signals, durability, leases, what a restart trusts, and repeated requests.
#include <gmock/gmock.h>

#include "impl/driven_storage.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StorageNode, asks_for_its_lease_and_the_records_when_it_starts_and_at_every_tick) {
  DrivenStorage a(kA);

  EXPECT_THAT(a.said(), ElementsAre("to 0: renew range 0 epoch 1", "to 0: poll after 0"));
  ASSERT_EQ(a.wakes_at(kTick), at_ms(20));
  a.at(20).fire(kTick);
  EXPECT_THAT(a.said(), ElementsAre("to 0: renew range 0 epoch 1"));
  EXPECT_EQ(a.sent<Renew>()->sent_at, at_ms(20));
}

TEST(StorageNode, asks_for_no_lease_on_a_range_of_somebody_else) {
  DrivenStorage b(kB);

  EXPECT_THAT(b.said(), ElementsAre("to 0: poll after 0"));
}

TEST(StorageNode, serves_a_request_that_carries_its_epoch) {
  ServingA a;

  a.read(1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 ok nil"));
  EXPECT_EQ(a.observed<Served>().size(), 1U);
}

TEST(StorageNode, a_request_below_the_highest_epoch_seen_is_stale) {
  ServingA a;
  a.learn(MovePhase::switched).sync();

  a.read(1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 stale_epoch highest epoch 9"));
  EXPECT_EQ(a.observed<Answered>().size(), 1U);
}

TEST(StorageNode, a_request_without_an_epoch_is_redirected_even_to_this_very_node) {
  ServingA a;

  a.read(1, 1, Epoch{});

  EXPECT_THAT(a.said(),
              ElementsAre("to 3: refusal request 0.1 attempt 0 not_owner highest epoch 1, go to 1 under epoch 1"));
  EXPECT_EQ(a.sent<Refusal>()->known.owner, kA);
}

TEST(StorageNode, says_nothing_of_a_key_whose_range_it_does_not_know_and_asks_the_directory) {
  DrivenStorage a(kA);
  a.restart_without_disk();

  a.read(1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 0: poll after 0"));
}

TEST(StorageNode, a_request_above_it_is_transient_and_the_directory_is_asked) {
  ServingA a;

  a.read(1, 1, Epoch{4});

  EXPECT_THAT(a.said(),
              ElementsAre("to 0: poll after 0", "to 3: refusal request 0.1 attempt 0 transient highest epoch 1"));
}

TEST(StorageNode, a_request_to_somebody_else_is_redirected_to_the_owner) {
  DrivenStorage b(kB);

  b.read(1, 1);

  EXPECT_THAT(b.said(),
              ElementsAre("to 3: refusal request 0.1 attempt 0 not_owner highest epoch 1, go to 1 under epoch 1"));
  EXPECT_EQ(b.sent<Refusal>()->known.owner, kA);
  EXPECT_EQ(b.observed<Answered>()[0].redirect_to, kA);
}

TEST(StorageNode, a_request_to_an_owner_without_a_lease_is_transient) {
  DrivenStorage a(kA);

  a.read(1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 transient highest epoch 1"));
}

TEST(StorageNode, what_a_refusal_says_of_an_epoch_is_on_disk_first) {
  DrivenStorage b(kB);
  ShardRecord newer = record_in(MovePhase::none);
  newer.epoch = Epoch{7};
  b.learn(newer, DirectoryPosition{7});

  b.read(1, 1);
  EXPECT_TRUE(b.is_silent());
  b.sync();
  EXPECT_THAT(b.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 stale_epoch highest epoch 7"));
}

TEST(StorageNode, an_older_record_does_not_replace_a_newer_one) {
  DrivenStorage b(kB);
  ShardRecord newer = record_in(MovePhase::none);
  newer.epoch = Epoch{7};
  b.learn(newer, DirectoryPosition{7});

  b.learn(record_in(MovePhase::none), DirectoryPosition{1});

  EXPECT_EQ(b.copy().highest_seen(), Epoch{7});
}

TEST(StorageNode, a_write_is_answered_only_once_it_is_durable) {
  ServingA a;

  a.write(1, 7, 1);
  EXPECT_TRUE(a.is_silent());
  EXPECT_TRUE(a.wants_sync());
  EXPECT_THAT(a.observed<Served>(), IsEmpty());
  a.sync();
  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 ok nil"));
  EXPECT_EQ(a.observed<Applied>().size(), 1U);
}

TEST(StorageNode, a_read_waits_for_the_write_that_it_rests_on) {
  ServingA a;
  a.write(1, 7, 1);

  a.ask({OperationKind::read, Key{1}, absent(), absent()}, {{ClientId{1}, 1}, 0});
  EXPECT_TRUE(a.is_silent());
  a.sync();

  EXPECT_THAT(a.said(),
              ElementsAre("to 3: reply request 0.1 attempt 0 ok nil", "to 3: reply request 1.1 attempt 0 ok 7"));
}

TEST(StorageNode, a_write_that_was_not_synced_is_gone_after_a_crash_and_was_never_answered) {
  ServingA a;
  a.write(1, 7, 1);
  ASSERT_TRUE(a.is_silent());

  a.restart();

  EXPECT_EQ(a.value(1), absent());
}

TEST(StorageNode, a_write_that_was_synced_is_there_after_a_crash) {
  ServingA a;
  a.write(1, 7, 1).sync();

  a.restart();

  EXPECT_EQ(a.value(1), number(7));
}

TEST(StorageNode, a_refused_operation_is_answered_and_remembered) {
  ServingA a;
  const Operation cas{OperationKind::compare_and_set, Key{1}, number(7), number(6)};

  a.ask(cas, DrivenStorage::try_of(1)).sync();
  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 refused nil"));
  a.ask({OperationKind::write, Key{1}, number(6), absent()}, {{ClientId{1}, 1}, 0}).sync();
  a.ask(cas, DrivenStorage::try_of(1, 1)).sync();

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 1 refused nil"));
  EXPECT_EQ(a.value(1), number(6));
}

TEST(StorageNode, admits_nothing_after_the_end_of_its_lease) {
  ServingA a;

  a.at(59).read(1, 1);
  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 ok nil"));
  a.at(60).read(1, 2);
  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.2 attempt 0 transient highest epoch 1"));
}

TEST(StorageNode, asks_for_the_lease_again_at_the_moment_of_the_effect) {
  ServingA a;
  a.at(59).write(1, 7, 1);

  a.at(61).sync();

  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 transient highest epoch 1"));
  EXPECT_THAT(a.observed<Served>(), IsEmpty());
}

TEST(StorageNode, a_lease_is_never_shortened_by_a_late_answer) {
  ServingA a;

  a.with_lease_until(40).at(50).read(1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 ok nil"));
}

TEST(StorageNode, a_lease_of_another_grant_is_not_taken) {
  DrivenStorage a(kA);

  a.with_lease_until(60, Epoch{9});

  EXPECT_THAT(a.observed<LeaseHeld>(), IsEmpty());
  EXPECT_EQ(a.node().claim(kShard)->until, Instant{});
}

TEST(StorageNode, a_lease_found_on_disk_is_not_trusted_after_a_restart) {
  ServingA a;

  a.at(10).restart();
  EXPECT_THAT(a.said(), ElementsAre("to 0: renew range 0 epoch 1", "to 0: poll after 0"));
  a.read(1, 1);
  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 transient highest epoch 1"));
  a.with_lease_until(70).read(1, 2);
  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.2 attempt 0 ok nil"));
}

TEST(StorageNode, an_epoch_found_on_disk_is_trusted_after_a_restart) {
  DrivenStorage b(kB);
  ShardRecord newer = record_in(MovePhase::none);
  newer.epoch = Epoch{7};
  b.learn(newer, DirectoryPosition{7}).sync();

  b.restart();
  b.read(1, 1);

  EXPECT_THAT(b.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 stale_epoch highest epoch 7"));
}

TEST(StorageNode, a_mutant_trusts_the_lease_found_on_disk) {
  ServingA a(Mutant::lease_resumed_after_restart);

  a.at(10).restart();
  a.read(1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 0 ok nil"));
}

TEST(StorageNode, a_repeated_request_is_answered_from_the_table_and_executed_once) {
  ServingA a;
  a.increment(1, 1).sync();

  a.increment(1, 1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 1 ok 1"));
  EXPECT_EQ(a.value(1), number(1));
  EXPECT_EQ(a.copy().tail, LogPosition{1});
}

TEST(StorageNode, a_request_repeated_before_it_is_durable_is_answered_after_it) {
  ServingA a;
  a.increment(1, 1);

  a.increment(1, 1, 1);
  EXPECT_TRUE(a.is_silent());
  a.sync();

  EXPECT_THAT(a.said(),
              ElementsAre("to 3: reply request 0.1 attempt 0 ok 1", "to 3: reply request 0.1 attempt 1 ok 1"));
}

TEST(StorageNode, a_repeated_request_is_answered_from_the_table_after_a_restart) {
  ServingA a;
  a.increment(1, 1).sync();
  a.restart();

  a.with_lease_until(60).increment(1, 1, 1);

  EXPECT_THAT(a.said(), ElementsAre("to 3: reply request 0.1 attempt 1 ok 1"));
  EXPECT_EQ(a.value(1), number(1));
}

TEST(StorageNode, a_request_older_than_the_last_one_of_its_client_is_ignored) {
  ServingA a;
  a.increment(1, 2).sync();

  a.increment(1, 1);

  EXPECT_TRUE(a.is_silent());
  EXPECT_FALSE(a.wants_sync());
  EXPECT_EQ(a.value(1), number(1));
}

TEST(StorageNode, a_second_copy_of_an_executed_attempt_gets_no_promise_that_it_had_no_effect) {
  ServingA a;
  a.increment(1, 1).sync();
  a.learn(MovePhase::switched).sync();

  a.increment(1, 1, 0);
  EXPECT_TRUE(a.is_silent());
  a.increment(1, 1, 1);
  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 1 stale_epoch highest epoch 9"));
}

TEST(StorageNode, a_late_copy_of_an_older_request_gets_no_promise_either) {
  ServingA a;
  a.increment(1, 1).sync();
  a.increment(1, 2).sync();
  a.learn(MovePhase::switched).sync();

  a.increment(1, 1, 0);

  EXPECT_TRUE(a.is_silent());
}

TEST(StorageNode, reports_a_lost_range_again_and_again_until_the_directory_has_heard_it) {
  ServingA a;
  a.restart_without_disk();
  EXPECT_TRUE(a.wants_sync());

  a.learn(record_in(MovePhase::none), DirectoryPosition{1});
  EXPECT_THAT(a.said(), ElementsAre("to 0: report_lost range 0 move 0 planned on epoch 1 phase none"));
  a.at(20).fire(kTick);
  EXPECT_THAT(a.said(), ElementsAre("to 0: report_lost range 0 move 0 planned on epoch 1 phase none"));
  ShardRecord lost = record_in(MovePhase::none);
  lost.is_data_lost = true;
  a.learn(lost, DirectoryPosition{2}).at(40).fire(kTick);
  EXPECT_THAT(a.said(), ElementsAre("to 0: poll after 2"));
}

TEST(StorageNode, serves_nothing_from_a_lost_disk) {
  ServingA a;
  a.restart_without_disk();
  a.learn(record_in(MovePhase::none), DirectoryPosition{1}).with_lease_until(60).sync();

  a.read(1, 1);

  EXPECT_EQ(a.node().claim(kShard), std::nullopt);
  EXPECT_THAT(a.said(), ElementsAre("to 3: refusal request 0.1 attempt 0 transient highest epoch 1"));
}

}  // namespace
}  // namespace shardcheck::impl
