#include "harness/placement_draw.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <memory>

#include "spec/assert.h"
#include "spec/placement_laws.h"

namespace shardcheck {
namespace {

// Names that have tripped real rings: one the beginning of another, the label of another, not ASCII, not in the order
// of their numbers.
constexpr std::array<std::string_view, 12> kNames{"A",   "B", "C",  "n2", "n10",      "x",
                                                  "x#1", "1", "11", "1a", "\xc3\xa9", "a b"};

constexpr std::array kBadWeights{std::int64_t{0}, std::int64_t{-1}, kWeightMax + 1,
                                 std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};

Member draw_member(const PlacementDraws& draws, bool has_racks) {
  Member member;
  member.name = kNames[draws.below(kNames.size())];
  member.weight = 1 + static_cast<std::int64_t>(draws.below(3));
  if (has_racks) {
    const std::uint64_t rack = draws.below(4);
    member.rack = rack == 0 ? "" : fmt::format("r{}", rack);
  }
  return member;
}

PlacementEdit draw_edit(const PlacementDraws& draws, bool has_racks) {
  constexpr std::array kKinds{EditKind::add, EditKind::remove, EditKind::set_weight};
  const EditKind kind = kKinds[draws.below(kKinds.size())];
  Member member = draw_member(draws, has_racks);
  if (draws.below(8) == 7) {
    member.weight = kBadWeights[draws.below(kBadWeights.size())];
  }
  // Only what the edit uses, so that two edits that do the same are equal.
  switch (kind) {
    case EditKind::add: return {kind, member};
    case EditKind::remove: return {kind, {.name = member.name}};
    case EditKind::set_weight: return {kind, {.name = member.name, .weight = member.weight}};
  }
  SHARDCHECK_ASSERT(false);
  return {kind, member};
}

// More members than one digit counts. They come first, and not in the order of their names.
void add_crowd(PlacementCase& input) {
  std::vector<Member> crowd;
  for (const int number : {12, 3, 11, 7, 5, 9, 4, 8}) {
    crowd.push_back({.name = fmt::format("m{}", number)});
  }
  input.members.insert(input.members.begin(), crowd.begin(), crowd.end());
}

}  // namespace

PlacementDraws seeded_draws(std::uint64_t seed) {
  return {[state = seed](std::uint64_t bound) mutable {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    return mixed % bound;
  }};
}

PlacementDraws tape_draws(std::span<const std::uint8_t> tape) {
  return {[tape](std::uint64_t bound) mutable -> std::uint64_t {
    if (tape.empty()) {
      return 0;
    }
    const std::uint64_t answer = tape.front();
    tape = tape.subspan(1);
    return answer % bound;
  }};
}

PlacementCase draw_placement_case(const PlacementDraws& draws) {
  PlacementCase input;
  const bool is_for_shares = draws.below(16) == 15;
  const bool is_truncated = draws.below(2) == 1 && !is_for_shares;
  const bool has_racks = draws.below(3) == 2;
  const std::uint64_t few_points = 1 + draws.below(6);
  const std::uint64_t few_bits = 8 + draws.below(5);
  input.parameters.virtual_nodes = static_cast<std::uint32_t>(is_for_shares ? kShareLawVirtualNodesMin : few_points);
  input.parameters.position_bits = static_cast<std::uint32_t>(is_truncated ? few_bits : 32);
  const std::uint64_t members = draws.below(7);
  Membership known;
  for (std::uint64_t number = 0; number < members; ++number) {
    const Member member = draw_member(draws, has_racks);
    if (known.apply({EditKind::add, member})) {
      input.members.push_back(member);
    }
  }
  const std::uint64_t edits = draws.below(5);
  for (std::uint64_t number = 0; number < edits; ++number) {
    input.edits.push_back(draw_edit(draws, has_racks));
  }
  if (is_for_shares && !input.members.empty()) {
    // So that there is always somebody whose share is inherited (P9).
    input.edits.push_back({EditKind::remove, {.name = input.members[draws.below(input.members.size())].name}});
  }
  const std::uint64_t keys = 1 + draws.below(4);
  for (std::uint64_t number = 0; number < keys; ++number) {
    input.keys.push_back(fmt::format("user:{}", draws.below(1'000'000)));
  }
  // Asked last, so that the answers before these keep their meaning.
  if (draws.below(16) == 15) {
    add_crowd(input);
  }
  if (is_for_shares && draws.below(16) == 15 && !input.members.empty()) {
    input.members.front().weight = 101 + static_cast<std::int64_t>(draws.below(200));
  }
  return input;
}

}  // namespace shardcheck
