#include "impl/placement/point_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "impl/placement/member_list.h"
#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

RingTotals totals_of(std::span<const Member> members) {
  RingTotals totals{.members = members.size()};
  for (const Member& member : members) {
    totals.weight += member.weight;
  }
  return totals;
}

}  // namespace

PointRing::PointRing(const RingConvention& convention, PlacementParameters parameters)
    : convention_(&convention), parameters_(parameters) {
  SHARDCHECK_ASSERT(parameters_.position_bits >= 1 && parameters_.position_bits <= 32);
}

PlacementPromises PointRing::promises() const { return convention_->promises(totals_of(members_)); }

Result<void> PointRing::add(const Member& member) { return add_all(std::span(&member, 1)); }

Result<void> PointRing::add_all(std::span<const Member> added) {
  std::vector<Member> all = members_;
  all.insert(all.end(), added.begin(), added.end());
  return become(std::move(all));
}

Result<void> PointRing::remove(std::string_view name) {
  const auto gone = find(name);
  if (gone == members_.end()) {
    return not_a_member(convention_->name, name);
  }
  std::vector<Member> left = members_;
  left.erase(left.begin() + (gone - members_.begin()));
  return become(std::move(left));
}

Result<void> PointRing::set_weight(std::string_view name, std::int64_t weight) {
  const auto found = find(name);
  if (found == members_.end()) {
    return not_a_member(convention_->name, name);
  }
  std::vector<Member> changed = members_;
  changed[static_cast<std::size_t>(found - members_.begin())].weight = weight;
  return become(std::move(changed));
}

Result<void> PointRing::check(std::span<const Member> members) const {
  if (const Result<void> valid = check_distinct(convention_->name, members); !valid) {
    return valid;
  }
  const std::string where(convention_->name);
  std::map<std::string, std::string_view> named_by_label;
  for (const Member& member : members) {
    if (const Result<void> valid = check_member(where, member); !valid) {
      return valid;
    }
    const auto [known, is_new] = named_by_label.emplace(convention_->label_of(member.name), member.name);
    if (!is_new) {
      return fail(where, fmt::format("'{}' would have the points of '{}'", member.name, known->second));
    }
  }
  const RingTotals totals = totals_of(members);
  std::uint64_t points = 0;
  for (const Member& member : members) {
    points += convention_->point_count(member.weight, totals);
    if (points > kPointRingPointsMax) {
      return fail(where, fmt::format("more than {} points", kPointRingPointsMax));
    }
  }
  return {};
}

// Everything is built beside what is there and put in its place at the end: a failure changes nothing.
Result<void> PointRing::become(std::vector<Member> members) {
  std::ranges::sort(members, {}, &Member::name);
  if (Result<void> valid = check(members); !valid) {
    return valid;
  }
  const RingTotals totals = totals_of(members);
  std::vector<Point> points;
  for (std::size_t number = 0; number < members.size(); ++number) {
    const std::uint64_t count = convention_->point_count(members[number].weight, totals);
    for (const std::uint32_t position : convention_->positions_of(convention_->label_of(members[number].name), count)) {
      points.push_back(
          {.position = position >> (32 - parameters_.position_bits), .member = static_cast<std::uint32_t>(number)});
    }
  }
  std::ranges::sort(points);
  members_ = std::move(members);
  points_ = std::move(points);
  return {};
}

std::vector<Member>::const_iterator PointRing::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(members_, name, {}, &Member::name);
  return found != members_.end() && found->name == name ? found : members_.end();
}

std::size_t PointRing::rank_at(std::uint32_t position) const {
  const auto reached = std::ranges::lower_bound(points_, position, {}, &Point::position);
  return reached == points_.end() ? 0 : static_cast<std::size_t>(reached - points_.begin());
}

Result<std::string_view> PointRing::owner(std::string_view key) const { return owner_at(*position_of(key)); }

Result<std::string_view> PointRing::owner_at(std::uint64_t position) const {
  if (position > position_max()) {
    return fail(std::string(convention_->name), fmt::format("position {} is above {}", position, position_max()));
  }
  if (points_.empty()) {
    return fail(std::string(convention_->name), "no member has a point");
  }
  return members_[points_[rank_at(static_cast<std::uint32_t>(position))].member].name;
}

// Every member once; ends as soon as all of them were met.
std::vector<std::size_t> PointRing::members_met_from(std::size_t rank) const {
  std::vector<std::size_t> met;
  std::vector<bool> is_met(members_.size(), false);
  for (std::size_t step = 0; step < points_.size() && met.size() < members_.size(); ++step) {
    const std::size_t member = points_[(rank + step) % points_.size()].member;
    if (!is_met[member]) {
      is_met[member] = true;
      met.push_back(member);
    }
  }
  for (std::size_t member = 0; member < members_.size(); ++member) {
    if (!is_met[member]) {
      met.push_back(member);
    }
  }
  return met;
}

Result<std::vector<std::string_view>> PointRing::preference_list(std::string_view key, std::size_t count) const {
  if (count > members_.size()) {
    return fail(std::string(convention_->name),
                fmt::format("{} replicas asked for, there are {} members", count, members_.size()));
  }
  std::vector<std::string_view> first_of_racks;
  std::vector<std::string_view> others;
  std::set<std::string_view> racks;
  for (const std::size_t member : members_met_from(rank_at(static_cast<std::uint32_t>(*position_of(key))))) {
    const Member& met = members_[member];
    const bool is_first = met.rack.empty() || racks.insert(met.rack).second;
    (is_first ? first_of_racks : others).push_back(met.name);
  }
  first_of_racks.insert(first_of_racks.end(), others.begin(), others.end());
  first_of_racks.resize(count);
  return first_of_racks;
}

std::vector<PlacementPoint> PointRing::points() const {
  std::vector<PlacementPoint> named;
  named.reserve(points_.size());
  for (const Point& point : points_) {
    named.push_back({.position = point.position, .member = members_[point.member].name});
  }
  return named;
}

std::uint64_t PointRing::position_max() const { return (std::uint64_t{1} << parameters_.position_bits) - 1; }

std::optional<std::uint64_t> PointRing::position_of(std::string_view key) const {
  return convention_->position_of_key(key) >> (32 - parameters_.position_bits);
}

std::uint64_t PointRing::point_count_of(std::string_view name) const {
  const auto member = find(name);
  return member == members_.end() ? 0 : convention_->point_count(member->weight, totals_of(members_));
}

}  // namespace shardcheck::impl
