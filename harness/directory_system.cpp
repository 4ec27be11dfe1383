#include "harness/directory_system.h"

#include <algorithm>

#include "harness/describe.h"

namespace shardcheck::harness {
namespace {

constexpr Duration kServiceWithin = milliseconds(400);  // an election, and then some

}  // namespace

void DirectorySystem::start(ObservationSink& sink) {
  const impl::ClusterOptions& cluster = scenario_->cluster;
  std::vector<impl::Provision> provisions;
  for (std::uint16_t i = 0; i < cluster.directories; ++i) {
    provisions.push_back({impl::Process(impl::DirectoryNode(cluster, NodeId{i})), {}});
  }
  for (std::uint16_t i = 0; i < cluster.clients; ++i) {
    provisions.push_back({impl::Process(impl::DirectoryClient(cluster, client(ClientId{i}))), {}});
  }
  prepare(sink, provisions, cluster.clock_offset_max);
  world_.start_all();
}

NodeId DirectorySystem::client(ClientId id) const {
  return NodeId{static_cast<std::uint16_t>(scenario_->cluster.directories + id.value)};
}

Bounds DirectorySystem::bounds() const {
  const impl::ClusterOptions& cluster = scenario_->cluster;
  Bounds bounds;
  bounds.nodes = cluster.directories + cluster.clients;
  bounds.shards = cluster.shards;
  bounds.clients = cluster.clients;
  bounds.key_space = {Key{0}, Key{cluster.keys}};
  bounds.clock_offset_max = cluster.clock_offset_max;
  bounds.service_within = kServiceWithin;
  bounds.move_within = kServiceWithin;
  return bounds;
}

bool DirectorySystem::apply(const Step& step) {
  if (const auto* asked = std::get_if<ClientStep>(&step.what)) {
    world_.inject(client(asked->request.client), impl::ClientRequest{asked->request, asked->operation});
    return true;
  }
  if (const auto* fault = std::get_if<FaultStep>(&step.what)) {
    inject_fault(*fault);
    return true;
  }
  return false;
}

std::uint32_t DirectorySystem::terms() const {
  std::uint32_t terms = 0;
  for (std::uint16_t i = 0; i < scenario_->cluster.directories; ++i) {
    terms = std::max(terms, world_.process(NodeId{i}).directory()->log().term().value);
  }
  return terms;
}

void DirectorySystem::replied(NodeId from, const impl::Message& message, TrueTime at) {
  if (const auto* reply = std::get_if<impl::ClientReply>(&message)) {
    tell(at, from, Returned{reply->request, reply->outcome, reply->had_transient, reply->had_unanswered});
  }
}

void DirectorySystem::traced(const sim::TraceEvent<impl::Protocol>& event) {
  if (trace_ != nullptr) {
    trace_->line(event.at, describe_event(wording_of(*scenario_), event,
                                          event.message == nullptr ? "" : impl::to_string(*event.message)));
  }
}

Plan draw_directory_plan(sim::Choices& choices, impl::Mutant mutant) {
  impl::ClusterOptions cluster;
  cluster.directories = choices.below(4, label(Ask::directories)) == 3 ? 5 : 3;
  cluster.storage_nodes = 1;
  cluster.routers = 1;
  cluster.shards = 1;
  cluster.clients = 3;
  cluster.keys = 4;
  cluster.mutant = mutant;
  SimulatedShape shape;
  shape.processes = static_cast<std::uint16_t>(cluster.directories + cluster.clients);
  shape.clock_offset_max = cluster.clock_offset_max;
  shape.workload.clients = cluster.clients;
  shape.workload.key_space = {Key{0}, Key{cluster.keys}};
  shape.workload.ranges = in_fours(shape.workload.key_space);
  for (std::size_t i = 0; i < kOperationKinds; ++i) {
    shape.workload.is_supported[i] = is_asked_of_settings(static_cast<OperationKind>(i));
  }
  Plan plan = draw_plan(choices, shape);
  plan.scenario.cluster = cluster;
  plan.scenario.is_of_directory_alone = true;
  return plan;
}

}  // namespace shardcheck::harness
