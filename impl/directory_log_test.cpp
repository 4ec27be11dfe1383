#include "impl/directory_log.h"

#include <gmock/gmock.h>

#include "impl/driven_directory.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Storage nodes and the mover of three and of five members.
constexpr NodeId kA{3};
constexpr NodeId kB{4};
constexpr NodeId kRouter{5};
constexpr NodeId kMover{6};

// One range, of A under epoch 1: the first free position is 2, and the first leader's first entry takes it.
ClusterOptions options(std::uint16_t directories = 3) {
  ClusterOptions options;
  options.directories = directories;
  options.storage_nodes = 2;
  options.routers = 1;
  options.shards = 1;
  options.keys = 4;
  return options;
}

Command begin_move(Epoch planned_on = Epoch{1}) {
  Command command;
  command.kind = CommandKind::begin_move;
  command.planned_on = planned_on;
  command.target = kB;
  return command;
}

class Members : public DrivenMembers {
 public:
  Members() : DrivenMembers(options()) { settle(); }
};

TEST(DirectoryLog, the_first_member_of_a_new_directory_leads_at_once) {
  Members members;

  EXPECT_THAT(members.leaders(), ElementsAre(0));
  EXPECT_THAT(members.log(2), ElementsAre("2 of term 1: begin_term"));
}

TEST(DirectoryLog, what_a_majority_has_is_acted_on) {
  Members members;

  members.cut_off(2).ask(0, kMover, begin_move());

  EXPECT_EQ(members.answers().back(), "0 to 6: command_result accepted: range 0 owner 3 epoch 1 phase preparing");
  EXPECT_EQ(members.node(0).applied(), DirectoryPosition{3});
}

TEST(DirectoryLog, what_only_the_leader_has_is_not) {
  Members members;

  members.cut_off(1).cut_off(2).ask(0, kMover, begin_move());
  EXPECT_THAT(members.answers(), IsEmpty());
  EXPECT_EQ(members.node(0).applied(), DirectoryPosition{2});
  members.rejoin(1).beat(0);

  EXPECT_EQ(members.node(0).applied(), DirectoryPosition{3});
}

TEST(DirectoryLog, a_follower_acts_when_the_leader_says_what_is_committed) {
  Members members;

  members.ask(0, kMover, begin_move());
  EXPECT_EQ(members.node(1).applied(), DirectoryPosition{2});
  members.beat(0);

  EXPECT_EQ(members.node(1).state().record(ShardId{0}).phase, MovePhase::preparing);
}

TEST(DirectoryLog, an_entry_counts_only_where_it_is_durable) {
  Driven<DirectoryNode> follower(DirectoryNode(options(), NodeId{1}));

  Append append;
  append.term = Term{1};
  append.previous = DirectoryPosition{1};
  append.count = 1;
  append.entries[0].term = Term{1};
  follower.receive(NodeId{0}, append);
  EXPECT_TRUE(follower.is_silent());
  follower.sync();

  EXPECT_THAT(follower.said(), ElementsAre("to 0: appended term 1 has all up to 2"));
}

TEST(DirectoryLog, another_member_takes_over_and_goes_on_after_the_last_position) {
  Members members;
  members.ask(0, kMover, begin_move());

  members.cut_off(0).elect(1);
  members.ask(1, kMover, begin_move());

  EXPECT_THAT(members.log(1), ElementsAre("2 of term 1: begin_term", "3 of term 1: begin_move",
                                          "4 of term 2: begin_term", "5 of term 2: begin_move"));
  EXPECT_EQ(members.answers().back(), "1 to 6: command_result refused: range 0 owner 3 epoch 1 phase preparing");
}

TEST(DirectoryLog, a_tail_that_no_majority_had_is_taken_back) {
  Members members;
  members.cut_off(0).ask(0, kMover, begin_move());
  members.ask(0, kMover, begin_move());
  EXPECT_THAT(members.log(0), SizeIs(3));

  members.elect(1).ask(1, kA, Renew{ShardId{0}, Epoch{1}, at_ms(0)});
  members.rejoin(0).beat(1).beat(1);

  EXPECT_EQ(members.log(0), members.log(1));
  EXPECT_THAT(members.log(0),
              ElementsAre("2 of term 1: begin_term", "3 of term 2: begin_term", "4 of term 2: renew_lease"));
  EXPECT_THAT(members.leaders(), ElementsAre(1));
}

TEST(DirectoryLog, a_tail_that_was_taken_back_stays_so_after_a_restart) {
  Members members;
  members.cut_off(0).ask(0, kMover, begin_move());
  members.elect(1).rejoin(0).beat(1).beat(1);

  members.restart(0);

  EXPECT_EQ(members.log(0), members.log(1));
}

// The Raft paper, 5.4.2: a leader that commits an older entry because a majority has it may see it replaced later.
TEST(DirectoryLog, an_entry_of_an_older_term_is_not_committed_by_counting) {
  Driven<DirectoryNode> leader(DirectoryNode(options(), NodeId{0}),
                               {Voted{Term{1}, NodeId{0}}, EntryKept{DirectoryPosition{2}, {Term{1}, Command{}}}});
  leader.at(200).fire(1);
  leader.receive(NodeId{1}, Vote{Term{2}, true, true}).sync();
  leader.receive(NodeId{1}, Vote{Term{2}, true, false}).sync();
  ASSERT_TRUE(leader.node().log().is_leader());
  ASSERT_EQ(leader.node().log().last(), DirectoryPosition{3});

  leader.receive(NodeId{1}, Appended{Term{2}, true, DirectoryPosition{2}});
  EXPECT_EQ(leader.node().log().committed(), DirectoryPosition{1});
  leader.receive(NodeId{1}, Appended{Term{2}, true, DirectoryPosition{3}});

  EXPECT_EQ(leader.node().log().committed(), DirectoryPosition{3});
}

TEST(DirectoryLog, a_member_whose_log_is_shorter_is_not_elected) {
  Members members;
  members.cut_off(2).ask(0, kMover, begin_move());

  members.rejoin(2).cut_off(0).elect(2);
  EXPECT_THAT(members.leaders(), ElementsAre(0));
  members.elect(1);

  EXPECT_THAT(members.leaders(), ElementsAre(0, 1));
}

TEST(DirectoryLog, a_vote_is_durable_before_it_is_given) {
  Driven<DirectoryNode> voter(DirectoryNode(options(), NodeId{2}));

  voter.receive(NodeId{1}, VoteRequest{Term{7}, DirectoryPosition{9}, Term{6}});
  EXPECT_TRUE(voter.is_silent());
  voter.sync();

  EXPECT_THAT(voter.said(), ElementsAre("to 1: vote term 7: yes"));
}

TEST(DirectoryLog, a_restart_remembers_whom_the_member_voted_for) {
  Driven<DirectoryNode> voter(DirectoryNode(options(), NodeId{2}));
  voter.receive(NodeId{1}, VoteRequest{Term{7}, DirectoryPosition{9}, Term{6}}).sync();

  voter.restart().receive(NodeId{0}, VoteRequest{Term{7}, DirectoryPosition{9}, Term{6}});
  EXPECT_THAT(voter.said(), ElementsAre("to 0: vote term 7: no"));
  voter.receive(NodeId{1}, VoteRequest{Term{7}, DirectoryPosition{9}, Term{6}});

  EXPECT_THAT(voter.said(), ElementsAre("to 1: vote term 7: yes"));
}

TEST(DirectoryLog, who_was_away_does_not_unseat_a_leader_that_others_hear) {
  Members members;

  members.cut_off(2).wait(100).beat(0).rejoin(2).time_out(2);
  members.beat(0);

  EXPECT_THAT(members.leaders(), ElementsAre(0));
  EXPECT_EQ(members.node(0).log().term(), Term{1});
}

TEST(DirectoryLog, a_long_log_becomes_a_snapshot) {
  Members members;

  for (int i = 0; i < 24; ++i) {
    members.ask(0, kA, Renew{ShardId{0}, Epoch{1}, at_ms(i)});
  }

  EXPECT_EQ(members.node(0).log().snapshot().position, DirectoryPosition{25});
  EXPECT_THAT(members.log(0), ElementsAre("26 of term 1: renew_lease"));
}

TEST(DirectoryLog, who_lacks_entries_that_are_gone_gets_the_state) {
  Members members;
  members.cut_off(2).ask(0, kMover, begin_move());
  for (int i = 0; i < 30; ++i) {
    members.ask(0, kA, Renew{ShardId{0}, Epoch{1}, at_ms(i)});
  }

  members.rejoin(2).beat(0).beat(0);

  EXPECT_EQ(members.log(2), members.log(0));
  EXPECT_EQ(members.node(2).state().record(ShardId{0}), members.node(0).state().record(ShardId{0}));
  EXPECT_EQ(members.node(2).state().changed_at(ShardId{0}), DirectoryPosition{3});
}

TEST(DirectoryLog, a_snapshot_survives_a_restart) {
  Members members;
  members.ask(0, kMover, begin_move());
  for (int i = 0; i < 30; ++i) {
    members.ask(0, kA, Renew{ShardId{0}, Epoch{1}, at_ms(i)});
  }
  members.beat(0);

  members.restart(1);

  EXPECT_EQ(members.log(1), members.log(0));
  EXPECT_EQ(members.node(1).state().record(ShardId{0}).phase, MovePhase::preparing);
}

TEST(DirectoryLog, a_new_leader_takes_leases_as_they_are) {
  Members members;
  members.ask(0, kA, Renew{ShardId{0}, Epoch{1}, at_ms(0)});

  members.cut_off(0).elect(1);

  EXPECT_EQ(members.node(1).state().record(ShardId{0}).lease_until, at_ms(60));
  EXPECT_THAT(members.answers(), SizeIs(1));
}

TEST(DirectoryLog, any_member_in_touch_answers_a_poll_for_what_it_knows) {
  Members members;
  members.ask(0, kMover, begin_move());
  members.beat(0);

  members.ask(2, kRouter, Poll{DirectoryPosition{1}, DirectoryPosition{3}});
  EXPECT_THAT(members.answers(), ElementsAre("2 to 5: record_update range 0 owner 3 epoch 1 phase preparing at 3"));
  members.ask(2, kRouter, Poll{DirectoryPosition{3}, DirectoryPosition{}});

  EXPECT_THAT(members.answers(), ElementsAre("2 to 5: up_to_date at 3"));
}

TEST(DirectoryLog, who_knows_less_than_a_poll_needs_names_the_leader) {
  Members members;
  members.ask(0, kMover, begin_move());

  members.ask(2, kRouter, Poll{DirectoryPosition{1}, DirectoryPosition{3}});

  EXPECT_THAT(members.answers(), ElementsAre("2 to 5: not_leader 0 leads"));
}

TEST(DirectoryLog, who_is_out_of_touch_answers_nothing) {
  Members members;

  members.wait(100).ask(2, kRouter, Poll{});
  EXPECT_THAT(members.answers(), ElementsAre("2 to 5: not_leader knows of no leader"));
  members.ask(0, kMover, begin_move());

  EXPECT_THAT(members.answers(), ElementsAre("0 to 6: not_leader knows of no leader"));
}

TEST(DirectoryLog, five_members_go_on_without_two) {
  DrivenMembers members(options(5));
  members.settle().cut_off(0).cut_off(4);

  members.elect(2).ask(2, NodeId{8}, begin_move());

  EXPECT_EQ(members.node(2).applied(), DirectoryPosition{4});
}

}  // namespace
}  // namespace shardcheck::impl
