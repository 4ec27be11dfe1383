// What a member of the directory does for lookups, in two levels, and for settings.
#include <algorithm>

#include "impl/directory_node.h"

namespace shardcheck::impl {
namespace {

constexpr Duration kCostOfSetting = microseconds(10);

}  // namespace

void DirectoryNode::read_top(NodeId from, const ReadTop& asked, Instant now, ClusterOutputs& outputs) const {
  if (!knows_enough(asked.needed, now)) {
    turn_away(from, now, outputs);
    return;
  }
  TopTable table;
  table.version = state_.top_version();
  for (const MetadataShard& it : state_.metadata()) {
    table.rows[table.count++] = {it.keys.lo, it.id};
  }
  outputs.send(from, table);
}

// A metadata shard that does not keep the key was split after the table that the asker relied on.
void DirectoryNode::look_up(NodeId from, const Lookup& asked, Instant now, ClusterOutputs& outputs) const {
  if (!knows_enough(std::max(asked.needed, asked.relied_on), now)) {
    turn_away(from, now, outputs);
    return;
  }
  LookupResult result{asked.key, asked.relied_on, false, state_.top_version(), {}};
  if (state_.metadata_of(asked.key).id != asked.metadata) {
    result.is_crossed = true;
  } else if (const ShardRecord* found = state_.find(asked.key)) {
    const DirectoryPosition changed_at = state_.changed_at(found->shard);
    result.found = {*found, changed_at, changed_at, changed_at, changed_with(found->shard)};
  } else {
    return;
  }
  outputs.send(from, result);
}

void DirectoryNode::tell_tiers(DirectoryPosition position) {
  for (const MetadataShard& it : state_.metadata()) {
    tell(position, TopRow{position, it.id, it.keys});
  }
  for (const ShardRecord& record : state_.records()) {
    if (!record.is_removed()) {
      tell(position, MetadataRow{position, state_.metadata_of(record.range.lo).id, record.shard, record.range});
    }
  }
}

// Reads go through the log, too: an answer from memory could be that of a leader that does not know its term is over.
void DirectoryNode::use_setting(NodeId from, const SettingRequest& asked, Instant now, ClusterOutputs& outputs) {
  const Operation& operation = asked.operation;
  const auto number_of = [](const Value& it) {
    return it.kind == ValueKind::number ? static_cast<std::int32_t>(it.number) : kNoNumber;
  };
  if (operation.key.value >= kSettingsMax || asked.request.client.value >= kSettingClientsMax) {
    return;
  }
  Command command;
  command.kind = CommandKind::use_setting;
  command.asked_by = from;
  command.at = operation.key;
  command.request = asked.request;
  command.number = number_of(operation.argument);
  command.expected = number_of(operation.expected);
  command.operation = operation.kind;
  outputs.cost = kCostOfSetting;
  log_.propose(command, now, outputs);
}

void DirectoryNode::carry_out_setting(const Command& command, Term term, ClusterOutputs& outputs) {
  const std::optional<Outcome> answer = state_.use_setting(command);
  if (log_.is_leader() && term == log_.term() && answer) {
    outputs.send(command.asked_by, SettingReply{command.request, *answer});
  }
}

}  // namespace shardcheck::impl
