#include "impl/directory_node.h"

#include <algorithm>

#include "impl/overloaded.h"

namespace shardcheck::impl {
namespace {

constexpr Duration kCostOfMessage = microseconds(4);
constexpr Duration kCostOfCommand = microseconds(10);

}  // namespace

void DirectoryLog::recover(DirectoryPosition first_free, std::span<const Record> durable) {
  next_ = first_free;
  for (const Record& record : durable) {
    next_ = next(std::get<Decided>(record).position);
  }
  proposed_ = committed_ = durable.size();
}

DirectoryPosition DirectoryLog::propose(const Command& command, ClusterOutputs& outputs) {
  const DirectoryPosition position = next_;
  next_ = next(next_);
  ++proposed_;
  outputs.append(Decided{position, command});
  outputs.wants_sync = true;
  return position;
}

DirectoryNode::DirectoryNode(const ClusterOptions& options) : options_(options), decisions_(options.mutant) {}

void DirectoryNode::handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs) {
  std::visit(Overloaded{
                 [&](const Started<Record>& started) { recover(started.durable, outputs); },
                 [&](const Received<Message>& received) {
                   outputs.cost = kCostOfMessage;
                   receive(received.from, received.message, now, outputs);
                 },
                 [&](const TimerFired&) {},
                 [&](const Synced& synced) {
                   log_.on_synced(synced.count);
                   release(outputs);
                 },
             },
             input);
}

// Some of what is durable may not have been announced before the crash. What was is told to the judge once more.
void DirectoryNode::recover(std::span<const Record> durable, ClusterOutputs& outputs) {
  state_ = DirectoryState(initial_records(options_), decisions_, options_.shard_ids());
  const DirectoryPosition first_free{options_.shards + 1U};
  log_.recover(first_free, durable);
  last_change_ = DirectoryPosition{options_.shards};
  for (const Record& record : durable) {
    const auto& [position, command] = std::get<Decided>(record);
    const DirectoryState::Outcome outcome = state_.apply(command, position);
    const ShardRecord& after = state_.record(command.shard);
    if (outcome.change) {
      last_change_ = position;
      observe_change(announcement(command, position, outcome), outputs);
    } else if (outcome.is_lease_extended) {
      outputs.observe(LeaseExtended{after.shard, after.epoch, after.owner, command.lease_until});
    }
  }
  pending_ = {};
  if (decisions_.restores_split_parents()) {
    restore_split_parents(durable, outputs);
  }
}

// Only a mutant does this: it grants what a range was before it was split, as if the split had never been.
void DirectoryNode::restore_split_parents(std::span<const Record> durable, ClusterOutputs& outputs) {
  DirectoryState before(initial_records(options_), decisions_, options_.shard_ids());
  for (const Record& record : durable) {
    const auto& [position, command] = std::get<Decided>(record);
    ShardRecord parent = before.record(command.shard);
    const bool is_split = before.apply(command, position).change && command.kind == CommandKind::split_range;
    if (is_split) {
      last_change_ = log_.next_position();
      parent.epoch = epoch_of(last_change_);
      outputs.observe(RecordCommitted{last_change_, RecordChange::granted, state_.record(parent.shard).epoch,
                                      MoverEpoch{}, parent});
      outputs.observe(DirectoryStepped{last_change_});
      return;
    }
  }
}

void DirectoryNode::receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs) {
  if (const auto* polled = std::get_if<Poll>(&message)) {
    poll(from, *polled, outputs);
  } else if (const auto* renewal = std::get_if<Renew>(&message)) {
    renew(from, *renewal, now, outputs);
  } else if (const auto* command = std::get_if<Command>(&message)) {
    decide(from, *command, now, outputs);
  }
}

// Tells what changed after what the asker knows, in order, each linked to the one before.
void DirectoryNode::poll(NodeId from, const Poll& poll, ClusterOutputs& outputs) {
  std::vector<ShardRecord> changed;
  for (const ShardRecord& record : state_.records()) {
    if (state_.changed_at(record.shard) > poll.known) {
      changed.push_back(record);
    }
  }
  std::ranges::sort(changed, {}, [&](const ShardRecord& record) { return state_.changed_at(record.shard); });
  DirectoryPosition follows = poll.known;
  for (const ShardRecord& record : changed) {
    const DirectoryPosition changed_at = state_.changed_at(record.shard);
    if (changed_at == follows) {
      continue;  // it went with the one before
    }
    once_committed(Send{from, RecordUpdate{record, changed_at, follows, changed_with(record.shard)}}, outputs);
    follows = changed_at;
  }
  if (changed.empty()) {
    once_committed(Send{from, UpToDate{poll.known}}, outputs);
  }
}

// The lease runs from when the holder asked, by its own clock; a request that claims to come from further in the
// future than clocks may differ is not believed.
void DirectoryNode::renew(NodeId from, const Renew& renew, Instant now, ClusterOutputs& outputs) {
  const Instant latest = now + options_.clock_offset_max * 2;
  Command command;
  command.kind = CommandKind::renew_lease;
  command.shard = renew.shard;
  command.planned_on = renew.epoch;
  command.asked_by = from;
  command.lease_until = std::min(renew.sent_at, latest) + options_.lease_duration;
  decide(from, command, now, outputs);
}

void DirectoryNode::decide(NodeId from, Command command, Instant now, ClusterOutputs& outputs) {
  outputs.cost = kCostOfCommand;
  command.asked_by = from;
  if (command.kind == CommandKind::commit_move) {
    command.lease_until = now + options_.lease_duration;
  }
  if (!state_.knows(command.shard)) {
    return;
  }
  // Applying is how a command is judged; one that changes nothing takes no position in the log.
  const DirectoryState::Outcome outcome = state_.apply(command, log_.next_position());
  if (outcome.change || outcome.is_lease_extended) {
    const DirectoryPosition position = log_.propose(command, outputs);
    if (outcome.change) {
      once_committed(announcement(command, position, outcome), outputs);
      last_change_ = position;
    }
  }
  const ShardRecord& record = state_.record(command.shard);
  if (outcome.is_lease_extended) {
    once_committed(Extended{record.shard, record.epoch, record.owner, command.lease_until}, outputs);
    once_committed(Send{from, Renewed{record.shard, record.epoch, command.lease_until}}, outputs);
    return;
  }
  once_committed(Send{from, CommandResult{command.kind, outcome.is_accepted, record, state_.changed_at(record.shard),
                                          changed_with(record.shard), command.planned_at}},
                 outputs);
}

// The other record that changed last at the same position.
Sibling DirectoryNode::changed_with(ShardId shard) const {
  for (const ShardRecord& record : state_.records()) {
    if (record.shard != shard && state_.changed_at(record.shard) == state_.changed_at(shard)) {
      return {record};
    }
  }
  return {};
}

DirectoryNode::Announce DirectoryNode::announcement(const Command& command, DirectoryPosition position,
                                                    const DirectoryState::Outcome& outcome) const {
  Announce change{command, position, *outcome.change, state_.record(command.shard), last_change_, {}, {}};
  if (outcome.sibling) {
    change.sibling = {state_.record(*outcome.sibling)};
    change.sibling_change = outcome.sibling_change;
  }
  return change;
}

void DirectoryNode::once_committed(Pending pending, ClusterOutputs& outputs) {
  pending_.add(log_.proposed(), std::move(pending));
  release(outputs);
}

void DirectoryNode::release(ClusterOutputs& outputs) {
  while (pending_.has_ready(log_.committed())) {
    std::visit(Overloaded{
                   [&](const Send& it) { outputs.send(it.to, it.message); },
                   [&](const Announce& it) { announce(it, outputs); },
                   [&](const Extended& it) { outputs.observe(LeaseExtended{it.shard, it.epoch, it.holder, it.until}); },
               },
               pending_.take());
  }
}

void DirectoryNode::observe_change(const Announce& it, ClusterOutputs& outputs) {
  const MoverEpoch asked_by = it.command.mover_epoch;
  outputs.observe(RecordCommitted{it.position, it.change, it.command.planned_on, asked_by, it.record});
  if (it.sibling.exists()) {
    outputs.observe(
        RecordCommitted{it.position, it.sibling_change, it.command.planned_on, asked_by, it.sibling.record});
  }
  outputs.observe(DirectoryStepped{it.position});
}

void DirectoryNode::announce(const Announce& it, ClusterOutputs& outputs) {
  observe_change(it, outputs);
  // Storage nodes and the mover watch; routers poll, and otherwise learn from the signals they get.
  const Roles roles(options_);
  const RecordUpdate update{it.record, it.position, it.follows, it.sibling};
  for (std::uint16_t i = 0; i < roles.storage_nodes(); ++i) {
    outputs.send(roles.storage(i), update);
  }
  outputs.send(roles.mover(), update);
}

}  // namespace shardcheck::impl
