#include "impl/directory_node.h"

#include <algorithm>

#include "impl/overloaded.h"

namespace shardcheck::impl {
namespace {

constexpr Duration kCostOfMessage = microseconds(4);
constexpr Duration kCostOfCommand = microseconds(10);
constexpr std::size_t kEarlyMax = 32;
constexpr TimerToken kLeases{0x10};  // smaller ones are the log's

}  // namespace

DirectoryNode::DirectoryNode(const ClusterOptions& options, NodeId self)
    : options_(options), decisions_(options.mutant), self_(self), log_(options, self) {}

void DirectoryNode::handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs) {
  leases_.is_awake(now);
  std::visit(Overloaded{
                 [&](const Started<Record>& started) {
                   start(started.durable, now, outputs);
                   look_for_expired(now, outputs);
                 },
                 [&](const Received<Message>& received) {
                   outputs.cost = kCostOfMessage;
                   leases_.hear(received.from, now);
                   if (!log_.receive(received.from, received.message, now, outputs)) {
                     receive(received.from, received.message, now, outputs);
                   }
                 },
                 [&](const TimerFired& fired) {
                   if (fired.token == kLeases) {
                     look_for_expired(now, outputs);
                   } else {
                     log_.on_timer(fired.token, now, outputs);
                   }
                 },
                 [&](const Synced& synced) { log_.on_synced(synced.count, now, outputs); },
             },
             input);
  follow_log(now, outputs);
}

void DirectoryNode::start(std::span<const Record> durable, Instant now, ClusterOutputs& outputs) {
  state_ = DirectoryState(initial_records(options_), decisions_, options_.shard_ids(), options_.moves_max);
  was_leader_ = false;
  split_parent_.reset();
  untold_.clear();
  early_.clear();
  leases_ = LeaseKeeper(options_);
  leases_.begin(now);
  const DirectoryPosition beginning = state_.last_change();
  applied_ = beginning;
  log_.start({beginning, Term{}, state_.parts()}, durable, now, outputs);
}

void DirectoryNode::receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs) {
  if (const auto* polled = std::get_if<Poll>(&message)) {
    poll(from, *polled, now, outputs);
    return;
  }
  if (const auto* top = std::get_if<ReadTop>(&message)) {
    read_top(from, *top, now, outputs);
    return;
  }
  if (const auto* lookup = std::get_if<Lookup>(&message)) {
    look_up(from, *lookup, now, outputs);
    return;
  }
  const bool is_for_the_leader = std::holds_alternative<Renew>(message) || std::holds_alternative<RenewNode>(message) ||
                                 std::holds_alternative<Command>(message) ||
                                 std::holds_alternative<SettingRequest>(message);
  if (!is_for_the_leader) {
    return;
  }
  if (log_.stands_for_election() && early_.size() < kEarlyMax) {
    early_.emplace_back(from, message);
  } else if (!log_.is_leader() || !log_.is_in_touch(now)) {
    turn_away(from, now, outputs);
  } else if (const auto* renewal = std::get_if<Renew>(&message)) {
    renew(from, *renewal, now, outputs);
  } else if (const auto* renewal_of_all = std::get_if<RenewNode>(&message)) {
    renew_all(from, *renewal_of_all, now, outputs);
  } else if (const auto* setting = std::get_if<SettingRequest>(&message)) {
    use_setting(from, *setting, now, outputs);
  } else {
    decide(from, std::get<Command>(message), now, outputs);
  }
}

void DirectoryNode::turn_away(NodeId from, Instant now, ClusterOutputs& outputs) const {
  const NodeId leader = log_.leader(now);
  outputs.send(from, NotLeader{leader == self_ ? kNoNode : leader});
}

bool DirectoryNode::knows_enough(DirectoryPosition needed, Instant now) const {
  return applied_ >= needed && log_.is_in_touch(now);
}

// Tells what changed after what the asker knows, in order, each linked to the one before.
void DirectoryNode::poll(NodeId from, const Poll& poll, Instant now, ClusterOutputs& outputs) const {
  if (!knows_enough(std::max(poll.known, poll.needed), now)) {
    turn_away(from, now, outputs);
    return;
  }
  std::vector<ShardRecord> changed;
  for (const ShardRecord& record : state_.records()) {
    if (state_.changed_at(record.shard) > poll.known) {
      changed.push_back(record);
    }
  }
  std::ranges::sort(changed, {}, [&](const ShardRecord& record) { return state_.changed_at(record.shard); });
  const DirectoryPosition until = changed.empty() ? poll.known : state_.changed_at(changed.back().shard);
  DirectoryPosition follows = poll.known;
  for (const ShardRecord& record : changed) {
    const DirectoryPosition changed_at = state_.changed_at(record.shard);
    if (changed_at == follows) {
      continue;  // it went with the one before
    }
    outputs.send(from, RecordUpdate{record, changed_at, follows, until, changed_with(record.shard)});
    follows = changed_at;
  }
  if (changed.empty()) {
    outputs.send(from, UpToDate{poll.known});
  }
}

// The lease runs from when the holder asked, by its own clock; a request that claims to come from further in the
// future than clocks may differ is not believed.
Instant DirectoryNode::counted_from(Instant sent_at, Instant now) const {
  return std::min(sent_at, now + options_.clock_offset_max * 2);
}

void DirectoryNode::renew(NodeId from, const Renew& renew, Instant now, ClusterOutputs& outputs) {
  Command command;
  command.kind = CommandKind::renew_lease;
  command.shard = renew.shard;
  command.planned_on = renew.epoch;
  command.lease_until = counted_from(renew.sent_at, now) + options_.lease_duration;
  decide(from, command, now, outputs);
}

void DirectoryNode::renew_all(NodeId from, const RenewNode& renew, Instant now, ClusterOutputs& outputs) {
  Command command;
  command.kind = CommandKind::renew_node;
  command.lease_until = counted_from(renew.sent_at, now) + options_.lease_duration;
  decide(from, command, now, outputs);
}

void DirectoryNode::decide(NodeId from, Command command, Instant now, ClusterOutputs& outputs) {
  outputs.cost = kCostOfCommand;
  command.asked_by = from;
  if (command.kind == CommandKind::commit_move || command.kind == CommandKind::fail_over) {
    command.lease_until = now + options_.lease_duration;
  }
  const bool is_for_members_only = command.kind == CommandKind::begin_term || command.kind == CommandKind::use_setting;
  if (!is_for_members_only && (state_.knows(command.shard) || command.kind == CommandKind::split_metadata)) {
    log_.propose(command, now, outputs);
  }
}

// A set of one waits for its owner. A leader that is out of touch commits no renewal, which is a stall like any other.
void DirectoryNode::look_for_expired(Instant now, ClusterOutputs& outputs) {
  if (options_.replicas < 2) {
    return;
  }
  const bool decides = log_.is_leader() && log_.is_in_touch(now);
  if (!decides) {
    leases_.begin(now);
  }
  for (std::uint16_t i = 0; decides && state_.knows(ShardId{i}); ++i) {
    if (const auto command = leases_.fail_over(state_.record(ShardId{i}), now)) {
      decide(kNoNode, *command, now, outputs);
    }
  }
  outputs.wake_at(now + leases_.interval(), kLeases);
}

// After every input: whatever the log says is committed now is acted on.
void DirectoryNode::follow_log(Instant now, ClusterOutputs& outputs) {
  if (log_.is_leader() != was_leader_) {
    was_leader_ = log_.is_leader();
    untold_.clear();
    if (was_leader_) {
      take_office(now, outputs);
    }
  }
  if (!log_.stands_for_election()) {
    for (const auto& [from, message] : std::exchange(early_, {})) {
      receive(from, message, now, outputs);
    }
  }
  if (applied_ < log_.snapshot().position) {
    applied_ = log_.snapshot().position;
    state_.restore(log_.snapshot().parts);
  }
  const bool waits = decisions_.waits_for_majority() || !log_.is_leader();
  const DirectoryPosition acts_to = waits ? log_.committed() : log_.last();
  while (applied_ < acts_to) {
    applied_ = next(applied_);
    act_on(applied_, outputs);
  }
  tell_committed(outputs);
  if (log_.is_long(applied_) && applied_ <= log_.committed()) {
    log_.compact(applied_, state_.parts(), outputs);
  }
}

// Leases go on as they are in the log. Only a mutant promises every holder a whole new one after a failover.
void DirectoryNode::take_office(Instant now, ClusterOutputs& outputs) {
  leases_.begin(now);
  if (decisions_.keeps_leases_on_failover() || log_.term() == next(Term{})) {
    return;
  }
  for (const ShardRecord& record : state_.records()) {
    if (record.owner != kNoNode) {
      outputs.send(record.owner, Renewed{record.shard, record.epoch, now + options_.lease_duration});
    }
  }
}

void DirectoryNode::act_on(DirectoryPosition position, ClusterOutputs& outputs) {
  const auto [term, command] = log_.entry(position);
  if (command.kind == CommandKind::use_setting) {
    carry_out_setting(command, term, outputs);
    return;
  }
  const DirectoryPosition follows = state_.last_change();
  if (command.kind == CommandKind::split_range && decisions_.restores_split_parents()) {
    split_parent_ = state_.record(command.shard);
  }
  const DirectoryState::Outcome outcome = state_.apply(command, position);
  if (!log_.is_leader()) {
    return;
  }
  if (command.kind == CommandKind::begin_term) {
    restore_split_parent(position);
    return;
  }
  if (outcome.is_metadata_split || outcome.sibling) {
    tell_tiers(position);
  }
  if (command.kind == CommandKind::split_metadata) {
    if (outcome.is_metadata_split) {
      tell(position, DirectoryStepped{position});
    }
    return;  // nobody waits for an answer
  }
  const ShardRecord& record = state_.record(command.shard);
  if (outcome.change) {
    tell_change(command, position, outcome);
    announce(RecordUpdate{record, position, follows, position, changed_with(command.shard)}, outputs);
  } else if (outcome.is_lease_extended) {
    tell_extended(position, command);
  }
  if (term == log_.term() && command.asked_by != kNoNode) {
    answer(command, outcome, outputs);
  }
}

void DirectoryNode::tell_extended(DirectoryPosition position, const Command& command) {
  for (const ShardRecord& record : state_.records()) {
    const bool is_meant =
        command.kind == CommandKind::renew_node ? record.owner == command.asked_by : record.shard == command.shard;
    if (is_meant) {
      tell(position, LeaseExtended{record.shard, record.epoch, record.owner, command.lease_until});
    }
  }
}

void DirectoryNode::answer(const Command& command, const DirectoryState::Outcome& outcome,
                           ClusterOutputs& outputs) const {
  const ShardRecord& record = state_.record(command.shard);
  if (command.kind == CommandKind::renew_node) {
    outputs.send(command.asked_by, NodeRenewed{command.lease_until, state_.last_change()});
  } else if (outcome.is_lease_extended) {
    outputs.send(command.asked_by, Renewed{record.shard, record.epoch, command.lease_until});
  } else {
    const DirectoryPosition changed_at = state_.changed_at(record.shard);
    outputs.send(command.asked_by, CommandResult{command.kind, outcome.is_accepted, record, changed_at,
                                                 changed_with(command.shard), command.planned_at});
  }
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

void DirectoryNode::tell_change(const Command& command, DirectoryPosition position,
                                const DirectoryState::Outcome& outcome) {
  const auto tell_record = [&](RecordChange change, ShardId shard) {
    tell(position, RecordCommitted{position, change, command.planned_on, command.mover_epoch, state_.record(shard)});
  };
  tell_record(*outcome.change, command.shard);
  if (outcome.sibling) {
    tell_record(outcome.sibling_change, *outcome.sibling);
  }
  tell(position, DirectoryStepped{position});
}

// Only a mutant does this: after a failover it grants what a range was before it was split, as if the split had never
// been.
void DirectoryNode::restore_split_parent(DirectoryPosition position) {
  if (!split_parent_ || log_.term() == next(Term{})) {
    return;
  }
  const Epoch planned_on = state_.record(split_parent_->shard).epoch;
  split_parent_->epoch = epoch_of(position);
  tell(position, RecordCommitted{position, RecordChange::granted, planned_on, MoverEpoch{}, *split_parent_});
  tell(position, DirectoryStepped{position});
  split_parent_.reset();
}

// Storage nodes, movers and routing tiers watch.
void DirectoryNode::announce(const RecordUpdate& update, ClusterOutputs& outputs) const {
  const Roles roles(options_);
  for (std::uint16_t i = 0; i < roles.routers(); ++i) {
    if (options_.router_kinds[i] == RouterKind::routing_tier) {
      outputs.send(roles.router(i), update);
    }
  }
  for (std::uint16_t i = 0; i < roles.storage_nodes(); ++i) {
    outputs.send(roles.storage(i), update);
  }
  for (std::uint16_t i = 0; i < roles.movers(); ++i) {
    outputs.send(roles.mover(i), update);
  }
}

// A fact is one when a majority has the entry. Acting waits for that, too, so nothing is left untold except by mutants.
void DirectoryNode::tell(DirectoryPosition position, const Observation& fact) { untold_.emplace_back(position, fact); }

void DirectoryNode::tell_committed(ClusterOutputs& outputs) {
  std::size_t told = 0;
  while (told < untold_.size() && untold_[told].first <= log_.committed()) {
    outputs.observe(untold_[told++].second);
  }
  untold_.erase(untold_.begin(), untold_.begin() + static_cast<std::ptrdiff_t>(told));
}

}  // namespace shardcheck::impl
