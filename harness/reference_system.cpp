#include "harness/reference_system.h"

#include <algorithm>

#include "harness/describe.h"

namespace shardcheck::harness {
namespace {

// Both include an election of the directory's leader that begins when everything is healed.
constexpr Duration kServiceWithin = milliseconds(750);
constexpr Duration kMoveWithin = milliseconds(1'100);
constexpr Duration kAnswerWithin = milliseconds(20);
constexpr Duration kQuietAfter = milliseconds(400);   // the longest fault, a lease, and a new member
constexpr Duration kDirectoryWork = milliseconds(4);  // until it answers a read: what it has to do and to write before

// Until a slow link has carried two messages that are full of entries.
Duration two_messages(const sim::NetworkOptions& network) {
  constexpr std::int64_t kBytes = 2 * 512;
  return nanoseconds(kBytes * 1'000'000'000 / network.bytes_per_second);
}

// Links are up to twice as long as `delay`, and a clock may be set back by twice its bound while a timer runs.
Duration staleness_max(const impl::ClusterOptions& cluster, const sim::NetworkOptions& network) {
  const Duration refresh = cluster.poll_interval + cluster.clock_offset_max * 2 + network.delay * 4 +
                           two_messages(network) * 2 + kDirectoryWork;
  if (cluster.directories == 1) {
    return refresh;
  }
  // A poll may come while nobody leads, and go round in vain; then the next one is answered by a member that has not
  // heard of the last commit yet.
  const Duration election = cluster.election_timeout * 2 + cluster.election_spread * cluster.directories;
  return refresh + election + cluster.poll_interval + cluster.heartbeat_interval;
}

}  // namespace

void ReferenceSystem::start(ObservationSink& sink) {
  const impl::ClusterOptions& cluster = scenario_->cluster;
  records_ = impl::initial_records(cluster);
  told_position_ = DirectoryPosition{cluster.shards};
  told_records_.clear();
  open_moves_.assign(cluster.shard_ids(), OpenMove{});
  joining_ = leaving_ = stopped_at_once_ = NodeSet{};
  claims_.reset(impl::Roles(cluster).processes(), cluster.shard_ids());
  prepare(sink, impl::make_cluster(cluster), cluster.clock_offset_max);
  tell_tiers(impl::Roles(cluster).directory(0));
  tell_created(records_, impl::Roles(cluster).directory(0));
  world_.start_all();
}

// At first one metadata shard keeps all records.
void ReferenceSystem::tell_tiers(NodeId by) {
  const KeyRange all{Key{0}, Key{scenario_->cluster.keys}};
  tell(TrueTime{}, by, TopRow{told_position_, MetadataShardId{}, all});
  for (const ShardRecord& record : records_) {
    tell(TrueTime{}, by, MetadataRow{told_position_, MetadataShardId{}, record.shard, record.range});
  }
}

Bounds ReferenceSystem::bounds() const {
  const impl::ClusterOptions& cluster = scenario_->cluster;
  Bounds bounds;
  bounds.nodes = impl::Roles(cluster).processes();
  bounds.shards = cluster.shard_ids();
  bounds.tells_owner_splits = true;
  bounds.answers_scans = true;
  bounds.clients = cluster.clients;
  bounds.key_space = {Key{0}, Key{cluster.keys}};
  bounds.clock_offset_max = cluster.clock_offset_max;
  bounds.retention = cluster.retention;
  bounds.service_within = kServiceWithin;
  bounds.move_within = kMoveWithin;
  const impl::Roles roles(cluster);
  for (std::uint16_t i = 0; i < roles.routers(); ++i) {
    const impl::RouterKind kind = cluster.router_kinds[i];
    if (kind == impl::RouterKind::client_cache || kind == impl::RouterKind::routing_tier) {
      bounds.watchers |= std::uint64_t{1} << roles.router(i).value;
    }
  }
  for (std::uint16_t i = 0; i < roles.directories(); ++i) {
    bounds.directory |= std::uint64_t{1} << roles.directory(i).value;
  }
  bounds.staleness_max = staleness_max(cluster, scenario_->network);
  bounds.log_entries_max = cluster.log_max;
  bounds.replay_rounds_max = cluster.catch_up_rounds_max;
  bounds.copies_per_move_max = cluster.copies_max;
  bounds.splits_first_max = cluster.splits_first_max;
  bounds.lag_at_fence_max = cluster.lag_at_fence_max;
  bounds.lag_of_longer_pause_max = cluster.pause_lag_max;
  bounds.node_keys_max = cluster.node_keys_max == 0 ? cluster.keys : cluster.node_keys_max;
  state_pause(bounds);
  bounds.quiet_after = kQuietAfter;
  return bounds;
}

// V5's terms. A message may wait for the link behind another one, and for its receiver's work on the entries of every
// range that moves; what must be durable may just have missed one sync.
void ReferenceSystem::state_pause(Bounds& bounds) const {
  const impl::ClusterOptions& cluster = scenario_->cluster;
  const sim::NetworkOptions& network = scenario_->network;
  constexpr Duration kSynced = sim::WorldOptions{}.sync_duration * 2;
  const Duration work = cluster.moved_entry_cost * std::int64_t{impl::kEntriesPerMessage} *
                            std::min<std::int64_t>(cluster.moves_max, cluster.shard_ids()) +
                        microseconds(200);
  const Duration message = network.delay * 15 / 8 + two_messages(network) + work;
  // A request and its answer, each of them behind the work of a move.
  bounds.answer_within = kAnswerWithin + (message + work) * 4;
  // A commit is on the disks of a majority; what is sent to a follower may wait for its answer to what was sent before.
  const Duration replicated = cluster.directories == 1 ? Duration{} : (message * 2 + kSynced) * 2;
  const Duration commit = message * 2 + kSynced * 2 + replicated;
  // What the barrier stands for is on the disks of all members first.
  const Duration followed = cluster.replicas == 1 ? Duration{} : (message * 2 + kSynced) * 2;
  bounds.pause_without_tail = message * 4 + commit + kSynced * 2 + followed;
  bounds.replay_round = message * 3 + kSynced * 2;
  bounds.entries_per_round = impl::kEntriesPerMessage;
  // Six commits; the orders besides those that are counted; an order that is given twice; the longest tail.
  const std::int64_t entries = impl::kEntriesPerMessage;
  const std::int64_t tail_rounds = (cluster.pause_lag_max + entries - 1) / entries;
  bounds.undisturbed_move_within =
      (commit + message) * 6 + (bounds.replay_round + followed) * (4 + tail_rounds) + cluster.order_timeout * 2;
  bounds.copy_within = bounds.replay_round * (3 + (std::int64_t{cluster.keys} + cluster.clients) / entries);
}

bool ReferenceSystem::apply(const Step& step) {
  const impl::Roles roles(scenario_->cluster);
  if (const auto* client = std::get_if<ClientStep>(&step.what)) {
    world_.inject(roles.router_of(client->request.client), impl::ClientRequest{client->request, client->operation});
    return true;
  }
  if (const auto* move = std::get_if<MoveStep>(&step.what)) {
    world_.inject(operators_mover(roles.mover_of(move->shard)), impl::StartMove{move->shard, move->target, move->how});
    return true;
  }
  if (const auto* split = std::get_if<SplitStep>(&step.what)) {
    world_.inject(operators_mover(roles.mover_of(split->shard)),
                  impl::StartReshape{impl::ReshapeKind::split, split->shard, split->at});
    return true;
  }
  if (const auto* merge = std::get_if<MergeStep>(&step.what)) {
    world_.inject(operators_mover(roles.mover_of(merge->shard)),
                  impl::StartReshape{impl::ReshapeKind::merge, merge->shard, Key{}});
    return true;
  }
  if (const auto* metadata = std::get_if<MetadataSplitStep>(&step.what)) {
    impl::Command command;
    command.kind = impl::CommandKind::split_metadata;
    command.at = metadata->at;
    world_.inject(operators_mover(roles.mover(0)), command);
    return true;
  }
  if (const auto* join = std::get_if<JoinStep>(&step.what)) {
    enlist(*join);
    return true;
  }
  if (const auto* leave = std::get_if<LeaveStep>(&step.what)) {
    enlist(*leave);
    return true;
  }
  inject_fault(std::get<FaultStep>(step.what));
  return true;
}

ProcessRole ReferenceSystem::role_of(NodeId process) const {
  const impl::Roles roles(scenario_->cluster);
  if (roles.is_storage(process)) {
    return ProcessRole::storage;
  }
  if (roles.is_router(process)) {
    return ProcessRole::router;
  }
  return process < roles.storage(0) ? ProcessRole::directory : ProcessRole::mover;
}

bool ReferenceSystem::is_settled() const {
  for (const ShardRecord& record : records_) {
    if (record.is_data_lost || record.is_removed() || is_out_of_reach(record)) {
      continue;
    }
    const impl::StorageNode* owner = storage(record.owner);
    if (owner == nullptr) {
      return false;  // a seeded bug gave the range to nobody
    }
    const auto claim = owner->claim(record.shard);
    const bool serves = claim && claim->epoch == record.epoch && world_.clock(record.owner).read(now()) < claim->until;
    const bool is_moving = record.phase != MovePhase::none && !waits_for_gone(record);
    if (is_moving || !serves || !world_.is_up(record.owner)) {
      return false;
    }
  }
  return !has_left_copies() && !has_wishes() && !waits_for_leaving();
}

bool ReferenceSystem::is_cut_off(ClientId client) const {
  return world_.is_gone(impl::Roles(scenario_->cluster).router_of(client));
}

// Whom an operator asks: the usual one, or another that is still there.
NodeId ReferenceSystem::operators_mover(NodeId usual) const {
  const impl::Roles roles(scenario_->cluster);
  for (std::uint16_t i = 0; world_.is_gone(usual) && i < roles.movers(); ++i) {
    usual = roles.mover(i);
  }
  return usual;
}

// Who has a copy is lost for good.
bool ReferenceSystem::is_out_of_reach(const ShardRecord& record) const {
  bool is_anyone_left = false;
  record.members.for_each([&](NodeId member) { is_anyone_left |= !world_.is_gone(member); });
  return !is_anyone_left;
}

// The move is decided, and what is left to do waits for a side that is lost for good.
bool ReferenceSystem::waits_for_gone(const ShardRecord& record) const {
  const auto is_gone = [&](NodeId side) { return side != kNoNode && world_.is_gone(side); };
  return record.phase >= MovePhase::switched && (is_gone(record.source) || is_gone(record.target));
}

// Moves that were asked for, and that the directory has not heard of yet.
bool ReferenceSystem::has_wishes() const {
  const impl::Roles roles(scenario_->cluster);
  for (std::uint16_t i = 0; i < roles.movers(); ++i) {
    if (!world_.is_gone(roles.mover(i)) && world_.process(roles.mover(i)).mover()->has_wish()) {
      return true;
    }
  }
  return false;
}

// Copies that should go, and have not gone yet.
bool ReferenceSystem::has_left_copies() const {
  const impl::Roles roles(scenario_->cluster);
  for (std::uint16_t i = 0; i < roles.storage_nodes(); ++i) {
    if (world_.is_gone(roles.storage(i))) {
      continue;
    }
    for (const impl::ShardCopy& copy : storage(roles.storage(i))->state().copies()) {
      const std::size_t shard = copy.known.shard.value;
      const bool is_members = shard < records_.size() && (records_[shard].members.contains(roles.storage(i)) ||
                                                          records_[shard].joining == roles.storage(i));
      const bool may_stay = copy.copy == CopyState::owned || (copy.copy == CopyState::replica && is_members);
      const bool may_go = copy.copy && !may_stay && shard < records_.size();
      const bool must_go = may_go && !records_[shard].is_data_lost && !records_[shard].is_removed();
      if (must_go && !waits_for_gone(records_[shard])) {
        return true;
      }
    }
  }
  return false;
}

void ReferenceSystem::tell_end() {
  const impl::Roles roles(scenario_->cluster);
  for (std::uint16_t i = 0; i < roles.storage_nodes(); ++i) {
    const NodeId id = roles.storage(i);
    if (world_.is_gone(id)) {
      continue;
    }
    for (const impl::ShardCopy& copy : storage(id)->state().copies()) {
      if (copy.copy) {
        tell(now(), id, CopyHeld{copy.known.shard, copy.held, *copy.copy, copy.move});
      }
    }
  }
}

void ReferenceSystem::replied(NodeId from, const impl::Message& message, TrueTime at) {
  // Anything else sent to nobody comes from a mutant that lost track of whom it talks to.
  if (const auto* reply = std::get_if<impl::ClientReply>(&message)) {
    tell(at, from, Returned{reply->request, reply->outcome, reply->had_transient, reply->had_unanswered});
  }
}

void ReferenceSystem::observed(TrueTime at, NodeId by, const Observation& fact) {
  if (is_repeated(fact)) {
    return;
  }
  tell(at, by, fact);
  if (const auto* committed = std::get_if<RecordCommitted>(&fact)) {
    on_record(*committed, at);
  } else if (const auto* barrier = std::get_if<BarrierConfirmed>(&fact)) {
    OpenMove& open = open_moves_[barrier->shard.value];
    open.has_barrier = true;
    open.at_barrier = storage(by)->state().content_of(barrier->shard);
  } else if (std::holds_alternative<Crashed>(fact)) {
    claims_.forget(by);
  } else if (const auto* fault = std::get_if<FaultInjected>(&fact); fault && fault->kind == FaultKind::disk_lost) {
    note_lost_disk(by);
  }
}

// What a target had copied may be gone by the time of the commit: that is a loss of data, which is reported as such,
// and no fault of the cutover.
void ReferenceSystem::note_lost_disk(NodeId process) {
  for (const ShardRecord& record : records_) {
    if (record.phase != MovePhase::none && record.target == process) {
      open_moves_[record.shard.value].is_target_lost = true;
    }
  }
}

// A leader of the directory tells what an earlier one told, if it acts on it only now. That must be the same: what is
// committed at a position is so for ever.
bool ReferenceSystem::is_repeated(const Observation& fact) {
  if (const auto* row = std::get_if<TopRow>(&fact)) {
    return row->version <= told_position_;
  }
  if (const auto* row = std::get_if<MetadataRow>(&fact)) {
    return row->version <= told_position_;
  }
  if (const auto* committed = std::get_if<RecordCommitted>(&fact)) {
    if (committed->position > told_position_) {
      told_records_.push_back(*committed);
      return false;
    }
    // A split and a merge change two records at one position.
    const auto told = std::ranges::equal_range(told_records_, committed->position, {}, &RecordCommitted::position);
    return std::ranges::any_of(told, [&](const RecordCommitted& it) {
      return it.change == committed->change && it.record == committed->record;
    });
  }
  if (const auto* stepped = std::get_if<DirectoryStepped>(&fact)) {
    const bool is_told = stepped->position <= told_position_;
    told_position_ = std::max(told_position_, stepped->position);
    return is_told;
  }
  if (const auto* extended = std::get_if<LeaseExtended>(&fact)) {
    return extended->epoch < records_[extended->shard.value].epoch;
  }
  return false;
}

// Contents are compared from the outside as well, at the commit, whatever the processes compared themselves.
void ReferenceSystem::on_record(const RecordCommitted& committed, TrueTime at) {
  const ShardRecord& record = committed.record;
  OpenMove& open = open_moves_[record.shard.value];
  records_.resize(std::max<std::size_t>(records_.size(), record.shard.value + 1U));
  records_[record.shard.value] = record;
  if (committed.change == RecordChange::move_begun) {
    open = OpenMove{};
  }
  const bool is_cutover = committed.change == RecordChange::move_committed && open.has_barrier;
  if (is_cutover && !open.is_target_lost && storage(record.target) != nullptr) {
    CutoverContent content{record.move, record.shard, open.at_barrier,
                           storage(record.target)->state().content_of(record.shard)};
    if (content.source != content.target && storage(record.source) != nullptr) {
      name_differing(record, content);
    }
    tell(at, impl::Roles(scenario_->cluster).directory(0), content);
  }
  world_.signal(static_cast<std::uint8_t>(record.phase));
}

// The source has stopped, so its copy is still what it was at the barrier.
void ReferenceSystem::name_differing(const ShardRecord& record, CutoverContent& content) const {
  const impl::StorageState& source = storage(record.source)->state();
  const impl::StorageState& target = storage(record.target)->state();
  for (Key key = record.range.lo; key < record.range.hi; key = next(key)) {
    const bool is_equal =
        source.cell(key).version == target.cell(key).version && source.cell(key).value == target.cell(key).value;
    if (!is_equal && content.differing_count < content.differing.size()) {
      content.differing[content.differing_count++] = key;
    }
  }
}

void ReferenceSystem::handled(NodeId process, TrueTime at) {
  const impl::StorageNode* node = storage(process);
  if (node == nullptr) {
    return;
  }
  const sim::Clock& clock = world_.clock(process);
  for (std::uint16_t i = 0; i < records_.size(); ++i) {
    const ShardId shard{i};
    // Who keeps no copy claims nothing.
    if (node->state().copy(shard).copy || claims_.is_told(process, shard)) {
      claims_.tell(process, shard, node->claim(shard), clock, at, *sink_);
    }
  }
  insist(process);
}

void ReferenceSystem::traced(const sim::TraceEvent<impl::Protocol>& event) {
  if (trace_ != nullptr) {
    trace_->line(event.at, describe(scenario_->cluster, event));
  }
}

}  // namespace shardcheck::harness
