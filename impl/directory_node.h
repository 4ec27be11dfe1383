// One member of the directory: proposes commands to the replicated log while it leads, acts on what is committed, in
// order, and lets everyone who follows the directory know. Nobody learns of anything that a majority does not have.
//
// A command is judged when it is committed, not before: between its proposal and its commit others may come first. One
// that is refused then has taken a position all the same. Who asked an earlier leader gets no answer and asks again;
// commands are conditional and may be repeated.
//
// Any member that is in touch with the leader, and has acted on as much as a poll needs, answers it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "impl/directory_log.h"
#include "impl/directory_state.h"
#include "impl/lease_keeper.h"
#include "impl/messages.h"
#include "impl/options.h"
#include "impl/records.h"
#include "spec/process.h"

namespace shardcheck::impl {

class DirectoryNode {
 public:
  DirectoryNode(const ClusterOptions& options, NodeId self);

  void handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs);

  // For tests and for judging only.
  const DirectoryLog& log() const { return log_; }
  const DirectoryState& state() const { return state_; }
  DirectoryPosition applied() const { return applied_; }

 private:
  void start(std::span<const Record> durable, Instant now, ClusterOutputs& outputs);
  void receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs);
  void poll(NodeId from, const Poll& poll, Instant now, ClusterOutputs& outputs) const;
  bool knows_enough(DirectoryPosition needed, Instant now) const;
  void renew(NodeId from, const Renew& renew, Instant now, ClusterOutputs& outputs);
  void renew_all(NodeId from, const RenewNode& renew, Instant now, ClusterOutputs& outputs);
  Instant counted_from(Instant sent_at, Instant now) const;
  void decide(NodeId from, Command command, Instant now, ClusterOutputs& outputs);
  void look_for_expired(Instant now, ClusterOutputs& outputs);
  void turn_away(NodeId from, Instant now, ClusterOutputs& outputs) const;
  void follow_log(Instant now, ClusterOutputs& outputs);
  void act_on(DirectoryPosition position, ClusterOutputs& outputs);
  void announce(const RecordUpdate& update, ClusterOutputs& outputs) const;
  Sibling changed_with(ShardId shard) const;
  void tell_change(const Command& command, DirectoryPosition position, const DirectoryState::Outcome& outcome);
  void restore_split_parent(DirectoryPosition position);
  void answer(const Command& command, const DirectoryState::Outcome& outcome, ClusterOutputs& outputs) const;
  void tell(DirectoryPosition position, const Observation& fact);
  void tell_extended(DirectoryPosition position, const Command& command);
  void tell_committed(ClusterOutputs& outputs);
  void take_office(Instant now, ClusterOutputs& outputs);

  // directory_tiers.cpp
  void read_top(NodeId from, const ReadTop& asked, Instant now, ClusterOutputs& outputs) const;
  void look_up(NodeId from, const Lookup& asked, Instant now, ClusterOutputs& outputs) const;
  void tell_tiers(DirectoryPosition position);
  void use_setting(NodeId from, const SettingRequest& asked, Instant now, ClusterOutputs& outputs);
  void carry_out_setting(const Command& command, Term term, ClusterOutputs& outputs);

  ClusterOptions options_;
  Decisions decisions_;
  NodeId self_;
  DirectoryLog log_;
  DirectoryState state_;       // after applied_
  DirectoryPosition applied_;  // everything up to here was acted on
  bool was_leader_ = false;
  std::optional<ShardRecord> split_parent_;  // for a mutant: what was split last, as it was before
  // What this member did as the leader, for the judge, who is told when it is committed.
  std::vector<std::pair<DirectoryPosition, Observation>> untold_;
  // Arrived while an election was under way that this member may win.
  std::vector<std::pair<NodeId, Message>> early_;
  LeaseKeeper leases_;
};

}  // namespace shardcheck::impl
