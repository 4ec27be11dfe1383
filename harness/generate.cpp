#include "harness/generate.h"

#include <algorithm>
#include <array>

namespace shardcheck::harness {
namespace {

// Sequences leave room between them, so that ids derived from one request never meet those of the next.
constexpr std::uint32_t kSequenceStep = 16;
constexpr std::array kStepGaps{microseconds(800), microseconds(100), microseconds(300), milliseconds(2),
                               milliseconds(4),   milliseconds(9),   milliseconds(20)};
constexpr std::array<std::uint32_t, 5> kFaultGaps{0, 300, 120, 60, 30};

class PlanDrawer {
 public:
  PlanDrawer(sim::Choices& choices, impl::Mutant mutant) : choices_(choices) { plan_.scenario.cluster.mutant = mutant; }

  Plan draw() {
    draw_cluster();
    draw_clocks();
    draw_faults();
    draw_steps();
    return std::move(plan_);
  }

 private:
  std::uint64_t ask(Ask kind, std::uint64_t n, std::uint32_t counter = 0) {
    return choices_.below(n, label(kind, counter));
  }

  void draw_cluster() {
    impl::ClusterOptions& cluster = plan_.scenario.cluster;
    cluster.storage_nodes = static_cast<std::uint16_t>(2 + ask(Ask::storage_nodes, 3));
    cluster.shards = static_cast<std::uint16_t>(1 + ask(Ask::shards, 3));
    cluster.keys = cluster.shards * 4U;
    cluster.clients = static_cast<std::uint16_t>(2 + ask(Ask::clients, 4));
    cluster.routers = static_cast<std::uint16_t>(1 + ask(Ask::routers, 2));
    plan_.scenario.network.variety = static_cast<std::uint8_t>(ask(Ask::link_variety, 8));
  }

  void draw_clocks() {
    const impl::ClusterOptions& cluster = plan_.scenario.cluster;
    const std::uint16_t processes = impl::Roles(cluster).processes();
    for (std::uint16_t id = 0; id < processes; ++id) {
      const std::uint64_t eighths = ask(Ask::clock_offset, 17, id);
      const std::uint64_t drift = ask(Ask::clock_drift, 5, id);
      if (eighths == 0 && drift == 0) {
        continue;
      }
      ClockSetting clock;
      clock.process = NodeId{id};
      clock.offset = cluster.clock_offset_max * ((static_cast<std::int64_t>(eighths) + 8) % 17 - 8) / 8;
      clock.drift_ppm = ((static_cast<std::int64_t>(drift) + 2) % 5 - 2) * 100;
      plan_.scenario.clocks.push_back(clock);
    }
  }

  void draw_faults() {
    plan_.faults.gap = kFaultGaps[ask(Ask::fault_rate, kFaultGaps.size())];
    for (std::uint32_t kind = 0; kind < kFaultKinds; ++kind) {
      // Losing a disk ends a range for good, so it is rarer than all else.
      const bool is_rare = static_cast<FaultKind>(kind) == FaultKind::disk_lost;
      const std::uint64_t answer = ask(Ask::fault_enabled, is_rare ? 12 : 3, kind);
      plan_.faults.is_enabled[kind] = is_rare ? answer == 1 : answer != 0;
    }
  }

  void draw_steps() {
    const std::uint64_t count = 4 + ask(Ask::steps, 48);
    TrueTime at{milliseconds(4).value};
    for (std::uint32_t i = 0; i < count; ++i) {
      at = at + kStepGaps[ask(Ask::step_gap, kStepGaps.size(), i)];
      // One step in six asks for a move; the first one always does, since that is what the suite is about.
      const bool is_move = i == 0 || ask(Ask::step_kind, 6, i) == 5;
      plan_.scenario.steps.push_back(is_move ? draw_move(at, i) : draw_operation(at, i));
    }
  }

  Step draw_move(TrueTime at, std::uint32_t i) {
    const impl::ClusterOptions& cluster = plan_.scenario.cluster;
    const auto shard = static_cast<std::uint16_t>(ask(Ask::move_shard, cluster.shards, i));
    const auto target = static_cast<std::uint16_t>((1 + shard + ask(Ask::move_target, cluster.storage_nodes, i)) %
                                                   cluster.storage_nodes);
    hot_shard_ = shard;
    return {at, MoveStep{ShardId{shard}, impl::Roles(cluster).storage(target)}};
  }

  // Three operations in four go to the range that was last asked to move: that is where things go wrong.
  Step draw_operation(TrueTime at, std::uint32_t i) {
    const impl::ClusterOptions& cluster = plan_.scenario.cluster;
    const auto client = static_cast<std::uint16_t>(ask(Ask::step_client, cluster.clients, i));
    const bool is_elsewhere = ask(Ask::step_place, 4, i) == 3;
    const auto within = static_cast<std::uint32_t>(ask(Ask::step_key, is_elsewhere ? cluster.keys : 4, i));
    ClientStep step;
    step.request = {ClientId{client}, kSequenceStep * (i + 1)};
    step.operation.key = Key{is_elsewhere ? within : hot_shard_ * 4U + within};
    draw_what(step.operation, i);
    return {at, step};
  }

  // Every value written is new (the number of its step), so that a read tells which write it saw.
  void draw_what(Operation& operation, std::uint32_t i) {
    const std::uint64_t answer = ask(Ask::step_operation, 8, i);
    const Value fresh = number(static_cast<std::int64_t>(i) + 1);
    switch (use_of(operation.key)) {
      case KeyUse::registers:
        operation.kind = answer < 3 ? OperationKind::read : answer < 6 ? OperationKind::write : OperationKind::remove;
        operation.argument = operation.kind == OperationKind::write ? fresh : absent();
        return;
      case KeyUse::list:
        operation.kind = answer < 3 ? OperationKind::read : OperationKind::append;
        operation.argument = answer < 3 ? absent() : list_of_one(static_cast<std::uint16_t>(i + 1));
        return;
      case KeyUse::counter: operation.kind = answer < 2 ? OperationKind::read : OperationKind::increment; return;
      case KeyUse::compare_and_set:
        operation.kind = answer < 3   ? OperationKind::read
                         : answer < 5 ? OperationKind::write
                                      : OperationKind::compare_and_set;
        if (operation.kind == OperationKind::compare_and_set) {
          operation.expected = last_written_ == 0 ? absent() : number(last_written_);
        }
        if (operation.kind != OperationKind::read) {
          operation.argument = fresh;
          last_written_ = static_cast<std::int64_t>(i) + 1;
        }
        return;
    }
  }

  sim::Choices& choices_;
  Plan plan_;
  std::uint32_t hot_shard_ = 0;
  std::int64_t last_written_ = 0;
};

}  // namespace

Plan draw_plan(sim::Choices& choices, impl::Mutant mutant) { return PlanDrawer(choices, mutant).draw(); }

}  // namespace shardcheck::harness
