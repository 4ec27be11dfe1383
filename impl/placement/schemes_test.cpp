// What each scheme says of itself, in figures. That it keeps its promises is shown by the laws, in properties/.
#include "impl/placement/schemes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>  // threads: no result depends on their order

#include "impl/placement/bounded_loads.h"
#include "impl/placement/fixed_partitions.h"
#include "impl/placement/jump.h"
#include "impl/placement/key_ranges.h"
#include "impl/placement/maglev.h"
#include "impl/placement/modulo.h"
#include "impl/placement/multi_probe.h"
#include "impl/placement/naive_ring.h"
#include "impl/placement/rendezvous.h"
#include "impl/placement/ring.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Member> members_named(int count) {
  std::vector<Member> members;
  for (int number = 0; number < count; ++number) {
    members.push_back({.name = fmt::format("n{}", number)});
  }
  return members;
}

std::unique_ptr<Placement> placement_of(const PlacementFactory& factory, const std::vector<Member>& members,
                                        PlacementParameters parameters = {}) {
  std::unique_ptr<Placement> placement = factory.make(parameters);
  for (const Member& member : members) {
    EXPECT_TRUE(placement->add(member).has_value());
  }
  return placement;
}

std::vector<std::string> owners_of(const Placement& placement, int keys) {
  std::vector<std::string> owners;
  for (int number = 0; number < keys; ++number) {
    owners.emplace_back(placement.owner(fmt::format("user:{}", number)).value());
  }
  return owners;
}

int differences(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  int count = 0;
  for (std::size_t index = 0; index < one.size(); ++index) {
    count += one[index] == other[index] ? 0 : 1;
  }
  return count;
}

std::map<std::string, int> partitions_by_member(const Placement& placement) {
  std::map<std::string, int> held;
  for (std::uint64_t partition = 0; partition < placement.partitions(); ++partition) {
    ++held[std::string(placement.owner_at(partition).value())];
  }
  return held;
}

class EveryScheme : public testing::TestWithParam<std::string> {};

TEST_P(EveryScheme, says_what_is_wrong_and_changes_nothing) {
  const std::unique_ptr<Placement> placement =
      placement_of(scheme_by_name(GetParam()).value(), {{.name = "a", .weight = 2}, {.name = "b"}, {.name = "c"}});
  const std::vector<std::string> before = owners_of(*placement, 200);

  EXPECT_THAT(placement->add({.name = ""}).error().what, HasSubstr("needs a name"));
  EXPECT_THAT(placement->add({.name = "b"}).error().what, HasSubstr("a member already"));
  for (const std::int64_t weight :
       {std::int64_t{0}, std::int64_t{-1}, kWeightMax + 1, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    SCOPED_TRACE(weight);
    EXPECT_THAT(placement->add({.name = "d", .weight = weight}).error().what, HasSubstr("is not in 1..1048576"));
    EXPECT_THAT(placement->set_weight("a", weight).error().what, HasSubstr("is not in 1..1048576"));
  }
  EXPECT_THAT(placement->set_weight("d", 1).error().what, HasSubstr("not a member"));
  EXPECT_THAT(placement->remove("d").error().what, HasSubstr("not a member"));
  EXPECT_THAT(placement->preference_list("user:1", 4).error().what, HasSubstr("4 replicas asked of 3 members"));

  EXPECT_EQ(owners_of(*placement, 200), before);
  EXPECT_TRUE(placement->remove("a") && placement->remove("b") && placement->remove("c"));
  EXPECT_THAT(placement->owner("user:1").error().what, HasSubstr("there is none"));
  EXPECT_FALSE(placement->preference_list("user:1", 1).has_value());
}

TEST_P(EveryScheme, spreads_a_list_over_racks_while_there_are_any) {
  const std::unique_ptr<Placement> placement =
      placement_of(scheme_by_name(GetParam()).value(), {{.name = "a", .rack = "r1"},
                                                        {.name = "b", .rack = "r1"},
                                                        {.name = "c", .rack = "r1"},
                                                        {.name = "d", .rack = "r2"}});

  for (int number = 0; number < 200; ++number) {
    const std::string key = fmt::format("user:{}", number);
    SCOPED_TRACE(key);
    const std::vector<std::string_view> list = placement->preference_list(key, 4).value();
    EXPECT_EQ(list[0], placement->owner(key).value());
    EXPECT_EQ(std::set<std::string_view>(list.begin(), list.begin() + 2).count("d"), 1U);
    EXPECT_EQ(std::set<std::string_view>(list.begin(), list.end()).size(), 4U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryScheme,
                         testing::Values("ring", "rendezvous", "multi_probe", "jump", "maglev", "bounded_loads",
                                         "ranges", "partitions", "modulo"),
                         [](const auto& parameter) { return parameter.param; });

TEST(Schemes, say_how_much_a_router_holds) {
  // Of three members with 100 virtual nodes, where a scheme has any.
  const std::map<std::string_view, std::uint64_t> expected{
      {"rendezvous", 3 * (8 + 8)},                  // a hash and a weight each
      {"multi_probe", 3 * 5 * 16},                  // 100 points for 21 probes
      {"jump", 3 * 2},                              // a bucket each
      {"maglev", 65'537 * 2},                       // a slot
      {"bounded_loads", 1'024 * 2 + 3 * 100 * 16},  // a partition, and a point of the circle
      {"ranges", 91 * 2 + 90 * sizeof(std::string)},
      {"partitions", 1'024 * 2},
      {"modulo", 3 * 8},
      {"ketama", 3 * 160 * 8},
      {"nginx", 3 * 160 * 8},
      {"redis-slots", 3 * 4}};
  for (const PlacementFactory& factory : placement_schemes()) {
    SCOPED_TRACE(factory.name);
    const std::unique_ptr<Placement> three = placement_of(factory, {{.name = "a"}, {.name = "b"}, {.name = "c"}});

    const std::optional<std::uint64_t> bytes = three->routing_bytes();

    ASSERT_TRUE(bytes.has_value());
    if (factory.name == "ring") {
      // At least a position of four bytes and an owner of two, at most 64 bytes a point.
      EXPECT_GE(*bytes, 3U * 100U * 6U);
      EXPECT_LE(*bytes, 3U * 100U * 64U);
    } else {
      EXPECT_EQ(*bytes, expected.at(factory.name));
    }
  }
}

TEST(Schemes, are_known_by_their_names) {
  EXPECT_EQ(placement_schemes().size(), 12U);
  EXPECT_EQ(placement_schemes().front().name, "ring");
  EXPECT_EQ(scheme_by_name("maglev").value().name, "maglev");
  EXPECT_FALSE(scheme_by_name("md5").has_value());
}

TEST(Modulo, one_member_more_moves_four_keys_of_five) {
  const auto four = placement_of(modulo_factory(), members_named(4));
  const auto five = placement_of(modulo_factory(), members_named(5));

  EXPECT_NEAR(differences(owners_of(*four, 10'000), owners_of(*five, 10'000)), 8'000, 160);
  EXPECT_EQ(four->promises().movement, Promise::none);
}

TEST(FixedPartitions, from_8_to_10_members_two_shares_of_whole_partitions_move) {
  const auto eight = placement_of(fixed_partitions_factory(), members_named(8));
  const auto ten = placement_of(fixed_partitions_factory(), members_named(10));

  int moved = 0;
  for (std::uint64_t partition = 0; partition < 1'024; ++partition) {
    moved += eight->owner_at(partition).value() == ten->owner_at(partition).value() ? 0 : 1;
  }

  EXPECT_EQ(moved, 205);
  EXPECT_EQ(partitions_by_member(*ten)["n8"], 103);
  EXPECT_EQ(partitions_by_member(*ten)["n9"], 102);
}

TEST(FixedPartitions, no_more_members_than_partitions) {
  TablePlacement<FixedPartitionsTable> placement(FixedPartitionsTable({.partitions = 2}));
  ASSERT_TRUE(placement.add({.name = "a"}) && placement.add({.name = "b"}));

  EXPECT_THAT(placement.add({.name = "c"}).error().what, HasSubstr("more members than the 2 partitions"));
  EXPECT_EQ(placement.table()->members().size(), 2U);
}

// Of Lamping's and Veach's algorithm, as other implementations of it test themselves.
TEST(Jump, agrees_with_published_answers) {
  EXPECT_EQ(jump_bucket(1, 1), 0U);
  EXPECT_EQ(jump_bucket(42, 57), 43U);
  EXPECT_EQ(jump_bucket(0xdead10cc, 1), 0U);
  EXPECT_EQ(jump_bucket(0xdead10cc, 666), 361U);
  EXPECT_EQ(jump_bucket(256, 1'024), 520U);
}

// Of 10 members a tenth is the changed share; in the middle as much goes astray again.
TEST(Jump, losing_the_last_member_moves_its_share_and_one_in_the_middle_twice_as_much) {
  const auto ten = placement_of(jump_factory(), members_named(10));
  const std::vector<std::string> before = owners_of(*ten, 10'000);
  const auto without_last = placement_of(jump_factory(), members_named(10));
  const auto without_middle = placement_of(jump_factory(), members_named(10));
  ASSERT_TRUE(without_last->remove("n9") && without_middle->remove("n4"));

  EXPECT_NEAR(differences(before, owners_of(*without_last, 10'000)), 1'000, 120);
  EXPECT_NEAR(differences(before, owners_of(*without_middle, 10'000)), 1'900, 200);
}

TEST(Rendezvous, a_weight_of_three_owns_three_times_as_much) {
  const auto placement = placement_of(rendezvous_factory(), {{.name = "a", .weight = 3}, {.name = "b"}});
  const std::vector<std::string> owners = owners_of(*placement, 10'000);

  EXPECT_NEAR(static_cast<int>(std::ranges::count(owners, "a")), 7'500, 180);
}

TEST(Maglev, slots_follow_weights_within_a_slot) {
  const auto placement = placement_of(
      maglev_factory(), {{.name = "a", .weight = 1}, {.name = "b", .weight = 2}, {.name = "c", .weight = 4}});

  EXPECT_EQ(placement->partitions(), 65'537U);
  const std::map<std::string, int> held = partitions_by_member(*placement);
  EXPECT_NEAR(held.at("a"), 9'362, 1);
  EXPECT_NEAR(held.at("b"), 18'725, 1);
  EXPECT_NEAR(held.at("c"), 37'450, 1);
}

TEST(Maglev, a_light_member_has_a_slot_beside_one_of_a_million_times_its_weight) {
  const auto placement =
      placement_of(maglev_factory(), {{.name = "a", .weight = 1}, {.name = "b", .weight = kWeightMax}});

  EXPECT_EQ(partitions_by_member(*placement).at("a"), 1);
}

// Turns alone would have given each of the light ones a slot too many, and taken them all from the heavy one.
TEST(Maglev, light_members_beside_a_heavy_one_cost_it_no_more_than_a_slot) {
  const auto placement =
      placement_of(maglev_factory(),
                   {{.name = "m11"}, {.name = "m12", .weight = 257}, {.name = "m3"}, {.name = "m5"}, {.name = "m7"}});

  EXPECT_NEAR(partitions_by_member(*placement).at("m12"), 65'537 * 257.0 / 261, 1);
  EXPECT_EQ(placement->promises().partitions_off_max, kMaglevSlotsOff);
}

TEST(Maglev, says_how_many_slots_it_gives_to_members_that_are_worth_less_than_one) {
  std::vector<Member> members{{.name = "heavy", .weight = kWeightMax}};
  for (int i = 0; i < 40; ++i) {
    members.push_back({.name = "light" + std::to_string(i)});
  }
  const auto placement = placement_of(maglev_factory(), members);

  const std::map<std::string, int> held = partitions_by_member(*placement);
  EXPECT_EQ(held.size(), 41U);
  EXPECT_EQ(held.at("heavy"), 65'537 - 40);
  EXPECT_EQ(placement->promises().partitions_off_max, kMaglevSlotsOff + 40);
}

TEST(Maglev, takes_prime_tables) {
  EXPECT_EQ(prime_from(65'500), 65'519U);
  EXPECT_EQ(prime_from(65'537), 65'537U);
  EXPECT_EQ(prime_from(1), 2U);
  EXPECT_EQ(prime_from(kMaglevSlotsMax), kMaglevSlotsMax);
}

TEST(BoundedLoads, nobody_has_more_than_a_quarter_over_the_fair_share) {
  const auto placement = placement_of(bounded_loads_factory(), members_named(10), {.virtual_nodes = 1});
  const std::map<std::string, int> held = partitions_by_member(*placement);

  int most = 0;
  for (const auto& [name, count] : held) {
    most = std::max(most, count);
  }
  EXPECT_EQ(most, 128);  // 1,024 * 1.25 / 10
}

TEST(MultiProbe, five_points_do_what_a_hundred_virtual_nodes_do) {
  const auto placement = placement_of(multi_probe_factory(), members_named(10));
  const std::vector<std::string> owners = owners_of(*placement, 10'000);

  EXPECT_EQ(dynamic_cast<TablePlacement<MultiProbeTable>&>(*placement).table()->bytes(), 10U * 5U * 16U);
  for (const Member& member : members_named(10)) {
    EXPECT_NEAR(static_cast<int>(std::ranges::count(owners, member.name)), 1'000, 250) << member.name;
  }
}

TEST(KeyRanges, keys_between_two_boundaries_stay_together) {
  KeyRanges ranges({"g", "p"});
  ASSERT_TRUE(ranges.add({.name = "a"}) && ranges.add({.name = "b"}) && ranges.add({.name = "c"}));

  EXPECT_EQ(ranges.position_of("f\xff"), 0U);
  EXPECT_EQ(ranges.position_of("g"), 1U);
  EXPECT_EQ(ranges.position_of("ozzz"), 1U);
  EXPECT_EQ(ranges.position_of("p"), 2U);
  EXPECT_EQ(partitions_by_member(ranges), (std::map<std::string, int>{{"a", 1}, {"b", 1}, {"c", 1}}));
}

TEST(KeyRanges, a_split_moves_nothing_and_gives_who_joins_something_to_take) {
  KeyRanges ranges({});
  ASSERT_TRUE(ranges.add({.name = "a"}) && ranges.add({.name = "b"}));
  EXPECT_EQ(partitions_by_member(ranges), (std::map<std::string, int>{{"a", 1}}));

  ASSERT_TRUE(ranges.split("m"));
  EXPECT_FALSE(ranges.split("m").has_value());
  EXPECT_FALSE(ranges.split("").has_value());

  EXPECT_EQ(partitions_by_member(ranges), (std::map<std::string, int>{{"a", 2}}));
  ASSERT_TRUE(ranges.set_weight("b", 2));
  EXPECT_EQ(partitions_by_member(ranges), (std::map<std::string, int>{{"a", 1}, {"b", 1}}));
}

TEST(NaiveRing, without_a_bug_is_the_ring) {
  const std::vector<Member> members{{.name = "x#1", .weight = 2, .rack = "r1"},
                                    {.name = "A", .weight = 3},
                                    {.name = "x", .rack = "r1"},
                                    {.name = "n10", .rack = "r2"}};
  for (const std::uint32_t bits : {8U, 32U}) {
    SCOPED_TRACE(bits);
    const PlacementParameters parameters{.virtual_nodes = 20, .position_bits = bits};
    const auto naive = placement_of(naive_ring_factory(Mutant::none), members, parameters);
    const auto ring = placement_of(ring_factory(), members, parameters);
    ASSERT_TRUE(naive->remove("A") && ring->remove("A"));
    EXPECT_EQ(naive->points(), ring->points());
    EXPECT_EQ(owners_of(*naive, 500), owners_of(*ring, 500));
    EXPECT_EQ(naive->preference_list("user:1", 3), ring->preference_list("user:1", 3));
  }
}

TEST(TablePlacement, whoever_holds_a_table_keeps_reading_it) {
  TablePlacement<RendezvousTable> placement(RendezvousTable(32));
  ASSERT_TRUE(placement.add({.name = "a"}));
  const std::shared_ptr<const RendezvousTable> held = placement.table();
  ASSERT_TRUE(placement.add({.name = "b"}) && placement.remove("a"));

  EXPECT_EQ(held->members()[held->owner("user:1")].name, "a");
  EXPECT_EQ(placement.owner("user:1").value(), "b");
}

// P2 under threads: lookups while the membership changes, each on the table that it took. A table that was changed in
// place would show a member that has left, or a bucket of nobody; the sanitizers look on.
TEST(TablePlacement, every_lookup_during_changes_has_an_owner_of_its_table) {
  TablePlacement<MaglevTable> placement(MaglevTable({.slots = 659}));
  ASSERT_TRUE(placement.add({.name = "a"}));
  std::atomic<std::shared_ptr<const MaglevTable>> shared = placement.table();
  std::atomic<bool> is_over = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;  // threads: no result depends on their order
  for (int reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&] {
      for (std::uint64_t number = 0; !is_over; ++number) {
        const std::shared_ptr<const MaglevTable> table = shared.load();
        const MemberIndex owner = table->owner_of(number % table->partitions());
        wrong += owner < table->members().size() ? 0 : 1;
      }
    });
  }

  for (int round = 0; round < 200; ++round) {
    const std::string name = fmt::format("n{}", round % 5);
    const Result<void> added = placement.add({.name = name});
    const Result<void> changed = added ? added : placement.remove(name);
    EXPECT_TRUE(changed.has_value());
    shared.store(placement.table());
  }
  is_over = true;
  for (std::thread& reader : readers) {  // threads: no result depends on their order
    reader.join();
  }

  EXPECT_EQ(wrong, 0);
}

// Each of the light ones lacks half a partition, which used to stay with the heavy one: 3.7 too many.
TEST(FixedPartitions, many_light_members_leave_no_more_than_two_partitions_too_many_with_a_heavy_one) {
  const auto partitions = fixed_partitions_factory().make({});
  ASSERT_TRUE(partitions->add({.name = "m12", .weight = 219}));
  for (const std::string_view name : {"m3", "m11", "m7", "m5", "m9", "m4", "m8"}) {
    ASSERT_TRUE(partitions->add({.name = std::string(name)}));
  }

  std::int64_t held = 0;
  for (std::uint64_t partition = 0; partition < 1'024; ++partition) {
    held += partitions->owner_at(partition).value() == "m12" ? 1 : 0;
  }

  // Its fair share is 1,024 * 219 / 226 = 992.3.
  EXPECT_GE(held, 991);
  EXPECT_LE(held, 994);
}

}  // namespace
}  // namespace shardcheck::impl
