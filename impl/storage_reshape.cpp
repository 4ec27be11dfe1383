// Splits and merges at the owner, which comes first: it notes durably what it did and then has the directory enter it.
// Until it has applied the entry it goes on with what it had, under the epochs that it had. Every message may come
// twice, late or never: the note is proposed again at each tick, until the records show what became of it.
#include <algorithm>
#include <utility>

#include "impl/storage_node.h"
#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

bool holds(const ShardCopy& copy, NodeId self) {
  return copy.copy == CopyState::owned && copy.known.owner == self && copy.held_epoch == copy.highest_seen();
}

bool is_about(const ReshapeNoted& note, ShardId shard) {
  return note.kind != ReshapeKind::none &&
         (note.shard == shard || (note.kind == ReshapeKind::merge && note.other == shard));
}

}  // namespace

bool StorageNode::may_reshape(const ShardCopy& copy) const {
  const auto is_about_it = [&](const ShardCopy& noted) { return is_about(noted.note, copy.known.shard); };
  return holds(copy, self_) && copy.known.phase == MovePhase::none &&
         std::ranges::none_of(state_.copies(), is_about_it) && !copy.known.is_data_lost &&
         copy.known.joining == kNoNode;
}

void StorageNode::note_reshape(const ReshapeOrder& order, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(order.shard);
  if (!may_reshape(copy) || copy.held_epoch != order.epoch) {
    return;
  }
  ReshapeNoted note{order.kind, order.shard, order.at, order.other, copy.changed_at, DirectoryPosition{}};
  if (order.kind == ReshapeKind::split) {
    if (!(copy.held.lo < order.at && order.at < copy.held.hi)) {
      return;
    }
  } else {
    const ShardCopy& other = state_.copy(order.other);
    if (!may_reshape(other) || other.held.lo != copy.held.hi || other.known.members != copy.known.members) {
      return;
    }
    note.other_planned_at = other.changed_at;
  }
  at(order.shard).entered = Entered{};
  append_durably(note, outputs);
  at(order.shard).last_note = appended_;
  stop_for_note(copy);
  after(appended_, Propose{order.shard}, now, outputs);
}

// From the note on nothing is admitted while other members have to be where the owner is: each of them divides its
// copy, or joins two, where it stands when it learns of the entry. After a restart, too: see start().
void StorageNode::stop_for_note(const ShardCopy& copy) {
  if (copy.note.kind == ReshapeKind::none || copy.known.members.size() <= 1) {
    return;
  }
  at(copy.known.shard).is_draining = true;
  if (copy.note.kind == ReshapeKind::merge) {
    at(copy.note.other).is_draining = true;
  }
}

bool StorageNode::is_everywhere(ShardId shard) const { return at(shard).followers.have(state_.copy(shard).tail); }

void StorageNode::propose_what_waits_for(ShardId shard, ClusterOutputs& outputs) {
  for (const ShardCopy& copy : state_.copies()) {
    if (is_about(copy.note, shard)) {
      propose(copy.known.shard, outputs);
    }
  }
}

void StorageNode::propose(ShardId shard, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  const ReshapeNoted& note = copy.note;
  if (note.kind == ReshapeKind::none || !holds(copy, self_) || durable_ < at(shard).last_note) {
    return;
  }
  const bool is_other_ready = note.kind == ReshapeKind::split || is_everywhere(note.other);
  if (!is_everywhere(shard) || !is_other_ready) {
    return;  // the last one who says that it has everything brings us back here
  }
  Command command;
  command.kind = note.kind == ReshapeKind::split ? CommandKind::split_range : CommandKind::merge_ranges;
  command.shard = shard;
  command.planned_on = copy.held_epoch;
  command.planned_at = note.planned_at;
  command.at = note.at;
  command.other = note.other;
  command.other_planned_at = note.other_planned_at;
  link_.send(command, outputs);
}

void StorageNode::learn_pair(const ShardRecord& record, DirectoryPosition changed_at, const Sibling& sibling,
                             Instant now, ClusterOutputs& outputs) {
  learn(record, changed_at, now, outputs);
  if (sibling.exists()) {
    learn(sibling.record, changed_at, now, outputs);
  }
  for (const ShardCopy& copy : state_.copies()) {
    const Entered& entered = at(copy.known.shard).entered;
    if (entered.left.exists() != entered.right.exists() && copy.note.kind == ReshapeKind::split) {
      link_.poll({}, outputs);
    }
  }
}

// Is the record a part of what the directory made of a note of ours? Then it is kept aside until the whole is known: to
// learn one half alone would be to take the other for unchanged, or for somebody else's.
bool StorageNode::is_of_reshape(const ShardRecord& record, DirectoryPosition changed_at, Instant now,
                                ClusterOutputs& outputs) {
  for (const ShardCopy& copy : state_.copies()) {
    if (copy.note.kind != ReshapeKind::none && take_in_entry(copy, record, changed_at)) {
      apply_entry_if_whole(copy.known.shard, now, outputs);
      return true;
    }
  }
  return false;
}

bool StorageNode::take_in_entry(const ShardCopy& noted, const ShardRecord& record, DirectoryPosition changed_at) {
  const ReshapeNoted& note = noted.note;
  Entered& entered = at(note.shard).entered;
  if (changed_at <= note.planned_at || record.epoch <= noted.held_epoch) {
    return false;
  }
  const bool is_split = note.kind == ReshapeKind::split;
  if (record.shard == note.shard) {
    const Key end = is_split ? note.at : state_.copy(note.other).held.hi;
    if (record.owner != self_ || record.range != KeyRange{noted.held.lo, end}) {
      return false;
    }
    if (entered.left_at < changed_at) {
      entered.left = {record};
      entered.left_at = changed_at;
    }
    return true;
  }
  const bool is_right = is_split ? record.owner == self_ && !state_.copy(record.shard).copy &&
                                       record.range == KeyRange{note.at, noted.held.hi}
                                 : record.shard == note.other && record.is_removed();
  if (is_right && entered.right_at < changed_at) {
    entered.right = {record};
    entered.right_at = changed_at;
  }
  return is_right;
}

bool StorageNode::has_entry_for(ShardId shard) const {
  for (const ShardCopy& copy : state_.copies()) {
    const Entered& entered = at(copy.known.shard).entered;
    if (is_about(copy.note, shard) && (entered.left.exists() || entered.right.exists())) {
      return true;
    }
  }
  return false;
}

// What was admitted before is done first, and until then nothing more is admitted: an effect belongs to one epoch.
void StorageNode::apply_entry_if_whole(ShardId shard, Instant now, ClusterOutputs& outputs) {
  Volatile& known = at(shard);
  const Entered& entered = known.entered;
  const ReshapeNoted& note = state_.copy(shard).note;
  const bool needs_right = note.kind == ReshapeKind::split;
  if (!entered.left.exists() || (needs_right && !entered.right.exists())) {
    return;
  }
  if (needs_right && entered.left.record.epoch != entered.right.record.epoch) {
    drop_note(shard, now, outputs);  // since the entry a half went to another member, and perhaps came back
    return;
  }
  if (!known.is_reshaping) {
    known.is_reshaping = known.is_draining = true;
    if (note.kind == ReshapeKind::merge) {
      at(note.other).is_draining = true;
    }
    outputs.wants_sync = outputs.wants_sync || durable_ < appended_;
    after(appended_, Reshape{shard}, now, outputs);
  }
}

void StorageNode::reshape(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ReshapeNoted note = state_.copy(shard).note;
  const Entered entered = at(shard).entered;
  at(shard).is_reshaping = false;
  if (note.kind == ReshapeKind::split && entered.left.record.epoch != entered.right.record.epoch) {
    drop_note(shard, now, outputs);
    return;
  }
  at(shard).entered = Entered{};
  const bool is_other_held = note.kind != ReshapeKind::merge || state_.copy(note.other).copy == CopyState::owned;
  if (state_.copy(shard).copy != CopyState::owned || note.kind == ReshapeKind::none || !is_other_held) {
    at(shard).is_draining = false;
    return;
  }
  const Epoch epoch = entered.left.record.epoch;
  const Instant lease = std::min(at(shard).lease_until, entered.left.record.lease_until);
  if (note.kind == ReshapeKind::split) {
    const ShardId right = entered.right.record.shard;
    append_durably(Divided{shard, right, epoch}, outputs);
    take_up_reshaped(shard, epoch, lease, now, outputs);
    take_up_reshaped(right, epoch, lease, now, outputs);
    after(appended_, Observation{SplitApplied{shard, right, epoch}}, now, outputs);
  } else {
    const Instant lease_of_other = at(note.other).lease_until;
    append_durably(Joined{shard, note.other, epoch}, outputs);
    at(note.other) = Volatile{};
    at(note.other).last_epoch = appended_;
    take_up_reshaped(shard, epoch, std::min(lease, lease_of_other), now, outputs);
  }
  learn_later(entered, epoch, now, outputs);
}

// The lease goes on, but nothing is done under the new epoch before it is durable that the node has it.
void StorageNode::take_up_reshaped(ShardId shard, Epoch epoch, Instant lease_until, Instant now,
                                   ClusterOutputs& outputs) {
  Volatile& known = at(shard);
  known.lease_until = Instant{};
  known.is_draining = known.is_barrier_confirmed = false;
  known.last_epoch = known.last_write = appended_;
  known.durable_tail = state_.copy(shard).tail;
  known.durable_digest = state_.copy(shard).digest;
  known.followers.forget();  // under another grant nobody has agreed yet
  keep_followers(shard, false, now, outputs);
  after(appended_, TookUp{shard, epoch, lease_until}, now, outputs);
}

// What has happened to the ranges since the directory entered it.
void StorageNode::learn_later(const Entered& entered, Epoch epoch, Instant now, ClusterOutputs& outputs) {
  if (entered.left_at.value > epoch.value) {
    learn(entered.left.record, entered.left_at, now, outputs);
  }
  if (entered.right.exists() && entered.right_at.value > epoch.value) {
    learn(entered.right.record, entered.right_at, now, outputs);
  }
}

// A record that a note was planned on has changed in another way: the directory will refuse it, for ever.
void StorageNode::drop_dead_notes(ShardId shard, Instant now, ClusterOutputs& outputs) {
  for (const ShardCopy& copy : state_.copies()) {
    if (is_about(copy.note, shard)) {
      drop_note(copy.known.shard, now, outputs);
    }
  }
}

// Refused although nothing has changed since it was planned: there are no more ids for halves, or the two records of a
// merge are kept by different metadata shards, or the right one of them has changed. It will be refused for ever.
void StorageNode::drop_refused_note(const CommandResult& result, Instant now, ClusterOutputs& outputs) {
  const ReshapeNoted& note = state_.copy(result.record.shard).note;
  const bool is_split = result.kind == CommandKind::split_range && note.kind == ReshapeKind::split;
  const bool is_merge = result.kind == CommandKind::merge_ranges && note.kind == ReshapeKind::merge;
  const bool is_ours = (is_split || is_merge) && note.planned_at == result.planned_at;
  if (is_ours && !result.is_accepted && note.planned_at == result.changed_at) {
    drop_note(note.shard, now, outputs);
  }
}

// Nothing keeps the ranges from serving now.
void StorageNode::drop_note(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ReshapeNoted note = state_.copy(shard).note;
  append(ReshapeDropped{shard}, outputs);
  const auto serves = [&](ShardId each) {
    at(each).is_draining = at(each).is_draining && state_.copy(each).copy == CopyState::fenced;
  };
  serves(shard);
  if (note.kind == ReshapeKind::merge) {
    serves(note.other);
  }
  learn_what_was_kept(shard, now, outputs);
}

// The note is dead, and with it the reason to keep aside what the directory said of it.
void StorageNode::learn_what_was_kept(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const Entered kept = std::exchange(at(shard).entered, Entered{});
  if (kept.left.exists()) {
    learn(kept.left.record, kept.left_at, now, outputs);
  }
  if (kept.right.exists()) {
    learn(kept.right.record, kept.right_at, now, outputs);
  }
}

// A new copy must not meet another one that this node holds of the same keys. What is older than the order is left over
// from a move that ended without us, and goes; if it is the order that is older, it is not obeyed.
bool StorageNode::make_room(const MoveOrder& order, Instant now, ClusterOutputs& outputs) {
  for (const ShardCopy& copy : state_.copies()) {
    if (copy.known.shard == order.record.shard || !copy.copy || !copy.held.overlaps(order.record.range)) {
      continue;
    }
    const bool may_go = *copy.copy == CopyState::staging || *copy.copy == CopyState::retained;
    if (!may_go || copy.changed_at > order.changed_at) {
      return false;
    }
    drop_copy(copy.known.shard, copy.move, copy.held, now, outputs);
  }
  return true;
}

}  // namespace shardcheck::impl
