#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "spec/placement_judge.h"

namespace shardcheck {
namespace {

using Names = std::vector<std::string_view>;

// What excludes one another in a list: members of one rack, or nobody. The prefix keeps names and racks apart.
std::string fate_of(const Membership& membership, std::string_view name) {
  const auto member = membership.members().find(std::string(name));
  if (member == membership.members().end()) {
    return "?";
  }
  return member->second.rack.empty() ? "member " + member->first : "rack " + member->second.rack;
}

std::size_t fates_in(const Membership& membership, std::span<const std::string_view> names) {
  std::set<std::string> fates;
  for (const std::string_view name : names) {
    fates.insert(fate_of(membership, name));
  }
  return fates.size();
}

// A member whose rack, or who alone, is not among these; there is one.
std::string_view left_out(const Membership& membership, std::span<const std::string_view> names) {
  std::set<std::string> fates;
  for (const std::string_view name : names) {
    fates.insert(fate_of(membership, name));
  }
  const auto found = std::ranges::find_if(
      membership.members(), [&](const auto& entry) { return !fates.contains(fate_of(membership, entry.first)); });
  return found == membership.members().end() ? std::string_view() : std::string_view(found->first);
}

bool has_racks(const Membership& membership) {
  return std::ranges::any_of(membership.members(), [](const auto& entry) { return !entry.second.rack.empty(); });
}

Names without(const Names& names, std::string_view gone) {
  Names left = names;
  std::erase(left, gone);
  return left;
}

Names first(const Names& names, std::size_t count) {
  return Names(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(count, names.size())));
}

void check_list(PlacementJudge& judge, const Placement& placement, const Membership& membership, const std::string& key,
                std::size_t count, std::size_t racks, const Names& longest) {
  const Result<Names> list = placement.preference_list(key, count);
  const auto describe = [&](std::string_view what) {
    return fmt::format("with {}, the {} replicas of key '{}' are {}: {}", to_words(membership), count, key,
                       list.value_or(Names{}), what);
  };
  if (!judge.expect(list.has_value() && list->size() == count, [&] { return describe("not as many as asked for"); })) {
    return;
  }
  const std::set<std::string_view> distinct(list->begin(), list->end());
  judge.expect(distinct.size() == count, [&] { return describe("a member appears twice"); });
  judge.expect(std::ranges::all_of(
                   *list, [&](std::string_view name) { return membership.members().contains(std::string(name)); }),
               [&] { return describe("one of them is not a member"); });
  const std::size_t front = std::min(count, racks);
  judge.expect(fates_in(membership, std::span(*list).first(front)) == front, [&] {
    const std::string_view other = left_out(membership, std::span(*list).first(front));
    return describe(
        fmt::format("a rack appears again while others are left, that of '{}' for one (no rack: its own)", other));
  });
  judge.expect(first(longest, count) == *list,
               [&] { return describe(fmt::format("not the beginning of the whole list {}", longest)); });
}

void check_key(PlacementJudge& judge, const Placement& placement, const Membership& membership,
               const std::string& key) {
  const std::size_t members = membership.members().size();
  judge.expect(!placement.preference_list(key, members + 1), [&] {
    return fmt::format("with {}, {} replicas of key '{}' are no error", to_words(membership), members + 1, key);
  });
  const Names longest = placement.preference_list(key, members).value_or(Names{});
  const Result<std::string_view> owner = placement.owner(key);
  if (members > 0) {
    judge.expect(owner && !longest.empty() && longest[0] == *owner, [&] {
      return fmt::format("with {}, key '{}' belongs to {}, but its preference list is {}", to_words(membership), key,
                         owner_or_reason(owner), longest);
    });
  }
  std::set<std::string> racks;
  for (const auto& [name, member] : membership.members()) {
    racks.insert(fate_of(membership, name));
  }
  for (std::size_t count = 1; count <= members; ++count) {
    check_list(judge, placement, membership, key, count, racks.size(), longest);
  }
}

// A join or a leave is one member more or less in the list, and nobody else changes places: the new replicas of a key
// are known from the old ones.
void check_slide(PlacementJudge& judge, const PlacementPair& pair, const PlacementEdit& edit, const std::string& key) {
  const Names before = pair.before().preference_list(key, pair.members_before().members().size()).value_or(Names{});
  const Names after = pair.after().preference_list(key, pair.members_after().members().size()).value_or(Names{});
  judge.expect(without(before, edit.member.name) == without(after, edit.member.name), [&] {
    return fmt::format("with {}, {} changes the preference list of key '{}' from {} to {}: more than one member moved",
                       to_words(pair.members_before()), to_words(edit), key, before, after);
  });
}

}  // namespace

LawResult check_preference(const PlacementFactory& factory, const PlacementCase& input) {
  PlacementJudge judge(ClauseId::P6);
  const BuiltPlacement built = build_placement(factory, input.parameters, history_of(input));
  if (built.placement == nullptr) {
    return judge.result();
  }
  for (const std::string& key : input.keys) {
    check_key(judge, *built.placement, built.membership, key);
  }
  const PlacementPromises promises = built.placement->promises();
  if (promises.movement != Promise::exactly || !promises.has_sliding_lists) {
    return judge.result();
  }
  PlacementPair pair(factory, input.parameters);
  for (const PlacementEdit& edit : history_of(input)) {
    const bool is_join_or_leave = edit.kind != EditKind::set_weight;
    if (!pair.step(edit) || !is_join_or_leave || has_racks(pair.members_before()) || has_racks(pair.members_after())) {
      continue;
    }
    for (const std::string& key : input.keys) {
      check_slide(judge, pair, edit, key);
    }
  }
  return judge.result();
}

}  // namespace shardcheck
