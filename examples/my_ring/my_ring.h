// A placement of one's own: rendezvous hashing (Thaler and Ravishankar 1998). A key belongs to the member with the
// highest score for it, and its replicas are those with the next ones. No points, so the laws judge it by keys.
#pragma once

#include <algorithm>
#include <cmath>

#include "spec/placement.h"

class MyRing final : public shardcheck::Placement {
 public:
  shardcheck::PlacementPromises promises() const override {
    using enum shardcheck::Promise;
    return {.determinism = exactly, .movement = exactly, .movement_share = within_bound, .balance = within_bound};
  }

  shardcheck::Result<void> add(const shardcheck::Member& member) override {
    if (member.name.empty() || !is_weight(member.weight) || find(member.name) != members_.end()) {
      return shardcheck::fail("my_ring", "no new member with a weight");
    }
    members_.push_back(member);
    return {};
  }

  shardcheck::Result<void> remove(std::string_view name) override {
    if (find(name) == members_.end()) {
      return shardcheck::fail("my_ring", "unknown member");
    }
    members_.erase(find(name));
    return {};
  }

  shardcheck::Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    if (find(name) == members_.end() || !is_weight(weight)) {
      return shardcheck::fail("my_ring", "unknown member, or no weight");
    }
    find(name)->weight = weight;
    return {};
  }

  shardcheck::Result<std::string_view> owner(std::string_view key) const override {
    if (members_.empty()) {
      return shardcheck::fail("my_ring", "no members");
    }
    return std::ranges::max_element(members_, {}, [&](const auto& member) { return score(key, member); })->name;
  }

  shardcheck::Result<std::vector<std::string_view>> preference_list(std::string_view key,
                                                                    std::size_t count) const override {
    if (count > members_.size()) {
      return shardcheck::fail("my_ring", "more replicas than members");
    }
    std::vector<const shardcheck::Member*> best;
    for (const auto& member : members_) {
      best.push_back(&member);
    }
    std::ranges::sort(best, std::ranges::greater{}, [&](const auto* member) { return score(key, *member); });
    // One of every rack first: stable, so that the scores still decide within both halves.
    std::vector<std::string_view> names, others;
    std::vector<std::string_view> racks;
    for (const auto* member : best) {
      const bool is_rack_taken = !member->rack.empty() && std::ranges::find(racks, member->rack) != racks.end();
      (is_rack_taken ? others : names).push_back(member->name);
      racks.push_back(member->rack);
    }
    names.insert(names.end(), others.begin(), others.end());
    names.resize(count);
    return names;
  }

 private:
  static bool is_weight(std::int64_t weight) { return weight >= 1 && weight <= shardcheck::kWeightMax; }

  std::vector<shardcheck::Member>::iterator find(std::string_view name) {
    return std::ranges::find(members_, name, &shardcheck::Member::name);
  }

  static std::uint64_t mix(std::uint64_t hash, std::string_view text) {
    for (const char byte : text) {
      hash = (hash ^ static_cast<unsigned char>(byte)) * 0x9fb21c651e98df25;
      hash ^= hash >> 29;
    }
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93;
    return hash ^ (hash >> 32);
  }

  // -weight / ln(u), with u in (0, 1) from the hash: the highest one is a member's with probability weight / total.
  static double score(std::string_view key, const shardcheck::Member& member) {
    const std::uint64_t hash = mix(mix(0, member.name), key);
    return -static_cast<double>(member.weight) / std::log((static_cast<double>(hash >> 12) + 0.5) / 0x1p52);
  }

  std::vector<shardcheck::Member> members_;
};
