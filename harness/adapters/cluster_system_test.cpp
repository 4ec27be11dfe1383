#include "harness/adapters/cluster_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>

#include "harness/describe.h"
#include "harness/runner.h"

namespace shardcheck::harness {
namespace {

ShardRecord record(std::uint16_t shard, KeyRange range, NodeId owner) {
  ShardRecord record;
  record.shard = ShardId{shard};
  record.range = range;
  record.owner = owner;
  record.epoch = Epoch{shard + 1U};
  return record;
}

ClusterShape good_shape() {
  ClusterShape shape;
  shape.processes = {"a", "b"};
  shape.records = {record(0, {Key{0}, Key{6}}, NodeId{0}), record(1, {Key{6}, Key{12}}, NodeId{1})};
  return shape;
}

// Claims shard 0 for ten milliseconds of its own clock, so long after it starts; or never.
class Claimant final : public ClusterProcess {
 public:
  explicit Claimant(std::optional<Duration> delay) : delay_(delay) {}
  void handle(const ByteInput& input, Instant now, ByteOutputs& outputs) override {
    if (delay_ && std::holds_alternative<Started<std::string>>(input) && *delay_ != Duration{}) {
      outputs.wake_at(now + *delay_, TimerToken{0});
    } else if (delay_) {
      const Instant until = now + milliseconds(10);
      outputs.observe(ClaimChanged{ShardId{0}, {Key{0}, Key{6}}, Epoch{1}, TrueTime{until.value}});
    }
  }

 private:
  std::optional<Duration> delay_;
};

struct ClaimCluster final : Cluster {
  ClaimCluster(std::optional<Duration> first, std::optional<Duration> second) : delays_{first, second} {}
  ClusterShape shape() const override { return good_shape(); }
  std::unique_ptr<ClusterProcess> make(NodeId id) const override {
    return std::make_unique<Claimant>(delays_[id.value]);
  }
  Addressed encode(const ClientStep&) const override { return {NodeId{0}, ""}; }
  std::optional<ClusterReply> decode(std::string_view) const override { return std::nullopt; }

  std::array<std::optional<Duration>, 2> delays_;
};

class ClaimsSeen final : public ObservationSink {
 public:
  void on(const Observed& observed) override {
    if (const auto* claim = std::get_if<ClaimChanged>(&observed.fact)) {
      ends.push_back(claim->until);
    }
  }
  std::vector<TrueTime> ends;
};

TEST(ClusterShape, a_shape_that_cannot_be_run_is_refused_with_the_reason) {
  struct Case {
    std::string_view why;
    std::function<void(ClusterShape&)> spoil;
  };
  const Case cases[] = {
      {"a cluster has from 1 to 1000 processes", [](auto& shape) { shape.processes.clear(); }},
      {"a cluster has at least one client", [](auto& shape) { shape.clients = 0; }},
      {"the key space has keys, all below 100000", [](auto& shape) { shape.key_space.hi = Key{0}; }},
      {"a cluster takes at least reads and writes", [](auto& shape) { shape.operations = {OperationKind::read}; }},
      {"there are from 1 to 64 kinds of messages", [](auto& shape) { shape.message_kinds.clear(); }},
      {"the name of a kind of messages is one word", [](auto& shape) { shape.message_kinds = {"two words"}; }},
      {"move_targets and may_lose_disk name processes of the cluster",
       [](auto& shape) { shape.may_lose_disk = {NodeId{2}}; }},
      {"only ranges that `records` names can be moved",
       [](auto& shape) {
         shape.records.clear();
         shape.move_targets = {NodeId{0}};
       }},
      {"record 0 must name shard 0, a range with keys, and a process",
       [](auto& shape) { shape.records[0].owner = NodeId{2}; }},
      {"the epochs of the records must grow from 1 on; that of record 1 does not",
       [](auto& shape) { shape.records[1].epoch = Epoch{1}; }},
  };
  EXPECT_TRUE(check_shape(good_shape()));
  for (const Case& each : cases) {
    SCOPED_TRACE(each.why);
    ClusterShape shape = good_shape();
    each.spoil(shape);

    const Result<void> checked = check_shape(shape);

    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().what, each.why);
  }
}

TEST(ClusterSystem, the_end_of_a_claim_is_told_in_true_time_and_again_when_the_clock_shifts) {
  const ClaimCluster cluster(Duration{}, std::nullopt);
  ClusterSystem system(cluster);
  Scenario scenario;
  scenario.clocks = {{NodeId{0}, milliseconds(1), 0}};
  ScriptedDeviations none;
  ClaimsSeen seen;
  system.configure(scenario, none);

  system.start(seen);
  system.apply({TrueTime{}, FaultStep{FaultKind::clock_shifted, NodeId{0}, kNoNode, milliseconds(-1)}});

  EXPECT_EQ(seen.ends, (std::vector{TrueTime{10'000'000}, TrueTime{12'000'000}}));
}

RunReport run_without_steps(const Cluster& cluster) {
  ClusterSystem system(cluster);
  const Scenario scenario;
  ScriptedDeviations none;
  system.configure(scenario, none);
  Runner runner;
  return runner.run(system, {});
}

TEST(ClusterSystem, two_nodes_that_claim_one_range_at_once_break_single_owner) {
  const ClaimCluster cluster(Duration{}, milliseconds(9));

  const RunReport report = run_without_steps(cluster);

  EXPECT_NE(report.violation_of(ClauseId::L1), nullptr);
}

TEST(ClusterSystem, two_nodes_that_claim_it_one_after_the_other_do_not) {
  const ClaimCluster cluster(Duration{}, milliseconds(11));

  const RunReport report = run_without_steps(cluster);

  EXPECT_EQ(report.violation_of(ClauseId::L1), nullptr);
  EXPECT_GT(report.checked(ClauseId::L1), 0);
}

TEST(ClusterSystem, steps_it_cannot_do_are_refused) {
  const ClaimCluster cluster(std::nullopt, std::nullopt);
  ClusterSystem system(cluster);
  const Scenario scenario;
  ScriptedDeviations none;
  ClaimsSeen seen;
  system.configure(scenario, none);
  system.start(seen);

  EXPECT_FALSE(system.apply({TrueTime{}, MoveStep{ShardId{0}, NodeId{1}}}));
  EXPECT_FALSE(system.apply({TrueTime{}, FaultStep{FaultKind::crashed, NodeId{2}, kNoNode, milliseconds(1)}}));
  EXPECT_FALSE(system.apply({TrueTime{}, FaultStep{FaultKind::link_cut, NodeId{0}, kNoNode, milliseconds(1)}}));
  EXPECT_TRUE(system.apply({TrueTime{}, FaultStep{FaultKind::link_cut, NodeId{0}, NodeId{1}, milliseconds(1)}}));
}

// Draws a deviation at every second message or so, all kinds, between the clients and process 0.
std::vector<sim::Deviation> drawn_at_client_links(const FaultLimits& limits) {
  FaultProfile profile;
  profile.gap = 2;
  profile.is_enabled.fill(true);
  std::vector<sim::Deviation> all;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::SeededChoices choices(seed);
    DrawnDeviations drawn;
    drawn.reset(profile, limits, choices);
    for (std::uint32_t i = 0; i < 100; ++i) {
      const bool is_request = i % 2 == 0;
      drawn.at({0, is_request ? limits.clients : NodeId{0}, is_request ? NodeId{0} : limits.clients, i});
    }
    all.insert(all.end(), drawn.drawn().begin(), drawn.drawn().end());
  }
  return all;
}

TEST(FaultLimits, nothing_strikes_the_clients_and_their_messages_come_once) {
  ClusterShape shape = good_shape();
  shape.may_lose_disk = {NodeId{0}};
  const FaultLimits limits = fault_limits_of(shape);
  ASSERT_EQ(limits.clients, NodeId{2});

  const std::vector<sim::Deviation> drawn = drawn_at_client_links(limits);

  ASSERT_GT(drawn.size(), 100);
  std::size_t crashes = 0;
  std::size_t lost_disks = 0;
  for (const sim::Deviation& deviation : drawn) {
    EXPECT_NE(deviation.kind, FaultKind::duplicated);
    const bool is_process_hit = deviation.kind == FaultKind::crashed || deviation.kind == FaultKind::disk_lost ||
                                deviation.kind == FaultKind::paused || deviation.kind == FaultKind::clock_shifted;
    const NodeId victim = deviation.moment == sim::Moment::after_sending ? deviation.anchor.from : deviation.anchor.to;
    if (is_process_hit) {
      EXPECT_EQ(victim, NodeId{0});
    }
    crashes += deviation.kind == FaultKind::crashed ? 1U : 0U;
    lost_disks += deviation.kind == FaultKind::disk_lost ? 1U : 0U;
  }
  EXPECT_GT(crashes, 10);
  EXPECT_GT(lost_disks, 10);
}

TEST(FaultLimits, no_disk_is_lost_and_messages_repeat_where_the_shape_says_so) {
  ClusterShape shape = good_shape();
  shape.may_repeat_client_messages = true;

  const std::vector<sim::Deviation> drawn = drawn_at_client_links(fault_limits_of(shape));

  const auto count = [&](FaultKind kind) { return std::ranges::count(drawn, kind, &sim::Deviation::kind); };
  EXPECT_EQ(count(FaultKind::disk_lost), 0);
  EXPECT_GT(count(FaultKind::duplicated), 10);
}

TEST(Describe, names_processes_and_messages_as_the_shape_does) {
  ClusterShape shape = good_shape();
  shape.message_kinds = {"request", "answer"};
  sim::Deviation deviation;
  deviation.anchor = {1, NodeId{1}, NodeId{2}, 2};
  deviation.kind = FaultKind::crashed;
  deviation.duration = milliseconds(5);

  EXPECT_EQ(describe(wording_of(shape), deviation),
            "b after sending the 3rd answer from b to the clients crashes, and restarts after 5 ms");
  EXPECT_EQ(
      describe(wording_of(shape),
               Step{TrueTime{}, ClientStep{{ClientId{2}, 32}, {OperationKind::write, Key{3}, number(7), absent()}}}),
      "client 2 asks for write of 7 to key 3 (request 32)");
}

}  // namespace
}  // namespace shardcheck::harness
