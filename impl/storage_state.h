// Everything a storage node remembers across a crash, as a fold over the records of its disk. The running node changes
// it in no other way than by appending a record and applying it, so what a restart finds is what was there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "impl/decisions.h"
#include "impl/options.h"
#include "impl/records.h"

namespace shardcheck::impl {

// One key. A version with an absent value is a tombstone; no version: the key was never written here.
struct Cell {
  Version version;
  Value value;

  bool exists() const { return version != Version{}; }
};

// The last request of one client that this range answered. Older ones need no memory: a client starts a request only
// after it finished or gave up the one before.
struct AnsweredRequest {
  std::uint32_t sequence = 0;
  OutcomeKind outcome = OutcomeKind::ok;
  Value answer;
};

// What a node knows about one range, and its copy of it if it has one.
struct ShardCopy {
  ShardRecord known;             // the newest record it was told
  DirectoryPosition changed_at;  // of that record
  std::optional<CopyState> copy;
  Epoch held_epoch;  // the grant it took up; 0: none
  MoveId move;       // of a staged or retained copy, or of the fence
  CopyCursor cursor;
  std::uint8_t attempt = 0;  // staging: so often the copy was begun anew for this move
  bool is_copied = false;    // staging: everything was copied, replay may run
  LogPosition tail;          // of the log; staging: replayed to here
  Epoch tail_epoch;        // under which the content up to the tail was agreed on: (tail_epoch, tail) names the content
  Version base;            // owner: its (tail_epoch, tail) when it took the grant up
  DirectoryPosition join;  // replica: of the attempt to join that began it; 0: of no such attempt
  LogPosition log_begin;   // log[0] is at the position after this one
  std::vector<Entry> log;  // staging: the dual writes that wait for the copy to be complete
  MoveId captured_for;     // the move by dual writes whose capture was opened last
  LogPosition captured_after;  // its snapshot
  MoveId pinned_for;           // the log after `pinned_at` is kept for the copy of this move
  LogPosition pinned_at;
  std::vector<AnsweredRequest> answered;  // by client
  ContentDigest digest;                   // of the copy, kept up to date with every change
  Instant lease_on_disk;                  // never trusted
  KeyRange held;                          // what the copy covers: the record's range may have changed since
  ReshapeNoted note;                      // what the owner has decided and the directory has not entered yet, if any

  // The highest epoch the node has seen for the range.
  Epoch highest_seen() const { return known.epoch; }
  // Staging by dual writes: everything from the snapshot up to here is on the disk.
  LogPosition staged_to() const { return log_begin + log.size(); }
  // Copies of a range with the same one have the same content.
  Version tail_version() const { return {tail_epoch, tail}; }
  bool holds_grant() const { return held_epoch != Epoch{} && (copy == CopyState::owned || copy == CopyState::fenced); }
};

class StorageState {
 public:
  StorageState() = default;
  StorageState(const ClusterOptions& options, NodeId self);

  void apply(const Record& record);

  bool is_formatted() const { return is_formatted_; }
  // Empty until an operator said something: then it is as it was set up.
  std::optional<bool> takes_copies() const { return takes_copies_; }
  // Of every range that the node ever heard of.
  std::span<const ShardCopy> copies() const { return {copies_.data(), known_ids_}; }
  const ShardCopy& copy(ShardId shard) const { return copies_[shard.value]; }
  const Cell& cell(Key key) const { return cells_[key.value]; }
  // The shard whose range holds the key, as far as the node knows: where records overlap, the one that changed last.
  const ShardCopy* find(Key key) const;
  // May this very attempt have been executed here before, in whatever range? True for the last one that was executed
  // for its client, and for all requests before that one: their client has gone on.
  bool may_have_executed(const Attempt& attempt) const {
    const Attempt& last = executed_[attempt.request.client.value];
    return last == attempt || attempt.request.sequence < last.request.sequence;
  }
  // May the attempt have been handed on to a target, which may execute it yet? Also true of earlier ones of its client.
  bool may_have_handed_on(const Attempt& attempt) const { return attempt <= handed_on_[attempt.request.client.value]; }
  // Recomputed from nothing, for judging.
  ContentDigest content_of(ShardId shard) const;

 private:
  void fold(const Provisioned& it);
  void fold(const KnowsRecord& it);
  void fold(const Wrote& it);
  void fold(const CapturePinned& it);
  void fold(const LogCut& it);
  void fold(const StagingBegun& it);
  void fold(const Staged& it);
  void fold(const StagingProgress& it);
  void fold(const CaptureOpened& it);
  void fold(const DualWriteStaged& it);
  void fold(const FenceSet& it);
  void fold(const FenceLifted& it);
  void fold(const HandedOn& it);
  void fold(const CopyDropped& it);
  void fold(const ReshapeNoted& it);
  void fold(const ReshapeDropped& it);
  void fold(const Divided& it);
  void fold(const Joined& it);
  static void become(ShardCopy& copy, KeyRange held, Epoch epoch);
  static void add_answered(ShardCopy& left, const ShardCopy& right);
  void count(ShardCopy& copy) const;
  void fold(const ReplicaBegun& it);
  void fold(const Replicated& it);
  void fold(const ReplicaDivided& it);
  void fold(const ReplicaJoined& it);
  void fold(const Agreed& it);
  void put(ShardCopy& copy, const Entry& entry);
  void remember(ShardCopy& copy, const Entry& entry);
  void begin_empty(ShardCopy& copy, CopyState state);
  void erase(Key key);
  ShardCopy& at(ShardId shard) {
    known_ids_ = std::max<std::size_t>(known_ids_, shard.value + 1U);
    return copies_[shard.value];
  }

  bool is_formatted_ = false;
  std::optional<bool> takes_copies_;
  NodeId self_ = kNoNode;
  Decisions decisions_;
  std::uint16_t clients_ = 0;
  std::vector<ShardCopy> copies_;   // by ShardId
  std::size_t known_ids_ = 0;       // of copies_ those that were ever heard of come first
  std::vector<Cell> cells_;         // by Key
  std::vector<Attempt> executed_;   // by ClientId: the last one
  std::vector<Attempt> handed_on_;  // by ClientId: the last one
};

// The disk of a storage node as it is set up before its first start: formatted, with its share of initial_records.
std::vector<Record> initial_disk(const ClusterOptions& options, NodeId node);

}  // namespace shardcheck::impl
