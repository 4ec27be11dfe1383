#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "spec/placement_judge.h"
#include "spec/placement_shares.h"

namespace shardcheck {
namespace {

// Whether the parameters of the case leave shares that follow a law: enough points, none of them forced to collide.
bool has_judgeable_shares(const PlacementPromises& promises, const PlacementCase& input) {
  const bool has_enough_points =
      promises.points_per_weight == 0 || promises.points_per_weight >= kShareLawVirtualNodesMin;
  return has_enough_points && input.parameters.virtual_nodes >= kShareLawVirtualNodesMin &&
         input.parameters.position_bits == 32;
}

bool has_points(const Placement& placement) { return !placement.points().empty(); }

bool involves(const PlacementEdit& edit, std::string_view before, std::string_view after) {
  switch (edit.kind) {
    case EditKind::add: return after == edit.member.name;
    case EditKind::remove: return before == edit.member.name;
    case EditKind::set_weight: return before == edit.member.name || after == edit.member.name;
  }
  return false;
}

std::string named(std::string_view owner) { return owner.empty() ? "nobody" : fmt::format("'{}'", owner); }

std::string in_percent(std::uint64_t units) {
  const std::uint64_t thousandths = units * 100'000 / kShareUnits;
  return fmt::format("{}.{:03} %", thousandths / 1'000, thousandths % 1'000);
}

void check_moves_on_arcs(PlacementJudge& judge, const PlacementPair& pair, const PlacementEdit& edit) {
  for (const CommonArc& arc : common_arcs(pair.before(), pair.after())) {
    judge.expect(arc.owner_before == arc.owner_after || involves(edit, arc.owner_before, arc.owner_after), [&] {
      return fmt::format("with {}, {} moves position {} from {} to {}, neither of which it is about",
                         to_words(pair.members_before()), to_words(edit), arc.last_position, named(arc.owner_before),
                         named(arc.owner_after));
    });
  }
}

void check_moves_of_keys(PlacementJudge& judge, const PlacementPair& pair, const PlacementEdit& edit,
                         const std::vector<std::string>& keys) {
  const std::vector<std::string> before = owners_of_keys(pair.before(), keys);
  const std::vector<std::string> after = owners_of_keys(pair.after(), keys);
  for (std::size_t index = 0; index < keys.size(); ++index) {
    judge.expect(before[index] == after[index] || involves(edit, before[index], after[index]), [&] {
      return fmt::format("with {}, {} moves key '{}' from {} to {}, neither of which it is about",
                         to_words(pair.members_before()), to_words(edit), keys[index], named(before[index]),
                         named(after[index]));
    });
  }
}

std::int64_t weight_in(const Membership& membership, const std::string& name) {
  const auto member = membership.members().find(name);
  return member == membership.members().end() ? 0 : member->second.weight;
}

std::uint64_t moved_on_arcs(const PlacementPair& pair) {
  std::uint64_t moved = 0;
  for (const CommonArc& arc : common_arcs(pair.before(), pair.after())) {
    moved += arc.owner_before == arc.owner_after ? 0 : arc.share_units;
  }
  return moved;
}

std::uint64_t moved_of_sample(const PlacementPair& pair) {
  const std::vector<std::string> sample = share_sample(kShareSampleKeys);
  const std::vector<std::string> before = owners_of_keys(pair.before(), sample);
  const std::vector<std::string> after = owners_of_keys(pair.after(), sample);
  std::uint64_t moved = 0;
  for (std::size_t index = 0; index < sample.size(); ++index) {
    moved += before[index] == after[index] ? 0U : 1U;
  }
  return moved * (kShareUnits / kShareSampleKeys);
}

// What the edit may move: the difference between the shares of its member before and after, and the scatter of both.
std::uint64_t movable_units(const PlacementPair& pair, const PlacementEdit& edit, ShareScatter scatter) {
  const std::int64_t total_before = pair.members_before().weight_total();
  const std::int64_t total_after = pair.members_after().weight_total();
  const std::int64_t weight_before = weight_in(pair.members_before(), edit.member.name);
  const std::int64_t weight_after = weight_in(pair.members_after(), edit.member.name);
  const std::uint64_t share_before = fair_share_units(weight_before, total_before);
  const std::uint64_t share_after = fair_share_units(weight_after, total_after);
  const std::uint64_t deviation = share_deviation_units(weight_before, total_before, scatter) +
                                  share_deviation_units(weight_after, total_after, scatter);
  return std::max(share_before, share_after) - std::min(share_before, share_after) + kShareLawDeviations * deviation +
         1;
}

void check_shares(PlacementJudge& judge, const Membership& membership,
                  const std::map<std::string, std::uint64_t>& shares, ShareScatter scatter, std::string_view of_what) {
  const std::int64_t total = membership.weight_total();
  for (const auto& [name, member] : membership.members()) {
    const auto found = shares.find(name);
    const std::uint64_t share = found == shares.end() ? 0 : found->second;
    const std::uint64_t fair = fair_share_units(member.weight, total);
    const std::uint64_t bound = kShareLawDeviations * share_deviation_units(member.weight, total, scatter) +
                                membership.members().size() * 1'000;
    judge.expect(std::max(share, fair) - std::min(share, fair) <= bound && share > 0, [&] {
      return fmt::format("with {}, member '{}' owns {} of {}; its weight gives {}, give or take {}",
                         to_words(membership), name, in_percent(share), of_what, in_percent(fair), in_percent(bound));
    });
  }
}

void check_heirs(PlacementJudge& judge, const PlacementPair& pair, const PlacementEdit& edit,
                 std::uint64_t points_per_weight) {
  std::uint64_t left = 0;
  std::map<std::string, std::uint64_t> inherited;
  for (const CommonArc& arc : common_arcs(pair.before(), pair.after())) {
    if (arc.owner_before == edit.member.name) {
      left += arc.share_units;
      inherited[arc.owner_after] += arc.share_units;
    }
  }
  if (left == 0) {
    return;
  }
  const std::int64_t total = pair.members_after().weight_total();
  const std::uint64_t points =
      points_per_weight * static_cast<std::uint64_t>(weight_in(pair.members_before(), edit.member.name));
  for (const auto& [heir, units] : inherited) {
    const std::int64_t weight = weight_in(pair.members_after(), heir);
    const std::uint64_t part_max = inheritance_max_units(weight, total, points);
    const std::uint64_t part_units =
        fair_share_units(static_cast<std::int64_t>(units), static_cast<std::int64_t>(left));
    judge.expect(part_units <= part_max, [&] {
      return fmt::format("with {}, {} gives {} of what was there to {}, which may take up to {}",
                         to_words(pair.members_before()), to_words(edit), in_percent(part_units), named(heir),
                         in_percent(part_max));
    });
  }
}

}  // namespace

LawResult check_minimal_movement(const PlacementFactory& factory, const PlacementCase& input) {
  PlacementJudge judge(ClauseId::P3);
  PlacementPair pair(factory, input.parameters);
  if (pair.after().promises().movement != Promise::exactly) {
    return judge.result();
  }
  std::vector<std::string> keys = input.keys;
  if (factory.make(input.parameters)->position_max() == 0) {
    const std::vector<std::string> sample = share_sample(64);
    keys.insert(keys.end(), sample.begin(), sample.end());
  }
  for (const PlacementEdit& edit : history_of(input)) {
    if (!pair.step(edit) || pair.members_before().members().empty() || pair.members_after().members().empty()) {
      continue;
    }
    check_moves_on_arcs(judge, pair, edit);
    check_moves_of_keys(judge, pair, edit, keys);
  }
  return judge.result();
}

LawResult check_movement_share(const PlacementFactory& factory, const PlacementCase& input) {
  PlacementJudge judge(ClauseId::P4);
  PlacementPair pair(factory, input.parameters);
  const PlacementPromises promises = pair.after().promises();
  if (promises.movement_share == Promise::none || !has_judgeable_shares(promises, input)) {
    return judge.result();
  }
  for (const PlacementEdit& edit : history_of(input)) {
    if (!pair.step(edit) || pair.members_before().members().empty() || pair.members_after().members().empty()) {
      continue;
    }
    const bool is_on_arcs = has_points(pair.before()) && has_points(pair.after());
    const std::uint64_t moved = is_on_arcs ? moved_on_arcs(pair) : moved_of_sample(pair);
    const std::uint64_t movable = movable_units(
        pair, edit,
        {.points_per_weight = promises.points_per_weight, .sample_keys = is_on_arcs ? 0 : kShareSampleKeys});
    judge.expect(moved <= movable, [&] {
      return fmt::format("with {}, {} moves {} of everything; the change of its share allows {}",
                         to_words(pair.members_before()), to_words(edit), in_percent(moved), in_percent(movable));
    });
  }
  return judge.result();
}

LawResult check_balance(const PlacementFactory& factory, const PlacementCase& input) {
  PlacementJudge judge(ClauseId::P5);
  const BuiltPlacement built = build_placement(factory, input.parameters, history_of(input));
  if (built.placement == nullptr || built.membership.members().empty()) {
    return judge.result();
  }
  const PlacementPromises promises = built.placement->promises();
  if (promises.balance == Promise::none || !has_judgeable_shares(promises, input)) {
    return judge.result();
  }
  if (has_points(*built.placement)) {
    check_shares(judge, built.membership, shares_on_arcs(*built.placement),
                 {.points_per_weight = promises.points_per_weight}, "the circle");
  }
  // The sample too, because only it shows whether the key is used.
  check_shares(judge, built.membership, shares_of_sample(*built.placement),
               {.points_per_weight = promises.points_per_weight, .sample_keys = kShareSampleKeys}, "a sample of keys");
  return judge.result();
}

LawResult check_scatter(const PlacementFactory& factory, const PlacementCase& input) {
  PlacementJudge judge(ClauseId::P9);
  PlacementPair pair(factory, input.parameters);
  const PlacementPromises promises = pair.after().promises();
  if (promises.balance == Promise::none || promises.points_per_weight == 0 || !has_judgeable_shares(promises, input)) {
    return judge.result();
  }
  for (const PlacementEdit& edit : history_of(input)) {
    if (pair.step(edit) && edit.kind == EditKind::remove && !pair.members_after().members().empty() &&
        has_points(pair.before())) {
      check_heirs(judge, pair, edit, promises.points_per_weight);
    }
  }
  return judge.result();
}

}  // namespace shardcheck
