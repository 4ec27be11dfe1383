// A placement made of one function, for tests that show a law what it must refuse. Membership and errors are right, the
// choice of an owner is the test's.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "spec/placement.h"

namespace shardcheck {

// Members in the order in which they came; nobody when the scheme at hand fails.
using ChooseOwner = std::function<std::optional<std::size_t>(std::span<const Member>, std::string_view key)>;

class ToyPlacement final : public Placement {
 public:
  ToyPlacement(PlacementPromises claims, ChooseOwner choose) : claims_(std::move(claims)), choose_(std::move(choose)) {}

  PlacementPromises promises() const override { return claims_; }

  Result<void> add(const Member& member) override {
    const bool is_weight_valid = member.weight >= 1 && member.weight <= kWeightMax;
    if (member.name.empty() || !is_weight_valid || find(member.name) != members_.end()) {
      return fail("toy", "not a member to be");
    }
    members_.push_back(member);
    return {};
  }
  Result<void> remove(std::string_view name) override {
    const auto gone = find(name);
    if (gone == members_.end()) {
      return fail("toy", "unknown member");
    }
    members_.erase(gone);
    return {};
  }
  Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    const auto member = find(name);
    if (member == members_.end() || weight < 1 || weight > kWeightMax) {
      return fail("toy", "not a weight");
    }
    member->weight = weight;
    return {};
  }

  Result<std::string_view> owner(std::string_view key) const override {
    const std::optional<std::size_t> chosen = members_.empty() ? std::nullopt : choose_(members_, key);
    return chosen ? Result<std::string_view>(members_[*chosen].name) : fail("toy", "nobody");
  }
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override {
    const Result<std::string_view> first = owner(key);
    if (count > members_.size() || !first) {
      return fail("toy", "too few members");
    }
    std::vector<std::string_view> list{*first};
    for (const Member& member : members_) {
      if (member.name != *first) {
        list.push_back(member.name);
      }
    }
    list.resize(count);
    return list;
  }

 private:
  std::vector<Member>::iterator find(std::string_view name) { return std::ranges::find(members_, name, &Member::name); }

  PlacementPromises claims_;
  ChooseOwner choose_;
  std::vector<Member> members_;
};

// `choice` makes the function of one instance, so that instances can differ, as processes do.
inline PlacementFactory toy_factory(PlacementPromises claims, std::function<ChooseOwner()> choice) {
  return {.name = "toy", .make = [claims, choice](PlacementParameters) -> std::unique_ptr<Placement> {
            return std::make_unique<ToyPlacement>(claims, choice());
          }};
}

// What all of these bugs claim beside P1: nothing, or balance.
inline constexpr bool kClaimsBalance = true;
inline PlacementPromises toy_claims(bool is_balance_claimed = false) {
  return {.movement = Promise::none, .balance = is_balance_claimed ? Promise::within_bound : Promise::none};
}

inline std::uint64_t fnv1a_64(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return hash;
}

inline std::uint32_t fnv1a_32(std::string_view text) {
  std::uint32_t hash = 0x811c9dc5;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x01000193;
  }
  return hash;
}

}  // namespace shardcheck
