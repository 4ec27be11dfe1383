// The laws over toys that need nothing but this folder: rendezvous hashing, which keeps the laws without having points,
// and the same with one flaw each. The laws on arcs are shown to reject beside the ring, in harness/.
#include "spec/placement_laws.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "spec/placement_claim.h"

namespace shardcheck {
namespace {

enum class Flaw : std::uint8_t {
  none,
  modulo,       // the owner is the hash modulo the number of members
  forgets_key,  // the first member owns everything
  accepts_weight_zero,
  keeps_refused_weight,  // an edit is refused, and half done all the same
  last_added_wins,
  owns_without_members,
  list_may_be_short,
  list_repeats_owner,
  list_ignores_racks,
  many_at_once_differ,
  refuses_removal,
  refuses_last_removal,
  ignores_removal,
  counts_removals,  // whoever has lost a member gives everything to the last of the others
  refuses_weights,
};

std::uint64_t mix(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

// A member of weight w takes part w times and counts with its best score.
class Rendezvous final : public Placement {
 public:
  explicit Rendezvous(Flaw flaw) : flaw_(flaw) {}

  PlacementPromises promises() const override {
    return {.movement_share = Promise::within_bound, .balance = Promise::within_bound};
  }

  Result<void> add(const Member& member) override {
    const bool is_weight_valid = (member.weight > 0 || flaw_ == Flaw::accepts_weight_zero) &&
                                 (member.weight == 1 || flaw_ != Flaw::refuses_weights);
    if (member.name.empty() || !is_weight_valid || member.weight > kWeightMax || find(member.name) != members_.end()) {
      return fail("toy", "not a member to be");
    }
    members_.push_back(member);
    return {};
  }
  Result<void> remove(std::string_view name) override {
    if (find(name) == members_.end()) {
      return fail("toy", "unknown member");
    }
    if (flaw_ == Flaw::refuses_removal || (flaw_ == Flaw::refuses_last_removal && members_.size() == 1)) {
      return fail("toy", "may not leave");
    }
    ++removals_;
    if (flaw_ != Flaw::ignores_removal) {
      members_.erase(find(name));
    }
    return {};
  }
  Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    const auto member = find(name);
    if (member == members_.end() || weight > kWeightMax || weight < 1) {
      if (member != members_.end() && flaw_ == Flaw::keeps_refused_weight) {
        member->weight = 50;
      }
      return fail("toy", "not a weight");
    }
    member->weight = weight;
    return {};
  }

  Result<std::string_view> owner(std::string_view key) const override {
    if (members_.empty()) {
      return flaw_ == Flaw::owns_without_members ? Result<std::string_view>("ghost") : fail("toy", "no member");
    }
    return ordered(key)[0]->name;
  }
  Result<std::vector<std::string_view>> owners(std::span<const std::string> keys) const override {
    if (flaw_ == Flaw::many_at_once_differ && !members_.empty()) {
      return std::vector<std::string_view>(keys.size(), members_.front().name);
    }
    return Placement::owners(keys);
  }
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override {
    if (count > members_.size() && flaw_ != Flaw::list_may_be_short) {
      return fail("toy", "more replicas than members");
    }
    std::vector<std::string_view> names;
    if (members_.empty()) {
      return names;
    }
    for (const Member* member : ordered(key)) {
      names.push_back(member->name);
    }
    names.resize(std::min(count, names.size()));
    if (flaw_ == Flaw::list_repeats_owner && names.size() > 1) {
      names[1] = names[0];
    }
    return names;
  }

 private:
  std::vector<Member>::iterator find(std::string_view name) { return std::ranges::find(members_, name, &Member::name); }

  std::uint64_t score(std::string_view key, const Member& member) const {
    std::uint64_t best = 0;
    for (std::int64_t copy = 0; copy < std::max<std::int64_t>(member.weight, 1); ++copy) {
      best = std::max(best, mix(fmt::format("{}#{}#{}", key, member.name, copy)));
    }
    return best;
  }

  // By descending score; then, where racks are kept apart, the best of each rack first.
  std::vector<const Member*> ordered(std::string_view key) const {
    std::vector<const Member*> order;
    for (const Member& member : members_) {
      order.push_back(&member);
    }
    std::ranges::sort(order, std::ranges::greater{}, [&](const Member* member) { return score(key, *member); });
    if (flaw_ == Flaw::modulo) {
      std::ranges::sort(order, {}, &Member::name);
      std::ranges::rotate(order, order.begin() + static_cast<std::ptrdiff_t>(mix(key) % order.size()));
    } else if (flaw_ == Flaw::forgets_key) {
      std::ranges::sort(order, {}, &Member::name);
    } else if (flaw_ == Flaw::counts_removals && removals_ > 0) {
      std::ranges::sort(order, std::ranges::greater{}, &Member::name);
    } else if (flaw_ == Flaw::last_added_wins) {
      std::ranges::rotate(order, std::ranges::find(order, &members_.back()));
    }
    return flaw_ == Flaw::list_ignores_racks ? order : racks_first(order);
  }

  static std::vector<const Member*> racks_first(const std::vector<const Member*>& order) {
    std::vector<const Member*> front, back;
    for (const Member* member : order) {
      const bool is_rack_new =
          member->rack.empty() || std::ranges::find(front, member->rack, &Member::rack) == front.end();
      (is_rack_new ? front : back).push_back(member);
    }
    front.insert(front.end(), back.begin(), back.end());
    return front;
  }

  Flaw flaw_;
  std::vector<Member> members_;
  int removals_ = 0;
};

PlacementFactory toy(Flaw flaw) {
  return {"toy", [flaw](PlacementParameters) { return std::make_unique<Rendezvous>(flaw); }};
}

PlacementCase case_with_history() {
  return {.parameters = {},
          .members = {{.name = "C"}, {.name = "A", .weight = 2}, {.name = "B"}},
          .edits = {{EditKind::set_weight, {.name = "A", .weight = 0}},
                    {EditKind::add, {.name = "D", .weight = 0}},
                    {EditKind::add, {.name = "D", .weight = 2}},
                    {EditKind::remove, {.name = "C"}},
                    {EditKind::set_weight, {.name = "B", .weight = 3}}},
          .keys = {"user:1", "user:2", "user:3", "user:4", "user:5", "user:6", "user:7", "user:8"},
          .answers = {}};
}

PlacementCase case_with_racks() {
  return {.parameters = {},
          .members = {{.name = "A", .rack = "r1"}, {.name = "B", .rack = "r1"}, {.name = "C", .rack = "r2"}},
          .edits = {},
          .keys = {"user:1", "user:2", "user:3", "user:4", "user:5", "user:6", "user:7", "user:8"},
          .answers = {}};
}

class LawsAccept : public testing::TestWithParam<ClauseId> {};

TEST_P(LawsAccept, rendezvous_hashing) {
  for (const PlacementCase& input : {case_with_history(), case_with_racks()}) {
    const LawResult result = check_law(GetParam(), toy(Flaw::none), input);

    EXPECT_EQ(result.violation.value_or(Violation{}).message, "");
    EXPECT_GT(result.checks, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LawsAccept,
                         testing::Values(ClauseId::P1, ClauseId::P2, ClauseId::P3, ClauseId::P4, ClauseId::P5,
                                         ClauseId::P6),
                         [](const auto& parameter) { return std::string(clause(parameter.param).text_id); });

TEST(Laws, judge_nothing_that_the_scheme_does_not_show) {
  EXPECT_EQ(check_collisions(toy(Flaw::none), case_with_history()), LawResult{});
  EXPECT_EQ(check_golden(toy(Flaw::none), case_with_history()), LawResult{});
  EXPECT_EQ(check_scatter(toy(Flaw::none), case_with_history()), LawResult{});
}

struct Rejection {
  Flaw flaw;
  ClauseId clause;
  PlacementCase (*input)();
  std::string_view message_part;
};

class LawsReject : public testing::TestWithParam<Rejection> {};

TEST_P(LawsReject, a_flawed_toy) {
  const LawResult result = check_law(GetParam().clause, toy(GetParam().flaw), GetParam().input());

  ASSERT_TRUE(result.violation.has_value());
  EXPECT_EQ(result.violation->clause, GetParam().clause);
  EXPECT_THAT(result.violation->message, testing::HasSubstr(GetParam().message_part));
}

INSTANTIATE_TEST_SUITE_P(
    All, LawsReject,
    testing::Values(
        Rejection{Flaw::accepts_weight_zero, ClauseId::P1, case_with_history, "accepted although it is not valid"},
        Rejection{Flaw::keeps_refused_weight, ClauseId::P1, case_with_history,
                  "setting the weight of 'A' to 0 was refused"},
        Rejection{Flaw::last_added_wins, ClauseId::P1, case_with_racks, "added against the order of names"},
        Rejection{Flaw::owns_without_members, ClauseId::P2, case_with_racks, "a key still has an owner"},
        Rejection{Flaw::many_at_once_differ, ClauseId::P2, case_with_racks, "when it is asked for alone, and to 'A'"},
        Rejection{Flaw::modulo, ClauseId::P3, case_with_history, "neither of which it is about"},
        Rejection{Flaw::modulo, ClauseId::P4, case_with_history, "the change of its share allows"},
        Rejection{Flaw::forgets_key, ClauseId::P5, case_with_racks, "its weight gives 33.333 %"},
        Rejection{Flaw::list_may_be_short, ClauseId::P6, case_with_racks, "4 replicas of key 'user:1' are no error"},
        Rejection{Flaw::list_repeats_owner, ClauseId::P6, case_with_racks, "a member appears twice"},
        Rejection{Flaw::list_ignores_racks, ClauseId::P6, case_with_racks,
                  "a rack appears again while others are left, that of '"},
        Rejection{Flaw::modulo, ClauseId::P6, case_with_history, "more than one member moved"},
        // By cases in which nobody leaves.
        Rejection{Flaw::refuses_removal, ClauseId::P1, case_with_racks, "removing it again was refused"},
        Rejection{Flaw::refuses_removal, ClauseId::P2, case_with_racks,
                  "removing 'A' was refused (toy: may not leave)"},
        Rejection{Flaw::refuses_last_removal, ClauseId::P2, case_with_racks, "removing 'C' was refused"},
        Rejection{Flaw::ignores_removal, ClauseId::P1, case_with_racks,
                  "then adding '~guest' (weight 2) and removing it again, key 'sample:"},
        Rejection{Flaw::ignores_removal, ClauseId::P2, case_with_racks, "after removing 'A', key"},
        Rejection{Flaw::counts_removals, ClauseId::P1, case_with_racks,
                  "added in the order of names, then adding '~guest' (weight 2) and removing it again: key 'user:"}));

TEST(Laws, ask_a_scheme_without_weights_for_none) {
  PlacementFactory plain = toy(Flaw::refuses_weights);
  plain.abilities.has_weights = false;
  PlacementFactory forgetful = toy(Flaw::counts_removals);
  forgetful.abilities.has_weights = false;

  const LawResult held = check_determinism(plain, case_with_racks());
  const LawResult refused = check_determinism(forgetful, case_with_racks());

  EXPECT_EQ(held.violation, std::nullopt);
  EXPECT_EQ(held.checks, check_determinism(toy(Flaw::none), case_with_racks()).checks);  // the guest was there
  ASSERT_TRUE(refused.violation.has_value());
  EXPECT_THAT(refused.violation->message, testing::HasSubstr("adding '~guest' (weight 1)"));
}

// What a toy states, and with what it is refused or let off all the same.
PlacementFactory stating(Flaw flaw, std::function<void(PlacementPromises&)> claim) {
  return claiming(toy(flaw), std::move(claim));
}

TEST(Promises, levels_are_those_of_four_clauses) {
  const PlacementPromises promises{.movement = Promise::none, .balance = Promise::within_bound};

  EXPECT_EQ(promise_of(promises, ClauseId::P1), Promise::exactly);
  EXPECT_EQ(promise_of(promises, ClauseId::P3), Promise::none);
  EXPECT_EQ(promise_of(promises, ClauseId::P5), Promise::within_bound);
  EXPECT_EQ(promise_of(promises, ClauseId::P6), Promise::exactly);
  EXPECT_EQ(level_of(ClauseId::P6), nullptr);
}

TEST(Promises, errors_are_judged_whatever_is_promised) {
  const PlacementFactory lax =
      stating(Flaw::accepts_weight_zero, [](PlacementPromises& promises) { promises.determinism = Promise::none; });

  EXPECT_TRUE(check_determinism(lax, case_with_history()).violation.has_value());
}

TEST(Promises, answers_by_history_are_enough_within_a_bound_and_not_exactly) {
  const PlacementFactory by_history =
      stating(Flaw::last_added_wins, [](PlacementPromises& promises) { promises.determinism = Promise::within_bound; });

  EXPECT_EQ(check_determinism(by_history, case_with_racks()).violation, std::nullopt);
  EXPECT_TRUE(check_determinism(held_to(by_history, ClauseId::P1), case_with_racks()).violation.has_value());
}

TEST(Promises, one_history_with_two_answers_is_refused_within_a_bound) {
  PlacementFactory moody = toy(Flaw::none);
  moody.make = [turn = 0](PlacementParameters) mutable {
    return std::make_unique<Rendezvous>(turn++ % 2 == 0 ? Flaw::none : Flaw::last_added_wins);
  };
  moody = claiming(moody, [](PlacementPromises& promises) { promises.determinism = Promise::within_bound; });

  const LawResult result = check_determinism(moody, case_with_racks());

  ASSERT_TRUE(result.violation.has_value());
  EXPECT_THAT(result.violation->message, testing::HasSubstr("by the same history again"));
}

TEST(Promises, strays_are_counted_against_the_stated_bound) {
  const auto strays_up_to = [](std::uint32_t permille) {
    return stating(Flaw::modulo, [permille](PlacementPromises& promises) {
      promises.movement = Promise::within_bound;
      promises.stray_permille_max = permille;
    });
  };

  const LawResult refused = check_minimal_movement(strays_up_to(100), case_with_history());
  ASSERT_TRUE(refused.violation.has_value());
  EXPECT_THAT(refused.violation->message, testing::HasSubstr("of everything between members that it is not about"));
  EXPECT_EQ(check_minimal_movement(strays_up_to(10'000), case_with_history()).violation, std::nullopt);
  EXPECT_EQ(check_movement_share(strays_up_to(10'000), case_with_history()).violation, std::nullopt);
  EXPECT_TRUE(check_movement_share(strays_up_to(100), case_with_history()).violation.has_value());
}

TEST(Promises, nothing_is_judged_that_is_not_promised) {
  const PlacementFactory silent = stating(Flaw::modulo, [](PlacementPromises& promises) {
    promises.movement = Promise::none;
    promises.movement_share = Promise::none;
    promises.balance = Promise::none;
  });

  for (const ClauseId clause_id : {ClauseId::P3, ClauseId::P4, ClauseId::P5}) {
    EXPECT_EQ(check_law(clause_id, silent, case_with_history()), LawResult{}) << clause(clause_id).text_id;
  }
}

TEST(Promises, nobody_may_be_loaded_over_a_stated_capacity) {
  const auto overloaded_by = [](std::uint32_t permille) {
    return stating(Flaw::last_added_wins, [permille](PlacementPromises& promises) {
      promises.points_per_weight = 100;
      promises.overload_permille_max = permille;
    });
  };

  EXPECT_TRUE(check_balance(overloaded_by(250), case_with_racks()).violation.has_value());
  const PlacementFactory even = stating(Flaw::none, [](PlacementPromises& promises) {
    promises.points_per_weight = 100;
    promises.overload_permille_max = 250;
  });
  EXPECT_EQ(check_balance(even, case_with_racks()).violation, std::nullopt);
}

}  // namespace
}  // namespace shardcheck
