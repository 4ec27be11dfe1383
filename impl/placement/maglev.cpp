#include "impl/placement/maglev.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "impl/placement/placement_hash.h"
#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

bool is_prime(std::uint32_t number) {
  for (std::uint32_t divisor = 2; std::uint64_t{divisor} * divisor <= number; ++divisor) {
    if (number % divisor == 0) {
      return false;
    }
  }
  return number >= 2;
}

// A member's way through the table: slot, slot + stride, ... meets every slot, since their number is prime.
struct Turn {
  std::uint64_t slot;
  std::uint64_t stride;
  std::int64_t credit;  // a turn costs the greatest weight
};

}  // namespace

std::uint32_t prime_from(std::uint32_t number) {
  SHARDCHECK_ASSERT(number <= kMaglevSlotsMax);
  while (!is_prime(number)) {
    ++number;
  }
  return number;
}

MaglevTable::MaglevTable(MaglevOptions options) : members_("maglev"), options_(options), slots_(options.slots) {
  SHARDCHECK_ASSERT(options.slots <= kMaglevSlotsMax && is_prime(options.slots));
}

PlacementPromises MaglevTable::promises() const {
  return {.determinism = Promise::exactly,
          .movement = Promise::within_bound,
          .movement_share = Promise::within_bound,
          .balance = Promise::exactly,
          .has_sliding_lists = false,
          .stray_permille_max = kMaglevStrayPermille,
          .partitions_off_max = kMaglevSlotsOff + least_};
}

Result<MaglevTable> MaglevTable::changed(MemberList members) const {
  if (members.size() >= options_.slots) {
    return fail(members.scheme(), fmt::format("as many members as the {} slots", options_.slots));
  }
  MaglevTable next(options_);
  next.members_ = std::move(members);
  if (!next.members_.is_empty()) {
    next.fill();
  }
  return next;
}

// A slot for each of the lightest whose share of what is left is no whole one; the others' shares of the rest, rounded
// so that the largest parts of slots count as whole ones.
std::vector<std::uint64_t> MaglevTable::quotas() {
  const auto weight_of = [&](std::size_t index) {
    return static_cast<std::uint64_t>(members_[static_cast<MemberIndex>(index)].weight);
  };
  std::vector<std::size_t> by_weight(members_.size());
  std::iota(by_weight.begin(), by_weight.end(), std::size_t{0});
  std::ranges::sort(by_weight, {}, [&](std::size_t index) { return std::pair(weight_of(index), index); });
  std::vector<std::uint64_t> quotas(members_.size(), 1);
  std::uint64_t slots = slots_.size();
  auto weights = static_cast<std::uint64_t>(members_.weight_total());
  least_ = 0;
  while (slots * weight_of(by_weight[least_]) < weights) {
    weights -= weight_of(by_weight[least_++]);
    --slots;
  }
  std::vector<std::size_t> others(by_weight.begin() + least_, by_weight.end());
  std::uint64_t left = slots;
  for (const std::size_t index : others) {
    quotas[index] = slots * weight_of(index) / weights;
    left -= quotas[index];
  }
  std::ranges::sort(others, {},
                    [&](std::size_t index) { return std::pair(weights - slots * weight_of(index) % weights, index); });
  for (std::size_t i = 0; i < left; ++i) {
    ++quotas[others[i]];
  }
  return quotas;
}

void MaglevTable::fill() {
  std::vector<std::uint64_t> left = quotas();
  std::int64_t weight_max = 1;
  for (std::size_t index = 0; index < members_.size(); ++index) {
    weight_max = std::max(weight_max, members_[static_cast<MemberIndex>(index)].weight);
  }
  std::vector<Turn> turns;
  for (std::size_t index = 0; index < members_.size(); ++index) {
    const Member& member = members_[static_cast<MemberIndex>(index)];
    turns.push_back({.slot = scale_hash(placement_hash(member.name, 2), slots_.size()),
                     .stride = 1 + scale_hash(placement_hash(member.name, 3), slots_.size() - 1),
                     .credit = weight_max - member.weight});
  }
  std::vector<bool> is_taken(slots_.size());
  std::size_t free_slots = slots_.size();
  // Everybody has its slots after at most one round more than there are slots.
  while (free_slots > 0) {
    for (std::size_t index = 0; index < turns.size() && free_slots > 0; ++index) {
      Turn& turn = turns[index];
      turn.credit += members_[static_cast<MemberIndex>(index)].weight;
      if (turn.credit < weight_max || left[index] == 0) {
        continue;
      }
      turn.credit -= weight_max;
      --left[index];
      while (is_taken[turn.slot]) {
        turn.slot = (turn.slot + turn.stride) % slots_.size();
      }
      is_taken[turn.slot] = true;
      slots_[turn.slot] = static_cast<MemberIndex>(index);
      --free_slots;
    }
  }
}

std::vector<MemberIndex> MaglevTable::replicas(std::string_view key, std::size_t count) const {
  const std::uint64_t first = partition_of(key);
  return choose_replicas(members_, count, slots_.size(),
                         [&](std::size_t step) { return slots_[(first + step) % slots_.size()]; });
}

std::uint64_t MaglevTable::partition_of(std::string_view key) const {
  return scale_hash(cut_hash(placement_hash(key), options_.position_bits), slots_.size());
}

PlacementFactory maglev_factory() {
  return table_factory("maglev", [](PlacementParameters parameters) {
    const std::uint64_t slots = (std::uint64_t{parameters.virtual_nodes} * 65'537 + 99) / 100;
    return MaglevTable(
        {.slots = prime_from(static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, kMaglevSlotsMax))),
         .position_bits = parameters.position_bits});
  });
}

}  // namespace shardcheck::impl
