// The directory as one process: a durable log of commands, the state they lead to, and everyone who follows it. Nobody
// learns of anything that is not durable.
//
// At this stage the log is one disk. It stands behind DirectoryLog so that a replicated one can take its place: the
// node proposes commands and acts on those that the log calls committed, in order.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "impl/after_sync.h"
#include "impl/directory_state.h"
#include "impl/messages.h"
#include "impl/options.h"
#include "impl/records.h"
#include "spec/process.h"

namespace shardcheck::impl {

// The order of all commands. One disk: a command is committed when it is durable.
class DirectoryLog {
 public:
  void recover(DirectoryPosition first_free, std::span<const Record> durable);
  DirectoryPosition next_position() const { return next_; }
  // Appends at next_position(); the position is fixed, the command not yet committed.
  DirectoryPosition propose(const Command& command, ClusterOutputs& outputs);
  // How many proposals there are, and how many of them are committed.
  std::uint64_t proposed() const { return proposed_; }
  std::uint64_t committed() const { return committed_; }
  void on_synced(std::uint64_t count) { committed_ = count; }

 private:
  DirectoryPosition next_;
  std::uint64_t proposed_ = 0;
  std::uint64_t committed_ = 0;
};

class DirectoryNode {
 public:
  explicit DirectoryNode(const ClusterOptions& options);

  void handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs);

 private:
  struct Send {
    NodeId to;
    Message message;
  };
  // A committed change becomes known: to the judge and to all who watch.
  struct Announce {
    Command command;
    DirectoryPosition position;
    RecordChange change;
    ShardRecord record;
    DirectoryPosition follows;
    Sibling sibling;
    RecordChange sibling_change = RecordChange::created;
  };
  struct Extended {
    ShardId shard;
    Epoch epoch;
    NodeId holder;
    Instant until;
  };
  using Pending = std::variant<Send, Announce, Extended>;

  void recover(std::span<const Record> durable, ClusterOutputs& outputs);
  void receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs);
  void poll(NodeId from, const Poll& poll, ClusterOutputs& outputs);
  void renew(NodeId from, const Renew& renew, Instant now, ClusterOutputs& outputs);
  void decide(NodeId from, Command command, Instant now, ClusterOutputs& outputs);
  void once_committed(Pending pending, ClusterOutputs& outputs);
  void release(ClusterOutputs& outputs);
  Sibling changed_with(ShardId shard) const;
  Announce announcement(const Command& command, DirectoryPosition position,
                        const DirectoryState::Outcome& outcome) const;
  void restore_split_parents(std::span<const Record> durable, ClusterOutputs& outputs);
  static void observe_change(const Announce& change, ClusterOutputs& outputs);
  void announce(const Announce& change, ClusterOutputs& outputs);

  ClusterOptions options_;
  Decisions decisions_;
  DirectoryState state_;
  DirectoryLog log_;
  DirectoryPosition last_change_;
  AfterSync<Pending> pending_;
};

}  // namespace shardcheck::impl
