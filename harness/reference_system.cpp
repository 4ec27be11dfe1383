#include "harness/reference_system.h"

#include <fmt/format.h>

#include "harness/describe.h"

namespace shardcheck::harness {
namespace {

constexpr std::uint64_t kEventsMax = 200'000;  // of one run; only a run that never ends comes near
constexpr Duration kServiceWithin = milliseconds(600);
constexpr Duration kMoveWithin = milliseconds(900);

}  // namespace

void ReferenceSystem::configure(const Scenario& scenario, sim::DeviationSource& deviations, TraceSink* trace) {
  scenario_ = &scenario;
  deviations_ = &deviations;
  trace_ = trace;
}

void ReferenceSystem::start(ObservationSink& sink) {
  sink_ = &sink;
  const impl::ClusterOptions& cluster = scenario_->cluster;
  records_ = impl::initial_records(cluster);
  open_moves_.assign(cluster.shards, OpenMove{});
  told_.assign(static_cast<std::size_t>(impl::Roles(cluster).processes()) * cluster.shards, ToldClaim{});
  sim::WorldOptions options;
  options.network = scenario_->network;
  options.clock_offset_max = cluster.clock_offset_max;
  world_.reset(options, impl::make_cluster(cluster), *deviations_);
  world_.set_tracing(trace_ != nullptr);
  for (const ClockSetting& clock : scenario_->clocks) {
    world_.set_clock(clock.process, clock.offset, clock.drift_ppm);
  }
  for (const ShardRecord& record : records_) {
    const DirectoryPosition position{record.epoch.value};
    tell(TrueTime{}, impl::Roles(cluster).directory(),
         RecordCommitted{position, RecordChange::created, Epoch{}, MoverEpoch{}, record});
  }
  tell(TrueTime{}, impl::Roles(cluster).directory(), DirectoryStepped{DirectoryPosition{cluster.shards}});
  world_.start_all();
}

Bounds ReferenceSystem::bounds() const {
  const impl::ClusterOptions& cluster = scenario_->cluster;
  Bounds bounds;
  bounds.nodes = impl::Roles(cluster).processes();
  bounds.shards = cluster.shards;
  bounds.clients = cluster.clients;
  bounds.key_space = {Key{0}, Key{cluster.keys}};
  bounds.clock_offset_max = cluster.clock_offset_max;
  bounds.retention = cluster.retention;
  bounds.service_within = kServiceWithin;
  bounds.move_within = kMoveWithin;
  return bounds;
}

bool ReferenceSystem::apply(const Step& step) {
  const impl::Roles roles(scenario_->cluster);
  if (const auto* client = std::get_if<ClientStep>(&step.what)) {
    world_.inject(roles.router_of(client->request.client), impl::ClientRequest{client->request, client->operation});
    return true;
  }
  if (const auto* move = std::get_if<MoveStep>(&step.what)) {
    world_.inject(roles.mover(), impl::StartMove{move->shard, move->target});
    return true;
  }
  const auto& fault = std::get<FaultStep>(step.what);
  sim::Deviation deviation;
  deviation.kind = fault.kind;
  deviation.duration = fault.duration;
  deviation.is_both_ways = true;
  world_.inject_fault(fault.process, deviation, fault.peer);
  return true;
}

bool ReferenceSystem::advance(TrueTime until) { return world_.run_until(until, kEventsMax); }

void ReferenceSystem::heal() {
  tell(world_.now(), kNoNode, Healed{});
  world_.heal();
}

bool ReferenceSystem::is_settled() const {
  for (const ShardRecord& record : records_) {
    if (record.is_data_lost) {
      continue;
    }
    const impl::StorageNode* owner = storage(record.owner);
    const auto claim = owner->claim(record.shard);
    const bool serves = claim && claim->epoch == record.epoch && world_.clock(record.owner).read(now()) < claim->until;
    if (record.phase != MovePhase::none || !serves || !world_.is_up(record.owner)) {
      return false;
    }
  }
  return true;
}

void ReferenceSystem::tell_end() {
  const impl::Roles roles(scenario_->cluster);
  for (std::uint16_t i = 0; i < roles.storage_nodes(); ++i) {
    const NodeId id = roles.storage(i);
    for (const impl::ShardCopy& copy : storage(id)->state().copies()) {
      if (copy.copy) {
        tell(now(), id, CopyHeld{copy.known.shard, copy.known.range, *copy.copy, copy.move});
      }
    }
  }
}

void ReferenceSystem::replied(NodeId from, const impl::Message& message, TrueTime at) {
  const auto& reply = std::get<impl::ClientReply>(message);
  tell(at, from, Returned{reply.request, reply.outcome, reply.had_transient, reply.had_unanswered});
}

void ReferenceSystem::observed(TrueTime at, NodeId by, const Observation& fact) {
  tell(at, by, fact);
  if (const auto* committed = std::get_if<RecordCommitted>(&fact)) {
    on_record(*committed, at);
  } else if (const auto* barrier = std::get_if<BarrierConfirmed>(&fact)) {
    open_moves_[barrier->shard.value] = {true, storage(by)->state().content_of(barrier->shard)};
  } else if (std::holds_alternative<Crashed>(fact)) {
    forget_claims(by);
  }
}

// Contents are compared from the outside as well, at the commit, whatever the processes compared themselves.
void ReferenceSystem::on_record(const RecordCommitted& committed, TrueTime at) {
  const ShardRecord& record = committed.record;
  OpenMove& open = open_moves_[record.shard.value];
  records_[record.shard.value] = record;
  if (committed.change == RecordChange::move_begun) {
    open = OpenMove{};
  }
  if (committed.change == RecordChange::move_committed && open.has_barrier && storage(record.target) != nullptr) {
    const ContentDigest target = storage(record.target)->state().content_of(record.shard);
    tell(at, kNoNode, CutoverContent{record.move, record.shard, open.at_barrier, target});
  }
  world_.signal(static_cast<std::uint8_t>(record.phase));
}

void ReferenceSystem::handled(NodeId process, TrueTime at) {
  if (storage(process) == nullptr) {
    return;
  }
  for (std::uint16_t shard = 0; shard < scenario_->cluster.shards; ++shard) {
    tell_claim(process, ShardId{shard}, at);
  }
}

void ReferenceSystem::tell_claim(NodeId process, ShardId shard, TrueTime at) {
  ToldClaim& told = told_[static_cast<std::size_t>(process.value) * scenario_->cluster.shards + shard.value];
  const auto claim = storage(process)->claim(shard);
  if (!claim) {
    if (told.is_told) {
      told.is_told = false;
      tell(at, process, ClaimEnded{shard});
    }
    return;
  }
  const sim::Clock& clock = world_.clock(process);
  const bool is_known = told.is_told && told.claim == *claim && told.shifts == clock.shifts();
  if (is_known) {
    return;
  }
  constexpr Instant kForEver{INT64_MAX};
  const TrueTime until = claim->until == kForEver ? TrueTime{INT64_MAX} : clock.when_reads(claim->until, at);
  told = {true, *claim, clock.shifts()};
  tell(at, process, ClaimChanged{shard, claim->range, claim->epoch, until});
}

void ReferenceSystem::forget_claims(NodeId process) {
  const std::size_t first = static_cast<std::size_t>(process.value) * scenario_->cluster.shards;
  for (std::size_t i = 0; i < scenario_->cluster.shards; ++i) {
    told_[first + i].is_told = false;
  }
}

void ReferenceSystem::traced(const sim::TraceEvent<impl::Protocol>& event) {
  if (trace_ != nullptr) {
    trace_->line(event.at, describe(scenario_->cluster, event));
  }
}

}  // namespace shardcheck::harness
