#include "harness/adapters/cluster_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "harness/describe.h"

namespace shardcheck::harness {
namespace {

constexpr std::size_t kProcessesMax = 1'000;
constexpr std::uint32_t kKeysMax = 100'000;

NodeId clients_of(const ClusterShape& shape) { return NodeId{static_cast<std::uint16_t>(shape.processes.size())}; }

Bounds bounds_of(const ClusterShape& shape) {
  Bounds bounds;
  bounds.nodes = clients_of(shape).value + 1;
  bounds.shards = std::max(static_cast<int>(shape.shards_max), static_cast<int>(shape.records.size()));
  bounds.clients = shape.clients;
  bounds.key_space = shape.key_space;
  bounds.clock_offset_max = shape.clock_offset_max;
  bounds.retention = shape.retention;
  bounds.service_within = shape.service_within;
  bounds.move_within = shape.move_within;
  return bounds;
}

bool is_word(const std::string& text) { return !text.empty() && text.find_first_of(" \t\r\n[#") == std::string::npos; }

bool are_processes(const std::vector<NodeId>& ids, const ClusterShape& shape) {
  return std::ranges::all_of(ids, [&](NodeId id) { return id < clients_of(shape); });
}

Result<void> check_records(const ClusterShape& shape) {
  for (std::size_t i = 0; i < shape.records.size(); ++i) {
    const ShardRecord& record = shape.records[i];
    if (record.shard.value != i || record.range.is_empty() || record.owner >= clients_of(shape)) {
      return fail("shape", fmt::format("record {} must name shard {}, a range with keys, and a process", i, i));
    }
    if (i > 0 ? record.epoch <= shape.records[i - 1].epoch : record.epoch == Epoch{}) {
      return fail("shape", fmt::format("the epochs of the records must grow from 1 on; that of record {} does not", i));
    }
  }
  return {};
}

}  // namespace

Result<void> check_shape(const ClusterShape& shape) {
  const auto supports = [&](OperationKind kind) {
    return std::ranges::find(shape.operations, kind) != shape.operations.end();
  };
  if (shape.processes.empty() || shape.processes.size() > kProcessesMax) {
    return fail("shape", fmt::format("a cluster has from 1 to {} processes", kProcessesMax));
  }
  if (shape.clients == 0) {
    return fail("shape", "a cluster has at least one client");
  }
  if (shape.key_space.is_empty() || shape.key_space.hi.value > kKeysMax) {
    return fail("shape", fmt::format("the key space has keys, all below {}", kKeysMax));
  }
  if (!supports(OperationKind::read) || !supports(OperationKind::write)) {
    return fail("shape", "a cluster takes at least reads and writes");
  }
  if (supports(OperationKind::scan)) {
    return fail("shape", "scans are not part of this seam");
  }
  if (shape.message_kinds.empty() || shape.message_kinds.size() > kMessageKindsMax) {
    return fail("shape", fmt::format("there are from 1 to {} kinds of messages", kMessageKindsMax));
  }
  if (!std::ranges::all_of(shape.message_kinds, is_word)) {
    return fail("shape", "the name of a kind of messages is one word");
  }
  if (!are_processes(shape.move_targets, shape) || !are_processes(shape.may_lose_disk, shape)) {
    return fail("shape", "move_targets and may_lose_disk name processes of the cluster");
  }
  if (!shape.move_targets.empty() && shape.records.empty()) {
    return fail("shape", "only ranges that `records` names can be moved");
  }
  return check_records(shape);
}

SimulatedShape simulated_shape_of(const ClusterShape& shape) {
  SimulatedShape simulated;
  simulated.processes = clients_of(shape).value;
  simulated.clock_offset_max = shape.clock_offset_max;
  simulated.workload.clients = shape.clients;
  simulated.workload.key_space = shape.key_space;
  simulated.workload.move_targets = shape.move_targets;
  for (const OperationKind kind : shape.operations) {
    simulated.workload.is_supported[static_cast<std::size_t>(kind)] = true;
  }
  for (const ShardRecord& record : shape.records) {
    simulated.workload.ranges.push_back(record.range);
  }
  if (shape.records.empty()) {
    simulated.workload.ranges = in_fours(shape.key_space);
  }
  return simulated;
}

FaultLimits fault_limits_of(const ClusterShape& shape) {
  return {shape.clock_offset_max, shape.may_lose_disk, clients_of(shape), shape.may_repeat_client_messages,
          shape.may_tear_records};
}

ClusterSystem::ClusterSystem(const Cluster& cluster) : SimulatedSystem(*this), shape_(cluster.shape()) {
  context_.cluster = &cluster;
  context_.bounds = bounds_of(shape_);
  context_.clients = clients_of(shape_);
  context_.last_kind = static_cast<std::uint8_t>(shape_.message_kinds.size() - 1);
}

void ClusterSystem::start(ObservationSink& sink) {
  context_.error.clear();
  claims_.assign(static_cast<std::size_t>(context_.bounds.nodes) * static_cast<std::size_t>(context_.bounds.shards),
                 std::nullopt);
  teller_.reset(static_cast<std::size_t>(context_.bounds.nodes), static_cast<std::size_t>(context_.bounds.shards));
  prepare(sink, provisions(), shape_.clock_offset_max);
  if (!shape_.records.empty()) {
    tell_created(shape_.records, shape_.records.front().owner);
  }
  world_.start_all();
}

std::vector<ClusterSystem::Provision> ClusterSystem::provisions() {
  std::vector<Provision> all;
  for (std::uint16_t i = 0; i < context_.clients.value; ++i) {
    const NodeId id{i};
    try {
      all.push_back({ByteProcess(context_, id), context_.cluster->initial_disk(id)});
    } catch (const std::exception& thrown) {
      context_.fail(id, fmt::format("has no initial disk: {}", thrown.what()));
      all.push_back({ByteProcess(context_, id), {}});
    }
  }
  all.push_back({ByteProcess(context_, context_.clients), {}});
  return all;
}

bool ClusterSystem::advance(TrueTime until) {
  return error().empty() && SimulatedSystem::advance(until) && error().empty();
}

bool ClusterSystem::apply(const Step& step) {
  try {
    if (const auto* client = std::get_if<ClientStep>(&step.what)) {
      return send_request(context_.cluster->encode(*client));
    }
    if (const auto* move = std::get_if<MoveStep>(&step.what)) {
      return send_request(context_.cluster->encode_move(*move));
    }
  } catch (const std::exception& thrown) {
    context_.fail(kNoNode, fmt::format("encoding a request threw: {}", thrown.what()));
    return false;
  }
  if (!std::holds_alternative<FaultStep>(step.what)) {
    return false;  // this seam knows no splits and merges
  }
  const auto& fault = std::get<FaultStep>(step.what);
  const bool is_here = fault.process < context_.clients && (fault.peer == kNoNode || fault.peer < context_.clients);
  if (!is_here || (fault.kind == FaultKind::link_cut && fault.peer == kNoNode)) {
    return false;
  }
  inject_fault(fault);
  return true;
}

bool ClusterSystem::send_request(const std::optional<Addressed>& request) {
  if (!request) {
    return false;
  }
  if (request->to >= context_.clients) {
    context_.fail(kNoNode, fmt::format("a request goes to process {}, which does not exist", request->to.value));
    return false;
  }
  world_.inject(context_.clients, {request->bytes, request->to, context_.kind_of(request->bytes)});
  return true;
}

void ClusterSystem::replied(NodeId, const ByteMessage& message, TrueTime at) {
  try {
    const std::optional<ClusterReply> reply = context_.cluster->decode(message.bytes);
    if (!reply) {
      return;
    }
    if (reply->request.client.value >= shape_.clients) {
      context_.fail(kNoNode,
                    fmt::format("an answer goes to client {}, which does not exist", reply->request.client.value));
      return;
    }
    tell(at, kNoNode, Returned{reply->request, reply->outcome, reply->had_transient, reply->had_unanswered});
  } catch (const std::exception& thrown) {
    context_.fail(kNoNode, fmt::format("decoding an answer threw: {}", thrown.what()));
  }
}

void ClusterSystem::observed(TrueTime at, NodeId by, const Observation& fact) {
  if (const auto* changed = std::get_if<ClaimChanged>(&fact)) {
    set_claim(at, by, changed->shard,
              Claim{changed->shard, changed->range, changed->epoch, Instant{changed->until.value}});
    return;
  }
  if (const auto* ended = std::get_if<ClaimEnded>(&fact)) {
    set_claim(at, by, ended->shard, std::nullopt);
    return;
  }
  tell(at, by, fact);
  if (const auto* committed = std::get_if<RecordCommitted>(&fact)) {
    world_.signal(static_cast<std::uint8_t>(committed->record.phase));
  } else if (std::holds_alternative<Crashed>(fact)) {
    teller_.forget(by);
    for (std::uint16_t i = 0; i < context_.bounds.shards; ++i) {
      claim(by, ShardId{i}).reset();
    }
  }
}

std::optional<ClusterSystem::Claim>& ClusterSystem::claim(NodeId process, ShardId shard) {
  return claims_[process.value * static_cast<std::size_t>(context_.bounds.shards) + shard.value];
}

void ClusterSystem::set_claim(TrueTime at, NodeId process, ShardId shard, const std::optional<Claim>& claimed) {
  claim(process, shard) = claimed;
  teller_.tell(process, shard, claimed, world_.clock(process), at, *sink_);
}

// A shift of the clock moves the ends of claims.
void ClusterSystem::handled(NodeId process, TrueTime at) {
  for (std::uint16_t i = 0; i < context_.bounds.shards; ++i) {
    const ShardId shard{i};
    teller_.tell(process, shard, claim(process, shard), world_.clock(process), at, *sink_);
  }
}

void ClusterSystem::traced(const sim::TraceEvent<ByteProtocol>& event) {
  trace(event, event.message == nullptr ? "" : event.message->bytes);
}

}  // namespace shardcheck::harness
