#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "spec/placement_judge.h"

namespace shardcheck {
namespace {

using Positions = std::vector<std::uint64_t>;  // ascending, one position as often as there are points

std::map<std::string, Positions> positions_by_member(const Placement& placement) {
  std::map<std::string, Positions> positions;
  for (const PlacementPoint& point : placement.points()) {
    positions[point.member].push_back(point.position);
  }
  for (auto& [member, held] : positions) {
    std::ranges::sort(held);
  }
  return positions;
}

// What is in one and not in the other: the position, and whether it is missing or too many.
std::string first_difference(const Positions& expected, const Positions& got) {
  Positions missing;
  std::ranges::set_difference(expected, got, std::back_inserter(missing));
  if (!missing.empty()) {
    return fmt::format("lacks its point at position {}", missing[0]);
  }
  Positions excess;
  std::ranges::set_difference(got, expected, std::back_inserter(excess));
  return excess.empty() ? "has its points" : fmt::format("has a point at position {} that is not its own", excess[0]);
}

// The points that everybody would have if it were alone.
std::map<std::string, Positions> positions_alone(const PlacementFactory& factory, const PlacementCase& input,
                                                 const Membership& membership) {
  std::map<std::string, Positions> alone;
  for (const auto& [name, member] : membership.members()) {
    const PlacementEdit addition{EditKind::add, member};
    const BuiltPlacement built = build_placement(factory, input.parameters, std::span(&addition, 1));
    if (built.placement != nullptr) {
      alone[name] = positions_by_member(*built.placement)[name];
    }
  }
  return alone;
}

void check_points(PlacementJudge& judge, const Placement& placement, const Membership& membership,
                  const std::map<std::string, Positions>& alone, const std::string& when) {
  std::map<std::string, Positions> got = positions_by_member(placement);
  for (const auto& [name, member] : membership.members()) {
    const auto expected = alone.find(name);
    if (expected == alone.end()) {
      continue;
    }
    judge.expect(got[name] == expected->second, [&] {
      return fmt::format("with {}{}, member '{}' {}", to_words(membership), when, name,
                         first_difference(expected->second, got[name]));
    });
  }
}

// Equal positions in one order and with one owner, whoever came first.
void check_ties(PlacementJudge& judge, const Placement& one, const Placement& other, const Membership& membership) {
  const std::vector<PlacementPoint> points = one.points();
  const std::vector<PlacementPoint> mirrored = other.points();
  for (std::size_t index = 0; index + 1 < points.size(); ++index) {
    const PlacementPoint& point = points[index];
    if (point.position != points[index + 1].position || index >= mirrored.size()) {
      continue;
    }
    judge.expect(mirrored[index] == point, [&] {
      return fmt::format(
          "with {}, whose points collide at position {}, '{}' comes first when added in the order of names "
          "and '{}' when added against it",
          to_words(membership), point.position, point.member, mirrored[index].member);
    });
    const Result<std::string_view> owner = one.owner_at(point.position);
    const Result<std::string_view> mirrored_owner = other.owner_at(point.position);
    judge.expect(owner && mirrored_owner && *owner == *mirrored_owner, [&] {
      return fmt::format("with {}, position {} belongs to {} when added in the order of names and to {} against it",
                         to_words(membership), point.position, owner_or_reason(owner), owner_or_reason(mirrored_owner));
    });
  }
}

}  // namespace

LawResult check_collisions(const PlacementFactory& factory, const PlacementCase& input) {
  PlacementJudge judge(ClauseId::P7);
  const BuiltPlacement grown = build_placement(factory, input.parameters, history_of(input));
  if (grown.placement == nullptr || grown.placement->promises().movement != Promise::exactly ||
      grown.placement->points().empty() || grown.placement->points().size() > kCollisionLawPointsMax) {
    return judge.result();
  }
  const Membership& membership = grown.membership;
  const std::map<std::string, Positions> alone = positions_alone(factory, input, membership);
  const BuiltPlacement forward = build_placement(factory, input.parameters, additions_of(membership, false));
  const BuiltPlacement backward = build_placement(factory, input.parameters, additions_of(membership, true));
  if (forward.placement == nullptr || backward.placement == nullptr) {
    return judge.result();
  }
  check_points(judge, *grown.placement, membership, alone, "");
  check_points(judge, *backward.placement, membership, alone, " added against the order of names");
  check_ties(judge, *forward.placement, *backward.placement, membership);
  for (const auto& [name, member] : membership.members()) {
    std::vector<PlacementEdit> edits = additions_of(membership, false);
    edits.push_back({EditKind::remove, member});
    const BuiltPlacement left = build_placement(factory, input.parameters, edits);
    if (left.placement != nullptr) {
      check_points(judge, *left.placement, left.membership, alone, fmt::format(" after '{}' left", name));
    }
  }
  return judge.result();
}

}  // namespace shardcheck
