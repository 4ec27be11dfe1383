#include "impl/placement/member_list.h"

#include <fmt/format.h>

#include <map>

namespace shardcheck::impl {

Result<void> check_member(std::string_view scheme, const Member& member) {
  if (member.name.empty()) {
    return fail(std::string(scheme), "a member needs a name");
  }
  if (member.weight < 1 || member.weight > kWeightMax) {
    return fail(std::string(scheme),
                fmt::format("weight {} of '{}' is not in 1..{}", member.weight, member.name, kWeightMax));
  }
  return {};
}

Result<void> check_distinct(std::string_view scheme, std::span<const Member> members) {
  const auto twice = std::ranges::adjacent_find(members, {}, &Member::name);
  return twice == members.end() ? Result<void>{}
                                : fail(std::string(scheme), fmt::format("'{}' is a member already", twice->name));
}

std::unexpected<Error> not_a_member(std::string_view scheme, std::string_view name) {
  return fail(std::string(scheme), fmt::format("'{}' is not a member", name));
}

std::vector<MemberIndex> number_racks(std::span<const Member> members) {
  std::map<std::string_view, MemberIndex> numbers;
  std::vector<MemberIndex> rack_of_member;
  MemberIndex next = 0;
  for (const Member& member : members) {
    if (member.rack.empty()) {
      rack_of_member.push_back(next++);
      continue;
    }
    const auto [known, is_new] = numbers.emplace(member.rack, next);
    next = static_cast<MemberIndex>(next + (is_new ? 1 : 0));
    rack_of_member.push_back(known->second);
  }
  return rack_of_member;
}

Result<MemberList> MemberList::with(const Member& member) const {
  if (const Result<void> valid = check(member, weight_total_); !valid) {
    return std::unexpected<Error>(valid.error());
  }
  if (find(member.name)) {
    return fail(scheme_, fmt::format("'{}' is a member already", member.name));
  }
  if (members_.size() >= kMembersMax) {
    return fail(scheme_, fmt::format("more than {} members", kMembersMax));
  }
  MemberList changed = *this;
  changed.members_.insert(std::ranges::upper_bound(changed.members_, member.name, {}, &Member::name), member);
  changed.weight_total_ += member.weight;
  changed.set_racks();
  return changed;
}

Result<MemberList> MemberList::without(std::string_view name) const {
  const std::optional<MemberIndex> index = find(name);
  if (!index) {
    return not_a_member(scheme_, name);
  }
  MemberList changed = *this;
  changed.weight_total_ -= members_[*index].weight;
  changed.members_.erase(changed.members_.begin() + *index);
  changed.set_racks();
  return changed;
}

Result<MemberList> MemberList::with_weight(std::string_view name, std::int64_t weight) const {
  const std::optional<MemberIndex> index = find(name);
  if (!index) {
    return not_a_member(scheme_, name);
  }
  const std::int64_t others = weight_total_ - members_[*index].weight;
  if (const Result<void> valid = check({.name = std::string(name), .weight = weight}, others); !valid) {
    return std::unexpected<Error>(valid.error());
  }
  MemberList changed = *this;
  changed.members_[*index].weight = weight;
  changed.weight_total_ = others + weight;
  return changed;
}

std::optional<MemberIndex> MemberList::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(members_, name, {}, &Member::name);
  if (found == members_.end() || found->name != name) {
    return std::nullopt;
  }
  return static_cast<MemberIndex>(found - members_.begin());
}

std::vector<std::optional<MemberIndex>> MemberList::indices_since(const MemberList& before) const {
  std::vector<std::optional<MemberIndex>> indices;
  indices.reserve(before.size());
  for (const Member& member : before.members_) {
    indices.push_back(find(member.name));
  }
  return indices;
}

// Each weight is checked before it is added, so that the sum of the two cannot overflow.
Result<void> MemberList::check(const Member& member, std::int64_t others) const {
  if (const Result<void> valid = check_member(scheme_, member); !valid) {
    return valid;
  }
  if (others + member.weight > weight_max_) {
    return fail(scheme_, fmt::format("the weights sum to {}, more than {}", others + member.weight, weight_max_));
  }
  return {};
}

void MemberList::set_racks() {
  racks_ = number_racks(members_);
  rack_count_ = racks_.empty() ? 0 : std::size_t{1} + *std::ranges::max_element(racks_);
}

}  // namespace shardcheck::impl
