#include "impl/placement/partition_map.h"

#include <algorithm>

#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

constexpr MemberIndex kNobody = 0xffff;

// One change of a map, partition by partition. Distances from the fair share are in partitions times the weight of all,
// so that no share is rounded.
class PartitionMove {
 public:
  PartitionMove(const PartitionOwners& owners, const MemberList& before, const MemberList& after)
      : after_(after), owners_(owners), held_(after.size()), is_changed_(after.size()) {
    const bool was_empty = before.is_empty();
    const std::vector<std::optional<MemberIndex>> indices = after.indices_since(before);
    for (MemberIndex& owner : owners_) {
      owner = was_empty ? kNobody : indices[owner].value_or(kNobody);
      if (owner != kNobody) {
        ++held_[owner];
      }
    }
    for (std::size_t index = 0; index < after.size(); ++index) {
      const Member& member = after[static_cast<MemberIndex>(index)];
      const std::optional<MemberIndex> known = before.find(member.name);
      is_changed_[index] = !known || before[*known].weight != member.weight;
    }
  }

  PartitionOwners run() {
    if (after_.is_empty()) {
      return owners_;
    }
    for (std::size_t partition = 0; partition < owners_.size(); ++partition) {
      if (owners_[partition] == kNobody) {
        give(partition, furthest_below());
      }
    }
    for (std::size_t index = 0; index < after_.size(); ++index) {
      if (is_changed_[index]) {
        shrink(static_cast<MemberIndex>(index));
      }
    }
    for (std::size_t index = 0; index < after_.size(); ++index) {
      if (is_changed_[index]) {
        grow(static_cast<MemberIndex>(index));
      }
    }
    return owners_;
  }

 private:
  // Until it is less than a partition off; and further, up to its fair share, while that helps who is a partition off:
  // else what many light members lack by a fraction each would all stay with one heavy one.
  void shrink(MemberIndex member) {
    while (held_[member] > 1) {
      const MemberIndex taker = furthest_below();
      const bool relieves = excess(member) > 0 && excess(taker) <= -after_.weight_total();
      if (excess(member) < after_.weight_total() && !relieves) {
        return;
      }
      give(last_of(member), taker);
    }
  }
  void grow(MemberIndex member) {
    while (const std::optional<MemberIndex> giver = furthest_above(member)) {
      const bool is_short = excess(member) <= -after_.weight_total() || held_[member] == 0;
      const bool relieves = excess(member) < 0 && excess(*giver) >= after_.weight_total();
      if (!is_short && !relieves) {
        return;
      }
      give(last_of(*giver), member);
    }
  }

  std::int64_t excess(MemberIndex member) const {
    return held_[member] * after_.weight_total() - static_cast<std::int64_t>(owners_.size()) * after_[member].weight;
  }

  MemberIndex furthest_below() const {
    MemberIndex best = 0;
    for (std::size_t index = 1; index < after_.size(); ++index) {
      const MemberIndex member = static_cast<MemberIndex>(index);
      best = excess(member) < excess(best) ? member : best;
    }
    return best;
  }

  // Of those who have more than one partition, but for `taker`.
  std::optional<MemberIndex> furthest_above(MemberIndex taker) const {
    std::optional<MemberIndex> best;
    for (std::size_t index = 0; index < after_.size(); ++index) {
      const MemberIndex member = static_cast<MemberIndex>(index);
      if (member != taker && held_[index] > 1 && (!best || excess(member) > excess(*best))) {
        best = member;
      }
    }
    return best;
  }

  std::size_t last_of(MemberIndex member) const {
    const auto found = std::find(owners_.rbegin(), owners_.rend(), member);
    SHARDCHECK_ASSERT(found != owners_.rend());
    return static_cast<std::size_t>(owners_.rend() - found) - 1;
  }

  void give(std::size_t partition, MemberIndex member) {
    if (owners_[partition] != kNobody) {
      --held_[owners_[partition]];
    }
    owners_[partition] = member;
    ++held_[member];
  }

  const MemberList& after_;
  PartitionOwners owners_;
  std::vector<std::int64_t> held_;
  std::vector<bool> is_changed_;
};

}  // namespace

PartitionOwners move_partitions(const PartitionOwners& owners, const MemberList& before, const MemberList& after) {
  return PartitionMove(owners, before, after).run();
}

std::vector<MemberIndex> partition_replicas(const PartitionOwners& owners, const MemberList& members,
                                            std::size_t partition, std::size_t count) {
  return choose_replicas(members, count, owners.size() + members.size(), [&](std::size_t step) {
    return step < owners.size() ? owners[(partition + step) % owners.size()]
                                : static_cast<MemberIndex>(step - owners.size());
  });
}

}  // namespace shardcheck::impl
