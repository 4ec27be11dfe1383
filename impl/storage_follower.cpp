// Replica sets, at a storage node: the side of those who follow an owner. A follower takes in what the owner has
// durably, in order, and says where it stands once that is durable here.
#include "impl/storage_node.h"

namespace shardcheck::impl {
namespace {

constexpr Duration kCostOfEntry = microseconds(6);

}  // namespace

void StorageNode::begin_replica(ShardId shard, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  // Copies on one node never overlap; the owner will find another one to join.
  for (const ShardCopy& other : state_.copies()) {
    if (other.known.shard != shard && other.copy && other.held.overlaps(copy.known.range)) {
      return;
    }
  }
  // Nor does one go of which another range may still want a part: its owner will ask again.
  const bool is_divided = copy.copy != CopyState::replica || copy.held == copy.known.range;
  if (!is_divided || !has_room_for(copy.known)) {
    return;
  }
  if (copy.copy) {
    drop_copy(shard, copy.move, copy.held, now, outputs);
  }
  append_durably(ReplicaBegun{copy.known}, outputs);
  after(appended_, Observation{CopyCreated{shard, copy.known.range, MoveId{}}}, now, outputs);
}

void StorageNode::take_in(NodeId owner, const Replicate& it, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(it.shard);
  if (it.epoch < std::max(copy.highest_seen(), copy.tail_epoch)) {
    return;  // an owner of earlier days
  }
  if (copy.copy != CopyState::replica || copy.held != it.range) {
    link_.poll({}, outputs);  // somebody knows more of the range than this node
    return;
  }
  if (copy.is_copied && copy.tail_epoch != it.epoch && copy.tail_version() == it.base) {
    append_durably(Agreed{it.shard, it.epoch}, outputs);
  }
  if (copy.is_copied && copy.tail_epoch == it.epoch) {
    outputs.cost = kCostOfEntry * it.count;
    for (std::size_t i = 0; i < it.count; ++i) {
      const Entry& entry = it.entries[i];
      if (entry.version.position == next(copy.tail)) {
        take_in(it.shard, entry, now, outputs);
      }
    }
  }
  report_standing(owner, it.shard, it.epoch, now, outputs);
}

void StorageNode::take_in(ShardId shard, const Entry& entry, Instant now, ClusterOutputs& outputs) {
  const Version before = state_.cell(entry.key).version;
  append_durably(Replicated{shard, entry}, outputs);
  if (entry.has_cell && state_.cell(entry.key).version != before) {
    const bool is_tombstone = entry.value.kind == ValueKind::absent;
    const Applied applied{shard,        entry.key,     entry.version, ApplyCause::replication,
                          is_tombstone, entry.request, MoveId{}};
    after(appended_, Observation{applied}, now, outputs);
  }
}

// A piece that comes late is of no use only if it is of another attempt or begins elsewhere: it was taken after the
// snapshot that it names, or it would not name that one.
void StorageNode::take_in(NodeId owner, const CopyPart& part, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(part.shard);
  const bool is_mine = copy.copy == CopyState::replica && !copy.is_copied && copy.join == part.join;
  if (!is_mine || part.epoch != copy.tail_epoch) {
    return;
  }
  const bool is_same_snapshot = copy.cursor == CopyCursor{} || part.snapshot == copy.tail;
  if (part.begin == copy.cursor && is_same_snapshot) {
    outputs.cost = kCostOfEntry * part.count;
    for (std::size_t i = 0; i < part.count; ++i) {
      stage(part.shard, part.entries[i], ApplyCause::backfill, MoveId{}, now, outputs);
    }
    append_durably(StagingProgress{part.shard, part.next, part.is_last, part.snapshot}, outputs);
  }
  report_standing(owner, part.shard, part.epoch, now, outputs);
}

// Leaves once it is durable.
void StorageNode::report_standing(NodeId owner, ShardId shard, Epoch epoch, Instant now, ClusterOutputs& outputs) {
  const ShardCopy& copy = state_.copy(shard);
  FollowerReport report;
  report.shard = shard;
  report.epoch = epoch;
  report.join = copy.join;
  report.tail = copy.tail_version();
  report.cursor = copy.cursor;
  report.is_copied = copy.is_copied;
  report.is_leaving = is_leaving();
  after(appended_, Send{owner, report}, now, outputs);
  outputs.wants_sync = outputs.wants_sync || durable_ < appended_;
}

}  // namespace shardcheck::impl
