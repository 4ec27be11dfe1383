#include "harness/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace shardcheck::harness {
namespace {

WorkloadShape two_ranges() {
  WorkloadShape shape;
  shape.clients = 3;
  shape.key_space = {Key{0}, Key{8}};
  shape.ranges = in_fours(shape.key_space);
  shape.is_supported.fill(true);
  return shape;
}

std::set<OperationKind> kinds_asked_for(const WorkloadShape& shape) {
  std::set<OperationKind> kinds;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    sim::SeededChoices choices(seed);
    for (const Step& step : draw_workload(choices, shape)) {
      if (const auto* client = std::get_if<ClientStep>(&step.what)) {
        kinds.insert(client->operation.kind);
      }
    }
  }
  return kinds;
}

std::set<NodeId> targets_asked_for(const WorkloadShape& shape) {
  std::set<NodeId> targets;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    sim::SeededChoices choices(seed);
    for (const Step& step : draw_workload(choices, shape)) {
      if (const auto* move = std::get_if<MoveStep>(&step.what)) {
        targets.insert(move->target);
      }
    }
  }
  return targets;
}

TEST(Workload, the_quietest_plan_is_a_move_and_three_reads) {
  WorkloadShape shape = two_ranges();
  shape.move_targets = {NodeId{5}, NodeId{6}};
  const sim::Tape no_answers;
  sim::RecordedChoices choices(no_answers);

  const std::vector<Step> steps = draw_workload(choices, shape);

  ASSERT_EQ(steps.size(), 4);
  EXPECT_EQ(steps[0], (Step{TrueTime{4'800'000}, MoveStep{ShardId{0}, NodeId{6}}}));
  const Operation read{OperationKind::read, Key{0}, absent(), absent()};
  EXPECT_EQ(steps[1], (Step{TrueTime{5'600'000}, ClientStep{{ClientId{0}, 32}, read}}));
  EXPECT_EQ(steps[3], (Step{TrueTime{7'200'000}, ClientStep{{ClientId{0}, 64}, read}}));
}

TEST(Workload, everything_supported_is_asked_for) {
  const std::set<OperationKind> kinds = kinds_asked_for(two_ranges());

  EXPECT_EQ(kinds.size(), kOperationKinds);
}

TEST(Workload, nothing_else_is_asked_for) {
  WorkloadShape shape = two_ranges();
  shape.is_supported.fill(false);
  shape.is_supported[static_cast<std::size_t>(OperationKind::read)] = true;
  shape.is_supported[static_cast<std::size_t>(OperationKind::write)] = true;

  const std::set<OperationKind> kinds = kinds_asked_for(shape);

  EXPECT_EQ(kinds, (std::set{OperationKind::read, OperationKind::write}));
}

TEST(Workload, ranges_move_only_to_targets) {
  WorkloadShape shape = two_ranges();
  shape.move_targets = {NodeId{2}, NodeId{7}};

  EXPECT_EQ(targets_asked_for(shape), (std::set{NodeId{2}, NodeId{7}}));
  EXPECT_TRUE(targets_asked_for(two_ranges()).empty());
}

TEST(Workload, keys_stay_in_the_key_space_and_steps_in_order) {
  WorkloadShape shape = two_ranges();
  shape.key_space = {Key{3}, Key{8}};
  shape.ranges = in_fours(shape.key_space);
  ASSERT_EQ(shape.ranges, (std::vector{KeyRange{Key{3}, Key{7}}, KeyRange{Key{7}, Key{8}}}));
  std::set<Key> keys;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    sim::SeededChoices choices(seed);

    const std::vector<Step> steps = draw_workload(choices, shape);

    EXPECT_TRUE(std::ranges::is_sorted(steps, {}, &Step::at));
    for (const Step& step : steps) {
      keys.insert(std::get<ClientStep>(step.what).operation.key);
    }
  }
  EXPECT_EQ(keys, (std::set{Key{3}, Key{4}, Key{5}, Key{6}, Key{7}}));
}

}  // namespace
}  // namespace shardcheck::harness
