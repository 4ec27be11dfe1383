// What the processes of the reference keep on disk, and the types by which they meet the outside.
#pragma once

#include <variant>

#include "impl/messages.h"
#include "spec/process.h"

namespace shardcheck::impl {

// Directory.

// The term that the member is in, and whom it voted for in it.
struct Voted {
  Term term;
  NodeId vote = kNoNode;
};
// The log has this entry at `position`, and none after it.
struct EntryKept {
  DirectoryPosition position;
  LogEntry entry;
};
// One of `count` parts of the state at `position`; with the last of them the snapshot takes the place of the entries.
struct SnapshotKept {
  DirectoryPosition position;
  Term term;
  std::uint16_t index = 0;
  std::uint16_t count = 0;
  StatePart part;
};

// Storage node.

// Written once by whoever set the node up, before its first start: a disk without it has been lost.
struct Formatted {};
// The node takes copies from now on, or takes none and gives away what it has.
struct Enlisted {
  bool takes_copies = true;
};
// An empty range of which the node is the owner or another member from the beginning.
struct Provisioned {
  ShardRecord record;
};
// What the directory told. `is_adopted`: the node takes up the grant in it.
struct KnowsRecord {
  ShardRecord record;
  DirectoryPosition changed_at;
  bool is_adopted = false;
};
// Until when a lease was granted. Never trusted after a restart; kept for whoever examines a disk.
struct LeaseNoted {
  ShardId shard;
  Instant until;
};
// An operation that the owner executed.
struct Wrote {
  ShardId shard;
  Attempt attempt;
  Entry entry;
};
// An owner keeps its log after `position` for the copy of this move.
struct CapturePinned {
  ShardId shard;
  MoveId move;
  LogPosition position;
};
// An owner forgot its log up to and including `up_to`.
struct LogCut {
  ShardId shard;
  LogPosition up_to;
};
// The target of a move began an empty copy, perhaps not its first one.
struct StagingBegun {
  ShardRecord record;
  std::uint8_t attempt = 0;
};
struct Staged {
  ShardId shard;
  ApplyCause cause = ApplyCause::backfill;
  Entry entry;
};
// How far a staged copy is. `replayed_to` is set once the copy is complete.
struct StagingProgress {
  ShardId shard;
  CopyCursor cursor;
  bool is_copied = false;
  LogPosition replayed_to;
};
// Move by dual writes: the source sends every write after `snapshot` to the target.
struct CaptureOpened {
  ShardId shard;
  MoveId move;
  LogPosition snapshot;
};
// The target keeps a write that directly follows `after` until its copy is complete.
struct DualWriteStaged {
  ShardId shard;
  LogPosition after;
  Entry entry;
};
struct FenceSet {
  ShardId shard;
  MoveId move;
  LogPosition barrier;
};
struct FenceLifted {
  ShardId shard;
  MoveId move;
};
// The owner split its range, or merged two, and asks the directory to enter that. Nothing is divided or joined yet.
struct ReshapeNoted {
  ReshapeKind kind = ReshapeKind::none;
  ShardId shard;
  Key at;         // split
  ShardId other;  // merge: the right neighbour
  DirectoryPosition planned_at;
  DirectoryPosition other_planned_at;  // merge
};
// The directory will never enter it.
struct ReshapeDropped {
  ShardId shard;
};
// The directory entered the owner's split: one copy becomes two, both held under `epoch`.
struct Divided {
  ShardId shard;
  ShardId right;
  Epoch epoch;
};
// The directory entered the owner's merge: two copies become one.
struct Joined {
  ShardId shard;
  ShardId right;
  Epoch epoch;
};
// A fenced source handed a request on: from now on it promises of this attempt, and of those before it, nothing.
struct HandedOn {
  Attempt attempt;
};
// The node forgot its copy of a range: `keys` were erased.
struct CopyDropped {
  ShardId shard;
  MoveId move;
  KeyRange keys;
};

// Replica sets, at a storage node.

// An empty copy was begun, to become a member.
struct ReplicaBegun {
  ShardRecord record;
};
// One entry of the owner's log.
struct Replicated {
  ShardId shard;
  Entry entry;
};
// A member divided its copy as the range was: what `right` has now went to that one.
struct ReplicaDivided {
  ShardId shard;
  ShardId right;
};
// A member joined its copies as the ranges were.
struct ReplicaJoined {
  ShardId shard;
  ShardId right;
};
// The follower's content is that with which the owner took up the grant `epoch`: from here on it follows only that one.
struct Agreed {
  ShardId shard;
  Epoch epoch;
};

using Record = std::variant<Voted, EntryKept, SnapshotKept, Formatted, Provisioned, KnowsRecord, LeaseNoted, Wrote,
                            CapturePinned, LogCut, StagingBegun, Staged, StagingProgress, CaptureOpened,
                            DualWriteStaged, FenceSet, FenceLifted, HandedOn, CopyDropped, ReshapeNoted, ReshapeDropped,
                            Divided, Joined, ReplicaBegun, Replicated, ReplicaDivided, ReplicaJoined, Agreed, Enlisted>;

using ClusterInput = Input<Message, Record>;
using ClusterOutputs = Outputs<Message, Record>;

}  // namespace shardcheck::impl
