// Everything a storage node remembers across a crash, as a fold over the records of its disk. The running node changes
// it in no other way than by appending a record and applying it, so what a restart finds is what was there.
#pragma once

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
  bool is_copied = false;  // staging: everything was copied, replay may run
  LogPosition tail;        // of the log; staging: replayed to here
  LogPosition log_begin;   // log[0] is at the position after this one
  std::vector<Entry> log;
  std::vector<AnsweredRequest> answered;  // by client
  ContentDigest digest;                   // of the copy, kept up to date with every change
  Instant lease_on_disk;                  // never trusted

  // The highest epoch the node has seen for the range.
  Epoch highest_seen() const { return known.epoch; }
};

class StorageState {
 public:
  StorageState() = default;
  StorageState(const ClusterOptions& options, NodeId self);

  void apply(const Record& record);

  bool is_formatted() const { return is_formatted_; }
  std::span<const ShardCopy> copies() const { return copies_; }
  const ShardCopy& copy(ShardId shard) const { return copies_[shard.value]; }
  const Cell& cell(Key key) const { return cells_[key.value]; }
  // The shard whose range holds the key, as far as the node knows.
  const ShardCopy* find(Key key) const;
  // Recomputed from nothing, for judging.
  ContentDigest content_of(ShardId shard) const;

 private:
  void fold(const Provisioned& it);
  void fold(const KnowsRecord& it);
  void fold(const Wrote& it);
  void fold(const StagingBegun& it);
  void fold(const Staged& it);
  void fold(const StagingProgress& it);
  void fold(const FenceSet& it);
  void fold(const FenceLifted& it);
  void fold(const CopyDropped& it);
  void put(ShardCopy& copy, const Entry& entry);
  void remember(ShardCopy& copy, const Entry& entry);
  void begin_empty(ShardCopy& copy, CopyState state);
  void erase(Key key);
  ShardCopy& at(ShardId shard) { return copies_[shard.value]; }

  bool is_formatted_ = false;
  Decisions decisions_;
  std::uint16_t clients_ = 0;
  std::vector<ShardCopy> copies_;  // by ShardId
  std::vector<Cell> cells_;        // by Key
};

// The disk of a storage node as it is set up before its first start: formatted, with its share of initial_records.
std::vector<Record> initial_disk(const ClusterOptions& options, NodeId node);

}  // namespace shardcheck::impl
