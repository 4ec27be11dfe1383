// The kinds of router: how an operation begins, and what each of them asks.
#include "impl/driven_router.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RoutingTier, reads_everything_when_it_starts_and_operations_wait_for_it) {
  DrivenRouter tier(RouterKind::routing_tier);

  EXPECT_THAT(tier.said(), ElementsAre("to 0: poll after 0"));
  tier.ask();
  EXPECT_THAT(tier.said(), ElementsAre("to 0: poll after 0"));
  tier.learn(record(kA, 1), 1);
  EXPECT_THAT(tier.said(), ElementsAre("to 1: request request 0.1 attempt 0 epoch 1: read key 1"));
}

TEST(RoutingTier, catches_up_at_once_when_it_missed_an_update) {
  DrivenRouter tier(RouterKind::routing_tier);
  tier.learn(record(kA, 1), 1);

  tier.learn(record(kB, 9), 9, 7);
  EXPECT_THAT(tier.said(), ElementsAre("to 0: poll after 1"));
  tier.learn(record(kB, 11), 11, 9);
  EXPECT_TRUE(tier.is_silent());  // one is under way
  tier.at(8).learn(record(kA, 13), 13, 11);
  EXPECT_THAT(tier.said(), ElementsAre("to 0: poll after 1"));  // which was lost
}

TEST(RoutingTier, polls_as_well_since_the_last_update_may_be_the_one_it_missed) {
  DrivenRouter tier(RouterKind::routing_tier);

  ASSERT_EQ(tier.wakes_at(kPollTimer), at_ms(40));
  tier.at(40).fire(kPollTimer);
  EXPECT_THAT(tier.said(), ElementsAre("to 0: poll after 0"));
}

TEST(DirectReads, each_operation_begins_with_a_lookup_of_its_record) {
  DrivenRouter direct(RouterKind::direct_reads);

  direct.ask(0, 5);
  EXPECT_THAT(direct.said(), ElementsAre("to 0: read_top at 0 or later"));
  direct.read_top();
  EXPECT_THAT(direct.said(), ElementsAre("to 0: lookup key 5 in metadata shard 0, by the table of 2"));
  direct.found(record(kB, 2, 1), 2);
  EXPECT_THAT(direct.said(), ElementsAre("to 2: request request 0.1 attempt 0 epoch 2: read key 5"));
  direct.ask(1, 5);
  EXPECT_THAT(direct.said(), ElementsAre("to 0: lookup key 5 in metadata shard 0, by the table of 2"));
  EXPECT_EQ(direct.wakes_at(kPollTimer), std::nullopt);
}

TEST(DirectReads, whose_metadata_shard_was_split_go_on_by_the_newer_table) {
  DrivenRouter direct(RouterKind::direct_reads);
  direct.ask(0, 5).read_top();

  direct.receive(kDirectory, LookupResult{Key{5}, kTopVersion, true, DirectoryPosition{7}, {}});
  EXPECT_THAT(direct.said(), ElementsAre("to 0: read_top at 7 or later"));
  TopTable newer{.version = DirectoryPosition{7}, .count = 2, .rows = {}};
  newer.rows[1] = {Key{4}, MetadataShardId{1}};
  direct.receive(kDirectory, newer);

  EXPECT_THAT(direct.said(), ElementsAre("to 0: lookup key 5 in metadata shard 1, by the table of 7"));
}

TEST(DirectReads, an_answer_older_than_what_was_seen_is_not_followed) {
  DrivenRouter direct(RouterKind::direct_reads);
  direct.ask(0).read_top().found(record(kB, 5), 5).ask(1);

  direct.found(record(kA, 1), 1);

  EXPECT_THAT(direct.said(), ElementsAre("to 2: request request 1.1 attempt 0 epoch 5: read key 1"));
  EXPECT_THAT(direct.observed<RouterLearned>(), IsEmpty());
}

TEST(DirectReads, stale_epochs_of_two_ranges_are_read_one_after_the_other) {
  DrivenRouter direct(RouterKind::direct_reads);
  direct.ask(0, 1).read_top().found(record(kA, 1), 1).ask(1, 5).found(record(kB, 2, 1), 2);
  direct.refuse(kA, attempt(0, 0), Signal::stale_epoch, record(kB, 5), 5);
  EXPECT_THAT(direct.said(), ElementsAre("to 0: lookup key 1 in metadata shard 0, by the table of 2"));

  direct.refuse(kB, attempt(1, 0), Signal::stale_epoch, record(kA, 6, 1), 6);
  EXPECT_TRUE(direct.is_silent());
  direct.found(record(kB, 5), 5);
  EXPECT_THAT(direct.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 5: read key 1",
                                         "to 0: lookup key 5 in metadata shard 0, by the table of 2"));
  ASSERT_EQ(direct.observed<RefreshEnded>().size(), 1U);
  EXPECT_TRUE(direct.observed<RefreshEnded>()[0].is_answered);
}

// Of three members, asked in the order 2, 0, 1.
class RouterOfThreeMembers : public Driven<Router> {
 public:
  explicit RouterOfThreeMembers(RouterKind kind) : Driven(Router(options_of_three_members(kind), NodeId{5})) {}

  RouterOfThreeMembers& ask() {
    receive(kNoNode, ClientRequest{{ClientId{0}, 1}, {OperationKind::read, Key{1}, absent(), absent()}});
    return *this;
  }

 private:
  static ClusterOptions options_of_three_members(RouterKind kind) {
    ClusterOptions options = options_of_router(kind, Mutant::none);
    options.directories = 3;
    return options;
  }
};

TEST(DirectReads, turned_away_ask_the_member_that_leads_for_the_same_record) {
  RouterOfThreeMembers direct(RouterKind::direct_reads);
  direct.ask();
  EXPECT_THAT(direct.said(), ElementsAre("to 2: read_top at 0 or later"));

  direct.receive(NodeId{2}, NotLeader{NodeId{1}});

  EXPECT_THAT(direct.said(), ElementsAre("to 1: read_top at 0 or later"));
}

TEST(DirectReads, turned_away_while_nobody_leads_ask_another_member_later) {
  RouterOfThreeMembers direct(RouterKind::direct_reads);
  direct.ask();

  direct.receive(NodeId{2}, NotLeader{});
  EXPECT_TRUE(direct.is_silent());
  direct.at(8);
  direct.fire(0);

  EXPECT_THAT(direct.said(), ElementsAre("to 0: read_top at 0 or later"));
}

TEST(RoutingTier, turned_away_polls_the_member_that_leads) {
  RouterOfThreeMembers tier(RouterKind::routing_tier);

  tier.receive(NodeId{2}, NotLeader{NodeId{1}});

  EXPECT_THAT(tier.said(), ElementsAre("to 1: poll after 0"));
}

TEST(Coordinator, each_operation_asks_any_node_and_follows_where_it_is_sent) {
  DrivenRouter coordinator(RouterKind::coordinator);
  for (std::uint16_t client = 0; client < 2; ++client) {
    coordinator.ask(client);
    EXPECT_EQ(coordinator.sent<Request>()->epoch, Epoch{});
    coordinator.refuse(kA, attempt(client, 0), Signal::not_owner, record(kB, 5), 5);
    EXPECT_EQ(coordinator.sent<Request>()->epoch, Epoch{5});
  }
}

TEST(Coordinator, asks_whoever_knows_of_a_newer_epoch_and_never_the_directory) {
  DrivenRouter coordinator(RouterKind::coordinator);
  coordinator.ask().refuse(kA, attempt(0, 0), Signal::not_owner, record(kB, 5), 5);

  coordinator.refuse(kB, attempt(0, 1), Signal::stale_epoch, record(kA, 9), 9);

  EXPECT_THAT(coordinator.said(), ElementsAre("to 2: request request 0.1 attempt 2 epoch 0: read key 1"));
  EXPECT_EQ(coordinator.wakes_at(kPollTimer), std::nullopt);
}

TEST(Coordinator, without_an_answer_asks_another_node) {
  DrivenRouter coordinator(RouterKind::coordinator);
  coordinator.ask();

  coordinator.at(8).fire(0);

  EXPECT_THAT(coordinator.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 0: read key 1"));
}

TEST(Coordinator, is_not_sent_back_to_an_older_owner) {
  DrivenRouter coordinator(RouterKind::coordinator);
  coordinator.ask(0).refuse(kA, attempt(0, 0), Signal::not_owner, record(kB, 5), 5).ask(1);

  coordinator.refuse(kA, attempt(1, 0), Signal::not_owner, record(kA, 1), 1);

  EXPECT_THAT(coordinator.said(), ElementsAre("to 2: request request 1.1 attempt 1 epoch 5: read key 1"));
}

}  // namespace
}  // namespace shardcheck::impl
