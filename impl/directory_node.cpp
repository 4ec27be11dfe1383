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
                 [&](const Started<Record>& started) { recover(started.durable); },
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

void DirectoryNode::recover(std::span<const Record> durable) {
  state_ = DirectoryState(initial_records(options_), decisions_);
  const DirectoryPosition first_free{options_.shards + 1U};
  log_.recover(first_free, durable);
  last_change_ = DirectoryPosition{options_.shards};
  for (const Record& record : durable) {
    const auto& decided = std::get<Decided>(record);
    if (state_.apply(decided.command, decided.position).change) {
      last_change_ = decided.position;
    }
  }
  pending_ = {};
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
    once_committed(Send{from, RecordUpdate{record, changed_at, follows}}, outputs);
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
      const ShardRecord& changed = state_.record(command.shard);
      once_committed(Announce{command, position, *outcome.change, changed, last_change_}, outputs);
      last_change_ = position;
    }
  }
  const ShardRecord& record = state_.record(command.shard);
  if (outcome.is_lease_extended) {
    once_committed(Extended{record.shard, record.epoch, record.owner, command.lease_until}, outputs);
    once_committed(Send{from, Renewed{record.shard, record.epoch, command.lease_until}}, outputs);
    return;
  }
  once_committed(Send{from, CommandResult{command.kind, outcome.is_accepted, record, state_.changed_at(record.shard)}},
                 outputs);
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

void DirectoryNode::announce(const Announce& it, ClusterOutputs& outputs) {
  const MoverEpoch asked_by = it.command.mover_epoch;
  outputs.observe(RecordCommitted{it.position, it.change, it.command.planned_on, asked_by, it.record});
  outputs.observe(DirectoryStepped{it.position});
  const Roles roles(options_);
  for (std::uint16_t id = 1; id < roles.processes(); ++id) {
    outputs.send(NodeId{id}, RecordUpdate{it.record, it.position, it.follows});
  }
}

}  // namespace shardcheck::impl
