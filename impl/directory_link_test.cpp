#include "impl/directory_link.h"

#include <gtest/gtest.h>

#include "impl/driven.h"

namespace shardcheck::impl {
namespace {

// Three members; patience is 8 ms.
class Link {
 public:
  explicit Link(Mutant mutant = Mutant::none) : link_(options(mutant), at_ms(0)) {}

  NodeId asks(std::int64_t ms) {
    link_.begin(Synced{}, at_ms(ms));
    outputs_.clear();
    link_.poll({}, outputs_);
    return outputs_.sends[0].to;
  }
  void hears(NodeId member, std::int64_t ms) {
    const Message message = UpToDate{};
    link_.begin(Received<Message>{member, message}, at_ms(ms));
  }
  bool is_turned_away(NodeId member, NodeId leader, std::int64_t ms) {
    hears(member, ms);
    return link_.turned_away(member, NotLeader{leader});
  }
  bool takes_in(std::uint64_t follows, std::uint64_t changed_at) { return takes_in(follows, changed_at, changed_at); }
  bool takes_in(std::uint64_t follows, std::uint64_t changed_at, std::uint64_t until) {
    return link_.take_in({{}, DirectoryPosition{changed_at}, DirectoryPosition{follows}, DirectoryPosition{until}});
  }
  std::uint64_t known() const { return link_.known().value; }

 private:
  static ClusterOptions options(Mutant mutant) {
    ClusterOptions options;
    options.directories = 3;
    options.mutant = mutant;
    return options;
  }

  DirectoryLink link_;
  ClusterOutputs outputs_;
};

TEST(DirectoryLink, asks_the_same_member_as_long_as_it_answers) {
  Link link;

  EXPECT_EQ(link.asks(0), NodeId{0});
  link.hears(NodeId{0}, 1);

  EXPECT_EQ(link.asks(40), NodeId{0});
}

TEST(DirectoryLink, turns_to_the_next_one_when_it_is_silent) {
  Link link;

  EXPECT_EQ(link.asks(0), NodeId{0});
  EXPECT_EQ(link.asks(7), NodeId{0});
  EXPECT_EQ(link.asks(8), NodeId{1});
  EXPECT_EQ(link.asks(16), NodeId{2});
  EXPECT_EQ(link.asks(24), NodeId{0});
}

TEST(DirectoryLink, another_member_that_is_heard_excuses_nobody) {
  Link link;
  link.asks(0);

  link.hears(NodeId{1}, 1);

  EXPECT_EQ(link.asks(8), NodeId{1});
}

TEST(DirectoryLink, goes_to_the_leader_that_is_named) {
  Link link;
  link.asks(0);

  EXPECT_TRUE(link.is_turned_away(NodeId{0}, NodeId{2}, 1));

  EXPECT_EQ(link.asks(1), NodeId{2});
}

TEST(DirectoryLink, two_who_name_each_other_are_not_asked_at_the_speed_of_the_network) {
  Link link;
  link.asks(0);

  EXPECT_TRUE(link.is_turned_away(NodeId{0}, NodeId{1}, 1));
  EXPECT_FALSE(link.is_turned_away(NodeId{1}, NodeId{0}, 2));

  EXPECT_EQ(link.asks(5), NodeId{0});
}

TEST(DirectoryLink, tries_the_next_one_later_when_nobody_is_named) {
  Link link;
  link.asks(0);

  EXPECT_FALSE(link.is_turned_away(NodeId{0}, kNoNode, 1));

  EXPECT_EQ(link.asks(2), NodeId{1});
}

TEST(DirectoryLink, old_news_from_a_member_given_up_change_nothing) {
  Link link;
  link.asks(0);
  link.asks(8);

  EXPECT_FALSE(link.is_turned_away(NodeId{0}, NodeId{2}, 9));

  EXPECT_EQ(link.asks(9), NodeId{1});
}

TEST(DirectoryLink, knows_as_much_as_came_without_a_gap) {
  Link link;

  EXPECT_TRUE(link.takes_in(0, 4));
  EXPECT_TRUE(link.takes_in(4, 6));
  EXPECT_FALSE(link.takes_in(8, 9));
  EXPECT_TRUE(link.takes_in(2, 5));

  EXPECT_EQ(link.known(), 6);
}

// A record that comes last may have been changed at 31 already, which nobody tells any more.
TEST(DirectoryLink, knows_what_an_answer_tells_when_its_last_update_has_come) {
  Link link;
  link.takes_in(0, 29);

  EXPECT_TRUE(link.takes_in(29, 39, 41));
  EXPECT_EQ(link.known(), 29);
  EXPECT_TRUE(link.takes_in(39, 40, 41));
  EXPECT_TRUE(link.takes_in(29, 39, 41));  // once more
  EXPECT_EQ(link.known(), 29);
  EXPECT_TRUE(link.takes_in(40, 41, 41));

  EXPECT_EQ(link.known(), 41);
}

TEST(DirectoryLink, does_not_put_an_answer_together_from_two) {
  Link link;
  link.takes_in(0, 29);

  EXPECT_TRUE(link.takes_in(29, 39, 45));
  EXPECT_FALSE(link.takes_in(39, 41, 41));

  EXPECT_EQ(link.known(), 29);
}

TEST(DirectoryLink, misses_an_update_in_the_middle_of_an_answer) {
  Link link;
  link.takes_in(0, 29);

  EXPECT_TRUE(link.takes_in(29, 39, 41));
  EXPECT_FALSE(link.takes_in(40, 41, 41));

  EXPECT_EQ(link.known(), 29);
}

TEST(DirectoryLink, a_dropped_event_is_forgotten_by_the_mutant) {
  Link link(Mutant::dir_watch_drop);

  EXPECT_TRUE(link.takes_in(8, 9));

  EXPECT_EQ(link.known(), 9);
}

}  // namespace
}  // namespace shardcheck::impl
