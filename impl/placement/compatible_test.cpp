// The compatible rings against what the real software answered (properties/golden, recorded by ci/placement_peers), and
// against libmemcached itself where it is installed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "impl/placement/ketama.h"
#include "impl/placement/nginx_ring.h"
#include "impl/placement/redis_slots.h"

#ifdef SHARDCHECK_HAS_LIBMEMCACHED
#include <libmemcached-1.0/memcached.h>
#endif

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;

constexpr std::size_t kGoldenKeys = 3'000;

std::filesystem::path golden_path(const std::string& name) {
  return std::filesystem::path(SHARDCHECK_SOURCE_DIR) / "properties/golden" / name;
}

// Members in the order of the file, and the number in this list of the owner of each key user:0, user:1, ...
struct GoldenOwners {
  std::vector<Member> members;
  std::vector<std::size_t> owners;
};

GoldenOwners golden_owners(const std::string& name) {
  GoldenOwners golden;
  std::ifstream file(golden_path(name));
  EXPECT_TRUE(file.is_open()) << name;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string keyword;
    words >> keyword;
    if (keyword == "member") {
      Member& member = golden.members.emplace_back();
      words >> member.name >> member.weight;
    } else if (keyword == "owners") {
      std::size_t first = 0;
      words >> first;
      EXPECT_EQ(first, golden.owners.size()) << name;
      for (std::size_t owner = 0; words >> owner;) {
        golden.owners.push_back(owner);
      }
    }
  }
  return golden;
}

std::string golden_key(std::size_t number) { return fmt::format("user:{}", number); }

PointRing ring_of(const RingConvention& convention, const std::vector<Member>& members) {
  PointRing ring(convention, {});
  EXPECT_TRUE(ring.add_all(members).has_value());
  return ring;
}

void expect_golden_owners(const RingConvention& convention, const GoldenOwners& golden) {
  const PointRing ring = ring_of(convention, golden.members);

  ASSERT_EQ(golden.owners.size(), kGoldenKeys);
  std::size_t agreeing = 0;
  for (std::size_t number = 0; number < kGoldenKeys; ++number) {
    const std::string& expected = golden.members.at(golden.owners[number]).name;
    agreeing += ring.owner(golden_key(number)).value() == expected ? 1U : 0U;
  }
  EXPECT_EQ(agreeing, kGoldenKeys);
}

class Ketama : public testing::TestWithParam<std::string> {};

TEST_P(Ketama, owners_are_those_of_libmemcached_and_nutcracker_as_recorded) {
  expect_golden_owners(ketama_convention(), golden_owners("ketama/" + GetParam() + ".txt"));
}

// Nothing recorded: the library that is linked decides, also over members that are not in the files.
TEST_P(Ketama, owners_are_those_of_the_linked_libmemcached) {
#ifdef SHARDCHECK_HAS_LIBMEMCACHED
  const std::vector<Member> members = golden_owners("ketama/" + GetParam() + ".txt").members;
  const std::unique_ptr<memcached_st, decltype(&memcached_free)> client(memcached_create(nullptr), memcached_free);
  ASSERT_EQ(memcached_behavior_set(client.get(), MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1), MEMCACHED_SUCCESS);
  for (const Member& member : members) {
    const std::size_t colon = member.name.rfind(':');
    const std::string host = member.name.substr(0, colon);
    const auto port = static_cast<in_port_t>(std::stoi(member.name.substr(colon + 1)));
    ASSERT_EQ(
        memcached_server_add_with_weight(client.get(), host.c_str(), port, static_cast<std::uint32_t>(member.weight)),
        MEMCACHED_SUCCESS);
  }

  const PointRing ring = ring_of(ketama_convention(), members);

  for (std::size_t number = 0; number < kGoldenKeys; ++number) {
    const std::string key = fmt::format("object/{}", number * 7'919);
    const std::uint32_t owner = memcached_generate_hash(client.get(), key.data(), key.size());
    ASSERT_EQ(ring.owner(key).value(), members.at(owner).name) << key;
  }
#else
  GTEST_SKIP() << "built without libmemcached (libmemcached-dev is not installed)";
#endif
}

// PB30 php-memcached-dev/php-memcached #344, PB31 rckclmbr/goketama PR #4: ketama without weights is another ring, with
// another hash. Whoever switches between the two looks elsewhere for most keys.
TEST(KetamaPoints, libmemcached_without_weights_is_another_ring) {
#ifdef SHARDCHECK_HAS_LIBMEMCACHED
  const std::vector<Member> members = golden_owners("ketama/equal_3.txt").members;
  const std::unique_ptr<memcached_st, decltype(&memcached_free)> client(memcached_create(nullptr), memcached_free);
  ASSERT_EQ(memcached_behavior_set(client.get(), MEMCACHED_BEHAVIOR_DISTRIBUTION, MEMCACHED_DISTRIBUTION_CONSISTENT),
            MEMCACHED_SUCCESS);
  for (const Member& member : members) {
    const std::string host = member.name.substr(0, member.name.rfind(':'));
    ASSERT_EQ(memcached_server_add(client.get(), host.c_str(), 11'211), MEMCACHED_SUCCESS);
  }
  const PointRing ring = ring_of(ketama_convention(), members);

  std::size_t agreeing = 0;
  for (std::size_t number = 0; number < kGoldenKeys; ++number) {
    const std::string key = golden_key(number);
    const std::uint32_t owner = memcached_generate_hash(client.get(), key.data(), key.size());
    agreeing += ring.owner(key).value() == members.at(owner).name ? 1U : 0U;
  }

  EXPECT_LT(agreeing, kGoldenKeys / 2);
  EXPECT_GT(agreeing, kGoldenKeys / 6);
#else
  GTEST_SKIP() << "built without libmemcached (libmemcached-dev is not installed)";
#endif
}

INSTANTIATE_TEST_SUITE_P(All, Ketama,
                         testing::Values("equal_3", "weighted_8", "equal_25_of_156_points", "floats_round_down_3",
                                         "equal_100_of_156_points"),
                         [](const auto& parameter) { return parameter.param; });

class NginxRing : public testing::TestWithParam<std::string> {};

TEST_P(NginxRing, owners_are_those_of_nginx_as_recorded) {
  expect_golden_owners(nginx_ring_convention(), golden_owners("nginx/" + GetParam() + ".txt"));
}

INSTANTIATE_TEST_SUITE_P(All, NginxRing,
                         testing::Values("equal_3", "weighted_4", "equal_10_hosts", "unix_sockets_3", "equal_40_hosts"),
                         [](const auto& parameter) { return parameter.param; });

// Without this, a comparison that always agreed would pass all of the above.
TEST(CompatibleRings, another_convention_does_not_agree) {
  const GoldenOwners golden = golden_owners("ketama/equal_3.txt");
  const PointRing ring = ring_of(nginx_ring_convention(), golden.members);

  std::size_t agreeing = 0;
  for (std::size_t number = 0; number < kGoldenKeys; ++number) {
    agreeing += ring.owner(golden_key(number)).value() == golden.members[golden.owners[number]].name ? 1U : 0U;
  }

  EXPECT_LT(agreeing, kGoldenKeys / 2);
  EXPECT_GT(agreeing, kGoldenKeys / 6);
}

// The same ring without the floats: what the recorded answers say of 25 equal members is not what whole numbers give.
TEST(CompatibleRings, whole_numbers_instead_of_floats_do_not_agree_for_25_equal_members) {
  RingConvention exact = ketama_convention();
  exact.point_count = [](std::int64_t weight, const RingTotals& totals) {
    return ketama_point_count(weight, totals, KetamaRounding::exact);
  };
  const GoldenOwners golden = golden_owners("ketama/equal_25_of_156_points.txt");
  const PointRing ring = ring_of(exact, golden.members);

  std::size_t differing = 0;
  for (std::size_t number = 0; number < kGoldenKeys; ++number) {
    differing += ring.owner(golden_key(number)).value() == golden.members[golden.owners[number]].name ? 0U : 1U;
  }

  EXPECT_EQ(ring.points().size(), 4'000U);
  EXPECT_GT(differing, 0U);
}

std::string from_word(std::string_view word) {
  std::string text;
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (word[at] == '%') {
      text.push_back(static_cast<char>(std::stoi(std::string(word.substr(at + 1, 2)), nullptr, 16)));
      at += 2;
    } else {
      text.push_back(word[at]);
    }
  }
  return text;
}

TEST(RedisSlots, slots_are_those_of_redis_server_as_recorded) {
  std::ifstream file(golden_path("redis/slots.txt"));
  std::size_t keys = 0;

  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string keyword;
    std::string key;
    std::uint32_t slot = 0;
    if (words >> keyword >> key >> slot && keyword == "slot") {
      EXPECT_EQ(redis_slot(from_word(key)), slot) << key;
      ++keys;
    }
  }

  EXPECT_EQ(keys, 279U);
}

// PB50 redis/redis #6027: clients and server disagreed on nested braces. From the first '{' to the first '}' it is.
TEST(RedisSlots, the_hash_tag_ends_at_the_first_closing_brace) {
  EXPECT_EQ(redis_hash_tag("a{'1':{'i32':1}}"), "'1':{'i32':1");
  EXPECT_EQ(redis_slot("a{'1':{'i32':1}}"), 5'540U);
}

// PB51 redis/node-redis PR #3431: after an empty tag the scanner went on to the next brace.
TEST(RedisSlots, an_empty_hash_tag_is_none) {
  EXPECT_EQ(redis_hash_tag("{}{a}"), "{}{a}");
  EXPECT_EQ(redis_slot("{}{a}"), 13'650U);
  EXPECT_EQ(redis_slot("foo{}{bar}"), 8'363U);
}

// PB53 elixir-nebulex/nebulex_redis_adapter #64: a tag counted at the start of the key only.
TEST(RedisSlots, a_hash_tag_counts_anywhere_in_the_key) {
  EXPECT_EQ(redis_slot("bar"), 5'061U);
  EXPECT_EQ(redis_slot("foo{bar}"), 5'061U);
  EXPECT_EQ(redis_slot("foo{bar}{zap}"), 5'061U);
}

// PB54 informatikr/hedis PR #206: an unmatched brace, and two tags.
TEST(RedisSlots, an_unmatched_brace_is_no_hash_tag_and_the_first_of_two_counts) {
  EXPECT_EQ(redis_hash_tag("foo{"), "foo{");
  EXPECT_EQ(redis_slot("foo{"), 7'673U);
  EXPECT_EQ(redis_slot("foo{a}{b}"), redis_slot("a"));
  EXPECT_EQ(redis_slot("a"), 15'495U);
}

// PB55 OpenSIPS/opensips PR #3815: masked with the highest slot that was assigned.
TEST(RedisSlots, a_slot_is_one_of_16384_whoever_is_there) {
  RedisSlots slots;
  ASSERT_TRUE(slots.add({.name = "only"}));

  EXPECT_EQ(slots.position_of("foo"), 12'182U);
  EXPECT_EQ(slots.position_max(), 16'383U);
}

TEST(RedisSlots, three_members_have_the_well_known_runs) {
  RedisSlots slots;
  ASSERT_TRUE(slots.add({.name = "b"}) && slots.add({.name = "a"}) && slots.add({.name = "c"}));

  EXPECT_THAT(slots.points(),
              ElementsAre(PlacementPoint{5'460, "a"}, PlacementPoint{10'922, "b"}, PlacementPoint{16'383, "c"}));
  EXPECT_EQ(slots.owner("foo").value(), "c");
  EXPECT_EQ(slots.owner("foo{bar}").value(), "a");
}

TEST(RedisSlots, everybody_is_within_one_slot_of_its_weight) {
  for (const std::int64_t heaviest : {1, 2, 7, 1'000}) {
    SCOPED_TRACE(heaviest);
    RedisSlots slots;
    std::int64_t total = 0;
    for (std::int64_t number = 0; number < 57; ++number) {
      const std::int64_t weight = 1 + number % heaviest;
      ASSERT_TRUE(slots.add({.name = fmt::format("m{:02}", number), .weight = weight}));
      total += weight;
    }

    std::uint64_t begin = 0;
    for (const PlacementPoint& point : slots.points()) {
      const std::int64_t weight = 1 + std::stoi(point.member.substr(1)) % heaviest;
      const auto held = static_cast<std::int64_t>(point.position + 1 - begin);
      EXPECT_LE(std::abs(held * total - weight * kRedisSlots), total) << point.member;
      begin = point.position + 1;
    }
    EXPECT_EQ(begin, kRedisSlots);
  }
}

TEST(RedisSlots, a_member_too_light_for_a_slot_is_last_in_preference_lists_and_owns_nothing) {
  RedisSlots slots;
  ASSERT_TRUE(slots.add({.name = "a", .weight = kWeightMax}) && slots.add({.name = "b"}) &&
              slots.add({.name = "c", .weight = kWeightMax}));

  EXPECT_EQ(slots.points().size(), 2U);
  EXPECT_THAT(slots.preference_list("foo", 3).value(), ElementsAre("c", "a", "b"));
}

TEST(KetamaPoints, points_of_a_member_are_rounded_as_in_each_of_the_originals) {
  const auto points = [](std::int64_t weight, RingTotals totals, KetamaRounding rounding) {
    return ketama_point_count(weight, totals, rounding);
  };
  using enum KetamaRounding;

  EXPECT_EQ(points(42, {3, 80}, exact), 252U);
  EXPECT_EQ(points(42, {3, 80}, libketama), 248U);
  EXPECT_EQ(points(42, {3, 80}, libmemcached), 252U);
  EXPECT_EQ(points(58, {3, 60}, exact), 464U);
  EXPECT_EQ(points(58, {3, 60}, libketama), 464U);
  EXPECT_EQ(points(58, {3, 60}, libmemcached), 460U);
}

std::vector<std::uint64_t> equal_members_without_160_points(KetamaRounding rounding, std::uint64_t members_max) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t members = 1; members <= members_max; ++members) {
    const RingTotals totals{.members = members, .weight = static_cast<std::int64_t>(members)};
    if (const std::uint64_t points = ketama_point_count(1, totals, rounding); points != 160) {
      EXPECT_EQ(points, 156U) << members;
      found.push_back(members);
    }
  }
  return found;
}

TEST(KetamaPoints, equal_members_have_four_points_too_few_at_207_of_the_first_2000_numbers_of_members) {
  EXPECT_THAT(equal_members_without_160_points(KetamaRounding::libmemcached, 100),
              ElementsAre(25, 47, 50, 55, 61, 71, 94, 100));
  EXPECT_EQ(equal_members_without_160_points(KetamaRounding::libmemcached, 2'000).size(), 207U);
  EXPECT_THAT(equal_members_without_160_points(KetamaRounding::libketama, 240), ElementsAre(61, 122, 237));
  EXPECT_EQ(equal_members_without_160_points(KetamaRounding::libketama, 2'000).size(), 22U);
  EXPECT_TRUE(equal_members_without_160_points(KetamaRounding::exact, 2'000).empty());
}

TEST(KetamaPoints, the_default_port_is_not_part_of_the_label) {
  PointRing ring = ring_of(ketama_convention(), {{.name = "10.0.1.1:11211"}, {.name = "10.0.1.2:11212"}});
  const PointRing without = ring_of(ketama_convention(), {{.name = "10.0.1.1"}, {.name = "10.0.1.2:11212"}});

  EXPECT_EQ(ring.owner("user:1").value() == "10.0.1.1:11211", without.owner("user:1").value() == "10.0.1.1");
  EXPECT_EQ(ring.points()[0].position, without.points()[0].position);
  EXPECT_FALSE(ring.add({.name = "10.0.1.1"}).has_value());
  EXPECT_EQ(ring.members().size(), 2U);
}

TEST(KetamaPoints, a_member_too_light_for_a_point_is_last_in_preference_lists) {
  const PointRing ring = ring_of(ketama_convention(), {{.name = "big", .weight = 1'000}, {.name = "a-small"}});

  EXPECT_EQ(ring.point_count_of("a-small"), 0U);
  EXPECT_THAT(ring.preference_list("user:1", 2).value(), ElementsAre("big", "a-small"));
}

TEST(NginxPoints, weight_only_adds_points) {
  const auto points_of_a = [](std::int64_t weight) {
    std::vector<std::uint64_t> positions;
    for (const PlacementPoint& point : ring_of(nginx_ring_convention(), {{.name = "a:1", .weight = weight}}).points()) {
      positions.push_back(point.position);
    }
    return positions;
  };

  EXPECT_EQ(points_of_a(1).size(), 160U);
  EXPECT_EQ(points_of_a(3).size(), 480U);
  EXPECT_TRUE(std::ranges::includes(points_of_a(3), points_of_a(1)));
}

TEST(NginxPoints, more_points_than_fit_are_an_error_that_changes_nothing) {
  PointRing ring = ring_of(nginx_ring_convention(), {{.name = "a:1"}});

  EXPECT_FALSE(ring.add({.name = "b:1", .weight = kWeightMax}).has_value());
  EXPECT_FALSE(ring.set_weight("a:1", kWeightMax).has_value());
  EXPECT_FALSE(ring.set_weight("a:1", 0).has_value());

  EXPECT_EQ(ring.points().size(), 160U);
}

}  // namespace
}  // namespace shardcheck::impl
