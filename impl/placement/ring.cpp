#include "impl/placement/ring.h"

#include <fmt/format.h>
#include <md5.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <utility>

#include "impl/placement/member_list.h"
#include "spec/assert.h"

namespace shardcheck::impl {
std::uint32_t ring_hash(std::string_view text) {
  MD5_CTX context;
  MD5Init(&context);
  MD5Update(&context, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  std::array<std::uint8_t, MD5_DIGEST_LENGTH> digest;
  MD5Final(digest.data(), &context);
  return std::uint32_t{digest[0]} << 24 | std::uint32_t{digest[1]} << 16 | std::uint32_t{digest[2]} << 8 |
         std::uint32_t{digest[3]};
}

Ring::Ring(RingOptions options)
    : parameters_(options.parameters), decisions_(options.mutant), table_(std::make_shared<const RingTable>()) {
  SHARDCHECK_ASSERT(parameters_.virtual_nodes >= 1);
  SHARDCHECK_ASSERT(parameters_.position_bits >= 1 && parameters_.position_bits <= 32);
}

PlacementPromises Ring::promises() const {
  return {.determinism = Promise::exactly,
          .movement = Promise::exactly,
          .movement_share = Promise::within_bound,
          .balance = Promise::within_bound,
          .points_per_weight = parameters_.virtual_nodes,
          .golden = std::string(kGoldenRing)};
}

Result<void> Ring::add(const Member& member) { return add_all(std::span(&member, 1)); }

Result<void> Ring::add_all(std::span<const Member> added) {
  std::vector<Member> all = members_;
  std::int64_t added_weight = 0;
  for (const Member& member : added) {
    if (const Result<void> valid = check_member("ring", member); !valid) {
      return valid;
    }
    added_weight += member.weight;
    if (const Result<void> fits = check_new_total(added_weight); !fits) {
      return fits;
    }
    all.push_back(member);
  }
  if (all.size() > kRingMembersMax) {
    return fail("ring", fmt::format("more than {} members", kRingMembersMax));
  }
  std::ranges::sort(all, {}, &Member::name);
  if (const Result<void> valid = check_distinct("ring", all); !valid) {
    return valid;
  }
  // The numbers of the members that were there move up by how many came before them.
  std::vector<MemberIndex> renumbered;
  std::vector<RingPoint> new_points;
  for (std::size_t index = 0; index < all.size(); ++index) {
    const MemberIndex number = static_cast<MemberIndex>(index);
    if (renumbered.size() < members_.size() && members_[renumbered.size()].name == all[index].name) {
      renumbered.push_back(number);
    } else {
      std::ranges::copy(points_of(all[index].name, number, 0, all[index].weight), std::back_inserter(new_points));
    }
  }
  for (RingPoint& point : points_) {
    point.member = renumbered[point.member];
  }
  members_ = std::move(all);
  weight_total_ += added_weight;
  insert_points(std::move(new_points));
  rebuild_table();
  return {};
}

Result<void> Ring::remove(std::string_view name) {
  const auto member = find(name);
  if (member == members_.end()) {
    return not_a_member("ring", name);
  }
  const MemberIndex index = static_cast<MemberIndex>(member - members_.begin());
  std::vector<RingPoint> gone;
  std::ranges::copy_if(points_, std::back_inserter(gone), [&](RingPoint point) { return point.member == index; });
  erase_points(index, gone);
  for (RingPoint& point : points_) {
    point.member = static_cast<MemberIndex>(point.member - (point.member > index ? 1 : 0));
  }
  weight_total_ -= member->weight;
  members_.erase(member);
  rebuild_table();
  return {};
}

Result<void> Ring::set_weight(std::string_view name, std::int64_t weight) {
  const auto found = find(name);
  if (found == members_.end()) {
    return not_a_member("ring", name);
  }
  const MemberIndex index = static_cast<MemberIndex>(found - members_.begin());
  Member changed = *found;
  const std::int64_t before = std::exchange(changed.weight, weight);
  if (const Result<void> valid = check_member("ring", changed); !valid) {
    return valid;
  }
  if (const Result<void> fits = check_new_total(weight - before); !fits) {
    return fits;
  }
  if (weight > before) {
    insert_points(points_of(name, index, before, weight));
  } else {
    erase_points(index, points_of(name, index, weight, before));
  }
  weight_total_ += weight - before;
  members_[index] = std::move(changed);
  rebuild_table();
  return {};
}

Result<std::string_view> Ring::owner(std::string_view key) const { return owner_at(position_of_text(key)); }

Result<std::vector<std::string_view>> Ring::preference_list(std::string_view key, std::size_t count) const {
  if (count > members_.size()) {
    return fail("ring", fmt::format("{} replicas asked of {} members", count, members_.size()));
  }
  if (count == 0 || table_->is_empty()) {
    return {};
  }
  std::vector<MemberIndex> chosen(count);
  chosen.resize(table_->preference_list_at(position_of_text(key), chosen));
  std::vector<std::string_view> names;
  names.reserve(count);
  for (const MemberIndex member : chosen) {
    names.push_back(members_[member].name);
  }
  return names;
}

std::vector<PlacementPoint> Ring::points() const {
  std::vector<PlacementPoint> named;
  named.reserve(points_.size());
  for (const RingPoint point : points_) {
    named.push_back({.position = point.position, .member = members_[point.member].name});
  }
  return named;
}

std::uint64_t Ring::position_max() const { return (std::uint64_t{1} << parameters_.position_bits) - 1; }

std::optional<std::uint64_t> Ring::position_of(std::string_view key) const { return position_of_text(key); }

Result<std::string_view> Ring::owner_at(std::uint64_t position) const {
  if (position > position_max()) {
    return fail("ring", fmt::format("position {} is above {}", position, position_max()));
  }
  if (table_->is_empty()) {
    return fail("ring", "no member owns anything, there is none");
  }
  return members_[owner_index_at(static_cast<std::uint32_t>(position))].name;
}

std::uint32_t Ring::position_of_text(std::string_view text) const {
  return ring_hash(text) >> (32 - parameters_.position_bits);
}

// A mutant of the routing cannot be built into the table; the table alone, which routers ask, never takes this branch.
MemberIndex Ring::owner_index_at(std::uint32_t position) const {
  return decisions_.routes_by_modulo() ? static_cast<MemberIndex>(position % members_.size())
                                       : table_->owner_at(position);
}

std::vector<Member>::const_iterator Ring::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(members_, name, {}, &Member::name);
  return found != members_.end() && found->name == name ? found : members_.end();
}

// Every single weight is at most kWeightMax and there are at most kRingMembersMax of them: the sum cannot overflow.
Result<void> Ring::check_new_total(std::int64_t added_weight) const {
  const std::int64_t weight_max = static_cast<std::int64_t>(kRingPointsMax / parameters_.virtual_nodes);
  if (weight_total_ + added_weight > weight_max) {
    return fail("ring", fmt::format("the weights sum to {}, more than the {} for which there are points",
                                    weight_total_ + added_weight, weight_max));
  }
  return {};
}

// The points that a member has at weight `to` and not yet at weight `from`. The label depends on the member alone: one
// that counted all members, or all points before it, would move the points of members that did not change.
std::vector<RingPoint> Ring::points_of(std::string_view name, MemberIndex index, std::int64_t from,
                                       std::int64_t to) const {
  std::vector<RingPoint> points;
  points.reserve(static_cast<std::size_t>(to - from) * parameters_.virtual_nodes);
  std::string label = fmt::format("{}#", name);
  const std::size_t name_length = label.size();
  for (std::int64_t number = from * parameters_.virtual_nodes; number < to * parameters_.virtual_nodes; ++number) {
    label.resize(name_length);
    fmt::format_to(std::back_inserter(label), "{}", number);
    points.push_back({.position = position_of_text(label), .member = index});
  }
  return points;
}

void Ring::insert_points(std::vector<RingPoint> added) {
  std::ranges::sort(added);
  std::vector<RingPoint> merged;
  merged.reserve(points_.size() + added.size());
  const auto put = [&](RingPoint point) {
    if (!decisions_.keeps_both_at_one_position() && !merged.empty() && merged.back().position == point.position) {
      merged.back() = point;
    } else {
      merged.push_back(point);
    }
  };
  auto present = points_.begin();
  for (const RingPoint point : added) {
    while (present != points_.end() && decisions_.stays_before(*present, point)) {
      put(*present++);
    }
    put(point);
  }
  std::for_each(present, points_.end(), put);
  points_ = std::move(merged);
}

// Takes away one point for each of `gone`, which may have two at one position.
void Ring::erase_points(MemberIndex member, std::vector<RingPoint> gone) {
  std::ranges::sort(gone);
  std::vector<RingPoint> kept;
  kept.reserve(points_.size());
  auto next_gone = gone.begin();
  for (const RingPoint point : points_) {
    while (next_gone != gone.end() && next_gone->position < point.position) {
      ++next_gone;
    }
    const bool is_met = next_gone != gone.end() && next_gone->position == point.position;
    if (is_met && decisions_.goes_with(point, member)) {
      next_gone += decisions_.takes_one_point_each() ? 1 : 0;
      continue;
    }
    kept.push_back(point);
  }
  points_ = std::move(kept);
}

void Ring::rebuild_table() {
  table_ = std::make_shared<const RingTable>(points_, parameters_.position_bits, number_racks(members_), decisions_);
}

PlacementFactory ring_factory(Mutant mutant) {
  const std::string name = mutant == Mutant::none ? "ring" : fmt::format("ring+{}", row_of(mutant).name);
  return {.name = name, .make = [mutant](PlacementParameters parameters) -> std::unique_ptr<Placement> {
            return std::make_unique<Ring>(RingOptions{.parameters = parameters, .mutant = mutant});
          }};
}

}  // namespace shardcheck::impl
