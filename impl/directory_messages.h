// What is said to the directory, by it, and among its members, as plain data.
#pragma once

#include <array>
#include <cstdint>
#include <variant>

#include "spec/observation.h"
#include "spec/operation.h"
#include "spec/types.h"

namespace shardcheck::impl {

// The directory.

// A record that may be absent.
struct Sibling {
  ShardRecord record;

  bool exists() const { return record.epoch != Epoch{}; }
};
// Asks for every record that changed after `known`, of a member that has acted on everything up to `needed`.
struct Poll {
  DirectoryPosition known;
  DirectoryPosition needed;
};
// A member of the directory cannot answer: it does not lead, or does not know enough. kNoNode: nor does it know who
// can.
struct NotLeader {
  NodeId leader = kNoNode;
};
// One record that changed, pushed alone or as one of several that answer a poll. No record was last changed between
// `follows` and `changed_at`: whoever got the update before this one has missed none. But a record that comes later in
// the same answer may have had a change before, which nobody tells any more: so only with the last one, at `until`, a
// watcher knows everything up to there. Answers that end at the same position tell the same.
struct RecordUpdate {
  ShardRecord record;
  DirectoryPosition changed_at;
  DirectoryPosition follows;
  DirectoryPosition until;
  // The other one that changed at the same position, by a split or a merge. They come together, so that nobody takes
  // one for all that happened there.
  Sibling sibling = {};
};
// The answer to a poll: nothing has changed since.
struct UpToDate {
  DirectoryPosition known;
};
// The record whose range holds a key is looked up in two steps (directory_lookup.h): the top table says which metadata
// shard keeps it, and that one is asked. `needed` is as in Poll.
struct ReadTop {
  DirectoryPosition needed;
};
inline constexpr std::size_t kMetadataShardsMax = 8;
struct TopRowSent {
  Key lo;  // up to that of the next row
  MetadataShardId metadata;
};
struct TopTable {
  DirectoryPosition version;  // when it last changed
  std::uint8_t count = 0;
  std::array<TopRowSent, kMetadataShardsMax> rows;  // in order of keys
};
struct Lookup {
  Key key;
  MetadataShardId metadata;
  DirectoryPosition relied_on;  // the version of the top table that named this metadata shard
  DirectoryPosition needed;
};
struct LookupResult {
  Key key;
  DirectoryPosition relied_on;  // as it was asked
  bool is_crossed = false;      // that table is old, and this metadata shard does not keep the key any more
  DirectoryPosition version;    // of the table to read instead
  RecordUpdate found;           // follows itself, and so tells nothing of records that did not change with it
};
struct Renew {
  ShardId shard;
  Epoch epoch;
  Instant sent_at;
};
struct Renewed {
  ShardId shard;
  Epoch epoch;
  Instant until;
};
// All grants of the sender at once.
struct RenewNode {
  Instant sent_at;
};
// Extended are the leases of what the directory's records gave the node as of `as_of`. Who has not learnt of everything
// up to there cannot know which of its grants that were.
struct NodeRenewed {
  Instant until;
  DirectoryPosition as_of;
};

enum class CommandKind : std::uint8_t {
  begin_move,
  take_over_move,
  advance_move,
  commit_move,
  abort_move,
  finish_move,
  report_lost,
  renew_lease,
  split_range,
  merge_ranges,
  split_metadata,
  use_setting,
  begin_term,  // changes nothing: a new leader's first entry
  join_member,
  admit_member,
  remove_member,
  fail_over,
  renew_node,
};
inline constexpr std::int32_t kNoNumber = INT32_MIN;  // stands for an absent value
inline constexpr std::uint8_t kCommandKinds = 18;
struct Command {
  CommandKind kind = CommandKind::renew_lease;
  ShardId shard;
  Epoch planned_on;  // the epoch of the record on which the command was decided
  MoveId move;
  MoverEpoch mover_epoch;             // 0 when the command is not a mover's
  MovePhase phase = MovePhase::none;  // advance_move: to which
  NodeId target = kNoNode;            // begin_move, commit_move; whom the change of a replica set is about; fail_over
  MoveOptions how;                    // begin_move
  NodeId asked_by = kNoNode;
  Instant lease_until;  // renew_lease, renew_node, commit_move, fail_over: of the grant
  Instant expired_by;   // fail_over: a lease that ended by then has ended on every clock
  // split_range, merge_ranges, changes of a replica set: the record must still be the one that changed there, so that
  // once such a command was refused, every late copy of it is.
  DirectoryPosition planned_at;
  Key at;         // split_range, split_metadata: where the right half begins; use_setting: which
  ShardId other;  // merge_ranges: the right neighbour, which goes
  // use_setting: who asks for what. Settings are numbers.
  OperationKind operation = OperationKind::read;
  DirectoryPosition other_planned_at;  // merge_ranges
  RequestId request;
  std::int32_t number = 0;
  std::int32_t expected = kNoNumber;
};
struct CommandResult {
  CommandKind kind = CommandKind::renew_lease;
  bool is_accepted = false;
  ShardRecord record;  // as it is after the command, accepted or not
  DirectoryPosition changed_at;
  Sibling sibling = {};               // as in RecordUpdate
  DirectoryPosition planned_at = {};  // of the command
};

// The directory's own registers, for whoever needs a few values that a majority keeps (directory_client.h).
inline constexpr std::uint32_t kSettingsMax = 16;
inline constexpr std::uint16_t kSettingClientsMax = 64;
struct SettingRequest {
  RequestId request;
  Operation operation;  // read, write or compare_and_set, of a key below kSettingsMax, with numbers
};
struct SettingReply {
  RequestId request;
  Outcome outcome;
};

// Among the members of the directory (directory_log.h).

// A period of leadership of the directory's log.
struct Term : Strong<Term, std::uint32_t> {
  using Strong::Strong;
};
constexpr Term next(Term term) { return Term{term.value + 1}; }

struct LogEntry {
  Term term;  // in which it was proposed
  Command command;
};
inline constexpr std::size_t kLogEntriesPerMessage = 3;
// What the directory's state consists of, as a snapshot carries it.
struct RecordPart {
  ShardRecord record;
  DirectoryPosition changed_at;
};
// A metadata shard keeps the records whose ranges lie in its keys.
struct MetadataShard {
  MetadataShardId id;
  KeyRange keys;
  DirectoryPosition since;   // when it was given these keys
  std::uint64_t grants = 0;  // for a mutant: how many there were
};
struct SettingPart {
  Key key;
  Value value;
};
// The last request of one client, and its answer.
struct AnswerPart {
  RequestId request;
  Outcome outcome;
};
using StatePart = std::variant<RecordPart, MetadataShard, SettingPart, AnswerPart>;
inline constexpr std::size_t kStatePartsPerMessage = 3;

struct VoteRequest {
  Term term;
  DirectoryPosition last;  // where the log of who asks ends
  Term last_term;
  bool is_trial = false;  // only asks what the answer would be
};
struct Vote {
  Term term;
  bool is_granted = false;
  bool is_trial = false;
};
// The entries directly after `previous`; none: the leader lives.
struct Append {
  Term term;
  Term previous_term;  // of the entry at `previous`, which must be the same for the entries to fit
  DirectoryPosition previous;
  DirectoryPosition committed;
  std::uint8_t count = 0;
  std::array<LogEntry, kLogEntriesPerMessage> entries;
};
// A part of the state at `position`, for a member that lacks entries which are no longer kept.
struct SnapshotMessage {
  Term term;
  Term position_term;
  DirectoryPosition position;
  std::uint16_t parts_total = 0;
  std::uint16_t begin = 0;  // the number of the first part in this message
  std::uint8_t count = 0;
  std::array<StatePart, kStatePartsPerMessage> parts;
};
struct Appended {
  Term term;
  bool is_accepted = false;
  DirectoryPosition position;  // accepted: up to here the log is the leader's, durably; refused: go on after this
};

}  // namespace shardcheck::impl
