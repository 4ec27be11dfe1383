#include "impl/placement/member_list.h"

#include <fmt/format.h>

#include <map>

namespace shardcheck::impl {

Result<MemberList> MemberList::with(const Member& member) const {
  if (member.name.empty()) {
    return fail(scheme_, "a member needs a name");
  }
  if (find(member.name)) {
    return fail(scheme_, fmt::format("'{}' is a member already", member.name));
  }
  if (members_.size() >= kMembersMax) {
    return fail(scheme_, fmt::format("more than {} members", kMembersMax));
  }
  if (const Result<void> valid = check_weight(member.name, member.weight, weight_total_); !valid) {
    return std::unexpected<Error>(valid.error());
  }
  MemberList changed = *this;
  changed.members_.insert(std::ranges::upper_bound(changed.members_, member.name, {}, &Member::name), member);
  changed.weight_total_ += member.weight;
  changed.number_racks();
  return changed;
}

Result<MemberList> MemberList::without(std::string_view name) const {
  const std::optional<MemberIndex> index = find(name);
  if (!index) {
    return fail(scheme_, fmt::format("'{}' is not a member", name));
  }
  MemberList changed = *this;
  changed.weight_total_ -= members_[*index].weight;
  changed.members_.erase(changed.members_.begin() + *index);
  changed.number_racks();
  return changed;
}

Result<MemberList> MemberList::with_weight(std::string_view name, std::int64_t weight) const {
  const std::optional<MemberIndex> index = find(name);
  if (!index) {
    return fail(scheme_, fmt::format("'{}' is not a member", name));
  }
  const std::int64_t others = weight_total_ - members_[*index].weight;
  if (const Result<void> valid = check_weight(name, weight, others); !valid) {
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
Result<void> MemberList::check_weight(std::string_view name, std::int64_t weight, std::int64_t others) const {
  if (weight < 1 || weight > kWeightMax) {
    return fail(scheme_, fmt::format("weight {} of '{}' is not in 1..{}", weight, name, kWeightMax));
  }
  if (others + weight > weight_max_) {
    return fail(scheme_, fmt::format("the weights sum to {}, more than {}", others + weight, weight_max_));
  }
  return {};
}

void MemberList::number_racks() {
  std::map<std::string_view, MemberIndex> numbers;
  racks_.clear();
  MemberIndex next = 0;
  for (const Member& member : members_) {
    if (member.rack.empty()) {
      racks_.push_back(next++);
      continue;
    }
    const auto [known, is_new] = numbers.emplace(member.rack, next);
    next = static_cast<MemberIndex>(next + (is_new ? 1 : 0));
    racks_.push_back(known->second);
  }
  rack_count_ = next;
}

}  // namespace shardcheck::impl
