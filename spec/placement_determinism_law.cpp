#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "spec/assert.h"
#include "spec/placement_judge.h"
#include "spec/placement_shares.h"

namespace shardcheck {
namespace {

constexpr std::uint64_t kGuestSampleKeys = 256;

// All that can be asked about some keys.
struct Answers {
  std::vector<PlacementPoint> points;
  std::vector<std::string> owners;
  std::vector<std::vector<std::string>> lists;

  friend bool operator==(const Answers&, const Answers&) = default;
};

Answers ask(const Placement& placement, std::span<const std::string> keys, std::size_t members) {
  Answers answers{.points = placement.points(), .owners = {}, .lists = {}};
  for (const std::string& key : keys) {
    answers.owners.push_back(owner_or_reason(placement.owner(key)));
    const auto list = placement.preference_list(key, std::min<std::size_t>(members, 3));
    answers.lists.emplace_back();
    if (list) {
      answers.lists.back().assign(list->begin(), list->end());
    }
  }
  return answers;
}

// The first difference, as "...: first in the one case, second in the other".
std::string difference(std::span<const std::string> keys, const Answers& one, const Answers& other) {
  for (std::size_t index = 0; index < keys.size(); ++index) {
    if (one.owners[index] != other.owners[index]) {
      return fmt::format("key '{}' belongs to {} and to {}", keys[index], one.owners[index], other.owners[index]);
    }
    if (one.lists[index] != other.lists[index]) {
      return fmt::format("key '{}' has the preference lists {} and {}", keys[index], one.lists[index],
                         other.lists[index]);
    }
  }
  if (one.points.size() != other.points.size()) {
    return fmt::format("there are {} and {} points", one.points.size(), other.points.size());
  }
  const auto [left, right] = std::ranges::mismatch(one.points, other.points);
  SHARDCHECK_ASSERT(left != one.points.end());
  return fmt::format("the point at position {} belongs to '{}' and the one at position {} to '{}'", left->position,
                     left->member, right->position, right->member);
}

bool check_edit(PlacementJudge& judge, Placement& placement, Membership& membership, const PlacementEdit& edit,
                std::span<const std::string> keys) {
  const Membership before = membership;
  const bool is_valid = membership.apply(edit);
  const Answers answers = is_valid ? Answers{} : ask(placement, keys, before.members().size());
  const Result<void> done = apply(placement, edit);
  const bool agrees = judge.expect(done.has_value() == is_valid, [&] {
    return fmt::format("with {}, {} was {} although it is {}", to_words(before), to_words(edit),
                       done ? "accepted" : "refused (" + to_string(done.error()) + ")",
                       is_valid ? "valid" : "not valid");
  });
  if (!agrees || is_valid) {
    return agrees;
  }
  const Answers now = ask(placement, keys, before.members().size());
  return judge.expect(now == answers, [&] {
    return fmt::format("with {}, before and after {} was refused, {}", to_words(before), to_words(edit),
                       difference(keys, answers, now));
  });
}

// Somebody who joins the members and leaves again is gone: no key of a sample is its own, and no list has room for it.
// Asked of every case, since its own edits may remove nobody. Nothing if it may not join, which the case shows better.
BuiltPlacement with_a_guest_gone(PlacementJudge& judge, const PlacementFactory& factory, const PlacementCase& input,
                                 const Membership& membership, const Member& guest) {
  std::vector<PlacementEdit> visited = additions_of(membership, false);
  visited.push_back({EditKind::add, guest});
  BuiltPlacement built = build_placement(factory, input.parameters, visited);
  if (built.placement == nullptr) {
    return {};
  }
  const Placement& placement = *built.placement;
  const Result<void> left = apply(*built.placement, {EditKind::remove, guest});
  built.membership = membership;
  const std::string with = fmt::format("with {}, then {}", to_words(membership), to_words({EditKind::add, guest}));
  const bool may_leave = judge.expect(left.has_value(), [&] {
    return fmt::format("{}, removing it again was refused ({})", with, to_string(left.error()));
  });
  const std::vector<std::string> sample = share_sample(kGuestSampleKeys);
  const std::vector<std::string> owners = may_leave ? owners_of_keys(placement, sample) : std::vector<std::string>{};
  const auto kept = std::ranges::find(owners, guest.name);
  judge.expect(kept == owners.end(), [&] {
    return fmt::format("{} and removing it again, key '{}' still belongs to it", with,
                       sample[static_cast<std::size_t>(kept - owners.begin())]);
  });
  if (factory.abilities.has_lists) {
    const std::size_t members = membership.members().size();
    const auto list = placement.preference_list(sample.front(), members + 1);
    judge.expect(!may_leave || !list || std::ranges::find(*list, guest.name) == list->end(), [&] {
      return fmt::format("{} and removing it again, key '{}' still has it in a preference list: {}", with,
                         sample.front(), *list);
    });
  }
  return may_leave ? std::move(built) : BuiltPlacement{};
}

}  // namespace

LawResult check_determinism(const PlacementFactory& factory, const PlacementCase& input) {
  PlacementJudge judge(ClauseId::P1);
  const std::unique_ptr<Placement> grown = factory.make(input.parameters);
  Membership membership;
  for (const PlacementEdit& edit : history_of(input)) {
    if (!check_edit(judge, *grown, membership, edit, input.keys)) {
      return judge.result();
    }
  }
  const std::size_t members = membership.members().size();
  const Answers expected = ask(*grown, input.keys, members);
  const auto compare = [&](const BuiltPlacement& built, std::string_view how) {
    if (built.placement == nullptr) {
      return;
    }
    const Answers got = ask(*built.placement, input.keys, members);
    judge.expect(got == expected, [&] {
      return fmt::format("{}, once by the history of the case and once {}: {}", to_words(membership), how,
                         difference(input.keys, expected, got));
    });
  };
  const auto afresh = [&](std::span<const PlacementEdit> edits) {
    return build_placement(factory, input.parameters, edits);
  };
  const Promise promise = grown->promises().determinism;
  if (promise != Promise::none) {
    compare(afresh(history_of(input)), "by the same history again");
  }
  if (promise == Promise::exactly) {
    compare(afresh(additions_of(membership, false)), "added in the order of names");
    compare(afresh(additions_of(membership, true)), "added against the order of names");
  }
  const Member guest{.name = "~guest", .weight = factory.abilities.has_weights ? 2 : 1};
  if (membership.members().contains(guest.name)) {
    return judge.result();
  }
  const BuiltPlacement visited = with_a_guest_gone(judge, factory, input, membership, guest);
  if (promise == Promise::exactly) {
    compare(visited, fmt::format("added in the order of names, then {} and removing it again",
                                 to_words({EditKind::add, guest})));
  }
  return judge.result();
}

}  // namespace shardcheck
