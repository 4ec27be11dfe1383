// Bugs that other placement libraries had and that are not about the points of a ring (ring_bugs_test.cpp), as tests
// that the reference passes; and the comparison of all rows that have a test with the collection. What the laws refuse
// of them is in broken_placement_bugs_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "impl/placement/ketama.h"
#include "impl/placement/redis_slots.h"
#include "impl/placement/ring.h"
#include "spec/placement_laws.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Member> numbered(std::string_view prefix, std::size_t count) {
  std::vector<Member> members;
  for (std::size_t number = 0; number < count; ++number) {
    members.push_back({.name = fmt::format("{}{}", prefix, number)});
  }
  return members;
}

Ring ring_of(const std::vector<Member>& members, std::uint32_t virtual_nodes) {
  Ring ring({.parameters = {.virtual_nodes = virtual_nodes}});
  EXPECT_TRUE(ring.add_all(members).has_value());
  return ring;
}

template <class Key>
std::map<std::string, int> loads(const Placement& placement, int first, int end, Key key) {
  std::map<std::string, int> loads;
  for (int number = first; number < end; ++number) {
    ++loads[std::string(placement.owner(key(number)).value())];
  }
  return loads;
}

// PB33 replay/ngx_http_consistent_hash PR #2 (width of words), PB34 uber-node/ringpop-node PR #197 (hash of the
// machine), PB35 gluster/glusterfs #3345 (order of bytes), PB37 JBKahn/django-sharding #66 (salt of the process): the
// hash is a fixed number, here by the test suite of RFC 1321.
TEST(ReferenceBugs, the_hash_of_a_text_is_the_same_number_everywhere) {
  EXPECT_EQ(ring_hash(""), 0xd41d8cd9U);
  EXPECT_EQ(ring_hash("a"), 0x0cc175b9U);
  EXPECT_EQ(ring_hash("abc"), 0x90015098U);
  EXPECT_EQ(ring_hash("message digest"), 0xf96b697dU);
}

// PB38 apache/paimon PR #239, PB39 pravega/pravega #3422: hashes that are negative in 32 bits with a sign.
TEST(ReferenceBugs, positions_with_the_highest_bit_have_owners) {
  const Ring ring = ring_of(numbered("n", 4), 100);
  const std::vector<PlacementPoint> points = ring.points();

  for (const std::uint64_t position : {0x7fffffffU, 0x80000000U, 0x80000001U, 0xffffffffU}) {
    const auto reached = std::ranges::lower_bound(points, position, {}, &PlacementPoint::position);
    EXPECT_EQ(ring.owner_at(position).value(), (reached == points.end() ? points.front() : *reached).member)
        << position;
  }
}

// PB45 apache/druid PR #12817: 20 % of skew over 8 brokers.
TEST(ReferenceBugs, eight_brokers_are_loaded_evenly) {
  const auto by_broker = loads(ring_of(numbered("broker-", 8), 1'000), 0, 8'000, [](int number) {
    return fmt::format("{:08x}", static_cast<std::uint32_t>(number) * 2'654'435U);
  });

  ASSERT_EQ(by_broker.size(), 8U);
  for (const auto& [broker, load] : by_broker) {
    EXPECT_NEAR(load, 1'000, 200) << broker;
  }
}

// PB46 tailscale/tailscale PR #20828: candidates with a common prefix, of which some were hardly ever chosen.
TEST(ReferenceBugs, members_with_a_common_prefix_are_loaded_evenly) {
  const auto by_member = loads(ring_of(numbered("/nodes/region-eu/n", 3), 1'000), 0, 3'000,
                               [](int number) { return fmt::format("key-{}", number); });

  ASSERT_EQ(by_member.size(), 3U);
  for (const auto& [member, load] : by_member) {
    EXPECT_NEAR(load, 1'000, 200) << member;
  }
}

// PB47 eltmon/overdeck #2055: 161 sequential keys went 68 : 30 : 2 to three members.
TEST(ReferenceBugs, a_short_run_of_sequential_keys_is_spread) {
  const auto by_member = loads(ring_of(numbered("n", 3), 1'000), 1'900, 2'061,
                               [](int number) { return fmt::format("work:PAN-{}", number); });

  ASSERT_EQ(by_member.size(), 3U);
  for (const auto& [member, load] : by_member) {
    EXPECT_NEAR(load, 161 / 3, 30) << member;
  }
}

// PB49 golang/groupcache #29: two members with three points each shared 10,000 keys 37 : 63.
TEST(ReferenceBugs, two_members_with_a_thousand_points_share_equally) {
  const auto by_member = loads(ring_of(numbered("10.0.0.", 2), 1'000), 0, 10'000,
                               [](int number) { return fmt::format("user:{}", number); });

  ASSERT_EQ(by_member.size(), 2U);
  for (const auto& [member, load] : by_member) {
    EXPECT_NEAR(load, 5'000, 500) << member;
  }
}

// PB57 k8ssandra/k8ssandra #732: nodes that started together drew the same tokens.
TEST(ReferenceBugs, members_that_come_together_have_different_points) {
  const std::vector<PlacementPoint> points = ring_of(numbered("node-", 2), 256).points();

  std::map<std::string, std::set<std::uint64_t>> positions;
  for (const PlacementPoint& point : points) {
    positions[point.member].insert(point.position);
  }
  std::vector<std::uint64_t> shared;
  std::ranges::set_intersection(positions["node-0"], positions["node-1"], std::back_inserter(shared));
  EXPECT_THAT(shared, IsEmpty());
  EXPECT_EQ(points.size(), 512U);
}

// PB58 datastax/cass-operator #205: eight tokens each, unbalanced. So few points scatter by a third, and the ring does
// not claim otherwise: its balance is not judged there, and is with a hundred.
TEST(ReferenceBugs, balance_is_claimed_for_many_points_only) {
  PlacementCase input{
      .parameters = {.virtual_nodes = 8}, .members = numbered("node-", 3), .edits = {}, .keys = {}, .answers = {}};

  EXPECT_EQ(check_balance(ring_factory(), input).checks, 0U);
  input.parameters.virtual_nodes = 100;
  EXPECT_EQ(check_balance(ring_factory(), input).checks, 6U);
}

// PB59 buildbuddy-io/buildbuddy PR #2420: two halves with a gap between them. A boundary here is one number.
TEST(ReferenceBugs, runs_of_slots_leave_no_gap_while_members_come_and_go) {
  const PlacementCase input{
      .parameters = {},
      .members = numbered("node-", 7),
      .edits = {{EditKind::remove, {.name = "node-3"}}, {EditKind::set_weight, {.name = "node-5", .weight = 9}}},
      .keys = {"user:12"},
      .answers = {}};

  const LawResult result = check_coverage(redis_slots_factory(), input);

  EXPECT_GT(result.checks, 15U);
  EXPECT_FALSE(result.violation.has_value());
}

// PB62 SUPSI-DTI-ISIN/java-consistent-hashing-algorithms #4: lookups got slower when nearly all nodes had been removed.
TEST(ReferenceBugs, members_that_left_leave_nothing_behind) {
  const std::vector<Member> members = numbered("node-", 300);
  Ring ring = ring_of(members, 10);
  for (std::size_t step = 0; step < 299; ++step) {
    ASSERT_TRUE(ring.remove(members[step * 7 % 300].name));
  }

  const Ring fresh = ring_of({{.name = members[299 * 7 % 300].name}}, 10);
  EXPECT_EQ(ring.points(), fresh.points());
  EXPECT_EQ(ring.table()->bytes(), fresh.table()->bytes());
}

// PB63 libmemcached 1.1.4: more than a hundred servers abort the process.
TEST(ReferenceBugs, a_thousand_members_are_taken) {
  PointRing ketama(ketama_convention(), {});
  ASSERT_TRUE(ketama.add_all(numbered("cache-", 1'000)).has_value());

  EXPECT_EQ(ketama.members().size(), 1'000U);
  EXPECT_GE(ketama.points().size(), 156'000U);
  EXPECT_EQ(ring_of(numbered("cache-", 1'000), 100).points().size(), 100'000U);
}

// PB65 envoyproxy/envoy: how many points a host had depended on which hosts stood before it in the list.
TEST(ReferenceBugs, equal_members_have_equally_many_points_in_any_order_of_the_list) {
  std::vector<Member> members = numbered("host-", 4);
  const Ring forward = ring_of(members, 3);
  std::ranges::reverse(members);
  const Ring backward = ring_of(members, 3);

  std::map<std::string, int> counts;
  for (const PlacementPoint& point : backward.points()) {
    ++counts[point.member];
  }
  EXPECT_EQ(forward.points(), backward.points());
  EXPECT_THAT(counts, ElementsAre(std::pair("host-0", 3), std::pair("host-1", 3), std::pair("host-2", 3),
                                  std::pair("host-3", 3)));
}

// The rows "PBnn" in a comment.
std::set<std::string> rows_in(std::string_view line) {
  std::set<std::string> rows;
  for (std::size_t at = line.find("PB"); at != std::string_view::npos; at = line.find("PB", at + 2)) {
    const std::string_view digits = line.substr(at + 2, 2);
    if (digits.size() == 2 && std::isdigit(digits[0]) != 0 && std::isdigit(digits[1]) != 0) {
      rows.insert("PB" + std::string(digits));
    }
  }
  return rows;
}

// Those that the comment right above a test names.
std::set<std::string> rows_tested_in(const std::filesystem::path& path) {
  std::set<std::string> tested;
  std::set<std::string> above;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("//")) {
      above.merge(rows_in(line));
    } else {
      if (line.starts_with("TEST")) {
        tested.merge(above);
      }
      above.clear();
    }
  }
  return tested;
}

TEST(PlacementBugs, every_row_of_the_collection_has_a_test_and_no_test_has_a_row_that_is_not_there) {
  const std::filesystem::path root(SHARDCHECK_SOURCE_DIR);
  std::ifstream collection(root / "../shared/placement_bugs.tsv");
  if (!collection.is_open()) {
    GTEST_SKIP() << "the collection of placement bugs is not on this machine";
  }
  std::set<std::string> collected;
  for (std::string line; std::getline(collection, line);) {
    if (line.starts_with("PB")) {
      collected.insert(line.substr(0, line.find('\t')));
    }
  }

  std::set<std::string> tested;
  for (const std::filesystem::path& folder : {root / "properties", root / "impl/placement"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().filename().string().ends_with("_test.cpp")) {
        tested.merge(rows_tested_in(entry.path()));
      }
    }
  }

  EXPECT_GT(collected.size(), 50U);
  EXPECT_EQ(tested, collected);
}

}  // namespace
}  // namespace shardcheck::impl
