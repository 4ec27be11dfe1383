#include "spec/placement_laws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "spec/assert.h"
#include "spec/placement_judge.h"

namespace shardcheck {
namespace {

void check_boundaries(PlacementJudge& judge, const Placement& placement, const Membership& membership) {
  const std::vector<PlacementPoint> points = placement.points();
  const std::uint64_t max = placement.position_max();
  const bool is_sorted = judge.expect(std::ranges::is_sorted(points, {}, &PlacementPoint::position),
                                      [] { return std::string("points() are not in the order of their positions"); });
  if (!is_sorted) {
    return;
  }
  std::vector<std::uint64_t> positions{0, max};
  std::vector<std::string_view> places{"the lowest", "the highest"};
  for (const PlacementPoint& point : points) {
    positions.insert(positions.end(), {point.position, point.position == 0 ? max : point.position - 1,
                                       point.position == max ? 0 : point.position + 1});
    places.insert(places.end(), {"exactly on a point", "just before a point", "just after a point"});
  }
  const auto together = placement.owners_at(positions);
  for (std::size_t index = 0; index < positions.size(); ++index) {
    const auto found = std::ranges::lower_bound(points, positions[index], {}, &PlacementPoint::position);
    const PlacementPoint& expected = found == points.end() ? points.front() : *found;
    const Result<std::string_view> owner =
        together ? Result<std::string_view>((*together)[index]) : placement.owner_at(positions[index]);
    judge.expect(owner && *owner == expected.member, [&] {
      return fmt::format(
          "with {}, position {} ({}) belongs to {}, but the point that it reaches first, at {}, is one of '{}'",
          to_words(membership), positions[index], places[index], owner_or_reason(owner), expected.position,
          expected.member);
    });
  }
}

// Up to kCoverageLawPartitionsMax partitions, evenly picked.
void check_partitions(PlacementJudge& judge, const Placement& placement, const Membership& membership) {
  const std::uint64_t partitions = placement.partitions();
  judge.expect(placement.position_max() == partitions - 1, [&] {
    return fmt::format("there are {} partitions, and position_max() is {}", partitions, placement.position_max());
  });
  const std::uint64_t step = partitions / kCoverageLawPartitionsMax + 1;
  for (std::uint64_t partition = 0; partition < partitions; partition += step) {
    const Result<std::string_view> owner = placement.owner_at(partition);
    judge.expect(owner && membership.members().contains(std::string(*owner)), [&] {
      return fmt::format("with {}, partition {} belongs to {}", to_words(membership), partition,
                         owner_or_reason(owner));
    });
  }
}

void check_no_owner(PlacementJudge& judge, const Placement& placement, std::string_view when) {
  judge.expect(!placement.owner("user:0"), [&] { return fmt::format("{}, a key still has an owner", when); });
  judge.expect(!placement.preference_list("user:0", 1),
               [&] { return fmt::format("{}, a preference list of one is no error", when); });
}

// The members leave one by one, as each may, and what is left owns everything until nobody does.
void check_leaving(PlacementJudge& judge, Placement& placement, Membership membership,
                   std::span<const std::string> keys) {
  while (!membership.members().empty()) {
    const PlacementEdit edit{EditKind::remove, {.name = membership.members().begin()->first}};
    const std::string before = to_words(membership);
    const Result<void> left = apply(placement, edit);
    membership.apply(edit);
    const bool may_leave = judge.expect(left.has_value(), [&] {
      return fmt::format("with {}, {} was refused ({})", before, to_words(edit), to_string(left.error()));
    });
    if (!may_leave) {
      return;
    }
    for (const std::string& key : membership.members().empty() ? std::span<const std::string>() : keys) {
      const Result<std::string_view> owner = placement.owner(key);
      judge.expect(owner && membership.members().contains(std::string(*owner)), [&] {
        return fmt::format("with {}, after {}, key '{}' belongs to {}", to_words(membership), to_words(edit), key,
                           owner_or_reason(owner));
      });
    }
  }
  check_no_owner(judge, placement, "after the last member was removed");
}

struct CheckAnswer {
  PlacementJudge& judge;
  const Placement& placement;
  const Membership& membership;

  void operator()(const GoldenOwner& golden) const {
    const Result<std::string_view> owner = placement.owner(golden.key);
    judge.expect(owner && *owner == golden.member, [&] {
      return fmt::format("with {}, key '{}' belongs to {}; the golden owner is '{}'", to_words(membership), golden.key,
                         owner_or_reason(owner), golden.member);
    });
  }
  void operator()(const GoldenList& golden) const {
    const auto list = placement.preference_list(golden.key, golden.members.size());
    judge.expect(list && std::ranges::equal(*list, golden.members), [&] {
      return fmt::format("with {}, key '{}' has the preference list {}; the golden one is {}", to_words(membership),
                         golden.key, list.value_or(std::vector<std::string_view>{}), golden.members);
    });
  }
  void operator()(const GoldenPosition& golden) const {
    const Result<std::string_view> owner = placement.owner_at(golden.position);
    judge.expect(owner && *owner == golden.member, [&] {
      return fmt::format("with {}, position {} belongs to {}; the golden owner is '{}'", to_words(membership),
                         golden.position, owner_or_reason(owner), golden.member);
    });
  }
};

// Many keys asked for at once have the owners that they have one by one.
void check_many_at_once(PlacementJudge& judge, const Placement& placement, const Membership& membership,
                        std::span<const std::string> keys) {
  const Result<std::vector<std::string_view>> many = placement.owners(keys);
  const bool is_whole = judge.expect(many && many->size() == keys.size(), [&] {
    return fmt::format("with {}, {} keys asked for at once have {} owners ({})", to_words(membership), keys.size(),
                       many ? many->size() : 0, many ? "as many as keys were expected" : many.error().what);
  });
  for (std::size_t index = 0; is_whole && index < keys.size(); ++index) {
    const Result<std::string_view> alone = placement.owner(keys[index]);
    judge.expect(alone && *alone == (*many)[index], [&] {
      return fmt::format(
          "with {}, key '{}' belongs to {} when it is asked for alone, and to '{}' among {} keys at once",
          to_words(membership), keys[index], owner_or_reason(alone), (*many)[index], keys.size());
    });
  }
}

}  // namespace

BuiltPlacement build_placement(const PlacementFactory& factory, PlacementParameters parameters,
                               std::span<const PlacementEdit> edits) {
  BuiltPlacement built{.placement = factory.make(parameters), .membership = {}};
  for (const PlacementEdit& edit : edits) {
    if (built.membership.apply(edit) && !apply(*built.placement, edit)) {
      return {};
    }
  }
  return built;
}

std::vector<PlacementEdit> additions_of(const Membership& membership, bool is_backwards) {
  std::vector<PlacementEdit> additions;
  for (const auto& [name, member] : membership.members()) {
    additions.push_back({EditKind::add, member});
  }
  if (is_backwards) {
    std::ranges::reverse(additions);
  }
  return additions;
}

std::string owner_or_reason(const Result<std::string_view>& owner) {
  return owner ? fmt::format("'{}'", *owner) : fmt::format("nobody ({})", to_string(owner.error()));
}

LawResult check_coverage(const PlacementFactory& factory, const PlacementCase& input) {
  PlacementJudge judge(ClauseId::P2);
  check_no_owner(judge, *factory.make(input.parameters), "before the first member was added");
  const BuiltPlacement built = build_placement(factory, input.parameters, history_of(input));
  if (built.placement == nullptr) {
    return judge.result();
  }
  const Placement& placement = *built.placement;
  const Membership& membership = built.membership;
  if (membership.members().empty()) {
    check_no_owner(judge, placement, "after the last member was removed");
    return judge.result();
  }
  for (const std::string& key : input.keys) {
    const Result<std::string_view> owner = placement.owner(key);
    judge.expect(owner && membership.members().contains(std::string(*owner)), [&] {
      return fmt::format("with {}, key '{}' belongs to {}", to_words(membership), key, owner_or_reason(owner));
    });
    if (const std::optional<std::uint64_t> position = placement.position_of(key); position && owner) {
      const Result<std::string_view> by_position = placement.owner_at(*position);
      judge.expect(by_position && *by_position == *owner, [&] {
        return fmt::format("with {}, key '{}' belongs to '{}', its position {} to {}", to_words(membership), key,
                           *owner, *position, owner_or_reason(by_position));
      });
    }
  }
  check_many_at_once(judge, placement, membership, input.keys);
  if (!placement.points().empty()) {
    check_boundaries(judge, placement, membership);
  }
  if (placement.partitions() > 0) {
    check_partitions(judge, placement, membership);
  }
  check_leaving(judge, *built.placement, membership, input.keys);
  return judge.result();
}

LawResult check_golden(const PlacementFactory& factory, const PlacementCase& input) {
  PlacementJudge judge(ClauseId::P8);
  const BuiltPlacement built = build_placement(factory, input.parameters, history_of(input));
  if (built.placement == nullptr || built.placement->promises().golden != kGoldenRing) {
    return judge.result();
  }
  for (const GoldenAnswer& answer : input.answers) {
    std::visit(CheckAnswer{judge, *built.placement, built.membership}, answer);
  }
  return judge.result();
}

std::span<const ClauseId> placement_clauses() {
  using enum ClauseId;
  static constexpr std::array kClausesOfPlacement{P1, P2, P3, P4, P5, P6, P7, P8, P9};
  return kClausesOfPlacement;
}

LawResult check_law(ClauseId clause, const PlacementFactory& factory, const PlacementCase& input) {
  static constexpr std::array kLaws{check_determinism,    check_coverage, check_minimal_movement,
                                    check_movement_share, check_balance,  check_preference,
                                    check_collisions,     check_golden,   check_scatter};
  const std::size_t index = static_cast<std::size_t>(clause);
  SHARDCHECK_ASSERT(index < kLaws.size());
  return kLaws[index](factory, input);
}

}  // namespace shardcheck
