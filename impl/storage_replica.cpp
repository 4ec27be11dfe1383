// Replica sets, at a storage node: the owner's side.
//
// The owner sends to every other member what is durable with itself, and an effect waits until all of them have what it
// rests on. A copy's tail (under which grant its content was agreed on, and its log position) names its content: who
// has the tail with which an owner took its grant up goes on from there; who has another one is removed and begins anew
// with an empty copy, since it may hold writes that were never acknowledged. Nothing is answered under a grant before
// every member has agreed to it.
#include <algorithm>

#include "impl/storage_node.h"
#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

constexpr Duration kCostOfEntry = microseconds(6);

}  // namespace

// A copy is dropped only when the directory says that the node is no member any more, which reshape_replicas() looks at
// when it has seen to splits and merges. A new one is begun only by who knows that it had not begun this one before:
// one that lost its disk may have, and the owner may count on it.
void StorageNode::follow_record(ShardId shard, DirectoryPosition known_before, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  const ShardRecord& record = copy.known;
  if (copy.holds_grant()) {
    keep_followers(shard, false, now, outputs);
    return;
  }
  at(shard).followers.forget();
  at(shard).durable_tail = LogPosition{};
  release_waiting(shard, now, outputs);
  const bool joins = record.joining == self_;
  const bool is_new = joins && (copy.copy != CopyState::replica || copy.join != record.join);
  if (is_new && known_before != DirectoryPosition{} && known_before < record.join) {
    begin_replica(shard, now, outputs);
  }
}

// The directory says that the range is ours, or that we are a member, and there is no copy that could be: the disk that
// had it is gone (a copy that an overtaken message began afterwards is none). Said again and again, until the directory
// has heard it: an owner waits for another member to take over, or reports the data lost; anyone else leaves the
// replica set, to come back with a new copy. Whether a copy had been begun by who joins, a lost disk cannot tell.
void StorageNode::report_if_lost(ShardId shard, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  if (copy.known.is_data_lost || copy.known.is_removed() || (!copy.copy && may_be_part_of_replica(copy.known))) {
    return;
  }
  // Nobody becomes a member before its copy is complete.
  const bool is_begun_anew = copy.copy == CopyState::staging || (copy.copy == CopyState::replica && !copy.is_copied);
  const bool is_usable = copy.copy && !is_begun_anew;
  const bool has_begun = copy.copy == CopyState::replica && copy.join == copy.known.join;
  if (copy.known.owner == self_) {
    if (!is_usable && copy.known.members.size() <= 1) {
      ask_directory(CommandKind::report_lost, shard, kNoNode, outputs);
    }
  } else if ((copy.known.members.contains(self_) && !is_usable) || (copy.known.joining == self_ && !has_begun)) {
    ask_directory(CommandKind::remove_member, shard, self_, outputs);
  }
}

void StorageNode::ask_directory(CommandKind kind, ShardId shard, NodeId target, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  Command command;
  command.kind = kind;
  command.shard = shard;
  command.planned_on = copy.known.epoch;
  command.planned_at = copy.changed_at;
  command.target = target;
  link_.send(command, outputs);
}

void StorageNode::keep_followers(ShardId shard, bool has_just_started, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  if (!copy.holds_grant()) {
    return;
  }
  at(shard).followers.follow(copy.known, self_, has_just_started);
  release_waiting(shard, now, outputs);
  if (!at(shard).followers.all().empty()) {
    after(decisions_.keeps_epochs_on_disk() ? appended_ : 0, Due{shard}, now, outputs);
  }
}

// Whom else to ask to join: one node after the other, so that one that is down holds nobody up for long.
void StorageNode::find_member(ShardId shard, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  const ShardRecord& record = copy.known;
  if (copy.holds_grant() && dismiss_leaving(shard, outputs)) {
    return;
  }
  const bool is_whole = record.members.is_empty() || members_to_stay(shard) >= members_wanted();
  if (!copy.holds_grant() || is_whole || record.joining != kNoNode || record.phase != MovePhase::none) {
    return;
  }
  const Roles roles(options_);
  for (std::uint16_t i = 0; i < roles.storage_nodes(); ++i) {
    const NodeId node = roles.storage(static_cast<std::uint16_t>((ticks_ + i) % roles.storage_nodes()));
    if (!record.members.contains(node)) {
      ask_directory(CommandKind::join_member, shard, node, outputs);
      return;
    }
  }
}

// Sends what is new and durable, and asks those who have not agreed yet.
void StorageNode::replicate(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  Volatile& known = at(shard);
  const bool is_grant_durable = known.last_epoch <= durable_ || !decisions_.keeps_epochs_on_disk();
  if (!copy.holds_grant() || known.followers.all().empty() || !is_grant_durable) {
    return;
  }
  known.durable_tail = std::max(known.durable_tail, copy.base.position);
  bool is_all_done = true;
  for (Follower& follower : known.followers.all()) {
    const bool is_behind = follower.is_agreed && follower.sent < known.durable_tail;
    const bool is_unasked = !follower.is_agreed && follower.tries == 0;
    if (is_behind || is_unasked) {
      send_entries(shard, follower, outputs);
      follower.tries = std::max<std::uint8_t>(follower.tries, 1);
    }
    is_all_done = is_all_done && !is_outstanding(follower, known.durable_tail);
  }
  if (!is_all_done && !is_replicating_) {
    is_replicating_ = true;
    outputs.wake_at(now + options_.replicate_again, kReplicateAgain);
  }
}

bool StorageNode::is_outstanding(const Follower& follower, LogPosition durable_tail) {
  return !follower.is_agreed || follower.is_probed || follower.acknowledged < durable_tail ||
         follower.join != DirectoryPosition{};
}

// A member that is gone shows by its silence. Without being asked it would show only when something is written, and the
// first write to a quiet range would wait for its removal.
void StorageNode::probe_followers(Instant now, ClusterOutputs& outputs) {
  for (const ShardCopy& copy : state_.copies()) {
    Volatile& known = at(copy.known.shard);
    if (!copy.holds_grant()) {
      continue;
    }
    for (Follower& follower : known.followers.all()) {
      if (!is_outstanding(follower, known.durable_tail)) {
        follower.is_probed = true;
        follower.tries = 1;
        send_entries(copy.known.shard, follower, outputs);
      }
    }
    replicate(copy.known.shard, now, outputs);
  }
}

void StorageNode::replicate_again(Instant now, ClusterOutputs& outputs) {
  is_replicating_ = false;
  for (const ShardCopy& copy : state_.copies()) {
    Volatile& known = at(copy.known.shard);
    if (!copy.holds_grant()) {
      continue;
    }
    for (Follower& follower : known.followers.all()) {
      if (!is_outstanding(follower, known.durable_tail)) {
        continue;
      }
      if (follower.tries > options_.replicate_tries_max) {
        ask_directory(CommandKind::remove_member, copy.known.shard, follower.node, outputs);
      }
      follower.sent = follower.acknowledged;
      follower.tries = static_cast<std::uint8_t>(std::min(follower.tries + 1, 255));
      send_entries(copy.known.shard, follower, outputs);
    }
    replicate(copy.known.shard, now, outputs);
  }
}

void StorageNode::send_entries(ShardId shard, Follower& follower, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  Replicate message;
  message.shard = shard;
  message.epoch = copy.held_epoch;
  message.base = copy.base;
  message.range = copy.held;
  message.after = follower.sent;
  // What the log does not hold any more its answer will show.
  if (follower.is_agreed && copy.log_begin <= follower.sent) {
    for (LogPosition position = next(follower.sent);
         position <= at(shard).durable_tail && message.count < message.entries.size(); position = next(position)) {
      message.entries[message.count++] = copy.log[position - next(copy.log_begin)];
    }
    follower.sent = follower.sent + message.count;
  }
  outputs.send(follower.node, message);
}

void StorageNode::on_standing(NodeId from, const FollowerReport& report, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(report.shard);
  Volatile& known = at(report.shard);
  Follower* follower = known.followers.find(from);
  const bool is_current = copy.holds_grant() && report.epoch == copy.held_epoch && follower != nullptr;
  const bool joins = is_current && follower->join != DirectoryPosition{};
  if (!is_current || (joins && report.join != follower->join)) {
    return;  // to an earlier owner, or of an earlier attempt to join
  }
  if (follower->is_agreed && report.tail.position < follower->acknowledged) {
    return;  // a late one: the log may not go back so far any more
  }
  follower->tries = 0;
  follower->is_probed = false;
  follower->is_leaving = report.is_leaving;
  const bool has_part = !report.is_copied && report.cursor != CopyCursor{};
  const bool is_log_gone = (report.is_copied || has_part) && report.tail.position < copy.log_begin;
  if (report.tail.epoch != copy.held_epoch || is_log_gone) {
    ask_directory(CommandKind::remove_member, report.shard, from, outputs);
    return;
  }
  if (!report.is_copied) {
    follower->acknowledged = has_part ? report.tail.position : LogPosition{};
    send_part(report.shard, from, report, now, outputs);
    return;
  }
  follower->is_agreed = follower->is_counted = true;
  follower->acknowledged = std::max(follower->acknowledged, report.tail.position);
  follower->sent = std::max(follower->sent, follower->acknowledged);
  // From now on effects wait for it, and all that were before it has: it may be called a member. That it joins is
  // durable here, so that after a restart effects wait for it, too.
  if (joins && follower->acknowledged >= known.durable_tail && known.last_epoch <= durable_) {
    ask_directory(CommandKind::admit_member, report.shard, from, outputs);
  }
  release_waiting(report.shard, now, outputs);
  replicate(report.shard, now, outputs);
  propose_what_waits_for(report.shard, outputs);
}

// A piece may hold newer versions than the snapshot's; what it may miss is in the log after the snapshot.
void StorageNode::send_part(ShardId shard, NodeId to, const FollowerReport& report, Instant now,
                            ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  const KeyRange range = copy.held;
  CopyPart part;
  part.shard = shard;
  part.epoch = copy.held_epoch;
  part.join = report.join;
  part.snapshot = report.cursor == CopyCursor{} ? copy.tail : report.tail.position;
  part.begin = report.cursor;
  const std::uint32_t keys = range.hi.value - range.lo.value;
  const std::uint32_t end = keys + options_.clients;
  std::uint32_t cursor = report.cursor.value;
  for (; cursor < end && part.count < part.entries.size(); ++cursor) {
    Entry entry;
    if (cursor < keys) {
      entry.key = Key{range.lo.value + cursor};
      const Cell& cell = state_.cell(entry.key);
      entry.version = cell.version;
      entry.value = cell.value;
    } else {
      const AnsweredRequest& answered = copy.answered[cursor - keys];
      entry.request = {ClientId{static_cast<std::uint16_t>(cursor - keys)}, answered.sequence};
      entry.outcome = answered.outcome;
      entry.value = answered.answer;
      entry.answers_value = true;
      entry.has_cell = false;
    }
    if (entry.version != Version{} || entry.request.sequence != 0) {
      part.entries[part.count++] = entry;
    }
  }
  part.next = CopyCursor{cursor};
  part.is_last = cursor >= end;
  outputs.cost = kCostOfEntry * part.count;
  after(at(shard).last_write, Send{to, part}, now, outputs);
}

void StorageNode::wait_for_followers(ShardId shard, const Waiting& item, Instant now, ClusterOutputs& outputs) {
  at(shard).waiting.push_back(item);
  release_waiting(shard, now, outputs);
}

// In order. Without the grant there are no followers, and whatever comes out has no effect any more.
void StorageNode::release_waiting(ShardId shard, Instant now, ClusterOutputs& outputs) {
  std::vector<Waiting>& waiting = at(shard).waiting;
  while (!waiting.empty() && at(shard).followers.have(waiting.front().rests_on)) {
    const Waiting item = waiting.front();
    waiting.erase(waiting.begin());
    if (const auto* effect = std::get_if<Effect>(&item.what)) {
      if (!waits_for_target(*effect, now, outputs)) {
        perform(*effect, now, outputs);
      }
    } else {
      confirm_barrier(std::get<Fenced>(item.what), now, outputs);
    }
  }
}

}  // namespace shardcheck::impl
