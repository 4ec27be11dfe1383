#include "impl/placement/ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sha2.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace shardcheck::impl {
namespace {

using nlohmann::json;
using testing::ElementsAre;

json golden(const std::string& name) {
  std::ifstream file(std::filesystem::path(SHARDCHECK_SOURCE_DIR) / "properties/golden/ring" / (name + ".json"));
  return json::parse(file);
}

Ring ring_of(const std::vector<Member>& members, std::uint32_t virtual_nodes, std::uint32_t position_bits = 32) {
  Ring ring({.parameters = {.virtual_nodes = virtual_nodes, .position_bits = position_bits}});
  EXPECT_TRUE(ring.add_all(members).has_value());
  return ring;
}

Ring ring_of(const json& vector) {
  std::vector<Member> members;
  for (const std::string name : vector["nodes"]) {
    members.push_back({.name = name, .weight = vector["weights"].value(name, 1)});
  }
  return ring_of(members, vector["vnodes"]);
}

std::string sha256(const std::string& text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> hex;
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), hex.data());
  return hex.data();
}

std::string lines_of_points(const Ring& ring) {
  std::string lines;
  for (const PlacementPoint& point : ring.points()) {
    lines += std::to_string(point.position) + "\t" + point.member + "\n";
  }
  return lines;
}

class GoldenRing : public testing::TestWithParam<std::string> {};

TEST_P(GoldenRing, points_are_reproduced) {
  const json vector = golden(GetParam());

  const std::vector<PlacementPoint> points = ring_of(vector).points();

  EXPECT_EQ(points.size(), vector["points_total"].get<std::size_t>());
  const json& expected = vector.contains("points") ? vector["points"] : vector["points_first20"];
  ASSERT_LE(expected.size(), points.size());
  for (std::size_t index = 0; index < expected.size(); ++index) {
    SCOPED_TRACE(index);
    EXPECT_EQ(points[index].position, expected[index][0].get<std::uint64_t>());
    EXPECT_EQ(points[index].member, expected[index][1].get<std::string>());
  }
  if (vector.contains("points_sha256_of_lines_pos_tab_node_nl")) {
    EXPECT_EQ(sha256(lines_of_points(ring_of(vector))),
              vector["points_sha256_of_lines_pos_tab_node_nl"].get<std::string>());
  }
}

TEST_P(GoldenRing, owners_are_reproduced) {
  const json vector = golden(GetParam());

  const Ring ring = ring_of(vector);

  for (const auto& [key, member] : vector["owners"].items()) {
    EXPECT_EQ(ring.owner(key).value(), member.get<std::string>()) << key;
  }
  std::string lines;
  std::map<std::string, int> load;
  for (int number = 0; number < 10'000; ++number) {
    const std::string key = "user:" + std::to_string(number);
    const std::string owner(ring.owner(key).value());
    lines += key + "\t" + owner + "\n";
    ++load[owner];
  }
  EXPECT_EQ(sha256(lines), vector["owners10000_sha256_of_lines_key_tab_node_nl"].get<std::string>());
  EXPECT_EQ(json(load), vector["load_10000"]);
}

TEST_P(GoldenRing, preference_lists_are_reproduced) {
  const json vector = golden(GetParam());

  const Ring ring = ring_of(vector);

  for (const auto& [key, members] : vector["preference3"].items()) {
    EXPECT_EQ(json(ring.preference_list(key, members.size()).value()), members) << key;
  }
}

TEST_P(GoldenRing, arcs_have_the_golden_lengths) {
  const json vector = golden(GetParam());

  const std::vector<PlacementPoint> points = ring_of(vector).points();

  std::map<std::string, std::uint64_t> arcs;
  std::uint64_t previous = points.back().position - (std::uint64_t{1} << 32);
  for (const PlacementPoint& point : points) {
    arcs[point.member] += point.position - previous;
    previous = point.position;
  }
  EXPECT_EQ(json(arcs), vector["arc_units_of_2^32"]);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenRing,
                         testing::Values("single_A_v100", "two_AB_v1", "seed_ABCD_v1", "seed_ABCD_v100",
                                         "seed_ABCDE_v100", "seed_ACDE_v100", "weighted_A1_B2_C3_D1_v100",
                                         "utf8_nodes_v10", "n3_v1000", "n10_v200", "n100_v200"),
                         [](const auto& parameter) { return parameter.param; });

TEST(RingEdges, keys_above_the_last_point_belong_to_the_first_one) {
  const Ring ring = ring_of({{"A"}, {"B"}, {"C"}, {"D"}}, 100);
  const std::uint64_t last = ring.points().back().position;

  for (const std::string key : golden("edges")["wrap_keys_ABCD_v100"]) {
    EXPECT_GT(ring.position_of(key), last) << key;
    EXPECT_EQ(ring.owner(key).value(), "D") << key;
  }
}

TEST(RingEdges, a_key_exactly_on_a_point_belongs_to_it) {
  const Ring ring = ring_of({{"A"}, {"B"}, {"C"}, {"D"}}, 100);

  for (const json& row : golden("edges")["key_on_point_ABCD_v100"]) {
    EXPECT_EQ(ring.position_of(row["key"].get<std::string>()), row["hash"].get<std::uint64_t>());
    EXPECT_EQ(ring.owner(row["key"].get<std::string>()).value(), row["owner_ge"].get<std::string>());
  }
}

TEST(RingEdges, equal_points_are_ordered_by_name) {
  const json row = golden("edges")["collision_ring_n15_n306_v200"];
  Ring forward({.parameters = {.virtual_nodes = 200}});
  ASSERT_TRUE(forward.add({.name = "n15"}) && forward.add({.name = "n306"}));
  Ring backward({.parameters = {.virtual_nodes = 200}});
  ASSERT_TRUE(backward.add({.name = "n306"}) && backward.add({.name = "n15"}));

  for (const std::string key : row["keys"]) {
    EXPECT_EQ(forward.owner(key).value(), "n15");
    EXPECT_EQ(backward.owner(key).value(), "n15");
  }
  EXPECT_EQ(forward.points(), backward.points());
  EXPECT_EQ(forward.points().size(), 400U);
}

TEST(RingEdges, known_collisions_are_collisions) {
  for (const json& row : golden("edges")["collisions"]) {
    EXPECT_EQ(ring_hash(row[1].get<std::string>()), row[0].get<std::uint32_t>()) << row[1];
    EXPECT_EQ(ring_hash(row[2].get<std::string>()), row[0].get<std::uint32_t>()) << row[2];
  }
}

TEST(RingEdges, preference_of_a_key_follows_a_join_and_a_leave) {
  Ring ring = ring_of({{"A"}, {"B"}, {"C"}, {"D"}}, 100);

  EXPECT_THAT(ring.preference_list("user:42", 3).value(), ElementsAre("B", "A", "D"));
  ASSERT_TRUE(ring.add({.name = "E"}));
  EXPECT_THAT(ring.preference_list("user:42", 3).value(), ElementsAre("B", "E", "A"));
  ASSERT_TRUE(ring.remove("B"));
  EXPECT_THAT(ring.preference_list("user:42", 3).value(), ElementsAre("E", "A", "D"));
}

TEST(Ring, preference_list_takes_another_rack_while_there_is_one) {
  const Ring without = ring_of({{"A"}, {"B"}, {"C"}, {"D"}}, 100);
  const Ring with = ring_of({{"A", 1, "r1"}, {"B", 1, "r1"}, {"C", 1, "r2"}, {"D", 1, "r2"}}, 100);

  EXPECT_THAT(without.preference_list("user:42", 4).value(), ElementsAre("B", "A", "D", "C"));
  EXPECT_THAT(with.preference_list("user:42", 4).value(), ElementsAre("B", "D", "A", "C"));
}

TEST(Ring, weight_changes_leave_the_points_that_stay_alone) {
  Ring changed = ring_of({{"A", 1}, {"B", 3}}, 100);
  ASSERT_TRUE(changed.set_weight("A", 4));
  ASSERT_TRUE(changed.set_weight("B", 2));

  EXPECT_EQ(changed.points(), ring_of({{"A", 4}, {"B", 2}}, 100).points());
}

TEST(Ring, a_member_may_have_two_points_at_one_position) {
  Ring ring = ring_of({{"A", 2}}, 300, 8);
  ASSERT_EQ(ring.points().size(), 600U);

  ASSERT_TRUE(ring.set_weight("A", 1));

  EXPECT_EQ(ring.points(), ring_of({{"A", 1}}, 300, 8).points());
}

TEST(Ring, a_table_that_somebody_holds_does_not_change_with_the_ring) {
  Ring ring = ring_of({{"A"}}, 10);
  const std::shared_ptr<const RingTable> held = ring.table();

  ASSERT_TRUE(ring.add({.name = "B"}));

  EXPECT_EQ(held->size(), 10U);
  EXPECT_EQ(ring.table()->size(), 20U);
}

TEST(RingTable, lines_and_bisection_agree_at_every_position_of_a_small_circle) {
  for (const std::uint32_t virtual_nodes : {1U, 3U, 40U, 900U}) {
    SCOPED_TRACE(virtual_nodes);
    const Ring ring = ring_of({{"A"}, {"B", 2}, {"C"}}, virtual_nodes, 10);
    const std::shared_ptr<const RingTable> table = ring.table();

    for (std::uint32_t position = 0; position < 1024; ++position) {
      ASSERT_EQ(table->owner_at(position), table->owner_by_bisect(position)) << position;
    }
  }
}

TEST(RingTable, a_line_with_too_many_points_is_bisected) {
  std::vector<RingPoint> points;
  for (std::uint32_t number = 0; number < 100; ++number) {
    points.push_back({.position = 1'000 + number, .member = static_cast<MemberIndex>(number)});
  }
  const RingTable table(points, 32, std::vector<MemberIndex>(100), RingDecisions(Mutant::none));

  EXPECT_EQ(table.owner_at(1'000), 0);
  EXPECT_EQ(table.owner_at(1'057), 57);
  EXPECT_EQ(table.owner_at(1'099), 99);
  EXPECT_EQ(table.owner_at(1'100), 0);
  EXPECT_EQ(table.owner_at(0xffffffff), 0);
}

}  // namespace
}  // namespace shardcheck::impl
