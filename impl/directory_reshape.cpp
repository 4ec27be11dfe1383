// Splits and merges in the directory's state: conditional on the very records that they were planned on, exclusive with
// moves and with one another, and each of them a grant of its own.
#include <algorithm>
#include <utility>

#include "impl/directory_state.h"

namespace shardcheck::impl {
namespace {

constexpr DirectoryState::Outcome kRefused{};

}  // namespace

// The range is at rest, its owner asks, and nothing has happened to it since the owner planned this.
bool DirectoryState::may_reshape(const Command& command, ShardId shard, DirectoryPosition planned_at) const {
  if (!knows(shard)) {
    return false;
  }
  const ShardRecord& record = records_[shard.value];
  const bool is_asked_by_owner = command.asked_by == record.owner || !decisions_.owner_splits_first();
  return is_asked_by_owner && planned_at == changed_at_[shard.value] && record.phase == MovePhase::none &&
         !record.is_data_lost && !record.is_removed() && record.joining == kNoNode;
}

// Both halves are granted anew, to the owner that they have, with the lease that it holds.
DirectoryState::Outcome DirectoryState::split_range(const Command& command, DirectoryPosition position) {
  const ShardRecord parent = records_[command.shard.value];
  const bool is_inside = parent.range.lo < command.at && command.at < parent.range.hi;
  if (!may_reshape(command, command.shard, command.planned_at) || command.planned_on != parent.epoch || !is_inside ||
      records_.size() >= shards_max_) {
    return kRefused;
  }
  const auto [left_range, right_range] = decisions_.halves(parent.range, command.at);
  ShardRecord left = parent;
  left.range = left_range;
  left.epoch = decisions_.epoch_of_halves(epoch_of_grant(parent, position), parent.epoch);
  ShardRecord right = left;
  right.shard = ShardId{static_cast<std::uint16_t>(records_.size())};
  right.range = right_range;
  records_[left.shard.value] = left;
  records_.push_back(right);
  changed_at_.push_back(position);
  return {.is_accepted = true,
          .change = RecordChange::bounds_changed,
          .is_lease_extended = false,
          .sibling = right.shard,
          .sibling_change = RecordChange::created,
          .is_metadata_split = false};
}

// What is left of the right neighbour is a record without keys: its id is not used again.
DirectoryState::Outcome DirectoryState::merge_ranges(const Command& command, DirectoryPosition position) {
  if (!may_reshape(command, command.shard, command.planned_at) ||
      !may_reshape(command, command.other, command.other_planned_at)) {
    return kRefused;
  }
  ShardRecord& left = records_[command.shard.value];
  ShardRecord& right = records_[command.other.value];
  if (command.planned_on != left.epoch || left.range.hi != right.range.lo || left.owner != right.owner ||
      left.members != right.members) {
    return kRefused;
  }
  // A record is kept by one metadata shard, and these are never merged.
  if (metadata_of(left.range.lo).id != metadata_of(right.range.lo).id) {
    return kRefused;
  }
  left.range.hi = right.range.hi;
  left.epoch = decisions_.epoch_of_merged(epoch_of_grant(left, position), left.epoch);
  // Until it applies this, the owner may act under both.
  left.lease_until = std::max(left.lease_until, right.lease_until);
  ShardRecord removed;
  removed.shard = right.shard;
  removed.range = {right.range.lo, right.range.lo};
  removed.epoch = left.epoch;
  right = removed;
  return {.is_accepted = true,
          .change = RecordChange::bounds_changed,
          .is_lease_extended = false,
          .sibling = right.shard,
          .sibling_change = RecordChange::removed,
          .is_metadata_split = false};
}

}  // namespace shardcheck::impl
