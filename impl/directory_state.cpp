#include "impl/directory_state.h"

#include <algorithm>
#include <utility>

#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

constexpr DirectoryState::Outcome kRefused{};
constexpr DirectoryState::Outcome kRepeated{.is_accepted = true,
                                            .change = std::nullopt,
                                            .is_lease_extended = false,
                                            .sibling = std::nullopt,
                                            .sibling_change = RecordChange::created,
                                            .is_metadata_split = false};

constexpr DirectoryState::Outcome changed(RecordChange change) {
  return {.is_accepted = true,
          .change = change,
          .is_lease_extended = false,
          .sibling = std::nullopt,
          .sibling_change = RecordChange::created,
          .is_metadata_split = false};
}

// The command is about the move that the record is in, and from the mover that drives it now.
bool is_from_its_mover(const Command& command, const ShardRecord& record, Decisions decisions) {
  const bool is_current = command.mover_epoch == record.mover_epoch || !decisions.refuses_older_movers();
  return command.move == record.move && is_current;
}

// The one phase to which a mover may take the record next.
MovePhase phase_after(MovePhase phase) {
  switch (phase) {
    case MovePhase::preparing: return MovePhase::copying;
    case MovePhase::copying: return MovePhase::catching_up;
    case MovePhase::catching_up: return MovePhase::fenced;
    case MovePhase::switched: return MovePhase::cleaning;
    case MovePhase::none:
    case MovePhase::fenced:
    case MovePhase::cleaning:
    case MovePhase::aborted: return MovePhase::none;
  }
  return MovePhase::none;
}

void end_joining(ShardRecord& record) {
  record.joining = kNoNode;
  record.join = DirectoryPosition{};
}

}  // namespace

DirectoryState::DirectoryState(std::vector<ShardRecord> initial, Decisions decisions, std::size_t shards_max,
                               std::size_t moves_max)
    : records_(std::move(initial)), decisions_(decisions), shards_max_(shards_max), moves_max_(moves_max) {
  for (const ShardRecord& record : records_) {
    SHARDCHECK_ASSERT(record.shard.value == changed_at_.size());
    changed_at_.push_back(DirectoryPosition{record.epoch.value});
    last_change_ = std::max(last_change_, changed_at_.back());
  }
  // At first one metadata shard keeps everything.
  top_version_ = last_change_;
  const KeyRange all = records_.empty() ? KeyRange{} : KeyRange{records_.front().range.lo, records_.back().range.hi};
  metadata_.push_back({MetadataShardId{0}, all, top_version_, records_.size()});
}

const ShardRecord& DirectoryState::record(ShardId shard) const {
  SHARDCHECK_ASSERT(knows(shard));
  return records_[shard.value];
}

DirectoryState::Outcome DirectoryState::apply(const Command& command, DirectoryPosition position) {
  if (command.kind == CommandKind::split_metadata) {
    return split_metadata(command, position);
  }
  if (!knows(command.shard)) {
    return kRefused;
  }
  ShardRecord& record = records_[command.shard.value];
  const Outcome outcome = [&] {
    switch (command.kind) {
      case CommandKind::begin_move: return begin_move(command, record, position);
      case CommandKind::take_over_move: return take_over_move(command, record);
      case CommandKind::advance_move: return advance_move(command, record);
      case CommandKind::commit_move: return commit_move(command, record, position);
      case CommandKind::abort_move: return abort_move(command, record);
      case CommandKind::finish_move: return finish_move(command, record);
      case CommandKind::report_lost: return report_lost(command, record);
      case CommandKind::renew_lease: return renew_lease(command, record);
      case CommandKind::split_range: return split_range(command, position);
      case CommandKind::merge_ranges: return merge_ranges(command, position);
      case CommandKind::split_metadata:
      case CommandKind::use_setting:
      case CommandKind::begin_term: return kRefused;
      case CommandKind::renew_node: return renew_node(command);
      case CommandKind::join_member: return join_member(command, record, position);
      case CommandKind::admit_member: return admit_member(command, record);
      case CommandKind::remove_member: return remove_member(command, record);
      case CommandKind::fail_over: return fail_over(command, record, position);
    }
    return kRefused;
  }();
  if (outcome.change) {
    changed_at_[command.shard.value] = last_change_ = position;
    if (outcome.sibling) {
      changed_at_[outcome.sibling->value] = position;
    }
  }
  return outcome;
}

// Only moves that still copy count: one that waits for a dead side after its decision must not keep others from
// beginning, and before its decision no move waits for ever.
bool DirectoryState::has_room_for_move() const {
  const auto copies = [](const ShardRecord& it) { return is_before_switch(it.phase); };
  return static_cast<std::size_t>(std::ranges::count_if(records_, copies)) < moves_max_;
}

DirectoryState::Outcome DirectoryState::begin_move(const Command& command, ShardRecord& record,
                                                   DirectoryPosition position) {
  // A member has a copy already, and one node keeps one copy of a range: no move goes to a member.
  if (command.planned_on != record.epoch || record.members.contains(command.target) || record.is_data_lost ||
      record.is_removed()) {
    return kRefused;
  }
  if (record.phase != MovePhase::none && !decisions_.may_begin_second_move()) {
    return kRefused;
  }
  if (!has_room_for_move()) {
    return kRefused;
  }
  record.move = move_of(position);
  record.phase = MovePhase::preparing;
  record.source = record.owner;
  record.target = command.target;
  record.how = command.how;
  record.source_epoch = record.epoch;
  record.mover = command.asked_by;
  record.mover_epoch = next(MoverEpoch{});
  if (record.joining == command.target) {
    end_joining(record);
  }
  return changed(RecordChange::move_begun);
}

// A mover that (re)started, or heard nothing from the one that drove the move, makes every older one powerless over it.
// Two that ask for the same mover epoch do not both get it.
DirectoryState::Outcome DirectoryState::take_over_move(const Command& command, ShardRecord& record) {
  if (record.phase == MovePhase::none || command.move != record.move || command.planned_on != record.epoch) {
    return kRefused;
  }
  if (command.mover_epoch == record.mover_epoch && command.asked_by == record.mover) {
    return kRepeated;
  }
  if (command.mover_epoch != next(record.mover_epoch)) {
    return kRefused;
  }
  record.mover = command.asked_by;
  record.mover_epoch = command.mover_epoch;
  return changed(RecordChange::move_advanced);
}

DirectoryState::Outcome DirectoryState::advance_move(const Command& command, ShardRecord& record) {
  if (!is_from_its_mover(command, record, decisions_) || command.planned_on != record.epoch) {
    return kRefused;
  }
  if (command.phase == record.phase) {
    return kRepeated;
  }
  if (command.phase != phase_after(record.phase) || command.phase == MovePhase::none) {
    return kRefused;
  }
  record.phase = command.phase;
  return changed(command.phase == MovePhase::cleaning ? RecordChange::move_cleaning : RecordChange::move_advanced);
}

// Conditional on the move and on the epoch it was pinned to, as the abort is: whichever comes first in the log wins,
// and the other one is refused.
DirectoryState::Outcome DirectoryState::commit_move(const Command& command, ShardRecord& record,
                                                    DirectoryPosition position) {
  const bool is_movers = is_from_its_mover(command, record, decisions_);
  if (is_movers && (record.phase == MovePhase::switched || record.phase == MovePhase::cleaning)) {
    if (decisions_.repeats_commit_as_nothing()) {
      return kRepeated;
    }
    std::swap(record.source, record.target);
    record.owner = record.target;
    record.epoch = epoch_of(position);
    return changed(RecordChange::move_committed);
  }
  const bool matches = is_movers && record.phase == MovePhase::fenced && command.planned_on == record.epoch &&
                       command.target == record.target;
  if (!matches && decisions_.compares_before_commit()) {
    return kRefused;
  }
  record.members.erase(record.owner);
  record.members.insert(command.target);
  record.owner = command.target;
  record.epoch = epoch_of_grant(record, position);
  record.lease_until = command.lease_until;
  record.is_granted_by_move = true;
  record.phase = MovePhase::switched;
  end_joining(record);
  return changed(RecordChange::move_committed);
}

DirectoryState::Outcome DirectoryState::abort_move(const Command& command, ShardRecord& record) {
  if (command.move != record.move) {
    return kRefused;
  }
  if (record.phase == MovePhase::aborted) {
    return kRepeated;
  }
  const bool is_movers = command.mover_epoch != MoverEpoch{};
  const bool may_ask = is_movers ? is_from_its_mover(command, record, decisions_) : command.asked_by == record.source;
  if (!is_before_switch(record.phase) || command.planned_on != record.source_epoch || !may_ask) {
    return kRefused;
  }
  record.phase = MovePhase::aborted;
  return changed(RecordChange::move_aborted);
}

DirectoryState::Outcome DirectoryState::finish_move(const Command& command, ShardRecord& record) {
  if (!is_from_its_mover(command, record, decisions_) || command.planned_on != record.epoch) {
    return kRefused;
  }
  if (record.phase != MovePhase::cleaning && record.phase != MovePhase::aborted) {
    return kRefused;
  }
  record.move = MoveId{};
  record.is_granted_by_move = false;
  record.phase = MovePhase::none;
  record.source = kNoNode;
  record.target = kNoNode;
  record.how = MoveOptions{};
  record.mover = kNoNode;
  record.source_epoch = Epoch{};
  record.mover_epoch = MoverEpoch{};
  return changed(RecordChange::move_finished);
}

// The owner, whose copy was the only one, says that its disk is gone. A move that was under way can only be undone.
// While there are other members, one of them takes over when the owner's lease has run out.
DirectoryState::Outcome DirectoryState::report_lost(const Command& command, ShardRecord& record) {
  if (command.planned_on != record.epoch || command.asked_by != record.owner || record.members.size() > 1) {
    return kRefused;
  }
  if (record.is_data_lost) {
    return kRepeated;
  }
  record.is_data_lost = true;
  if (is_before_switch(record.phase)) {
    record.phase = MovePhase::aborted;
  }
  return changed(RecordChange::reported_lost);
}

DirectoryState::Outcome DirectoryState::renew_lease(const Command& command, ShardRecord& record) {
  const bool is_older = command.planned_on != Epoch{} && command.planned_on < record.epoch && !record.is_data_lost;
  if (is_older && !decisions_.refuses_older_reports()) {
    record.owner = command.asked_by;
    record.epoch = command.planned_on;
    return changed(RecordChange::granted);
  }
  if (command.planned_on != record.epoch || command.asked_by != record.owner || record.is_data_lost) {
    return kRefused;
  }
  if (command.lease_until > record.lease_until) {
    record.lease_until = command.lease_until;
  }
  Outcome extended = kRepeated;
  extended.is_lease_extended = true;
  return extended;
}

// One write for everything that the node owns by the records as they are here.
DirectoryState::Outcome DirectoryState::renew_node(const Command& command) {
  for (ShardRecord& record : records_) {
    if (record.owner == command.asked_by && !record.is_data_lost) {
      record.lease_until = std::max(record.lease_until, command.lease_until);
    }
  }
  return {.is_accepted = true, .change = std::nullopt, .is_lease_extended = true};
}

// A change of a replica set is planned on the record as it is, not only on its epoch: a stale "admit" could otherwise
// name a node that has begun anew since.
bool DirectoryState::is_planned_on_now(const Command& command, const ShardRecord& record) const {
  return command.planned_on == record.epoch && command.planned_at == changed_at(record.shard);
}

// Only one at a time, and none while the range moves.
DirectoryState::Outcome DirectoryState::join_member(const Command& command, ShardRecord& record,
                                                    DirectoryPosition position) const {
  if (!is_planned_on_now(command, record) || command.asked_by != record.owner || record.phase != MovePhase::none ||
      record.joining != kNoNode || record.members.contains(command.target) || record.is_data_lost) {
    return kRefused;
  }
  record.joining = command.target;
  record.join = position;
  return changed(RecordChange::members_changed);
}

// The owner says that who joins has everything, and that it waits for it already.
DirectoryState::Outcome DirectoryState::admit_member(const Command& command, ShardRecord& record) const {
  if (!is_planned_on_now(command, record) || command.asked_by != record.owner || command.target == kNoNode ||
      record.joining != command.target) {
    return kRefused;
  }
  record.members.insert(command.target);
  end_joining(record);
  return changed(RecordChange::members_changed);
}

// By the owner, whom it does not answer, or by itself, having lost its disk.
DirectoryState::Outcome DirectoryState::remove_member(const Command& command, ShardRecord& record) const {
  const bool is_asked_by_right = command.asked_by == record.owner || command.asked_by == command.target;
  if (!is_planned_on_now(command, record) || !is_asked_by_right || command.target == record.owner) {
    return kRefused;
  }
  if (command.target == record.joining) {
    end_joining(record);
  } else if (record.members.contains(command.target)) {
    record.members.erase(command.target);
  } else {
    return kRefused;
  }
  return changed(RecordChange::members_changed);
}

// The owner's lease has run out on every clock: another member goes on. Nobody else has everything that was
// acknowledged. The old owner stays a member until the new one finds that it differs or does not answer: should the new
// one have lost its disk, the old one is granted the range again.
DirectoryState::Outcome DirectoryState::fail_over(const Command& command, ShardRecord& record,
                                                  DirectoryPosition position) {
  if (command.planned_on != record.epoch || !record.members.contains(command.target) ||
      command.target == record.owner || record.is_data_lost || record.lease_until > command.expired_by) {
    return kRefused;
  }
  record.owner = command.target;
  record.epoch = epoch_of_grant(record, position);
  record.is_granted_by_move = false;
  record.lease_until = command.lease_until;
  if (is_before_switch(record.phase)) {
    record.phase = MovePhase::aborted;
  }
  end_joining(record);
  return changed(RecordChange::granted);
}

std::vector<ShardRecord> initial_records(const ClusterOptions& options) {
  const Roles roles(options);
  const auto nodes = static_cast<std::uint16_t>(options.storage_nodes - options.held_back);
  std::vector<ShardRecord> records;
  for (std::uint16_t i = 0; i < options.shards; ++i) {
    ShardRecord record;
    record.shard = ShardId{i};
    record.range = {Key{options.keys * i / options.shards}, Key{options.keys * (i + 1U) / options.shards}};
    record.owner = roles.storage(i % nodes);
    for (std::uint16_t r = 0; r < std::max<std::uint16_t>(options.replicas, 1) && r < nodes; ++r) {
      record.members.insert(roles.storage(static_cast<std::uint16_t>((i + r) % nodes)));
    }
    record.epoch = Epoch{i + 1U};
    records.push_back(record);
  }
  return records;
}

}  // namespace shardcheck::impl
