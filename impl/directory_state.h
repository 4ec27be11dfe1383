// What the directory has decided, as a pure function of its log: applying the same commands in the same order gives
// the same records everywhere. It knows no clocks; every time in a command was fixed by whoever proposed it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "impl/decisions.h"
#include "impl/messages.h"
#include "impl/options.h"

namespace shardcheck::impl {

class DirectoryState {
 public:
  struct Outcome {
    bool is_accepted = false;
    std::optional<RecordChange> change;  // absent: nothing changed (refused, repeated, or a lease extended)
    bool is_lease_extended = false;
    // The other range of a split or a merge, and what became of it.
    std::optional<ShardId> sibling;
    RecordChange sibling_change = RecordChange::created;
    bool is_metadata_split = false;
  };

  DirectoryState() = default;
  // There will never be more than `shards_max` ids of ranges, nor more than `moves_max` moves that copy at one time.
  DirectoryState(std::vector<ShardRecord> initial, Decisions decisions, std::size_t shards_max = 64,
                 std::size_t moves_max = 64);

  // The state as it is carried and kept, and made of that again.
  std::vector<StatePart> parts() const;
  void restore(std::span<const StatePart> parts);

  // Decides one command at `position`. A command that was decided before is accepted again and changes nothing.
  Outcome apply(const Command& command, DirectoryPosition position);
  // Carries out a request for a setting, once: a repeated one has the same answer, one that its client has gone on from
  // has none.
  std::optional<shardcheck::Outcome> use_setting(const Command& command);

  // By ShardId; those that were merged away among them (ShardRecord::is_removed).
  const std::vector<ShardRecord>& records() const { return records_; }
  const ShardRecord& record(ShardId shard) const;
  bool knows(ShardId shard) const { return shard.value < records_.size(); }
  DirectoryPosition changed_at(ShardId shard) const { return changed_at_[shard.value]; }
  // The position of the last change of any record.
  DirectoryPosition last_change() const { return last_change_; }

  // The two levels. The top table is what the metadata shards say of their keys, in order of these.
  const std::vector<MetadataShard>& metadata() const { return metadata_; }
  DirectoryPosition top_version() const { return top_version_; }
  const MetadataShard& metadata_of(Key key) const { return metadata_[metadata_index(key)]; }
  // Null if no range holds the key, which only a mutant brings about.
  const ShardRecord* find(Key key) const;

 private:
  Outcome begin_move(const Command& command, ShardRecord& record, DirectoryPosition position);
  Outcome take_over_move(const Command& command, ShardRecord& record);
  Outcome advance_move(const Command& command, ShardRecord& record);
  Outcome commit_move(const Command& command, ShardRecord& record, DirectoryPosition position);
  Outcome abort_move(const Command& command, ShardRecord& record);
  Outcome finish_move(const Command& command, ShardRecord& record);
  Outcome report_lost(const Command& command, ShardRecord& record);
  Outcome renew_lease(const Command& command, ShardRecord& record);
  Outcome split_range(const Command& command, DirectoryPosition position);
  Outcome merge_ranges(const Command& command, DirectoryPosition position);
  bool may_reshape(const Command& command, ShardId shard, DirectoryPosition planned_at) const;
  Outcome renew_node(const Command& command);
  Outcome join_member(const Command& command, ShardRecord& record, DirectoryPosition position) const;
  Outcome admit_member(const Command& command, ShardRecord& record) const;
  Outcome remove_member(const Command& command, ShardRecord& record) const;
  Outcome fail_over(const Command& command, ShardRecord& record, DirectoryPosition position);
  bool is_planned_on_now(const Command& command, const ShardRecord& record) const;
  Outcome split_metadata(const Command& command, DirectoryPosition position);
  std::size_t metadata_index(Key key) const;
  Epoch epoch_of_grant(const ShardRecord& record, DirectoryPosition position);

  bool has_room_for_move() const;

  std::vector<ShardRecord> records_;  // by ShardId
  std::vector<DirectoryPosition> changed_at_;
  DirectoryPosition last_change_;
  std::vector<MetadataShard> metadata_;
  DirectoryPosition top_version_;
  std::vector<SettingPart> settings_;  // those that were ever asked for
  std::vector<AnswerPart> answers_;    // by client, as they appeared
  Decisions decisions_;
  std::size_t shards_max_ = 0;
  std::size_t moves_max_ = 0;
};

// The records a fresh cluster starts with: the key space in equal ranges, dealt out to the storage nodes in turn, each
// granted at a position of its own. The first free position is shards + 1.
std::vector<ShardRecord> initial_records(const ClusterOptions& options);

}  // namespace shardcheck::impl
