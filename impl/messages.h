// Every message of the reference's protocol, as plain data. Those that carry a record carry the sender's whole
// knowledge of a range, so that a receiver can judge for itself whether it is newer than its own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "impl/directory_messages.h"
#include "spec/observation.h"
#include "spec/operation.h"
#include "spec/types.h"

namespace shardcheck::impl {

// One change of one key, as the log of a range keeps it and as a move carries it: the state after, never the command,
// so that applying it twice or next to a newer one is harmless. A refused compare-and-set changes no key but is
// remembered all the same, since its client was told that it will never happen.
struct Entry {
  Key key;
  Version version;
  Value value;        // after; absent: a tombstone
  RequestId request;  // sequence 0: none
  OutcomeKind outcome = OutcomeKind::ok;
  bool has_cell = true;        // false: only the answer of `request` is carried
  bool answers_value = false;  // the answer of `request` is `value` (increments)

  friend bool operator==(const Entry&, const Entry&) = default;
};
inline constexpr std::size_t kEntriesPerMessage = 4;

// Where a copy stands: first the keys of the range, counted from its lower end, then the answered requests by client.
struct CopyCursor : Strong<CopyCursor, std::uint32_t> {
  using Strong::Strong;
};

// Clients and routers.

struct ClientRequest {
  RequestId request;
  Operation operation;
};
struct ClientReply {
  RequestId request;
  Outcome outcome;
  bool had_transient = false;
  bool had_unanswered = false;
};
struct Request {
  Attempt attempt;
  Epoch epoch;  // 0: the sender knows nothing of the range and only asks who owns it
  Operation operation;
  MoveId forwarded_by = {};  // the move whose source handed it on; 0: it comes from its router
};
struct Reply {
  Attempt attempt;
  Outcome outcome;
  Key answered_to = {};  // scan: the answer is about the keys before this one; the next one is somebody else's
};
struct Refusal {
  Attempt attempt;
  ShardId shard;
  Signal signal = Signal::transient;
  Epoch highest_seen;
  ShardRecord known;  // not_owner: what to follow
  DirectoryPosition known_at;
};

// Moves.

// From outside: move the range.
struct StartMove {
  ShardId shard;
  NodeId target;
  MoveOptions how = {};
};
// From outside, to a storage node: it takes copies from now on, or it takes none and gives away what it has.
struct Enlist {
  bool takes_copies = true;
};
// From outside: split the range before `at`, or merge it with its right neighbour.
enum class ReshapeKind : std::uint8_t { none, split, merge };
struct StartReshape {
  ReshapeKind kind = ReshapeKind::none;
  ShardId shard;
  Key at;
};
// The mover asks the owner to do so, since the owner comes first and the directory second.
struct ReshapeOrder {
  ReshapeKind kind = ReshapeKind::none;
  ShardId shard;
  Epoch epoch;    // under which the owner holds it
  Key at;         // split
  ShardId other;  // merge
};
enum class OrderKind : std::uint8_t {
  prepare_target,
  open_capture,
  send_chunk,
  send_log,
  fence,
  confirm_serving,
  clean_up,
  undo
};
// The mover tells a side of the move what to do; every order may be repeated.
struct MoveOrder {
  OrderKind kind = OrderKind::prepare_target;
  std::uint8_t attempt =
      0;  // which copy of this move is meant; prepare_target: begin it anew if there is an earlier one
  bool is_throttled = false;  // send_log: let writes wait, they outrun the replay
  ShardRecord record;
  DirectoryPosition changed_at;
  CopyCursor cursor;  // send_chunk: where to begin
  LogPosition after;  // send_chunk: the snapshot that the copy began with; send_log: the last one not to send
};
// A side of the move says that an order is done.
struct MoveReport {
  OrderKind kind = OrderKind::prepare_target;
  ShardId shard;
  MoveId move;
  NodeId side;
  bool is_possible = true;   // false: this side cannot take part, the move must be given up
  bool is_trimmed = false;   // send_log: entries that the copy needs are gone, it must begin anew
  std::uint8_t attempt = 0;  // which copy of this move it is about
  CopyCursor cursor;         // prepare_target, send_chunk: where to go on; 0: nothing was copied yet
  bool is_copied = false;    // prepare_target, send_chunk: nothing is left
  LogPosition position;      // open_capture: the snapshot's; fence: the barrier; the others: replayed to
  LogPosition source_tail;   // send_log
  ContentDigest digest;      // send_log: of the target; fence: of the source
};
struct Chunk {
  ShardRecord record;
  NodeId mover;
  LogPosition snapshot;  // whatever this copy may miss is in the log after this
  CopyCursor begin;
  CopyCursor next;
  bool is_last = false;
  std::uint8_t attempt = 0;  // which copy of this move it is for
  std::uint8_t count = 0;
  std::array<Entry, kEntriesPerMessage> entries;
};
struct LogBatch {
  ShardRecord record;
  NodeId mover;
  LogPosition after;  // the entries are the ones directly after this
  LogPosition source_tail;
  std::uint8_t attempt = 0;
  std::uint8_t count = 0;
  std::array<Entry, kEntriesPerMessage> entries;
};

// Entries of the source's log, of a move by dual writes, in the order of their positions.
struct DualWrites {
  ShardRecord record;
  LogPosition snapshot;  // that every copy of this move begins with
  LogPosition after;     // the entries are the ones directly after this
  std::uint8_t count = 0;
  std::array<Entry, kEntriesPerMessage> entries;
};
// The target has everything from the snapshot up to `staged_to` on its disk.
struct DualWritesStaged {
  ShardId shard;
  MoveId move;
  LogPosition staged_to;
  bool has_gap = false;  // what came does not follow: it was left alone, and what lies between must be sent again
};
// A source that is past its barrier hands a request on. Whoever serves it answers its router.
struct ForwardedRequest {
  ShardId shard;
  NodeId router;
  Request request;
};

// Replica sets.

// The owner to a follower (a member, or who joins): what is durable with the owner and follows `after`. Without entries
// it asks where the follower stands.
struct Replicate {
  ShardId shard;
  Epoch epoch;
  KeyRange range;     // what the owner holds: a follower that holds something else has to learn of a split or merge
  Version base;       // the owner's tail when it took the grant up: a follower with this tail has the same content
  LogPosition after;  // the entries are the ones directly after this
  std::uint8_t count = 0;
  std::array<Entry, kEntriesPerMessage> entries;
};
// The owner to who joins: a piece of its copy, as of `snapshot` or later.
struct CopyPart {
  ShardId shard;
  Epoch epoch;
  DirectoryPosition join;
  LogPosition snapshot;
  CopyCursor begin;
  CopyCursor next;
  bool is_last = false;
  std::uint8_t count = 0;
  std::array<Entry, kEntriesPerMessage> entries;
};
// Where a follower stands, all of it durable.
struct FollowerReport {
  ShardId shard;
  Epoch epoch;             // of the owner that is answered
  DirectoryPosition join;  // of the follower's copy
  Version tail;            // while the copy is made, the position is the snapshot's
  CopyCursor cursor;
  bool is_copied = false;
  bool is_leaving = false;  // it is to be replaced
};

// A mover that has a move to drive tells the others that it does: from whom they hear nothing, they take over.
struct MoverAlive {};

using Message =
    std::variant<ClientRequest, ClientReply, Request, Reply, Refusal, Poll, RecordUpdate, UpToDate, Renew, Renewed,
                 Command, CommandResult, StartMove, MoveOrder, MoveReport, Chunk, LogBatch, StartReshape, ReshapeOrder,
                 ForwardedRequest, DualWrites, DualWritesStaged, NotLeader, VoteRequest, Vote, Append, Appended,
                 SnapshotMessage, MoverAlive, Replicate, CopyPart, FollowerReport, RenewNode, NodeRenewed, ReadTop,
                 TopTable, Lookup, LookupResult, SettingRequest, SettingReply, Enlist>;

// Kinds for anchors: the alternatives of Message, commands and orders told apart by what they ask. The last one,
// Enlist, comes from outside only.
inline constexpr std::uint8_t kMessageKinds = std::variant_size_v<Message> + kCommandKinds + 8 + 8;
std::uint8_t kind_of(const Message& message);
// Of one kind, as scenarios print it: "chunk", "order_fence". Empty for a number that is no kind.
std::string_view name_of_kind(std::uint8_t kind);
std::int64_t bytes_of(const Message& message);
std::uint64_t digest_of(const Message& message);
// One line for traces.
std::string to_string(const Message& message);

}  // namespace shardcheck::impl
