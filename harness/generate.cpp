#include "harness/generate.h"

#include <algorithm>
#include <array>
#include <vector>

#include "impl/messages.h"

namespace shardcheck::harness {
namespace {

using FaultGaps = std::array<std::uint32_t, 5>;
constexpr FaultGaps kFaultGaps{0, 300, 120, 60, 30};
// Of a system that may send few messages.
constexpr FaultGaps kShortFaultGaps{0, 60, 25, 10, 5};
constexpr std::uint64_t kFocusOneIn = 3;
constexpr std::uint32_t kFocusedGapDivisor = 25;
constexpr std::uint64_t kPhaseFocusOneIn = 4;
constexpr std::uint32_t kPhaseGapDivisor = 8;
constexpr std::uint64_t kKindsSent = impl::kMessageKinds - 1;  // the last one comes from outside
constexpr std::uint64_t kLossOneIn = 12;
constexpr std::uint64_t kLossInPhaseOneIn = 2;
constexpr std::uint64_t kJoinOrLeaveOneIn = 12;
constexpr std::uint32_t kDriftsOfRun = 0xffff;  // no process
constexpr std::uint32_t kKeysOfShard = 4;
constexpr std::uint16_t kSplitsMax = 4;
// How many members the directory has: a single one and three take turns, five are rare.
constexpr std::array<std::uint16_t, 8> kDirectories{1, 3, 3, 3, 1, 3, 1, 5};
// How many members a replica set has. With as many as there are nodes, nothing can be moved.
constexpr std::array<std::uint16_t, 8> kReplicas{1, 2, 1, 3, 1, 2, 1, 1};

std::uint64_t ask(sim::Choices& choices, Ask kind, std::uint64_t n, std::uint32_t counter = 0) {
  return choices.below(n, label(kind, counter));
}

void draw_moves(sim::Choices& choices, impl::ClusterOptions& cluster) {
  constexpr std::array<std::uint16_t, 3> kAtOnce{64, 1, 2};
  cluster.movers = ask(choices, Ask::movers, 3) == 2 ? 2 : 1;
  cluster.moves_max = kAtOnce[ask(choices, Ask::moves_at_once, kAtOnce.size())];
  cluster.catch_up = static_cast<CatchUpDecision>(ask(choices, Ask::catch_up, kCatchUpDecisions));
  constexpr std::array<std::uint8_t, 3> kRounds{12, 12, 2};
  cluster.catch_up_rounds_max = kRounds[ask(choices, Ask::catch_up_rounds, kRounds.size())];
  constexpr std::array kEntryCosts{microseconds(6), microseconds(6), microseconds(6), microseconds(300),
                                   microseconds(700)};
  cluster.moved_entry_cost = kEntryCosts[ask(choices, Ask::entry_cost, kEntryCosts.size())];
  // Logs so short that a copy can be too slow for them.
  const std::uint64_t log = ask(choices, Ask::log_bound, 3);
  if (log != 0) {
    cluster.log_kept = log == 1 ? 4 : 2;
    cluster.log_max = cluster.log_kept * 4;
  }
  // Nodes that have room for their own ranges and perhaps for one more.
  const std::uint64_t room = ask(choices, Ask::node_room, 8);
  if (room >= 6) {
    const std::uint32_t owned = (cluster.shards + cluster.storage_nodes - 1U) / cluster.storage_nodes;
    const std::uint32_t held = std::min<std::uint32_t>(owned * cluster.replicas, cluster.shards);
    cluster.node_keys_max = (held + (room == 6 ? 1 : 0)) * kKeysOfShard;
  }
}

impl::ClusterOptions draw_cluster(sim::Choices& choices, impl::Mutant mutant) {
  impl::ClusterOptions cluster;
  cluster.mutant = mutant;
  cluster.directories = kDirectories[ask(choices, Ask::directories, kDirectories.size())];
  cluster.storage_nodes = static_cast<std::uint16_t>(2 + ask(choices, Ask::storage_nodes, 3));
  cluster.shards = static_cast<std::uint16_t>(1 + ask(choices, Ask::shards, 3));
  cluster.shards_max = cluster.shards + kSplitsMax;
  cluster.keys = cluster.shards * kKeysOfShard;
  cluster.clients = static_cast<std::uint16_t>(2 + ask(choices, Ask::clients, 4));
  cluster.routers = static_cast<std::uint16_t>(1 + ask(choices, Ask::routers, 2));
  for (std::uint16_t i = 0; i < cluster.routers; ++i) {
    cluster.router_kinds[i] = static_cast<impl::RouterKind>(ask(choices, Ask::router_kind, impl::kRouterKinds, i));
  }
  cluster.replicas = std::min(kReplicas[ask(choices, Ask::replicas, kReplicas.size())], cluster.storage_nodes);
  cluster.lease_per = ask(choices, Ask::lease_per, 3) == 2 ? impl::LeasePer::node : impl::LeasePer::range;
  draw_moves(choices, cluster);
  constexpr std::array<std::uint16_t, 8> kUnanswered{0, 0, 0, 0, 0, 0, 4, 1};
  cluster.unanswered_max = kUnanswered[ask(choices, Ask::unanswered, kUnanswered.size())];
  return cluster;
}

std::uint8_t draw_variety(sim::Choices& choices) {
  return static_cast<std::uint8_t>(ask(choices, Ask::link_variety, 8));
}

// In one run of four clocks change how they drift: each of three times in one case of four, up to the steepest drift
// that there may be, either way.
bool draws_drift_changes(sim::Choices& choices) { return ask(choices, Ask::drift_change, 4, kDriftsOfRun) == 3; }

std::vector<sim::DriftChange> draw_drift_changes(sim::Choices& choices, std::uint32_t process) {
  constexpr std::array<std::int64_t, 4> kDrifts{1'000, -1'000, 0, -300};
  constexpr Duration kGap = milliseconds(5);
  std::vector<sim::DriftChange> changes;
  TrueTime at;
  for (std::uint32_t i = 0; i < sim::kDriftChangesMax; ++i) {
    const std::uint64_t answer = ask(choices, Ask::drift_change, 4 * kDrifts.size(), process * 8 + i);
    if (answer >= 3 * kDrifts.size()) {
      at = at + kGap * static_cast<std::int64_t>(1 + ask(choices, Ask::drift_change, 30, process * 8 + 4 + i));
      changes.push_back({at, kDrifts[answer % kDrifts.size()]});
    }
  }
  return changes;
}

std::vector<ClockSetting> draw_clocks(sim::Choices& choices, std::uint16_t processes, Duration offset_max) {
  std::vector<ClockSetting> clocks;
  const bool are_drifts_changed = draws_drift_changes(choices);
  for (std::uint16_t id = 0; id < processes; ++id) {
    const std::uint64_t eighths = ask(choices, Ask::clock_offset, 17, id);
    const std::uint64_t drift = ask(choices, Ask::clock_drift, 5, id);
    std::vector<sim::DriftChange> changes;
    if (are_drifts_changed) {
      changes = draw_drift_changes(choices, id);
    }
    if (eighths == 0 && drift == 0 && changes.empty()) {
      continue;
    }
    ClockSetting clock;
    clock.changes = std::move(changes);
    clock.process = NodeId{id};
    clock.offset = offset_max * ((static_cast<std::int64_t>(eighths) + 8) % 17 - 8) / 8;
    clock.drift_ppm = ((static_cast<std::int64_t>(drift) + 2) % 5 - 2) * 100;
    clocks.push_back(clock);
  }
  return clocks;
}

FaultProfile draw_faults(sim::Choices& choices, const FaultGaps& gaps) {
  FaultProfile faults;
  faults.gap = gaps[ask(choices, Ask::fault_rate, gaps.size())];
  for (std::uint32_t kind = 0; kind <= static_cast<std::uint32_t>(FaultKind::clock_shifted); ++kind) {
    // Losing a disk ends a range of one member for good, so it is rarer than all else.
    const bool is_rare = static_cast<FaultKind>(kind) == FaultKind::disk_lost;
    const std::uint64_t answer = ask(choices, Ask::fault_enabled, is_rare ? 12 : 3, kind);
    faults.is_enabled[kind] = is_rare ? answer == 1 : answer != 0;
  }
  return faults;
}

// The first kKindsWithData of them carry data.
constexpr std::size_t kKindsWithData = 5;
std::vector<std::uint8_t> message_kinds_of_moves() {
  std::vector<std::uint8_t> kinds{impl::kind_of(impl::Chunk{}), impl::kind_of(impl::LogBatch{}),
                                  impl::kind_of(impl::ForwardedRequest{}), impl::kind_of(impl::DualWrites{}),
                                  impl::kind_of(impl::DualWritesStaged{})};
  impl::Command command;
  for (auto kind = impl::CommandKind::begin_move; kind <= impl::CommandKind::finish_move;
       kind = static_cast<impl::CommandKind>(static_cast<int>(kind) + 1)) {
    command.kind = kind;
    kinds.push_back(impl::kind_of(command));
  }
  impl::MoveOrder order;
  impl::MoveReport report;
  for (auto kind = impl::OrderKind::prepare_target; kind <= impl::OrderKind::undo;
       kind = static_cast<impl::OrderKind>(static_cast<int>(kind) + 1)) {
    order.kind = report.kind = kind;
    kinds.push_back(impl::kind_of(order));
    kinds.push_back(impl::kind_of(report));
  }
  return kinds;
}

// Of any kind, of those that only moves have, or of those that carry the data of one: each as often as the others.
std::uint8_t draw_message_kind(sim::Choices& choices, std::uint64_t among_all) {
  static const std::vector<std::uint8_t> of_moves = message_kinds_of_moves();
  const std::uint64_t among = ask(choices, Ask::fault_focus, 3, 1);
  if (among == 0) {
    return static_cast<std::uint8_t>(among_all);
  }
  return of_moves[ask(choices, Ask::fault_focus, among == 1 ? of_moves.size() : kKindsWithData, 2)];
}

// In every third run the adversary waits for messages of one kind, in some others for one phase of a move, and strikes
// often there.
void draw_focus(sim::Choices& choices, FaultProfile& faults) {
  const std::uint64_t answer = ask(choices, Ask::fault_focus, kFocusOneIn * kKindsSent);
  if (answer >= (kFocusOneIn - 1) * kKindsSent) {
    faults.message_kind = draw_message_kind(choices, answer % kKindsSent);
    faults.gap /= kFocusedGapDivisor;
    return;
  }
  // Most moves never come to be aborted, so that phase has two answers.
  constexpr std::uint64_t kPhaseAnswers = kMovePhases + 1;
  const std::uint64_t drawn = ask(choices, Ask::fault_phase, kPhaseFocusOneIn * kPhaseAnswers);
  if (drawn >= (kPhaseFocusOneIn - 1) * kPhaseAnswers) {
    const std::uint64_t phase = drawn % kPhaseAnswers;
    faults.phase =
        phase < kMovePhases ? static_cast<std::uint8_t>(phase) : static_cast<std::uint8_t>(MovePhase::aborted);
    faults.gap /= kPhaseGapDivisor;
    // Such a run is so short of faults elsewhere that it may have the rarest one more often.
    bool& may_lose = faults.is_enabled[static_cast<std::size_t>(FaultKind::disk_lost)];
    may_lose = may_lose || ask(choices, Ask::fault_enabled, 2, 9) == 1;
  }
}

// Some runs lose a process for good; those that strike in one phase of a move more often.
void draw_losses(sim::Choices& choices, FaultProfile& faults) {
  const std::uint64_t one_in = faults.phase ? kLossInPhaseOneIn : kLossOneIn;
  faults.is_enabled[static_cast<std::size_t>(FaultKind::lost_for_good)] =
      ask(choices, Ask::lost_for_good, one_in) == one_in - 1;
}

// A node that was held back joins, or one that has copies leaves, or first the one and then the other. As many as a
// replica set has are always left.
void draw_join_and_leave(sim::Choices& choices, Scenario& scenario) {
  impl::ClusterOptions& cluster = scenario.cluster;
  const bool has_spare = cluster.storage_nodes > std::max<std::uint16_t>(cluster.replicas, 1);
  const std::uint64_t what = ask(choices, Ask::join_and_leave, kJoinOrLeaveOneIn * 3);
  if (!has_spare || cluster.node_keys_max != 0 || what < (kJoinOrLeaveOneIn - 1) * 3) {
    return;
  }
  const impl::Roles roles(cluster);
  const auto put = [&](std::uint64_t at_ms, decltype(Step::what) what_then) {
    const TrueTime at = TrueTime{} + milliseconds(static_cast<std::int64_t>(at_ms));
    const auto place = std::ranges::upper_bound(scenario.steps, at, {}, &Step::at);
    scenario.steps.insert(place, Step{at, what_then});
  };
  const auto last = static_cast<std::uint16_t>(cluster.storage_nodes - 1);
  const std::uint64_t first_at = ask(choices, Ask::join_and_leave, 100, 1);
  const std::uint64_t then_at = first_at + ask(choices, Ask::join_and_leave, 100, 2);
  if (what % 3 != 0) {
    cluster.held_back = 1;
    put(first_at, JoinStep{roles.storage(last)});
  }
  if (what % 3 != 1) {
    const std::uint64_t who = ask(choices, Ask::join_and_leave, last, 3);
    put(then_at, LeaveStep{roles.storage(static_cast<std::uint16_t>(who))});
  }
}

WorkloadShape workload_of(const impl::ClusterOptions& cluster) {
  const impl::Roles roles(cluster);
  WorkloadShape shape;
  shape.clients = cluster.clients;
  shape.key_space = {Key{0}, Key{cluster.keys}};
  shape.ranges = in_fours(shape.key_space);
  for (std::uint16_t i = 0; i < cluster.storage_nodes; ++i) {
    shape.move_targets.push_back(roles.storage(i));
  }
  shape.shards_max = cluster.shards_max;
  shape.is_supported.fill(true);
  shape.has_move_options = true;
  shape.has_metadata = true;
  shape.has_bursts = true;
  return shape;
}

}  // namespace

Plan draw_plan(sim::Choices& choices, impl::Mutant mutant) {
  Plan plan;
  const impl::ClusterOptions cluster = draw_cluster(choices, mutant);
  plan.scenario.cluster = cluster;
  plan.scenario.network.variety = draw_variety(choices);
  if (ask(choices, Ask::link_speed, 8) == 7) {
    plan.scenario.network.bytes_per_second = 500'000;
  }
  constexpr std::array<std::uint16_t, 8> kInboxes{0, 0, 0, 0, 0, 0, 0, 8};
  plan.scenario.network.inbox_max = kInboxes[ask(choices, Ask::inbox, kInboxes.size())];
  plan.scenario.clocks = draw_clocks(choices, impl::Roles(cluster).processes(), cluster.clock_offset_max);
  plan.faults = draw_faults(choices, kFaultGaps);
  draw_focus(choices, plan.faults);
  plan.scenario.steps = draw_workload(choices, workload_of(cluster));
  draw_losses(choices, plan.faults);
  draw_join_and_leave(choices, plan.scenario);
  return plan;
}

FaultLimits fault_limits_of(const Scenario& scenario) {
  const impl::ClusterOptions& cluster = scenario.cluster;
  const impl::Roles roles(cluster);
  FaultLimits limits;
  limits.clock_offset_max = cluster.clock_offset_max;
  // Only a storage node's data may be lost with its disk; everything the directory decided may not.
  for (std::uint16_t i = 0; i < cluster.storage_nodes; ++i) {
    limits.may_lose_disk.push_back(roles.storage(i));
  }
  limits.may_be_lost = loss_limits_of(cluster);
  const auto leaves = [](const Step& it) { return std::holds_alternative<LeaveStep>(it.what); };
  const auto leaving = static_cast<int>(std::ranges::count_if(scenario.steps, leaves));
  // So that something is left to serve. All but one of a replica set may go; where one leaves, only who can be spared.
  for (LossLimit& limit : limits.may_be_lost) {
    if (limit.is_about(roles.storage(0))) {
      limit.most = std::min(limit.most, std::max(1, cluster.replicas - 1));
      limit.most = leaving == 0 ? limit.most : std::min(limit.most, departures_max(cluster) - leaving);
    }
  }
  return limits;
}

Plan draw_plan(sim::Choices& choices, const SimulatedShape& shape) {
  Plan plan;
  plan.scenario.network.variety = draw_variety(choices);
  plan.scenario.clocks = draw_clocks(choices, shape.processes, shape.clock_offset_max);
  plan.faults = draw_faults(choices, kShortFaultGaps);
  if (shape.workload.move_targets.empty()) {
    plan.faults.is_enabled[static_cast<std::size_t>(FaultKind::held_until_phase)] = false;  // no phase ever comes
  }
  plan.scenario.steps = draw_workload(choices, shape.workload);
  return plan;
}

}  // namespace shardcheck::harness
