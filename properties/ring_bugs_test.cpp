// Bugs that other placement libraries had, as tests that the ring passes. The number is the row of the collection
// of placement bugs; the comment names where the bug was.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "impl/placement/ring.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

Ring ring_of(const std::vector<Member>& members, std::uint32_t virtual_nodes, std::uint32_t position_bits = 32) {
  Ring ring({.parameters = {.virtual_nodes = virtual_nodes, .position_bits = position_bits}});
  for (const Member& member : members) {
    EXPECT_TRUE(ring.add(member).has_value()) << member.name;
  }
  return ring;
}

std::size_t points_of(const Ring& ring, const std::string& name) {
  std::size_t count = 0;
  for (const PlacementPoint& point : ring.points()) {
    count += point.member == name ? 1U : 0U;
  }
  return count;
}

// PB01 andrasq/consistent-hash-js #4, PB02 3rd-Eden/node-hashring #11.
TEST(RingBugs, owners_do_not_depend_on_the_order_in_which_members_came) {
  std::vector<Member> members;
  for (int number = 0; number < 10; ++number) {
    members.push_back({.name = fmt::format("node-{}", number)});
  }
  const Ring ascending = ring_of(members, 40);
  std::ranges::reverse(members);
  const Ring descending = ring_of(members, 40);

  EXPECT_EQ(ascending.points(), descending.points());
  EXPECT_EQ(ascending.owner("foo").value(), descending.owner("foo").value());
}

// PB05 uber-node/ringpop-node #317: the label was host + index, so '10.0.0.1:1' with 11 was '10.0.0.1:11' with 1.
TEST(RingBugs, labels_of_two_members_are_never_the_same_text) {
  const Ring ring = ring_of({{.name = "10.0.0.1:1"}, {.name = "10.0.0.1:11"}}, 100);

  std::set<std::uint64_t> positions;
  for (const PlacementPoint& point : ring.points()) {
    positions.insert(point.position);
  }
  EXPECT_EQ(positions.size(), 200U);
}

// PB66 golang/groupcache: label = index + name ('1' + '1a' == '11' + 'a'); adding a node twice doubled its points.
TEST(RingBugs, adding_a_member_twice_is_an_error_and_doubles_nothing) {
  Ring ring = ring_of({{.name = "a"}, {.name = "1a"}}, 12);

  EXPECT_FALSE(ring.add({.name = "a"}).has_value());

  EXPECT_EQ(points_of(ring, "a"), 12U);
  EXPECT_EQ(points_of(ring, "1a"), 12U);
}

// PB06 apache/pekko #3279, PB07 pragmaticalabs/pragmatica #1324: here 'n15#145' and 'n306#159' share position
// 2160792431.
TEST(RingBugs, removing_a_member_leaves_the_point_that_collides_with_one_of_its_own) {
  Ring ring = ring_of({{.name = "n15"}, {.name = "n306"}}, 200);
  ASSERT_EQ(ring.owner_at(2160792431).value(), "n15");

  ASSERT_TRUE(ring.remove("n15"));

  EXPECT_EQ(points_of(ring, "n306"), 200U);
  EXPECT_EQ(ring.points(), ring_of({{.name = "n306"}}, 200).points());
}

// PB11 ultrabug/uhashring #6: removing two nodes that share a point, one after the other, crashed.
TEST(RingBugs, both_members_of_a_collision_can_be_removed_one_after_the_other) {
  Ring ring = ring_of({{.name = "n15"}, {.name = "n306"}, {.name = "z"}}, 200);

  EXPECT_TRUE(ring.remove("n306"));
  EXPECT_TRUE(ring.remove("n15"));

  EXPECT_EQ(ring.points(), ring_of({{.name = "z"}}, 200).points());
}

// PB09 dlespiau/balance #1.
TEST(RingBugs, no_point_is_lost_when_many_collide) {
  std::vector<Member> members;
  for (int number = 0; number < 32; ++number) {
    members.push_back({.name = fmt::format("endpoint-{}", number)});
  }

  EXPECT_EQ(ring_of(members, 256, 12).points().size(), 8'192U);
}

// PB10 awesomized/libmemcached #41: the order of equal points was that of the sort algorithm.
TEST(RingBugs, equal_points_are_in_the_order_of_names) {
  const Ring ring = ring_of({{.name = "b"}, {.name = "c"}, {.name = "a"}}, 50, 8);

  EXPECT_TRUE(std::ranges::is_sorted(ring.points()));
}

// PB17 thanos-io/thanos PR #6168: more replicas than endpoints span for ever. PB23 coreos/torus #246: it panicked.
TEST(RingBugs, more_replicas_than_members_are_an_error) {
  const Ring ring = ring_of({{.name = "only"}}, 100);

  EXPECT_FALSE(ring.preference_list("user:1", 3).has_value());
  EXPECT_THAT(ring.preference_list("user:1", 1).value(), ElementsAre("only"));
}

// PB18 thanos-io/thanos #7054.
TEST(RingBugs, an_empty_ring_is_an_error_at_the_lookup_and_takes_its_first_member_later) {
  Ring ring({.parameters = {.virtual_nodes = 100}});
  EXPECT_FALSE(ring.owner("user:1").has_value());

  ASSERT_TRUE(ring.add({.name = "late"}));

  EXPECT_EQ(ring.owner("user:1").value(), "late");
}

// PB19 thanos-io/thanos PR #5604, PB22 jeromefroe/hashring-rs PR #18: points were counted, not members.
TEST(RingBugs, replicas_are_distinct_when_one_member_owns_adjacent_arcs) {
  const Ring ring = ring_of({{.name = "a", .weight = 50}, {.name = "b"}, {.name = "c"}}, 4);

  EXPECT_THAT(ring.preference_list("user:1", 3).value(), UnorderedElementsAre("a", "b", "c"));
}

// PB21 bitwalker/libring #39.
TEST(RingBugs, two_of_two_members_are_two) {
  const Ring ring = ring_of({{.name = "a@localhost"}, {.name = "b@localhost"}}, 128);

  EXPECT_THAT(ring.preference_list("14", 2).value(), UnorderedElementsAre("a@localhost", "b@localhost"));
}

// PB23 coreos/torus #246, PB71 ultrabug/uhashring ketama: a small weight was rounded to no points.
TEST(RingBugs, a_light_member_beside_heavy_ones_has_its_points) {
  const Ring ring = ring_of({{.name = "big1", .weight = 1024}, {.name = "big2", .weight = 1024}, {.name = "small"}}, 5);

  EXPECT_EQ(points_of(ring, "small"), 5U);
}

// PB25 RJ/ketama #13, PB26 memcached/memcached PR #873: removing a server moved the points of the others.
TEST(RingBugs, removing_a_member_leaves_the_points_of_the_others_where_they_are) {
  Ring ring = ring_of({{.name = "a", .weight = 1}, {.name = "b", .weight = 2}, {.name = "c", .weight = 3}}, 40);

  ASSERT_TRUE(ring.remove("c"));

  EXPECT_EQ(ring.points(), ring_of({{.name = "a", .weight = 1}, {.name = "b", .weight = 2}}, 40).points());
}

// PB27 grpc/grpc-go PR #9357: two weights of 2^31 summed to 0, and building the ring never ended.
TEST(RingBugs, weights_that_would_overflow_are_errors_that_change_nothing) {
  Ring ring = ring_of({{.name = "a"}}, 100);
  const std::vector<PlacementPoint> before = ring.points();

  EXPECT_FALSE(ring.add({.name = "b", .weight = std::int64_t{1} << 31}).has_value());
  EXPECT_FALSE(ring.add({.name = "b", .weight = kWeightMax}).has_value());
  EXPECT_FALSE(ring.set_weight("a", std::numeric_limits<std::int64_t>::max()).has_value());
  EXPECT_FALSE(ring.set_weight("a", 0).has_value());
  EXPECT_FALSE(ring.set_weight("a", -1).has_value());

  EXPECT_EQ(ring.points(), before);
}

// PB41 arriqaaq/xring #3, PB42 stratosnet/sds PR #691.
TEST(RingBugs, members_can_be_removed_after_others_were_added_down_to_none) {
  Ring ring = ring_of({{.name = "shard-1"}, {.name = "shard-2"}, {.name = "shard-3"}}, 10);
  ASSERT_TRUE(ring.add({.name = "shard-4"}) && ring.add({.name = "shard-5"}));

  EXPECT_TRUE(ring.remove("shard-4"));
  EXPECT_FALSE(ring.remove("shard-4").has_value());
  EXPECT_TRUE(ring.remove("shard-5") && ring.remove("shard-3") && ring.remove("shard-2") && ring.remove("shard-1"));

  EXPECT_FALSE(ring.owner("user:1").has_value());
  EXPECT_TRUE(ring.points().empty());
}

// PB43 grobian/carbon-c-relay #260: the search did not end for some positions of a 16-bit circle.
TEST(RingBugs, every_position_of_a_16_bit_circle_is_found) {
  const Ring ring = ring_of({{.name = "a"}, {.name = "b"}, {.name = "c"}}, 2'000, 16);
  const std::vector<PlacementPoint> points = ring.points();

  std::size_t next = 0;
  for (std::uint64_t position = 0; position <= 0xffff; ++position) {
    while (next < points.size() && points[next].position < position) {
      ++next;
    }
    ASSERT_EQ(ring.owner_at(position).value(), points[next < points.size() ? next : 0].member) << position;
  }
}

// PB67 serialx/hashring, stathat/consistent: a key exactly on a point went to the next one.
TEST(RingBugs, a_position_exactly_on_a_point_belongs_to_it) {
  const Ring ring = ring_of({{.name = "A"}, {.name = "B"}, {.name = "C"}, {.name = "D"}}, 100);

  EXPECT_EQ(ring.position_of("user:40570004"), 1312514210U);
  EXPECT_EQ(ring.owner_at(44614456).value(), "C");
  EXPECT_EQ(ring.owner_at(44614457).value(), "B");
}

// PB69 libmemcached and twemproxy, PB70: floats rounded 160 points down to 156 for some numbers of servers.
TEST(RingBugs, equal_members_have_equally_many_points_however_many_they_are) {
  std::vector<Member> members;
  for (int number = 0; number < 61; ++number) {
    members.push_back({.name = fmt::format("server-{}", number)});
  }
  const Ring ring = ring_of(members, 160);

  for (const Member& member : members) {
    EXPECT_EQ(points_of(ring, member.name), 160U) << member.name;
  }
}

}  // namespace
}  // namespace shardcheck::impl
