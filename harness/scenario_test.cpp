#include "harness/scenario.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/campaign.h"
#include "harness/scenario_runner.h"

namespace shardcheck::harness {
namespace {

constexpr std::string_view kEverything =
    R"(scenario 1
cluster storage_nodes 3 routers 2 clients 4 shards 3 keys 12
shards_max 6
router_kinds routing_tier coordinator
moves movers 2 at_once 1 catch_up throttle rounds 4 entry_cost 0.3ms log 2 8 node_keys 8
replicas 2
held_back 1
leases node
unanswered_max 2
mutant move_no_tombstones
network delay 0.25ms variety 7 bytes_per_second 1000000 inbox_max 8
clock 0 offset -1.5ms drift_ppm -200 then 40ms 1000 then 45ms 0
clock 6 offset 2ms drift_ppm 100
at 0ms client 0 request 1 read 0
at 4.8ms client 1 request 16 write 4 -7
at 4.8ms client 1 request 17 write 4 nil
at 5ms client 1 request 18 write 4 [1 2 65535]
at 5.000001ms client 2 request 1000000000 del 11
at 6ms client 3 request 32 cas 3 nil 9223372036854775807
at 7ms client 3 request 33 cas 3 -9223372036854775808 []
at 8ms client 0 request 2 append 1 [7]
at 9ms client 0 request 3 incr 2
at 10ms move range 2 to 1
at 10ms split range 2 at 9
at 10ms merge range 5
at 10ms client 0 request 4 scan 1 12
at 10ms split_metadata 8
at 11ms fault crash 0 for 10ms
at 12ms fault lose_disk 3 for 0ms
at 13ms fault pause 6 for 50.5ms
at 14ms fault cut 1 5 for 25ms
at 15ms fault lose_for_good 3
at 15ms join 3
on request 4 -> 1 #0 delay 45ms
on order_fence 6 -> 2 #1 hold_until aborted
on poll 1 -> 0 #2 drop
on chunk 1 -> 2 #0 duplicate 0.7ms
on renew 1 -> 0 #3 cut one_way 10ms
on renewed 0 -> 1 #3 cut both_ways 10ms
on commit_move 6 -> 0 #0 crash after_sending 25ms kept 255
on log_batch 1 -> 2 #0 lose_disk before_receiving 80ms
on record_update 0 -> 3 #4294967295 lose_disk after_receiving 80ms
on reply 2 -> 4 #9 pause after_receiving 140ms
on refusal 2 -> 5 #0 shift_clock before_receiving -2ms
on poll 5 -> 0 #7 lose_for_good after_sending
)";

template <class What>
const What& step(const Scenario& scenario, std::size_t index) {
  return std::get<What>(scenario.steps.at(index).what);
}

TEST(Scenario, every_kind_of_line_survives_parsing_and_printing) {
  const Result<Scenario> scenario = parse_scenario(kEverything, "s");

  ASSERT_TRUE(scenario.has_value()) << to_string(scenario.error());
  EXPECT_EQ(to_text(*scenario), kEverything);
  EXPECT_EQ(scenario->size(), 2U + 20U + 12U);
}

TEST(Scenario, every_kind_of_line_means_what_it_says) {
  const Result<Scenario> parsed = parse_scenario(kEverything, "s");
  ASSERT_TRUE(parsed.has_value()) << to_string(parsed.error());
  const Scenario& scenario = *parsed;

  EXPECT_EQ(scenario.cluster.storage_nodes, 3);
  EXPECT_EQ(scenario.cluster.routers, 2);
  EXPECT_EQ(scenario.cluster.movers, 2);
  EXPECT_EQ(scenario.cluster.moves_max, 1);
  EXPECT_EQ(scenario.cluster.catch_up, CatchUpDecision::throttle);
  EXPECT_EQ(scenario.cluster.catch_up_rounds_max, 4);
  EXPECT_EQ(scenario.cluster.moved_entry_cost, microseconds(300));
  EXPECT_EQ(scenario.cluster.log_kept, 2U);
  EXPECT_EQ(scenario.cluster.log_max, 8U);
  EXPECT_EQ(scenario.cluster.node_keys_max, 8U);
  EXPECT_EQ(scenario.cluster.clients, 4);
  EXPECT_EQ(scenario.cluster.shards, 3);
  EXPECT_EQ(scenario.cluster.shards_max, 6);
  EXPECT_EQ(scenario.cluster.keys, 12U);
  EXPECT_EQ(scenario.cluster.mutant, impl::Mutant::move_no_tombstones);
  EXPECT_EQ(scenario.network.delay, microseconds(250));
  EXPECT_EQ(scenario.network.variety, 7);
  EXPECT_EQ(scenario.network.bytes_per_second, 1'000'000);
  EXPECT_EQ(scenario.network.inbox_max, 8);
  EXPECT_EQ(scenario.cluster.unanswered_max, 2);
  EXPECT_EQ(scenario.clocks.at(0),
            (ClockSetting{
                NodeId{0}, microseconds(-1'500), -200, {{TrueTime{40'000'000}, 1'000}, {TrueTime{45'000'000}, 0}}}));
  EXPECT_EQ(scenario.steps.at(1).at, TrueTime{4'800'000});
  EXPECT_EQ(step<ClientStep>(scenario, 1),
            (ClientStep{{ClientId{1}, 16}, {OperationKind::write, Key{4}, number(-7), absent()}}));
  EXPECT_EQ(step<ClientStep>(scenario, 3).operation.argument.list_length, 3);
  EXPECT_EQ(step<ClientStep>(scenario, 3).operation.argument.items[2], 65'535);
  EXPECT_EQ(step<ClientStep>(scenario, 5),
            (ClientStep{{ClientId{3}, 32},
                        {OperationKind::compare_and_set, Key{3}, number(9'223'372'036'854'775'807), absent()}}));
  EXPECT_EQ(step<ClientStep>(scenario, 6).operation.expected, number(INT64_MIN));
  EXPECT_EQ(step<ClientStep>(scenario, 6).operation.argument.kind, ValueKind::list);
  EXPECT_EQ(step<ClientStep>(scenario, 6).operation.argument.list_length, 0);
  EXPECT_EQ(step<MoveStep>(scenario, 9), (MoveStep{ShardId{2}, NodeId{1}}));
  EXPECT_EQ(step<SplitStep>(scenario, 10), (SplitStep{ShardId{2}, Key{9}}));
  EXPECT_EQ(step<MergeStep>(scenario, 11), (MergeStep{ShardId{5}}));
  EXPECT_EQ(step<ClientStep>(scenario, 12).operation, scan_of({Key{1}, Key{12}}));
  EXPECT_EQ(step<MetadataSplitStep>(scenario, 13), (MetadataSplitStep{Key{8}}));
  EXPECT_EQ(step<FaultStep>(scenario, 17), (FaultStep{FaultKind::link_cut, NodeId{1}, NodeId{5}, milliseconds(25)}));
  EXPECT_EQ(step<FaultStep>(scenario, 18), (FaultStep{.kind = FaultKind::lost_for_good, .process = NodeId{3}}));
}

TEST(Scenario, a_move_may_be_split_first) {
  const std::string text =
      "scenario 1\ncluster storage_nodes 2 routers 1 clients 1 shards 1 keys 4\nmoves catch_up split_first\n"
      "network delay 0.5ms variety 0 bytes_per_second 100000000\n";

  const Result<Scenario> parsed = parse_scenario(text, "s");

  ASSERT_TRUE(parsed.has_value()) << to_string(parsed.error());
  EXPECT_EQ(parsed->cluster.catch_up, CatchUpDecision::split_first);
  EXPECT_EQ(to_text(*parsed), text);
}

TEST(Scenario, a_move_may_say_how_it_goes_about_its_work) {
  const std::string text =
      "scenario 1\ncluster storage_nodes 2 routers 1 clients 1 shards 1 keys 4\n"
      "network delay 0.5ms variety 0 bytes_per_second 100000000\nat 1ms move range 0 to 2 forwarding\n"
      "at 2ms move range 0 to 1 mode dual_write\nat 3ms move range 0 to 2 mode dual_write forwarding\n";

  const Result<Scenario> parsed = parse_scenario(text, "s");

  ASSERT_TRUE(parsed.has_value()) << to_string(parsed.error());
  EXPECT_EQ(step<MoveStep>(*parsed, 0), (MoveStep{ShardId{0}, NodeId{2}, {MoveMode::copy_and_catch_up, true}}));
  EXPECT_EQ(step<MoveStep>(*parsed, 1), (MoveStep{ShardId{0}, NodeId{1}, {MoveMode::dual_write, false}}));
  EXPECT_EQ(step<MoveStep>(*parsed, 2), (MoveStep{ShardId{0}, NodeId{2}, {MoveMode::dual_write, true}}));
  EXPECT_EQ(to_text(*parsed), text);
}

TEST(Scenario, deviations_mean_what_they_say) {
  const Result<Scenario> parsed = parse_scenario(kEverything, "s");
  ASSERT_TRUE(parsed.has_value()) << to_string(parsed.error());
  const std::vector<sim::Deviation>& deviations = parsed->deviations;

  EXPECT_EQ(impl::name_of_kind(deviations.at(1).anchor.message_kind), "order_fence");
  EXPECT_EQ(deviations.at(1).anchor.from, NodeId{6});
  EXPECT_EQ(deviations.at(1).anchor.to, NodeId{2});
  EXPECT_EQ(deviations.at(1).anchor.count, 1U);
  EXPECT_EQ(deviations.at(1).kind, FaultKind::held_until_phase);
  EXPECT_EQ(deviations.at(1).until_signal, 7);
  EXPECT_EQ(deviations.at(3).kind, FaultKind::duplicated);
  EXPECT_EQ(deviations.at(3).duration, microseconds(700));
  EXPECT_FALSE(deviations.at(4).is_both_ways);
  EXPECT_TRUE(deviations.at(5).is_both_ways);
  EXPECT_EQ(deviations.at(6).kind, FaultKind::crashed);
  EXPECT_EQ(deviations.at(6).moment, sim::Moment::after_sending);
  EXPECT_EQ(deviations.at(6).kept_unsynced, 255);
  EXPECT_EQ(deviations.at(8).anchor.count, 4'294'967'295U);
  EXPECT_EQ(deviations.at(10).kind, FaultKind::clock_shifted);
  EXPECT_EQ(deviations.at(10).moment, sim::Moment::before_receiving);
  EXPECT_EQ(deviations.at(10).duration, milliseconds(-2));
  EXPECT_EQ(deviations.at(11).kind, FaultKind::lost_for_good);
  EXPECT_EQ(deviations.at(11).moment, sim::Moment::after_sending);
}

TEST(Scenario, comments_blank_lines_and_line_ends_of_other_systems_are_left_out) {
  const Result<Scenario> scenario = parse_scenario(
      "# what it showed\r\n\n  \t\nscenario 1\r\n# more\ncluster  storage_nodes 2\trouters 1 clients 1 shards 1 keys 4",
      "s");

  ASSERT_TRUE(scenario.has_value()) << to_string(scenario.error());
  EXPECT_EQ(scenario->cluster.storage_nodes, 2);
  EXPECT_EQ(scenario->size(), 0U);
}

// Three hundred drawn runs, deviations included, and among them every kind of step and of deviation.
TEST(Scenario, drawn_scenarios_survive_printing_and_parsing) {
  constexpr std::uint64_t kScenarios = 300;
  ScenarioRunner runner;
  std::set<FaultKind> faults;
  std::set<OperationKind> operations;
  std::size_t clocks = 0;

  for (std::uint64_t i = 0; i < kScenarios; ++i) {
    SCOPED_TRACE(i);
    sim::SeededChoices choices(seed_of(11, i));
    Scenario drawn;
    runner.run(choices, i % 2 == 0 ? impl::Mutant::none : impl::Mutant::fence_memory_only, drawn);

    const Result<Scenario> parsed = parse_scenario(to_text(drawn), "drawn");

    ASSERT_TRUE(parsed.has_value()) << to_string(parsed.error());
    ASSERT_EQ(*parsed, drawn);
    clocks += drawn.clocks.size();
    for (const sim::Deviation& deviation : drawn.deviations) {
      faults.insert(deviation.kind);
    }
    for (const Step& step : drawn.steps) {
      if (const auto* client = std::get_if<ClientStep>(&step.what)) {
        operations.insert(client->operation.kind);
      }
    }
  }

  EXPECT_EQ(faults.size(), static_cast<std::size_t>(kFaultKinds));
  EXPECT_EQ(operations.size(), static_cast<std::size_t>(kOperationKinds));
  EXPECT_GT(clocks, kScenarios);
}

}  // namespace
}  // namespace shardcheck::harness
