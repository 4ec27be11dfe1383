#include "impl/lease_keeper.h"

#include <gtest/gtest.h>

#include "impl/driven.h"

namespace shardcheck::impl {
namespace {

constexpr NodeId kA{1};
constexpr NodeId kB{2};
constexpr NodeId kC{3};

// Leases last 60 ms and clocks are within 2 ms of true time, so grace lasts 80 ms.
ClusterOptions options(Mutant mutant = Mutant::none) {
  ClusterOptions options;
  options.replicas = 3;
  options.mutant = mutant;
  return options;
}

ShardRecord of_a_until(std::int64_t ms) {
  ShardRecord record;
  record.owner = kA;
  record.epoch = Epoch{1};
  for (const NodeId member : {kA, kB, kC}) {
    record.members.insert(member);
  }
  record.lease_until = at_ms(ms);
  return record;
}

// In office since 0, and awake until `ms`.
LeaseKeeper awake_until(std::int64_t ms, Mutant mutant = Mutant::none) {
  LeaseKeeper keeper(options(mutant));
  keeper.begin(at_ms(0));
  for (std::int64_t now = 0; now <= ms; now += 10) {
    keeper.is_awake(at_ms(now));
  }
  return keeper;
}

TEST(LeaseKeeper, a_lease_has_run_out_when_no_clock_can_read_less_than_its_end) {
  const LeaseKeeper keeper = awake_until(200);

  EXPECT_FALSE(keeper.fail_over(of_a_until(200), Instant{at_ms(204).value - 1}));
  const auto command = keeper.fail_over(of_a_until(200), at_ms(204));

  ASSERT_TRUE(command);
  EXPECT_EQ(command->kind, CommandKind::fail_over);
  EXPECT_EQ(command->expired_by, at_ms(200));
  EXPECT_EQ(command->planned_on, Epoch{1});
}

TEST(LeaseKeeper, of_the_other_members_the_one_heard_of_last_takes_over) {
  LeaseKeeper keeper = awake_until(200);
  EXPECT_EQ(keeper.fail_over(of_a_until(100), at_ms(200))->target, kB);

  keeper.hear(kA, at_ms(160));
  keeper.hear(kC, at_ms(150));
  keeper.hear(kB, at_ms(140));

  EXPECT_EQ(keeper.fail_over(of_a_until(100), at_ms(200))->target, kC);
}

// Long ago, both owners were heard of; the third member is alive and had nothing to say.
TEST(LeaseKeeper, where_nobody_was_heard_of_lately_each_member_has_its_turn) {
  LeaseKeeper keeper = awake_until(400);
  keeper.hear(kA, at_ms(160));
  keeper.hear(kB, at_ms(150));
  ShardRecord record = of_a_until(300);

  EXPECT_EQ(keeper.fail_over(record, at_ms(400))->target, kB);
  record.owner = kB;
  EXPECT_EQ(keeper.fail_over(record, at_ms(400))->target, kC);
  record.owner = kC;
  EXPECT_EQ(keeper.fail_over(record, at_ms(400))->target, kA);
}

TEST(LeaseKeeper, a_set_of_one_waits_for_its_owner) {
  ShardRecord record = of_a_until(100);
  record.members = NodeSet{};
  record.members.insert(kA);

  EXPECT_FALSE(awake_until(200).fail_over(record, at_ms(500)));
}

TEST(LeaseKeeper, who_begins_gives_every_holder_time_to_renew) {
  LeaseKeeper keeper(options());
  keeper.begin(at_ms(1000));

  EXPECT_FALSE(keeper.fail_over(of_a_until(900), at_ms(1079)));
  EXPECT_TRUE(keeper.fail_over(of_a_until(900), at_ms(1080)));
}

TEST(LeaseKeeper, so_does_who_was_not_awake) {
  LeaseKeeper keeper = awake_until(200);

  keeper.is_awake(at_ms(300));

  EXPECT_FALSE(keeper.fail_over(of_a_until(100), at_ms(379)));
  EXPECT_TRUE(keeper.fail_over(of_a_until(100), at_ms(380)));
}

TEST(LeaseKeeper, without_skew_in_mind_it_grants_at_the_end) {
  EXPECT_TRUE(awake_until(200, Mutant::lease_no_skew).fail_over(of_a_until(200), at_ms(200)));
}

TEST(LeaseKeeper, without_grace_a_stall_lets_every_lease_run_out) {
  LeaseKeeper keeper = awake_until(200, Mutant::lease_mass_expiry);

  keeper.is_awake(at_ms(300));

  EXPECT_TRUE(keeper.fail_over(of_a_until(250), at_ms(300)));
}

}  // namespace
}  // namespace shardcheck::impl
