// Splitting first, where writes outrun the replay of a whole range: its owner splits it in the middle when the abort is
// over, and then the halves are moved, the right one after the left one. Such a wish is forgotten in a crash, as all
// are, and dropped when the range has become another one meanwhile, or when it cannot be split.
#include "impl/mover.h"

namespace shardcheck::impl {
namespace {

constexpr std::uint8_t kSplitTries = 5;

bool is_worth_moving(const ShardRecord& record, NodeId target) {
  return !record.is_removed() && !record.is_data_lost && record.owner != target;
}

}  // namespace

// The directory has an id left for the half, as far as is known, and there are two keys at least.
bool Mover::may_split_first(const Known& known) const {
  const auto ids = std::ranges::count_if(moves_, [](const Known& it) { return it.changed_at != DirectoryPosition{}; });
  const KeyRange range = known.record.range;
  return known.splits < options_.splits_first_max && ids < options_.shard_ids() && next(range.lo) < range.hi;
}

void Mover::want_split_first(Known& known) {
  const ShardRecord& record = known.record;
  const KeyRange whole = record.range;
  const Key middle{whole.lo.value + (whole.hi.value - whole.lo.value) / 2};
  const auto splits = static_cast<std::uint8_t>(known.splits + 1);
  known.split_first = {StartMove{record.shard, record.target, record.how}, whole, middle, splits};
}

// `is_again`: it is time to repeat what may have been lost.
void Mover::resume_splits_first(bool is_again, ClusterOutputs& outputs) {
  for (Known& known : moves_) {
    if (known.split_first) {
      resume_split_first(known, is_again, outputs);
    } else if (known.second_half) {
      resume_second_half(known, outputs);
    }
  }
}

void Mover::resume_split_first(Known& known, bool is_again, ClusterOutputs& outputs) {
  SplitFirst& it = *known.split_first;
  const ShardRecord& record = known.record;
  const bool is_whole = record.range == it.whole;
  if (record.phase != MovePhase::none || (is_whole && it.tries > 0 && !is_again)) {
    return;
  }
  const bool is_left_half = record.range == KeyRange{it.whole.lo, it.middle};
  if (!(is_whole || is_left_half) || !is_worth_moving(record, it.wanted.target) || it.tries >= kSplitTries) {
    known.split_first.reset();
    return;
  }
  it.tries = static_cast<std::uint8_t>(it.tries + (is_whole || is_again));
  Known* const right = right_of(known);
  if (is_whole) {
    split(known, it.middle, outputs);
  } else if (right != nullptr) {
    const SplitFirst done = it;
    begin(done.wanted, outputs, done.splits);
    StartMove second = done.wanted;
    second.shard = right->record.shard;
    right->second_half = {second, record.shard, done.splits};
  }
}

void Mover::resume_second_half(Known& known, ClusterOutputs& outputs) {
  const SecondHalf it = *known.second_half;
  const Known& left = moves_[it.after.value];
  if (!is_worth_moving(known.record, it.wanted.target)) {
    known.second_half.reset();
  } else if (!left.wish && !left.split_first && left.record.phase == MovePhase::none &&
             known.record.phase == MovePhase::none) {
    begin(it.wanted, outputs, it.splits);
  }
}

}  // namespace shardcheck::impl
