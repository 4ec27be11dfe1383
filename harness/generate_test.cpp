#include "harness/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace shardcheck::harness {
namespace {

// Whether the workload may ask this of the key.
bool is_fit(const Operation& operation) {
  const OperationKind kind = operation.kind;
  switch (use_of(operation.key)) {
    case KeyUse::registers:
      return kind == OperationKind::read || kind == OperationKind::write || kind == OperationKind::remove;
    case KeyUse::list: return kind == OperationKind::read || kind == OperationKind::append;
    case KeyUse::counter: return kind == OperationKind::read || kind == OperationKind::increment;
    case KeyUse::compare_and_set:
      return kind == OperationKind::read || kind == OperationKind::write || kind == OperationKind::compare_and_set;
  }
  return false;
}

TEST(Generate, all_answers_0_give_the_smallest_quiet_plan) {
  const sim::Tape empty;
  sim::RecordedChoices zeros(empty);

  const Plan plan = draw_plan(zeros, impl::Mutant::none);

  EXPECT_EQ(to_text(plan.scenario),
            "scenario 1\n"
            "cluster storage_nodes 2 routers 1 clients 2 shards 1 keys 4\n"
            "shards_max 5\n"
            "network delay 0.5ms variety 0 bytes_per_second 100000000\n"
            "at 4.8ms move range 0 to node 2\n"
            "at 5.6ms client 0 request 32 read 0\n"
            "at 6.4ms client 0 request 48 read 0\n"
            "at 7.2ms client 0 request 64 read 0\n");
  EXPECT_EQ(plan.faults.gap, 0U);
  EXPECT_EQ(plan.faults.is_enabled, (std::array<bool, kFaultKinds>{}));
}

TEST(Generate, one_answer_changes_what_it_was_about_and_nothing_else) {
  const sim::Tape tape{{label(Ask::step_operation, 2), 4}, {label(Ask::step_key, 2), 1}};
  sim::Tape sorted = tape;
  std::ranges::sort(sorted);
  sim::RecordedChoices choices(sorted);

  const Plan plan = draw_plan(choices, impl::Mutant::none);

  EXPECT_EQ(to_text(plan.scenario),
            "scenario 1\n"
            "cluster storage_nodes 2 routers 1 clients 2 shards 1 keys 4\n"
            "shards_max 5\n"
            "network delay 0.5ms variety 0 bytes_per_second 100000000\n"
            "at 4.8ms move range 0 to node 2\n"
            "at 5.6ms client 0 request 32 read 0\n"
            "at 6.4ms client 0 request 48 append 1 [3]\n"
            "at 7.2ms client 0 request 64 read 0\n");
}

TEST(Generate, the_mutant_is_the_plans) {
  sim::SeededChoices choices(1);

  EXPECT_EQ(draw_plan(choices, impl::Mutant::fence_memory_only).scenario.cluster.mutant,
            impl::Mutant::fence_memory_only);
}

TEST(Generate, requests_of_a_client_grow_and_every_operation_fits_its_key) {
  std::set<OperationKind> kinds;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    sim::SeededChoices choices(seed);
    const Scenario scenario = draw_plan(choices, impl::Mutant::none).scenario;
    std::map<ClientId, std::uint32_t> last;
    std::set<std::string> written;

    for (const Step& step : scenario.steps) {
      const auto* client = std::get_if<ClientStep>(&step.what);
      if (client == nullptr) {
        continue;
      }
      const Operation& operation = client->operation;
      kinds.insert(operation.kind);
      EXPECT_GT(client->request.sequence, last[client->request.client]);
      last[client->request.client] = client->request.sequence;
      EXPECT_LT(client->request.client.value, scenario.cluster.clients);
      EXPECT_LT(operation.key.value, scenario.cluster.keys);
      if (operation.kind == OperationKind::scan) {
        EXPECT_LT(operation.key, keys_of(operation).hi);
        EXPECT_LE(keys_of(operation).hi.value, scenario.cluster.keys);
        continue;
      }
      EXPECT_TRUE(is_fit(operation)) << name_of(operation.kind) << " of key " << operation.key.value;
      if (operation.argument.kind != ValueKind::absent) {
        EXPECT_TRUE(written.insert(to_string(operation.argument)).second) << to_string(operation.argument);
      }
    }
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(kOperationKinds));
}

TEST(Generate, steps_are_in_order_and_every_plan_begins_with_a_move) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    sim::SeededChoices choices(seed);
    const Scenario scenario = draw_plan(choices, impl::Mutant::none).scenario;
    const impl::Roles roles(scenario.cluster);

    ASSERT_GE(scenario.steps.size(), 4U);
    ASSERT_LE(scenario.steps.size(), 2 * 153U);  // splits of metadata shards come on top
    EXPECT_TRUE(std::holds_alternative<MoveStep>(scenario.steps[0].what));
    TrueTime last;
    for (const Step& step : scenario.steps) {
      EXPECT_GE(step.at, last);
      last = step.at;
      if (const auto* move = std::get_if<MoveStep>(&step.what)) {
        EXPECT_TRUE(roles.is_storage(move->target));
        EXPECT_LT(move->shard.value, scenario.cluster.shards_max);
      }
    }
    for (const ClockSetting& clock : scenario.clocks) {
      EXPECT_GE(clock.offset, milliseconds(-2));
      EXPECT_LE(clock.offset, milliseconds(2));
      EXPECT_LT(clock.process.value, roles.processes());
    }
    EXPECT_TRUE(scenario.deviations.empty());
  }
}

TEST(Generate, load_and_drift_are_drawn_in_some_plans) {
  std::set<CatchUpDecision> decisions;
  std::set<std::uint16_t> unanswered;
  std::set<std::uint16_t> inboxes;
  std::size_t changes_max = 0;
  bool has_burst = false;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    sim::SeededChoices choices(seed);
    const Scenario scenario = draw_plan(choices, impl::Mutant::none).scenario;
    decisions.insert(scenario.cluster.catch_up);
    unanswered.insert(scenario.cluster.unanswered_max);
    inboxes.insert(scenario.network.inbox_max);
    for (const ClockSetting& clock : scenario.clocks) {
      changes_max = std::max(changes_max, clock.changes.size());
      EXPECT_TRUE(std::ranges::is_sorted(clock.changes, {}, &sim::DriftChange::at));
    }
    for (std::size_t i = 1; i < scenario.steps.size(); ++i) {
      has_burst |= scenario.steps[i].at - scenario.steps[i - 1].at == microseconds(5);
    }
  }
  EXPECT_EQ(decisions.size(), static_cast<std::size_t>(kCatchUpDecisions));
  EXPECT_EQ(unanswered, (std::set<std::uint16_t>{0, 1, 4}));
  EXPECT_EQ(inboxes, (std::set<std::uint16_t>{0, 8}));
  EXPECT_EQ(changes_max, sim::kDriftChangesMax);
  EXPECT_TRUE(has_burst);
}

TEST(Generate, nodes_join_and_leave_in_some_runs_and_enough_of_them_stay) {
  int joins = 0, leaves = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(seed);
    sim::SeededChoices choices(seed);

    const Plan plan = draw_plan(choices, impl::Mutant::none);

    const impl::ClusterOptions& cluster = plan.scenario.cluster;
    const auto count = [&]<class What>(What) {
      return std::ranges::count_if(plan.scenario.steps,
                                   [](const Step& it) { return std::holds_alternative<What>(it.what); });
    };
    const auto joining = count(JoinStep{}), leaving = count(LeaveStep{});
    EXPECT_EQ(cluster.held_back, joining);
    EXPECT_TRUE(std::ranges::is_sorted(plan.scenario.steps, {}, &Step::at));
    EXPECT_TRUE(parse_scenario(to_text(plan.scenario), "s").has_value());
    if (leaving > 0) {
      const int lost_max = fault_limits_of(plan.scenario).may_be_lost[1].most;
      EXPECT_LE(leaving + lost_max + cluster.replicas, cluster.storage_nodes);
    }
    joins += joining > 0 ? 1 : 0;
    leaves += leaving > 0 ? 1 : 0;
  }
  EXPECT_GT(joins, 8);
  EXPECT_GT(leaves, 8);
}

TEST(Generate, only_storage_nodes_may_lose_their_disks) {
  Scenario scenario;
  impl::ClusterOptions& cluster = scenario.cluster;
  cluster.directories = 1;
  cluster.storage_nodes = 3;

  const FaultLimits limits = fault_limits_of(scenario);

  EXPECT_EQ(limits.may_lose_disk, (std::vector<NodeId>{NodeId{1}, NodeId{2}, NodeId{3}}));
  EXPECT_EQ(limits.clock_offset_max, cluster.clock_offset_max);
  EXPECT_EQ(limits.clients, kNoNode);
}

}  // namespace
}  // namespace shardcheck::harness
