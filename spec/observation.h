// What a cluster may tell the judge: facts about what its processes did, each at a moment of true time. Facts are for
// judging only and never steer a run. A cluster tells as many kinds as it can; clauses whose facts never come are "not
// observable", never "held".
//
// A fact is reported where the thing happens: an effect when its reply leaves or its state becomes visible, an applied
// version when it became durable, a committed record when the directory may act on it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

#include "spec/budget_facts.h"
#include "spec/operation.h"
#include "spec/tier_facts.h"
#include "spec/types.h"

namespace shardcheck {

// The durable phases of a move, in order. `none`: the record has no move. From every phase before `switched` a move
// may go to `aborted`; from `cleaning` and `aborted` it goes back to `none`.
enum class MovePhase : std::uint8_t { none, preparing, copying, catching_up, fenced, switched, cleaning, aborted };
inline constexpr int kMovePhases = 8;
std::string_view name_of(MovePhase phase);
// A move in such a phase may still be aborted.
constexpr bool is_before_switch(MovePhase phase) { return phase >= MovePhase::preparing && phase <= MovePhase::fenced; }

// How writes during the copy reach the target: by replaying the source's log, or each one before it is acknowledged.
enum class MoveMode : std::uint8_t { copy_and_catch_up, dual_write };
inline constexpr int kMoveModes = 2;
std::string_view name_of(MoveMode mode);

// How one move goes about its work, decided when it begins.
struct MoveOptions {
  MoveMode mode = MoveMode::copy_and_catch_up;
  bool forwards = false;  // a fenced source hands requests on to the target, which keeps them until it owns the range

  friend bool operator==(const MoveOptions&, const MoveOptions&) = default;
};

// What the directory knows of one range.
struct ShardRecord {
  ShardId shard;
  KeyRange range;
  NodeId owner = kNoNode;
  Epoch epoch;          // the position of the grant that made `owner` the owner
  Instant lease_until;  // on the directory's terms; a holder acts only before it, on its own clock
  MoveId move;          // 0 when phase is none
  MovePhase phase = MovePhase::none;
  NodeId source = kNoNode;  // of the move
  NodeId target = kNoNode;
  MoveOptions how;
  NodeId mover = kNoNode;           // who drives the move
  Epoch source_epoch;               // the epoch the move is pinned to
  MoverEpoch mover_epoch;           // under which `mover` drives it; grows with each that takes over
  bool is_data_lost = false;        // the only copy is gone: the range is reported lost, and serves nothing
  bool is_granted_by_move = false;  // `epoch` is the grant that committed `move`, and not a later one
  NodeId joining = kNoNode;         // gets a copy from the owner, to become a member
  NodeSet members;                  // the replica set, the owner among them; empty: this cluster does not tell
  DirectoryPosition join;           // where `joining` was decided: names this attempt; 0: nobody joins

  // Merged into its left neighbour: the id names no range any more.
  bool is_removed() const { return epoch != Epoch{} && range.is_empty(); }

  friend bool operator==(const ShardRecord&, const ShardRecord&) = default;
};

// How a server answers a request that it does not serve. `transient` promises nothing about the attempt; the other two
// promise that this attempt had no effect and never will have.
enum class Signal : std::uint8_t { stale_epoch, not_owner, transient };
std::string_view name_of(Signal signal);

// One try of one request. A request keeps its id over all of its attempts.
struct Attempt {
  RequestId request;
  std::uint8_t number = 0;

  friend constexpr auto operator<=>(Attempt, Attempt) = default;
};
inline constexpr std::uint8_t kNoAttempt = 0xff;

// The directory.

enum class RecordChange : std::uint8_t {
  created,          // the first record of a range
  granted,          // a new owner or epoch outside of a move: failover; one that was before its switch is aborted by it
  bounds_changed,   // split or merge
  move_begun,       // phase none -> preparing
  move_advanced,    // to a later phase before switched, or a newer mover took over
  move_committed,   // fenced -> switched: owner and epoch change
  move_aborted,     // -> aborted
  move_cleaning,    // switched -> cleaning
  move_finished,    // cleaning or aborted -> none
  reported_lost,    // is_data_lost became true
  members_changed,  // the replica set, or who joins it
  removed,          // merged into a neighbour, which covers its range at the same position: the shard has no record now
};

// The directory durably changed one record; `planned_on` is the epoch the command was conditional on.
struct RecordCommitted {
  DirectoryPosition position;
  RecordChange change;
  Epoch planned_on;
  MoverEpoch asked_by;  // the mover epoch the command carried; 0 if it was not a mover's
  ShardRecord record;   // after the change
};
// All records changed at `position` have been reported: now the ranges must tile the key space again.
struct DirectoryStepped {
  DirectoryPosition position;
};
// The owner durably split its range at `at` while the directory still knows it whole, under `epoch`. It goes on serving
// both halves under that epoch until it applied the directory's entry.
struct OwnerSplit {
  ShardId shard;
  Key at;
  Epoch epoch;
};
// The owner applied the directory's entry for its split: `shard` and `right` are two ranges now, under `epoch`.
struct SplitApplied {
  ShardId shard;
  ShardId right;
  Epoch epoch;
};
// The directory durably extended the lease of the grant (shard, epoch).
struct LeaseExtended {
  ShardId shard;
  Epoch epoch;
  NodeId holder;
  Instant until;
};

// Leases and effects at a storage node.

// The node accepted a lease answered by the directory in this incarnation of its process.
struct LeaseHeld {
  ShardId shard;
  Epoch epoch;
  Instant until;  // on the node's clock
};
// From now on and until `until` (true time) the node would perform effects for keys of `range`, unless ClaimEnded or
// another ClaimChanged for the same shard comes first. At most one claim for each (node, shard).
struct ClaimChanged {
  ShardId shard;
  KeyRange range;
  Epoch epoch;
  TrueTime until;
};
struct ClaimEnded {
  ShardId shard;
};
// An effect: a reply that says "ok" (or that a compare-and-set was refused) left, or a write became visible.
struct Served {
  ShardId shard;
  Key key;
  Epoch epoch;          // that the node holds
  Epoch request_epoch;  // that the request carried
  Epoch highest_seen;   // by the node, for this range
  Attempt attempt;
  OperationKind operation;
  MoveId forwarded_by = {};  // the move whose source handed the request on; 0: it came from its router
};
// A request was answered without serving it.
struct Answered {
  ShardId shard;
  Key key;
  Epoch request_epoch;
  Epoch highest_seen;
  Attempt attempt;
  Signal signal;
  NodeId redirect_to = kNoNode;  // not_owner only
  bool is_overloaded = false;    // transient: too much was unanswered here; nothing of this attempt was done
};

enum class ApplyCause : std::uint8_t { client, backfill, replay, dual_write, replication };
// A version became durable in the node's copy of the range.
struct Applied {
  ShardId shard;
  Key key;
  Version version;
  ApplyCause cause;
  bool is_tombstone;
  RequestId request;                  // that wrote it; sequence 0 if not known (backfill)
  MoveId move;                        // of all but client; 0: of a copy for a replica set
  std::uint8_t attempt = kNoAttempt;  // client: which attempt of the request was executed, if the cluster tells
};
// The node began an empty copy of a range, for a move or (move 0) to become a member of its replica set, or forgot
// one, key by key.
struct CopyCreated {
  ShardId shard;
  KeyRange range;
  MoveId move;
  bool is_found = false;  // still empty on the disk at a start: it may have been told before
};
struct KeyErased {
  ShardId shard;
  Key key;
  MoveId move;  // whose cleanup or abort erased it
};
struct CopyRemoved {
  ShardId shard;
  KeyRange range;
  MoveId move;
};

// A move.

// The source durably promised to serve nothing for the range, and told its last log position.
struct BarrierConfirmed {
  MoveId move;
  ShardId shard;
  LogPosition barrier;
};
// What a range's content is made of, in digests that do not depend on the order of insertion.
struct ContentDigest {
  std::uint64_t values = 0;      // keys, values, versions, of present keys
  std::uint64_t tombstones = 0;  // keys and versions of deleted ones
  std::uint64_t requests = 0;    // answered request ids with their answers
  Epoch source_epoch;

  friend bool operator==(const ContentDigest&, const ContentDigest&) = default;
};
// Told by an omniscient view, not by the processes: at the commit of a move, the content of the source's copy at its
// barrier and that of the target's copy now.
struct CutoverContent {
  MoveId move;
  ShardId shard;
  ContentDigest source;
  ContentDigest target;
  std::uint8_t differing_count = 0;  // of `differing`: the first keys whose values or versions differ now
  std::array<Key, 4> differing{};
};

// The source durably keeps its log from the snapshot on, for the copy of a move. Told each time it is asked.
struct CaptureOpened {
  MoveId move;
  ShardId shard;
  LogPosition snapshot;
};
// An owner forgot the entries of its log up to and including `up_to`; before, the log held `entries`.
struct LogTrimmed {
  ShardId shard;
  LogPosition up_to;
  std::uint64_t entries;
};
// The target durably replayed the source's log after `after` up to and including `to`.
struct Replayed {
  MoveId move;
  ShardId shard;
  LogPosition after;
  LogPosition to;
};
// The source admits no request from now on, but may still answer those it admitted.
struct AdmissionStopped {
  MoveId move;
  ShardId shard;
};

// Routers and clients.

// A router put a record into its map.
struct RouterLearned {
  KeyRange range;
  NodeId owner;
  Epoch epoch;
  DirectoryPosition known_at;  // the position of the directory this knowledge is from
};
enum class HopCause : std::uint8_t { first, redirected, stale, transient, unanswered };
// A router sent one attempt of a request to a node.
struct Hop {
  Attempt attempt;
  HopCause cause;
  NodeId to;
  Key key;
  Epoch epoch;  // that the attempt carries
};
// A router asked the directory for a newer map. `cause` is what made it ask; `first` means that no error did: nothing
// was known, or a router without a cache looks up where each operation goes. Polling and watching are not told.
struct RefreshStarted {
  HopCause cause;
  Epoch needed{};  // the answer must know of this grant; 0: any answer will do
};
// What was asked for because of an error has come, or its time is up: whoever still needs it may ask again.
struct RefreshEnded {
  bool is_answered;
};
struct Invoked {
  RequestId request;
  Operation operation;
};
struct Returned {
  RequestId request;
  Outcome outcome;
  bool had_transient;   // some attempt was answered transient
  bool had_unanswered;  // some attempt was never answered
};

// What is done to the cluster.

enum class FaultKind : std::uint8_t {
  delayed,
  held_until_phase,
  dropped,
  duplicated,
  link_cut,
  crashed,
  disk_lost,
  paused,
  clock_shifted,
  lost_for_good,  // it goes down and never comes back, not even when everything is healed
};
inline constexpr int kFaultKinds = 10;
std::string_view name_of(FaultKind kind);

// A fault was done to the process named by the observation (for a link: the receiving end).
struct FaultInjected {
  FaultKind kind;
  TrueTime over_at{};  // of what lasts: when it will be over, unless everything is healed before
};
// A message was lost because too much was waiting for the process already. Not a fault that somebody injects, but it
// has the effects of one.
struct InboxOverflowed {};
struct Crashed {};
struct Restarted {
  bool is_disk_lost;
};
// The process was drained, and an operator stopped it for good. Whatever it had must be elsewhere.
struct Left {};
// The last fault is over: who is not lost for good is reachable, and liveness counts. A fault later takes that back.
struct Healed {};

// What is there at the end.

// `replica`: of a member of the replica set that is not the owner, or of who joins it.
enum class CopyState : std::uint8_t { owned, fenced, staging, retained, replica };
std::string_view name_of(CopyState state);
// Told by an omniscient view when the run is over and quiet: one for each copy of a range on a node.
struct CopyHeld {
  ShardId shard;
  KeyRange range;
  CopyState state;
  MoveId move;  // 0 for owned
};

using Observation =
    std::variant<RecordCommitted, DirectoryStepped, OwnerSplit, SplitApplied, LeaseExtended, TopRow, MetadataRow,
                 LookupCrossed, LookupAnswered, LeaseHeld, ClaimChanged, ClaimEnded, Served, Answered, Applied,
                 CopyCreated, KeyErased, CopyRemoved, BarrierConfirmed, CutoverContent, CaptureOpened, LogTrimmed,
                 Replayed, ReplayRound, CatchUpDecided, FenceDecided, WriteThrottled, ThrottleEnded, MoveGaveUp,
                 AdmissionStopped, RouterLearned, Hop, RefreshStarted, RefreshEnded, Invoked, Returned, FaultInjected,
                 InboxOverflowed, Crashed, Restarted, Left, Healed, CopyHeld>;

struct Observed {
  TrueTime at;
  NodeId by;  // the process it is about; for Invoked and Returned the router, or kNoNode
  Observation fact;
};

// Receives facts as they happen, in order of true time.
class ObservationSink {
 public:
  virtual ~ObservationSink() = default;
  virtual void on(const Observed& observed) = 0;
};

}  // namespace shardcheck
