#include "impl/messages.h"

#include <fmt/format.h>

#include "impl/overloaded.h"

namespace shardcheck::impl {
namespace {

// The kinds in the order of kind_of: first the alternatives of Message, then commands, orders and reports by kind.
constexpr std::array<std::string_view, kMessageKinds> kNames{"client_request",
                                                             "client_reply",
                                                             "request",
                                                             "reply",
                                                             "refusal",
                                                             "poll",
                                                             "record_update",
                                                             "up_to_date",
                                                             "renew",
                                                             "renewed",
                                                             "",
                                                             "command_result",
                                                             "start_move",
                                                             "",
                                                             "",
                                                             "chunk",
                                                             "log_batch",
                                                             "start_reshape",
                                                             "reshape_order",
                                                             "forwarded_request",
                                                             "dual_writes",
                                                             "dual_writes_staged",
                                                             "not_leader",
                                                             "vote_request",
                                                             "vote",
                                                             "append",
                                                             "appended",
                                                             "snapshot",
                                                             "mover_alive",
                                                             "replicate",
                                                             "copy_part",
                                                             "follower_report",
                                                             "renew_node",
                                                             "node_renewed",
                                                             "read_top",
                                                             "top_table",
                                                             "lookup",
                                                             "lookup_result",
                                                             "setting_request",
                                                             "setting_reply",
                                                             "begin_move",
                                                             "take_over_move",
                                                             "advance_move",
                                                             "commit_move",
                                                             "abort_move",
                                                             "finish_move",
                                                             "report_lost",
                                                             "renew_lease",
                                                             "split_range",
                                                             "merge_ranges",
                                                             "split_metadata",
                                                             "use_setting",
                                                             "begin_term",
                                                             "join_member",
                                                             "admit_member",
                                                             "remove_member",
                                                             "fail_over",
                                                             "renew_all",
                                                             "order_prepare",
                                                             "order_capture",
                                                             "order_chunk",
                                                             "order_log",
                                                             "order_fence",
                                                             "order_confirm",
                                                             "order_clean_up",
                                                             "order_undo",
                                                             "report_prepared",
                                                             "report_captured",
                                                             "report_chunk",
                                                             "report_log",
                                                             "report_fence",
                                                             "report_serving",
                                                             "report_cleaned",
                                                             "report_undone",
                                                             "enlist"};

constexpr std::uint8_t kCommandsBegin = std::variant_size_v<Message> - 1;
constexpr std::uint8_t kOrdersBegin = kCommandsBegin + kCommandKinds;
constexpr std::uint8_t kReportsBegin = kOrdersBegin + 8;

std::string record_text(const ShardRecord& record) {
  return fmt::format("range {} owner {} epoch {} phase {}", record.shard.value, record.owner.value, record.epoch.value,
                     name_of(record.phase));
}

std::string attempt_text(Attempt attempt) {
  return fmt::format("request {}.{} attempt {}", attempt.request.client.value, attempt.request.sequence,
                     attempt.number);
}

std::string operation_text(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::read:
    case OperationKind::remove:
    case OperationKind::increment: return fmt::format("{} key {}", name_of(operation.kind), operation.key.value);
    case OperationKind::scan: return fmt::format("scan keys {} to {}", operation.key.value, operation.argument.number);
    case OperationKind::write:
    case OperationKind::append:
      return fmt::format("{} key {} = {}", name_of(operation.kind), operation.key.value, to_string(operation.argument));
    case OperationKind::compare_and_set:
      return fmt::format("cas key {} {} -> {}", operation.key.value, to_string(operation.expected),
                         to_string(operation.argument));
  }
  return "";
}

std::string reshape_text(ReshapeKind kind, ShardId shard, Key at) {
  return kind == ReshapeKind::split ? fmt::format("split range {} at {}", shard.value, at.value)
                                    : fmt::format("merge range {} with its right neighbour", shard.value);
}

// What the line of a trace tells of each message.
std::string text(const ClientRequest& it) {
  return fmt::format("{}.{} {}", it.request.client.value, it.request.sequence, operation_text(it.operation));
}
std::string text(const ClientReply& it) {
  return fmt::format("{}.{} {} {}", it.request.client.value, it.request.sequence, name_of(it.outcome.kind),
                     shardcheck::to_string(it.outcome.value));
}
std::string text(const Request& it) {
  return fmt::format("{} epoch {}: {}", attempt_text(it.attempt), it.epoch.value, operation_text(it.operation));
}
std::string text(const Reply& it) {
  return fmt::format("{} {} {}", attempt_text(it.attempt), name_of(it.outcome.kind),
                     shardcheck::to_string(it.outcome.value));
}
std::string text(const Refusal& it) {
  const bool redirects = it.signal == Signal::not_owner && it.known.owner != kNoNode && it.known.epoch != Epoch{};
  return fmt::format(
      "{} {} highest epoch {}{}", attempt_text(it.attempt), name_of(it.signal), it.highest_seen.value,
      redirects ? fmt::format(", go to {} under epoch {}", it.known.owner.value, it.known.epoch.value) : std::string());
}
std::string text(const Poll& it) { return fmt::format("after {}", it.known.value); }
std::string text(const NotLeader& it) {
  return it.leader == kNoNode ? std::string("knows of no leader") : fmt::format("{} leads", it.leader.value);
}
std::string text(const VoteRequest& it) {
  return fmt::format("term {}{}, log ends at {} of term {}", it.term.value, it.is_trial ? " (trial)" : "",
                     it.last.value, it.last_term.value);
}
std::string text(const Vote& it) {
  return fmt::format("term {}{}: {}", it.term.value, it.is_trial ? " (trial)" : "", it.is_granted ? "yes" : "no");
}
std::string text(const Append& it) {
  return fmt::format("term {} {} entries after {}, committed {}", it.term.value, it.count, it.previous.value,
                     it.committed.value);
}
std::string text(const Appended& it) {
  return fmt::format("term {} {} {}", it.term.value, it.is_accepted ? "has all up to" : "go on after",
                     it.position.value);
}
std::string text(const SnapshotMessage& it) {
  return fmt::format("term {} state at {}, parts from {} of {}", it.term.value, it.position.value, it.begin,
                     it.parts_total);
}
std::string text(const SettingRequest& it) {
  return fmt::format("{}.{} {}", it.request.client.value, it.request.sequence, operation_text(it.operation));
}
std::string text(const SettingReply& it) {
  return fmt::format("{}.{} {} {}", it.request.client.value, it.request.sequence, name_of(it.outcome.kind),
                     shardcheck::to_string(it.outcome.value));
}
std::string text(const ReadTop& it) { return fmt::format("at {} or later", it.needed.value); }
std::string text(const TopTable& it) { return fmt::format("of {}, {} metadata shards", it.version.value, it.count); }
std::string text(const Lookup& it) {
  return fmt::format("key {} in metadata shard {}, by the table of {}", it.key.value, it.metadata.value,
                     it.relied_on.value);
}
std::string text(const RecordUpdate& it) {
  const std::string more = it.until > it.changed_at ? fmt::format(", more up to {}", it.until.value) : "";
  return fmt::format("{} at {}{}", record_text(it.record), it.changed_at.value, more);
}
std::string text(const LookupResult& it) {
  return it.is_crossed ? fmt::format("key {}: the table of {} is old", it.key.value, it.relied_on.value)
                       : fmt::format("key {}: {}", it.key.value, text(it.found));
}
std::string text(const UpToDate& it) { return fmt::format("at {}", it.known.value); }
std::string text(const Renew& it) { return fmt::format("range {} epoch {}", it.shard.value, it.epoch.value); }
std::string text(const Renewed& it) {
  return fmt::format("range {} epoch {} until {:.3f} ms", it.shard.value, it.epoch.value,
                     static_cast<double>(it.until.value) / 1e6);  // float: printed only
}
std::string text(const Command& it) {
  return fmt::format("range {} move {} planned on epoch {} phase {}", it.shard.value, it.move.value,
                     it.planned_on.value, name_of(it.phase));
}
std::string text(const CommandResult& it) {
  return fmt::format("{}: {}", it.is_accepted ? "accepted" : "refused", record_text(it.record));
}
std::string text(const StartMove& it) { return fmt::format("range {} to {}", it.shard.value, it.target.value); }
std::string text(const MoveOrder& it) {
  return fmt::format("move {} cursor {} after {}", it.record.move.value, it.cursor.value, it.after.value);
}
std::string text(const MoveReport& it) {
  return fmt::format("move {} from {} position {}{}", it.move.value, it.side.value, it.position.value,
                     it.is_possible ? "" : " impossible");
}
std::string text(const Chunk& it) {
  return fmt::format("move {} {} entries, next {}{}", it.record.move.value, it.count, it.next.value,
                     it.is_last ? ", last" : "");
}
std::string text(const ForwardedRequest& it) {
  return fmt::format("move {} for router {}: {} epoch {}: {}", it.request.forwarded_by.value, it.router.value,
                     attempt_text(it.request.attempt), it.request.epoch.value, operation_text(it.request.operation));
}
std::string text(const DualWrites& it) {
  return fmt::format("move {} {} entries after {}", it.record.move.value, it.count, it.after.value);
}
std::string text(const DualWritesStaged& it) {
  return fmt::format("move {} up to {}{}", it.move.value, it.staged_to.value, it.has_gap ? ", with a gap" : "");
}
std::string text(const MoverAlive& /*it*/) { return {}; }
std::string text(const Enlist& it) { return it.takes_copies ? "join" : "leave"; }
std::string text(const StartReshape& it) { return reshape_text(it.kind, it.shard, it.at); }
std::string text(const ReshapeOrder& it) { return reshape_text(it.kind, it.shard, it.at); }
std::string text(const LogBatch& it) {
  return fmt::format("move {} {} entries after {}", it.record.move.value, it.count, it.after.value);
}

std::string text(const Replicate& it) {
  return fmt::format("range {} epoch {} {} entries after {}", it.shard.value, it.epoch.value, it.count, it.after.value);
}

std::string text(const CopyPart& it) {
  return fmt::format("range {} join {} {} entries, next {}{}", it.shard.value, it.join.value, it.count, it.next.value,
                     it.is_last ? ", last" : "");
}

std::string text(const FollowerReport& it) {
  return fmt::format("range {} epoch {} tail {}.{}{}{}", it.shard.value, it.epoch.value, it.tail.epoch.value,
                     it.tail.position.value, it.is_copied ? "" : " not copied", it.is_leaving ? " leaving" : "");
}

std::string text(const RenewNode&) { return "all grants"; }

std::string text(const NodeRenewed& it) {
  return fmt::format("all grants as of {} until {:.3f} ms", it.as_of.value,
                     static_cast<double>(it.until.value) / 1e6);  // float: printed only
}

}  // namespace

std::uint8_t kind_of(const Message& message) {
  if (const auto* command = std::get_if<Command>(&message)) {
    return static_cast<std::uint8_t>(kCommandsBegin + static_cast<std::uint8_t>(command->kind));
  }
  if (const auto* order = std::get_if<MoveOrder>(&message)) {
    return static_cast<std::uint8_t>(kOrdersBegin + static_cast<std::uint8_t>(order->kind));
  }
  if (const auto* report = std::get_if<MoveReport>(&message)) {
    return static_cast<std::uint8_t>(kReportsBegin + static_cast<std::uint8_t>(report->kind));
  }
  return std::holds_alternative<Enlist>(message) ? kMessageKinds - 1 : static_cast<std::uint8_t>(message.index());
}

std::string_view name_of_kind(std::uint8_t kind) { return kind < kMessageKinds ? kNames[kind] : std::string_view{}; }

std::int64_t bytes_of(const Message& message) {
  // What a compact encoding would need: a small fixed part, and each carried entry.
  constexpr std::int64_t kFixed = 64;
  constexpr std::int64_t kEntry = 56;
  if (const auto* chunk = std::get_if<Chunk>(&message)) {
    return kFixed + chunk->count * kEntry;
  }
  if (const auto* batch = std::get_if<LogBatch>(&message)) {
    return kFixed + batch->count * kEntry;
  }
  if (const auto* writes = std::get_if<DualWrites>(&message)) {
    return kFixed + writes->count * kEntry;
  }
  if (const auto* append = std::get_if<Append>(&message)) {
    return kFixed + append->count * kEntry;
  }
  if (const auto* snapshot = std::get_if<SnapshotMessage>(&message)) {
    return kFixed + snapshot->count * kEntry;
  }
  if (const auto* replicated = std::get_if<Replicate>(&message)) {
    return kFixed + replicated->count * kEntry;
  }
  if (const auto* part = std::get_if<CopyPart>(&message)) {
    return kFixed + part->count * kEntry;
  }
  return kFixed;
}

std::uint64_t digest_of(const Message& message) {
  const auto of_attempt = [](Attempt attempt) {
    return (static_cast<std::uint64_t>(attempt.request.sequence) << 8U) ^ attempt.number ^
           (static_cast<std::uint64_t>(attempt.request.client.value) << 40U);
  };
  const std::uint64_t content = std::visit(
      Overloaded{
          [](const ClientRequest& it) { return static_cast<std::uint64_t>(it.request.sequence); },
          [](const ClientReply& it) { return static_cast<std::uint64_t>(it.outcome.value.number); },
          [&](const Request& it) { return of_attempt(it.attempt) ^ (it.epoch.value << 20U); },
          [&](const Reply& it) { return of_attempt(it.attempt) ^ static_cast<std::uint64_t>(it.outcome.value.number); },
          [&](const Refusal& it) { return of_attempt(it.attempt) ^ (it.highest_seen.value << 20U); },
          [](const Poll& it) { return it.known.value ^ (it.needed.value << 20U); },
          [](const RecordUpdate& it) { return it.changed_at.value ^ (it.record.epoch.value << 20U); },
          [](const UpToDate& it) { return it.known.value; },
          [](const Renew& it) { return static_cast<std::uint64_t>(it.sent_at.value); },
          [](const Renewed& it) { return static_cast<std::uint64_t>(it.until.value); },
          [](const Command& it) { return it.move.value ^ (it.planned_on.value << 20U); },
          [](const CommandResult& it) { return it.changed_at.value ^ (it.is_accepted ? 1U << 30U : 0U); },
          [](const StartMove& it) { return static_cast<std::uint64_t>(it.target.value); },
          [](const MoveOrder& it) { return it.cursor.value ^ (it.after.value << 20U); },
          [](const MoveReport& it) { return it.position.value ^ it.digest.values; },
          [](const Chunk& it) { return static_cast<std::uint64_t>(it.next.value) ^ (it.count * 4096U); },
          [](const LogBatch& it) { return it.after.value ^ (it.count * 4096U); },
          [](const StartReshape& it) { return static_cast<std::uint64_t>(it.at.value); },
          [](const ReshapeOrder& it) { return it.at.value ^ (it.epoch.value << 20U); },
          [&](const ForwardedRequest& it) { return of_attempt(it.request.attempt) ^ (it.request.epoch.value << 20U); },
          [](const DualWrites& it) { return it.after.value ^ (it.count * 4096U); },
          [](const DualWritesStaged& it) { return it.staged_to.value ^ (it.has_gap ? 1U << 30U : 0U); },
          [](const NotLeader& it) { return static_cast<std::uint64_t>(it.leader.value); },
          [](const VoteRequest& it) { return it.last.value ^ (static_cast<std::uint64_t>(it.term.value) << 20U); },
          [](const Vote& it) { return static_cast<std::uint64_t>(it.term.value) ^ (it.is_granted ? 1U << 30U : 0U); },
          [](const Append& it) { return it.previous.value ^ (it.committed.value << 16U) ^ (it.count * 4096U); },
          [](const Appended& it) { return it.position.value ^ (it.is_accepted ? 1U << 30U : 0U); },
          [](const SnapshotMessage& it) { return it.position.value ^ (static_cast<std::uint64_t>(it.begin) << 20U); },
          [](const MoverAlive&) { return std::uint64_t{0}; },
          [](const Enlist& it) { return std::uint64_t{it.takes_copies}; },
          [](const Replicate& it) { return it.after.value ^ (it.count * 4096U) ^ (it.epoch.value << 20U); },
          [](const CopyPart& it) { return static_cast<std::uint64_t>(it.next.value) ^ (it.count * 4096U); },
          [](const FollowerReport& it) {
            return it.tail.position.value ^ (it.tail.epoch.value << 20U) ^
                   (it.is_leaving ? std::uint64_t{1} << 60U : 0U);
          },
          [](const RenewNode& it) { return static_cast<std::uint64_t>(it.sent_at.value); },
          [](const NodeRenewed& it) { return static_cast<std::uint64_t>(it.until.value) ^ it.as_of.value; },
          [](const ReadTop& it) { return it.needed.value; },
          [](const TopTable& it) { return it.version.value ^ (static_cast<std::uint64_t>(it.count) << 20U); },
          [](const Lookup& it) { return it.key.value ^ (it.relied_on.value << 20U); },
          [](const LookupResult& it) { return it.key.value ^ (it.version.value << 20U); },
          [&](const SettingRequest& it) { return of_attempt({it.request, 0}); },
          [&](const SettingReply& it) {
            return of_attempt({it.request, 0}) ^ static_cast<std::uint64_t>(it.outcome.value.number);
          },
      },
      message);
  return content ^ (static_cast<std::uint64_t>(kind_of(message)) << 56U);
}

std::string to_string(const Message& message) {
  const std::string name(name_of_kind(kind_of(message)));
  return name + " " + std::visit([](const auto& it) { return text(it); }, message);
}

}  // namespace shardcheck::impl
