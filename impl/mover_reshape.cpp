// Splits and merges as the mover sees them: it passes the wish to the owner, which comes first. A merge of ranges that
// live apart moves the right one to the owner of the left one before. A wish is forgotten in a crash, as a wish for a
// move is.
#include "impl/mover.h"

namespace shardcheck::impl {
namespace {

constexpr std::uint8_t kMergeTries = 2;

bool is_at_rest(const ShardRecord& record) {
  return record.phase == MovePhase::none && !record.is_data_lost && !record.is_removed();
}

}  // namespace

void Mover::begin_reshape(const StartReshape& start, ClusterOutputs& outputs) {
  Known& known = moves_[start.shard.value];
  if (known.changed_at == DirectoryPosition{} || known.record.is_removed()) {
    return;
  }
  if (start.kind == ReshapeKind::split) {
    split(known, start.at, outputs);
  } else {
    known.merge_tries = kMergeTries;
    merge(known, outputs);
  }
}

void Mover::split(const Known& known, Key at, ClusterOutputs& outputs) {
  if (decisions_.owner_splits_first()) {
    outputs.send(known.record.owner,
                 ReshapeOrder{ReshapeKind::split, known.record.shard, known.record.epoch, at, ShardId{}});
    return;
  }
  Command command;
  command.kind = CommandKind::split_range;
  command.shard = known.record.shard;
  command.planned_on = known.record.epoch;
  command.planned_at = known.changed_at;
  command.at = at;
  link_.send(command, outputs);
}

Mover::Known* Mover::right_of(const Known& left) {
  Known* found = nullptr;
  for (Known& known : moves_) {
    const bool is_right = !known.record.is_removed() && known.record.range.lo == left.record.range.hi;
    if (known.changed_at != DirectoryPosition{} && is_right &&
        (found == nullptr || found->changed_at < known.changed_at)) {
      found = &known;
    }
  }
  return found;
}

// As soon as both halves are at rest: together they are merged, apart the right one is moved first.
void Mover::merge(Known& left, ClusterOutputs& outputs) {
  const Known* right = right_of(left);
  if (left.record.is_removed() || right == nullptr) {
    left.merge_tries = 0;
    return;
  }
  if (!is_at_rest(left.record) || !is_at_rest(right->record)) {
    return;
  }
  if (left.record.owner == right->record.owner) {
    left.merge_tries = 0;
    outputs.send(left.record.owner,
                 ReshapeOrder{ReshapeKind::merge, left.record.shard, left.record.epoch, Key{}, right->record.shard});
    return;
  }
  --left.merge_tries;
  begin(StartMove{right->record.shard, left.record.owner}, outputs);
}

void Mover::resume_merges(ClusterOutputs& outputs) {
  for (Known& known : moves_) {
    if (known.merge_tries > 0) {
      merge(known, outputs);
    }
  }
}

}  // namespace shardcheck::impl
