// Bugs that other placement libraries had, rebuilt in a few lines each: the law that is named must refuse them. The
// number is the row of the collection of placement bugs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "impl/placement/point_ring.h"
#include "impl/placement/ring.h"
#include "properties/claiming.h"
#include "properties/toy_placement.h"
#include "spec/placement_judge.h"
#include "spec/placement_laws.h"
#include "spec/placement_shares.h"

namespace shardcheck {
namespace {

using testing::HasSubstr;

PlacementCase case_of(std::vector<Member> members, std::size_t keys = 20) {
  PlacementCase input{.parameters = {}, .members = std::move(members), .edits = {}, .keys = {}, .answers = {}};
  for (std::size_t number = 0; number < keys; ++number) {
    input.keys.push_back(fmt::format("user:{}", number));
  }
  return input;
}

std::string refusal(const LawResult& result) {
  EXPECT_TRUE(result.violation.has_value()) << result.checks << " checks";
  return result.violation ? result.violation->message : "";
}

// A ring whose points and keys are what the test says, with whatever it claims.
PlacementFactory ring_by(const impl::RingConvention& convention, PlacementPromises claims) {
  return claiming({.name = std::string(convention.name),
                   .make = [&convention](PlacementParameters parameters) -> std::unique_ptr<Placement> {
                     return std::make_unique<impl::PointRing>(convention, parameters);
                   }},
                  std::move(claims));
}

std::uint32_t little_endian_hash(std::string_view text) {
  const std::uint32_t hash = impl::ring_hash(text);
  return hash >> 24 | (hash >> 8 & 0xff00) | (hash << 8 & 0xff0000) | hash << 24;
}

template <std::uint32_t (*Hash)(std::string_view), std::uint64_t PointsPerWeight>
constexpr impl::RingConvention kSimpleRing{
    .name = "simple",
    .label_of = [](std::string_view name) { return std::string(name); },
    .point_count = [](std::int64_t weight,
                      const impl::RingTotals&) { return PointsPerWeight * static_cast<std::uint64_t>(weight); },
    .positions_of =
        [](std::string_view label, std::uint64_t count) {
          std::vector<std::uint32_t> positions;
          for (std::uint64_t number = 0; number < count; ++number) {
            positions.push_back(Hash(fmt::format("{}#{}", label, number)));
          }
          return positions;
        },
    .position_of_key = Hash,
    .promises = [](const impl::RingTotals&) { return PlacementPromises{}; }};

PlacementPromises balance_claim(std::uint64_t points) {
  return {.movement = Promise::none, .balance = Promise::within_bound, .points_per_weight = points};
}

// PB03 clohfink/RendezvousHash #1: of two equal scores the first in the order of insertion won.
TEST(BrokenPlacement, a_tie_that_the_first_who_came_wins_is_refused_by_P1) {
  const PlacementFactory factory = toy_factory(toy_claims(), [] {
    return [](std::span<const Member> members, std::string_view key) {
      const auto score = [key](const Member& member) { return fnv1a_64(member.name + std::string(key)) >> 62; };
      const auto best = std::ranges::max_element(members, {}, score);
      return std::optional(static_cast<std::size_t>(best - members.begin()));
    };
  });

  EXPECT_THAT(refusal(check_determinism(factory, case_of({{.name = "b"}, {.name = "a"}, {.name = "c"}}))),
              HasSubstr("added in the order of names"));
}

// PB65 envoyproxy/envoy: hosts got 2, 1, 2, 1 points by running sums over the list.
TEST(BrokenPlacement, points_by_running_sums_over_the_list_are_refused_by_P1) {
  const PlacementFactory factory = toy_factory(toy_claims(), [] {
    return [](std::span<const Member> members, std::string_view key) {
      std::vector<std::pair<std::uint64_t, std::size_t>> points;
      for (std::size_t number = 0; number < members.size(); ++number) {
        for (std::size_t point = number * 3 / 2; point < (number + 1) * 3 / 2; ++point) {
          points.emplace_back(fnv1a_64(fmt::format("{}_{}", members[number].name, point - number * 3 / 2)), number);
        }
      }
      std::ranges::sort(points);
      const auto reached = std::ranges::lower_bound(points, std::pair(fnv1a_64(key), std::size_t{0}));
      return std::optional((reached == points.end() ? points.front() : *reached).second);
    };
  });

  refusal(check_determinism(factory, case_of({{.name = "d"}, {.name = "c"}, {.name = "b"}, {.name = "a"}}, 200)));
}

// PB37 JBKahn/django-sharding #66: a hash with a salt of the process. PB34 uber-node/ringpop-node PR #197: a hash of
// the machine. Two instances stand for two processes.
TEST(BrokenPlacement, a_hash_that_another_process_computes_otherwise_is_refused_by_P1) {
  int process = 0;
  const PlacementFactory factory = toy_factory(toy_claims(), [&process] {
    return [salt = ++process](std::span<const Member> members, std::string_view key) {
      return std::optional<std::size_t>(fnv1a_64(fmt::format("{}{}", salt, key)) % members.size());
    };
  });

  EXPECT_THAT(refusal(check_determinism(factory, case_of({{.name = "a"}, {.name = "b"}, {.name = "c"}}))),
              HasSubstr("belongs to"));
}

// PB35 gluster/glusterfs #3345: words read in the order of the host. PB33 replay/ngx_http_consistent_hash PR #2: in its
// width. The same ring with the words read as they are to be is accepted.
TEST(BrokenPlacement, words_in_the_order_of_the_host_are_refused_by_P8) {
  PlacementCase input = case_of({{.name = "A"}, {.name = "B"}, {.name = "C"}, {.name = "D"}});
  input.answers = {GoldenOwner{"user:42", "B"}, GoldenList{"user:42", {"B", "A", "D"}}};
  const PlacementPromises claims{.golden = std::string(kGoldenRing)};

  const LawResult big = check_golden(ring_by(kSimpleRing<impl::ring_hash, 100>, claims), input);
  const LawResult little = check_golden(ring_by(kSimpleRing<little_endian_hash, 100>, claims), input);

  EXPECT_EQ(big.checks, 2U);
  EXPECT_FALSE(big.violation.has_value());
  EXPECT_THAT(refusal(little), HasSubstr("the golden"));
}

// PB38 apache/paimon PR #239: hash % n of a negative hash. PB39 pravega/pravega #3422: abs() of the least one as well.
TEST(BrokenPlacement, a_negative_bucket_is_refused_by_P2) {
  const PlacementFactory factory = toy_factory(toy_claims(), [] {
    return [](std::span<const Member> members, std::string_view key) {
      const auto hash = static_cast<std::int32_t>(fnv1a_32(key));
      const int bucket = hash % static_cast<int>(members.size());
      return bucket < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(bucket));
    };
  });

  EXPECT_THAT(refusal(check_coverage(factory, case_of({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}}))),
              HasSubstr("belongs to nobody"));
}

std::optional<std::size_t> by_best_score(std::span<const Member> members,
                                         const std::function<std::uint64_t(const Member&)>& score) {
  const auto best = std::ranges::max_element(members, {}, score);
  return static_cast<std::size_t>(best - members.begin());
}

std::vector<Member> numbered(std::string_view prefix, int count) {
  std::vector<Member> members;
  for (int number = 0; number < count; ++number) {
    members.push_back({.name = fmt::format("{}{}", prefix, number)});
  }
  return members;
}

// PB45 apache/druid PR #12817: hash of the node and hash of the key combined by a multiplication and xor, unmixed.
TEST(BrokenPlacement, hashes_combined_without_mixing_are_refused_by_P5) {
  const PlacementFactory factory = toy_factory(toy_claims(kClaimsBalance), [] {
    return [](std::span<const Member> members, std::string_view key) {
      const std::uint64_t key_hash = fnv1a_64(key);
      return by_best_score(members, [&](const Member& member) { return fnv1a_64(member.name) * 31 ^ key_hash; });
    };
  });

  std::vector<Member> brokers;
  for (int number = 0; number < 8; ++number) {
    brokers.push_back({.name = fmt::format("10.{}.7.{}:8082", number * number, 200 - number * 13)});
  }
  refusal(check_balance(factory, case_of(brokers)));
}

// PB46 tailscale/tailscale PR #20828: FNV-1a compared by magnitude; the last letters hardly reach the high bits.
TEST(BrokenPlacement, fnv_compared_by_magnitude_is_refused_by_P5) {
  const PlacementFactory factory = toy_factory(toy_claims(kClaimsBalance), [] {
    return [](std::span<const Member> members, std::string_view key) {
      return by_best_score(members, [&](const Member& member) {
        return fnv1a_64(std::string(key) + "/nodes/region-eu/" + member.name);
      });
    };
  });

  refusal(check_balance(factory, case_of(numbered("n", 3))));
}

// PB47 eltmon/overdeck #2055: fnv1a32 / 2^32 over a short run of numbered keys, 68 to 30 to 2 per cent. All of P5's
// sample comes out even, its short runs do not.
TEST(BrokenPlacement, fnv_scaled_to_the_members_is_refused_by_P5_for_its_short_runs) {
  const auto scaled_by = [](std::uint32_t (*hash)(std::string_view)) {
    return toy_factory(toy_claims(kClaimsBalance), [hash] {
      return [hash](std::span<const Member> members, std::string_view key) {
        return std::optional<std::size_t>(std::uint64_t{hash(key)} * members.size() >> 32);
      };
    });
  };

  const LawResult fnv = check_balance(scaled_by(fnv1a_32), case_of(numbered("n", 3)));
  const LawResult mixed = check_balance(scaled_by(impl::ring_hash), case_of(numbered("n", 3)));

  EXPECT_THAT(refusal(fnv), testing::HasSubstr(" of the 256 keys from 'sample:"));
  EXPECT_EQ(mixed.violation, std::nullopt);
  EXPECT_GT(mixed.checks, 3U * 16U);
}

// PB49 golang/groupcache #29: three points a member, 37 to 63. PB58 datastax/cass-operator #205: eight random tokens
// each. They are what so few points give; claiming what a hundred give is refused.
TEST(BrokenPlacement, few_points_that_claim_the_balance_of_many_are_refused_by_P5) {
  const LawResult three = check_balance(ring_by(kSimpleRing<impl::ring_hash, 3>, balance_claim(1'000)),
                                        case_of({{.name = "10.0.0.1"}, {.name = "10.0.0.2"}}));
  const LawResult eight =
      check_balance(ring_by(kSimpleRing<impl::ring_hash, 8>, balance_claim(1'000)), case_of(numbered("node-", 3)));
  const LawResult enough =
      check_balance(ring_by(kSimpleRing<impl::ring_hash, 1'000>, balance_claim(1'000)), case_of(numbered("node-", 3)));

  refusal(three);
  refusal(eight);
  EXPECT_GT(enough.checks, 0U);
  EXPECT_FALSE(enough.violation.has_value());
}

// PB57 k8ssandra/k8ssandra #732: nodes that start together draw the same random tokens.
TEST(BrokenPlacement, members_with_the_same_tokens_are_refused_by_P5) {
  impl::RingConvention same = kSimpleRing<impl::ring_hash, 100>;
  same.positions_of = [](std::string_view, std::uint64_t count) {
    return kSimpleRing<impl::ring_hash, 100>.positions_of("the generator's first state", count);
  };

  EXPECT_THAT(refusal(check_balance(ring_by(same, balance_claim(100)), case_of(numbered("node-", 2)))),
              HasSubstr("owns 100.000 % of all positions"));
}

// PB59 buildbuddy-io/buildbuddy PR #2420: [a, z) split into [a, m) and [m + 1, z), by two keys instead of one.
TEST(BrokenPlacement, a_gap_between_two_halves_is_refused_by_P2) {
  const PlacementFactory factory = toy_factory(toy_claims(), [] {
    return [](std::span<const Member> members, std::string_view key) -> std::optional<std::size_t> {
      if (key < "user:12") {
        return 0;
      }
      return key >= "user:13" ? std::optional(members.size() - 1) : std::nullopt;
    };
  });

  EXPECT_THAT(refusal(check_coverage(factory, case_of({{.name = "left"}, {.name = "right"}}))),
              HasSubstr("key 'user:12' belongs to nobody"));
}

// PB13 buraksezer/consistent #13: the counter was raised before the check and the last slot never looked at, so that
// there was no room although there was. PB14 Tochemey/goakt #1009: seen while growing from 3 to 7 members.
TEST(BrokenPlacement, no_room_although_there_is_room_is_refused_by_P2) {
  const PlacementFactory factory = toy_factory(toy_claims(), [] {
    return [](std::span<const Member> members, std::string_view key) -> std::optional<std::size_t> {
      const std::size_t capacity = (5 * 3 / 2 + members.size() - 1) / members.size();
      std::vector<std::size_t> load(members.size(), 0);
      for (std::size_t partition = 0; partition < 5; ++partition) {
        std::size_t tried = 0;
        std::size_t at = partition * 7 % members.size();
        while (tried + 1 < members.size() && ++load[at] > capacity) {
          at = (at + 1) % members.size();
          ++tried;
        }
        if (tried + 1 >= members.size()) {
          return std::nullopt;
        }
        if (partition == fnv1a_64(key) % 5) {
          return at;
        }
      }
      return std::nullopt;
    };
  });

  EXPECT_THAT(refusal(check_coverage(factory, case_of({{.name = "only"}}))), HasSubstr("belongs to nobody"));
}

// PB29 envoyproxy/envoy #5982: weights of localities were left out where their members were counted.
TEST(BrokenPlacement, weights_that_do_not_count_are_refused_by_P5) {
  const PlacementFactory factory = toy_factory(toy_claims(kClaimsBalance), [] {
    return [](std::span<const Member> members, std::string_view key) {
      return std::optional<std::size_t>((fnv1a_64(key) >> 20) % members.size());
    };
  });

  EXPECT_THAT(refusal(check_balance(factory, case_of({{.name = "a", .weight = 1}, {.name = "b", .weight = 5}}))),
              HasSubstr("its weight gives 16.6"));
}

// PB55 OpenSIPS/opensips PR #3815: masked by the highest slot that is assigned, 8191 where half of them are, so that
// others look elsewhere; seen as keys that move between two members when a third takes the upper half.
TEST(BrokenPlacement, a_mask_by_the_highest_assigned_slot_is_refused_by_P3) {
  PlacementPromises claims = toy_claims();
  claims.movement = Promise::exactly;
  const PlacementFactory factory = toy_factory(claims, [] {
    return [](std::span<const Member> members, std::string_view key) {
      const std::uint64_t highest = members.size() * 4'096 - 1;
      return std::optional<std::size_t>((fnv1a_64(key) >> 7 & highest) / 4'096 % members.size());
    };
  });
  PlacementCase input = case_of(numbered("m", 3));
  input.edits = {{EditKind::add, {.name = "m3"}}};

  EXPECT_THAT(refusal(check_minimal_movement(factory, input)), HasSubstr("neither of which it is about"));
}

// A change of weight reaches the members and not the table that lookups ask.
class StaleRing final : public Placement {
 public:
  PlacementPromises promises() const override { return members_.promises(); }
  Result<void> add(const Member& member) override { return both(members_.add(member), table_.add(member)); }
  Result<void> remove(std::string_view name) override { return both(members_.remove(name), table_.remove(name)); }
  Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    return members_.set_weight(name, weight);
  }
  Result<std::string_view> owner(std::string_view key) const override { return table_.owner(key); }
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override {
    return table_.preference_list(key, count);
  }
  std::vector<PlacementPoint> points() const override { return members_.points(); }
  std::uint64_t position_max() const override { return members_.position_max(); }
  std::optional<std::uint64_t> position_of(std::string_view key) const override { return table_.position_of(key); }
  Result<std::string_view> owner_at(std::uint64_t position) const override { return table_.owner_at(position); }

 private:
  static Result<void> both(Result<void> one, const Result<void>& other) { return one ? other : one; }

  impl::Ring members_;
  impl::Ring table_;
};

TEST(BrokenPlacement, a_table_that_misses_a_change_is_refused_by_P1_and_P2) {
  const PlacementFactory factory{"stale", [](PlacementParameters) { return std::make_unique<StaleRing>(); }};
  PlacementCase input = case_of(numbered("m", 3));

  EXPECT_EQ(check_coverage(factory, input).violation, std::nullopt);
  input.edits = {{EditKind::set_weight, {.name = "m1", .weight = 3}}};

  EXPECT_THAT(refusal(check_determinism(factory, input)), HasSubstr("and once added in the order of names"));
  EXPECT_THAT(refusal(check_coverage(factory, input)), HasSubstr("but the point that it reaches first"));
}

}  // namespace
}  // namespace shardcheck
