#include "impl/placement/naive_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "impl/placement/ring.h"

namespace shardcheck::impl {
namespace {

constexpr std::array kMutants{Mutant::ring_signed_compare,     Mutant::ring_index_sorted_as_string,
                              Mutant::ring_salted_hash,        Mutant::ring_label_depends_on_n,
                              Mutant::ring_weight_floor_zero,  Mutant::ring_weight_ignored,
                              Mutant::ring_add_remove_residue, Mutant::pref_no_wrap};

// A bisection over the list as it is sorted, by the comparison that is asked for.
template <class IsBelow>
std::size_t bisect(std::size_t size, IsBelow is_below) {
  std::size_t first = 0;
  while (first < size) {
    const std::size_t middle = first + (size - first) / 2;
    if (is_below(middle)) {
      first = middle + 1;
    } else {
      size = middle;
    }
  }
  return first;
}

}  // namespace

NaiveRing::NaiveRing(PlacementParameters parameters, Mutant mutant)
    : parameters_(parameters),
      mutant_(mutant),
      members_("ring", static_cast<std::int64_t>(kRingPointsMax / parameters.virtual_nodes)) {}

PlacementPromises NaiveRing::promises() const {
  return {.movement_share = Promise::within_bound,
          .balance = Promise::within_bound,
          .points_per_weight = parameters_.virtual_nodes,
          .golden = std::string(kGoldenRing)};
}

Result<void> NaiveRing::add(const Member& member) {
  Result<MemberList> next = members_.with(member);
  if (!next) {
    return std::unexpected<Error>(next.error());
  }
  if (mutant_ == Mutant::ring_salted_hash && salt_.empty()) {
    salt_ = member.name;  // stands for the time or the address that such a ring is seeded with
  }
  members_ = *std::move(next);
  members_at_last_join_ = members_.size();
  joined_.push_back(member.name);
  has_points_ = false;
  return {};
}

Result<void> NaiveRing::remove(std::string_view name) {
  Result<MemberList> next = members_.without(name);
  if (!next) {
    return std::unexpected<Error>(next.error());
  }
  if (mutant_ == Mutant::ring_add_remove_residue) {
    residue_.push_back(*std::ranges::find(sorted_points(), name, &PlacementPoint::member));
  }
  members_ = *std::move(next);
  std::erase(joined_, name);
  has_points_ = false;
  return {};
}

Result<void> NaiveRing::set_weight(std::string_view name, std::int64_t weight) {
  Result<MemberList> next = members_.with_weight(name, weight);
  if (!next) {
    return std::unexpected<Error>(next.error());
  }
  members_ = *std::move(next);
  has_points_ = false;
  return {};
}

Result<std::string_view> NaiveRing::owner(std::string_view key) const { return owner_at(position_of_text(key)); }

Result<std::vector<std::string_view>> NaiveRing::preference_list(std::string_view key, std::size_t count) const {
  if (count > members_.size()) {
    return fail("ring", fmt::format("{} replicas asked of {} members", count, members_.size()));
  }
  const std::vector<PlacementPoint>& points = sorted_points();
  if (count == 0 || points.empty()) {
    return {};
  }
  const std::size_t first = rank_at(position_of_text(key));
  const std::size_t steps = mutant_ == Mutant::pref_no_wrap ? points.size() - first : points.size();
  // A point that somebody left behind names nobody who could hold a replica.
  std::vector<MemberIndex> order;
  for (std::size_t step = 0; step < steps; ++step) {
    if (const std::optional<MemberIndex> member = members_.find(name_at((first + step) % points.size()))) {
      order.push_back(*member);
    }
  }
  std::vector<std::string_view> names;
  for (const MemberIndex member :
       choose_replicas(members_, count, order.size(), [&](std::size_t step) { return order[step]; })) {
    names.push_back(members_[member].name);
  }
  return names;
}

std::uint64_t NaiveRing::position_max() const { return (std::uint64_t{1} << parameters_.position_bits) - 1; }

std::optional<std::uint64_t> NaiveRing::position_of(std::string_view key) const { return position_of_text(key); }

Result<std::string_view> NaiveRing::owner_at(std::uint64_t position) const {
  if (position > position_max()) {
    return fail("ring", fmt::format("position {} is above {}", position, position_max()));
  }
  if (members_.is_empty() || sorted_points().empty()) {
    return fail("ring", "no member owns anything, there is none");
  }
  return name_at(rank_at(position));
}

std::uint64_t NaiveRing::position_of_text(std::string_view text) const {
  const std::uint32_t hash = salt_.empty() ? ring_hash(text) : ring_hash(fmt::format("{} {}", salt_, text));
  return hash >> (32 - parameters_.position_bits);
}

std::int64_t NaiveRing::points_for(const Member& member) const {
  const std::int64_t virtual_nodes = parameters_.virtual_nodes;
  if (mutant_ == Mutant::ring_weight_ignored) {
    return virtual_nodes;
  }
  if (mutant_ != Mutant::ring_weight_floor_zero) {
    return virtual_nodes * member.weight;
  }
  std::int64_t weight_max = 1;
  for (std::size_t index = 0; index < members_.size(); ++index) {
    weight_max = std::max(weight_max, members_[static_cast<MemberIndex>(index)].weight);
  }
  return virtual_nodes * member.weight / weight_max;
}

const std::vector<PlacementPoint>& NaiveRing::sorted_points() const {
  if (has_points_) {
    return points_;
  }
  points_ = residue_;
  for (std::size_t index = 0; index < members_.size(); ++index) {
    const Member& member = members_[static_cast<MemberIndex>(index)];
    const std::int64_t count = points_for(member);
    for (std::int64_t number = 0; number < count; ++number) {
      std::string label = fmt::format("{}#{}", member.name, number);
      if (mutant_ == Mutant::ring_label_depends_on_n) {
        label += fmt::format("#{}", members_at_last_join_);
      }
      points_.push_back({.position = position_of_text(label), .member = member.name});
    }
  }
  std::ranges::sort(points_);
  if (mutant_ == Mutant::ring_index_sorted_as_string) {
    mix_up_names();
  }
  has_points_ = true;
  return points_;
}

std::size_t NaiveRing::rank_at(std::uint64_t position) const {
  const std::vector<PlacementPoint>& points = sorted_points();
  const std::size_t rank = bisect(points.size(), [&](std::size_t index) {
    return mutant_ == Mutant::ring_signed_compare
               ? static_cast<std::int32_t>(points[index].position) < static_cast<std::int32_t>(position)
               : points[index].position < position;
  });
  return rank < points.size() ? rank : 0;
}

std::string_view NaiveRing::name_at(std::size_t rank) const {
  const std::vector<PlacementPoint>& points = sorted_points();
  return mutant_ == Mutant::ring_index_sorted_as_string ? answers_[rank] : points[rank].member;
}

// A point knows the number of its member, in the order in which they came; the list of names is sorted by the numbers'
// text, where 10 comes before 2.
void NaiveRing::mix_up_names() const {
  std::vector<std::string> numbers;
  for (std::size_t number = 0; number < joined_.size(); ++number) {
    numbers.push_back(std::to_string(number));
  }
  std::ranges::sort(numbers);
  std::map<std::string_view, std::string_view> answer_for;
  for (std::size_t place = 0; place < joined_.size(); ++place) {
    answer_for[joined_[place]] = joined_[std::stoul(numbers[place])];
  }
  answers_.clear();
  for (const PlacementPoint& point : points_) {
    answers_.emplace_back(answer_for[point.member]);
  }
}

PlacementFactory naive_ring_factory(Mutant mutant) {
  const std::string name = mutant == Mutant::none ? "naive ring" : fmt::format("ring+{}", row_of(mutant).name);
  return {.name = name, .make = [mutant](PlacementParameters parameters) -> std::unique_ptr<Placement> {
            return std::make_unique<NaiveRing>(parameters, mutant);
          }};
}

bool is_in_naive_ring(Mutant mutant) { return std::ranges::find(kMutants, mutant) != kMutants.end(); }

}  // namespace shardcheck::impl
