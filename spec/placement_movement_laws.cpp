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

// What one change moves, and what of it between two members that it is not about.
struct Moved {
  std::uint64_t units = 0;
  std::uint64_t stray_units = 0;
  std::string first_stray;  // which key or position, and between whom
};

class MovedCounter {
 public:
  explicit MovedCounter(const PlacementEdit& edit) : edit_(edit) {}

  template <class Where>
  void count(std::string_view before, std::string_view after, std::uint64_t units, Where where) {
    if (before == after) {
      return;
    }
    moved_.units += units;
    if (!involves(edit_, before, after)) {
      if (moved_.stray_units == 0) {
        moved_.first_stray = fmt::format("{} from {} to {}", where(), named(before), named(after));
      }
      moved_.stray_units += units;
    }
  }
  Moved moved() const { return moved_; }

 private:
  const PlacementEdit& edit_;
  Moved moved_;
};

Moved count_moved(const PlacementPair& pair, const PlacementEdit& edit, bool is_on_arcs) {
  MovedCounter counter(edit);
  if (is_on_arcs) {
    for (const CommonArc& arc : common_arcs(pair.before(), pair.after())) {
      counter.count(arc.owner_before, arc.owner_after, arc.share_units,
                    [&] { return fmt::format("position {}", arc.last_position); });
    }
    return counter.moved();
  }
  const std::vector<std::string> sample = share_sample(kShareSampleKeys);
  const std::vector<std::string> before = owners_of_keys(pair.before(), sample);
  const std::vector<std::string> after = owners_of_keys(pair.after(), sample);
  for (std::size_t index = 0; index < sample.size(); ++index) {
    counter.count(before[index], after[index], kShareUnits / kShareSampleKeys,
                  [&] { return fmt::format("key '{}'", sample[index]); });
  }
  return counter.moved();
}

std::uint64_t partition_units(const Placement& placement, const PlacementPromises& promises) {
  const std::uint64_t partitions = placement.partitions();
  return partitions == 0 ? 0 : promises.partitions_off_max * (kShareUnits / partitions + 1);
}

// Of shares, as the scheme states it. Exactly: they do not scatter.
ShareScatter scatter_of(const Placement& placement, const PlacementPromises& promises, Promise promise,
                        bool is_on_arcs) {
  ShareScatter scatter;
  scatter.points_per_weight = promise == Promise::exactly ? 0 : promises.points_per_weight;
  scatter.sample_keys = is_on_arcs ? 0 : kShareSampleKeys;
  // Partitions that are thrown onto a circle are a sample of it.
  const std::uint64_t partitions = placement.partitions();
  if (partitions > 0 && scatter.points_per_weight > 0) {
    scatter.sample_keys = is_on_arcs ? partitions : partitions * kShareSampleKeys / (partitions + kShareSampleKeys);
  }
  return scatter;
}

// The share that the changed weight stands for: at least what had to move, if it was all.
struct ChangedWeight {
  std::int64_t weight;
  std::int64_t total;
};
ChangedWeight changed_weight(const PlacementPair& pair, const PlacementEdit& edit) {
  const std::int64_t before = weight_in(pair.members_before(), edit.member.name);
  const std::int64_t after = weight_in(pair.members_after(), edit.member.name);
  return {.weight = std::max(before, after) - std::min(before, after),
          .total = std::max(pair.members_before().weight_total(), pair.members_after().weight_total())};
}

// What the edit may move between members that it is not about.
std::uint64_t stray_units_max(const PlacementPair& pair, const PlacementEdit& edit, bool is_on_arcs) {
  const PlacementPromises promises = pair.after().promises();
  if (promises.movement != Promise::within_bound) {
    return 0;
  }
  const ChangedWeight changed = changed_weight(pair, edit);
  const ShareScatter scatter = scatter_of(pair.after(), promises, Promise::within_bound, is_on_arcs);
  const std::uint64_t deviation = share_deviation_units(changed.weight, changed.total, scatter);
  return (fair_share_units(changed.weight, changed.total) + kShareLawDeviations * deviation) *
             promises.stray_permille_max / 1'000 +
         partition_units(pair.after(), promises) + 1;
}

// What the edit may move: the difference between the shares of its member before and after, and the scatter of both.
std::uint64_t movable_units(const PlacementPair& pair, const PlacementEdit& edit, bool is_on_arcs) {
  const std::int64_t total_before = pair.members_before().weight_total();
  const std::int64_t total_after = pair.members_after().weight_total();
  const std::int64_t weight_before = weight_in(pair.members_before(), edit.member.name);
  const std::int64_t weight_after = weight_in(pair.members_after(), edit.member.name);
  const std::uint64_t share_before = fair_share_units(weight_before, total_before);
  const std::uint64_t share_after = fair_share_units(weight_after, total_after);
  const PlacementPromises promises = pair.after().promises();
  const ShareScatter scatter = scatter_of(pair.after(), promises, promises.movement_share, is_on_arcs);
  const std::uint64_t deviation = share_deviation_units(weight_before, total_before, scatter) +
                                  share_deviation_units(weight_after, total_after, scatter);
  return std::max(share_before, share_after) - std::min(share_before, share_after) + kShareLawDeviations * deviation +
         partition_units(pair.after(), promises) + stray_units_max(pair, edit, is_on_arcs) + 1;
}

void check_strays(PlacementJudge& judge, const PlacementPair& pair, const PlacementEdit& edit) {
  const bool is_on_arcs = has_arcs(pair.before()) && has_arcs(pair.after());
  const Moved moved = count_moved(pair, edit, is_on_arcs);
  const std::uint64_t allowed = stray_units_max(pair, edit, is_on_arcs);
  judge.expect(moved.stray_units <= allowed, [&] {
    return fmt::format(
        "with {}, {} moves {} of everything between members that it is not about, first {}; {} is allowed",
        to_words(pair.members_before()), to_words(edit), in_percent(moved.stray_units), moved.first_stray,
        in_percent(allowed));
  });
}

// The shares of all members, on arcs or of the sample, against their weights.
void check_shares(PlacementJudge& judge, const BuiltPlacement& built, bool is_on_arcs) {
  const Placement& placement = *built.placement;
  const PlacementPromises promises = placement.promises();
  const std::map<std::string, std::uint64_t> shares =
      is_on_arcs ? shares_on_arcs(placement) : shares_of_sample(placement);
  const ShareScatter scatter = scatter_of(placement, promises, promises.balance, is_on_arcs);
  const std::int64_t total = built.membership.weight_total();
  const std::uint64_t partition = placement.partitions() == 0 ? 0 : kShareUnits / placement.partitions() + 1;
  const std::uint64_t rounding = built.membership.members().size() * 1'000;
  for (const auto& [name, member] : built.membership.members()) {
    const auto found = shares.find(name);
    const std::uint64_t share = found == shares.end() ? 0 : found->second;
    const std::uint64_t fair = fair_share_units(member.weight, total);
    const std::uint64_t under = kShareLawDeviations * share_deviation_units(member.weight, total, scatter) +
                                partition_units(placement, promises) + rounding;
    std::uint64_t over = under;
    if (promises.overload_permille_max > 0) {
      // Capacities are kept to, however points and partitions scatter; only a sample still does.
      const ShareScatter sample{.points_per_weight = 0, .sample_keys = is_on_arcs ? 0 : kShareSampleKeys};
      over = fair * promises.overload_permille_max / 1'000 + partition + rounding +
             kShareLawDeviations * share_deviation_units(member.weight, total, sample);
    }
    // Out of a sample, somebody of whom it should hold only a few may have nothing by chance.
    const bool must_own = scatter.sample_keys == 0 || fair / (kShareUnits / scatter.sample_keys) >= 40;
    judge.expect((share > 0 || !must_own) && share <= fair + over && share + under >= fair, [&] {
      return fmt::format("with {}, member '{}' owns {} of {}; its weight gives {}, at most {} less or {} more",
                         to_words(built.membership), name, in_percent(share),
                         is_on_arcs ? "all positions" : "a sample of keys", in_percent(fair), in_percent(under),
                         in_percent(over));
    });
  }
}

// Each run of neighbours in the sample too: numbered keys come in runs, and a hash that mixes little gives most of a
// run to one member although all runs together come out even. Only of members that a run should hold many keys of.
void check_short_runs(PlacementJudge& judge, const BuiltPlacement& built) {
  const PlacementPromises promises = built.placement->promises();
  ShareScatter scatter = scatter_of(*built.placement, promises, promises.balance, false);
  scatter.sample_keys = kShareRunKeys;
  const std::int64_t total = built.membership.weight_total();
  const std::vector<std::string> owners = owners_of_keys(*built.placement, share_sample(kShareSampleKeys));
  for (const auto& [name, member] : built.membership.members()) {
    const std::uint64_t fair = fair_share_units(member.weight, total);
    const std::uint64_t off_max = kShareLawDeviations * share_deviation_units(member.weight, total, scatter);
    if (fair / (kShareUnits / kShareRunKeys) < 40) {
      continue;
    }
    for (std::size_t first = 0; first < owners.size(); first += kShareRunKeys) {
      const auto run = std::span(owners).subspan(first, kShareRunKeys);
      const std::uint64_t share =
          static_cast<std::uint64_t>(std::ranges::count(run, name)) * (kShareUnits / run.size());
      judge.expect(share <= fair + off_max && share + off_max >= fair, [&] {
        return fmt::format(
            "with {}, member '{}' owns {} of the {} keys from '{}' on; its weight gives {}, at most {} "
            "less or more",
            to_words(built.membership), name, in_percent(share), run.size(), share_sample_key(first), in_percent(fair),
            in_percent(off_max));
      });
    }
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
  // What lies between two points of those who stay goes to one heir, however many points the leaving member has in it.
  const std::uint64_t leaving =
      points_per_weight * static_cast<std::uint64_t>(weight_in(pair.members_before(), edit.member.name));
  const std::uint64_t staying = points_per_weight * static_cast<std::uint64_t>(total);
  const std::uint64_t points = std::max<std::uint64_t>(leaving * staying / (leaving + staying), 1);
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
  const PlacementPromises promises = pair.after().promises();
  if (promises.movement == Promise::none ||
      (promises.movement == Promise::within_bound && !has_judgeable_shares(promises, input))) {
    return judge.result();
  }
  std::vector<std::string> keys = input.keys;
  if (pair.after().position_max() == 0) {
    const std::vector<std::string> sample = share_sample(64);
    keys.insert(keys.end(), sample.begin(), sample.end());
  }
  for (const PlacementEdit& edit : history_of(input)) {
    if (!pair.step(edit) || pair.members_before().members().empty() || pair.members_after().members().empty()) {
      continue;
    }
    if (promises.movement == Promise::within_bound) {
      check_strays(judge, pair, edit);
    } else {
      check_moves_on_arcs(judge, pair, edit);
      check_moves_of_keys(judge, pair, edit, keys);
    }
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
    const bool is_on_arcs = has_arcs(pair.before()) && has_arcs(pair.after());
    const Moved moved = count_moved(pair, edit, is_on_arcs);
    const std::uint64_t movable = movable_units(pair, edit, is_on_arcs);
    judge.expect(moved.units <= movable, [&] {
      return fmt::format("with {}, {} moves {} of everything; the change of its share allows {}",
                         to_words(pair.members_before()), to_words(edit), in_percent(moved.units), in_percent(movable));
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
  if (has_arcs(*built.placement)) {
    check_shares(judge, built, true);
  } else {
    check_short_runs(judge, built);
  }
  // The sample too, because only it shows whether the key is used.
  check_shares(judge, built, false);
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
