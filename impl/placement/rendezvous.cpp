#include "impl/placement/rendezvous.h"

#include <algorithm>

#include "impl/placement/fixed_log2.h"
#include "impl/placement/placement_hash.h"

namespace shardcheck::impl {

bool RendezvousTable::Score::is_before(const Score& other) const {
  const Uint128 one = Uint128{log} * static_cast<std::uint64_t>(other.weight);
  const Uint128 another = Uint128{other.log} * static_cast<std::uint64_t>(weight);
  return one != another ? one < another : member < other.member;
}

RendezvousTable::Score RendezvousTable::score(std::uint64_t key_hash, MemberIndex member) const {
  const std::uint64_t hash = cut_hash(mix(key_hash ^ hashes_[member]), position_bits_);
  return {.log = negative_log2(hash), .weight = members_[member].weight, .member = member};
}

PlacementPromises RendezvousTable::promises() const {
  return {.determinism = Promise::exactly,
          .movement = Promise::exactly,
          .movement_share = Promise::within_bound,
          .balance = Promise::within_bound};
}

Result<RendezvousTable> RendezvousTable::changed(MemberList members) const {
  RendezvousTable next(position_bits_);
  for (std::size_t index = 0; index < members.size(); ++index) {
    next.hashes_.push_back(placement_hash(members[static_cast<MemberIndex>(index)].name, 1));
  }
  next.members_ = std::move(members);
  return next;
}

MemberIndex RendezvousTable::owner(std::string_view key) const {
  const std::uint64_t key_hash = placement_hash(key);
  Score best = score(key_hash, 0);
  for (std::size_t index = 1; index < hashes_.size(); ++index) {
    const Score other = score(key_hash, static_cast<MemberIndex>(index));
    if (other.is_before(best)) {
      best = other;
    }
  }
  return best.member;
}

std::vector<MemberIndex> RendezvousTable::replicas(std::string_view key, std::size_t count) const {
  const std::uint64_t key_hash = placement_hash(key);
  std::vector<Score> scores;
  for (std::size_t index = 0; index < hashes_.size(); ++index) {
    scores.push_back(score(key_hash, static_cast<MemberIndex>(index)));
  }
  std::ranges::sort(scores, [](const Score& one, const Score& other) { return one.is_before(other); });
  return choose_replicas(members_, count, scores.size(), [&](std::size_t step) { return scores[step].member; });
}

// With the weights, which a score needs.
std::size_t RendezvousTable::bytes() const { return hashes_.size() * (sizeof(std::uint64_t) + sizeof(Member::weight)); }

PlacementFactory rendezvous_factory() {
  return table_factory("rendezvous",
                       [](PlacementParameters parameters) { return RendezvousTable(parameters.position_bits); });
}

}  // namespace shardcheck::impl
