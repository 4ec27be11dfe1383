// Whole runs in which storage nodes join and leave: what they gave away is still there, and a node that is stopped
// while it still keeps something is missed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/scenario_runner.h"

namespace shardcheck::harness {
namespace {

// Directory 0, nodes 1 to 3 of which the last one is held back, router 4, mover 5; two ranges of four keys.
constexpr std::string_view kSingleCopies = "cluster storage_nodes 3 routers 1 clients 4 shards 2 keys 8\nheld_back 1";
// Directory 0, nodes 1 to 3, router 4, mover 5.
constexpr std::string_view kTwoCopies = "cluster storage_nodes 3 routers 1 clients 4 shards 2 keys 8\nreplicas 2";
constexpr std::string_view kWrites = "at 2ms client 0 request 1 write 0 1\nat 3ms client 1 request 1 write 4 2\n";

class Log final : public TraceSink {
 public:
  void line(TrueTime /*at*/, const std::string& text) override { text_ += text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

RunReport run(std::string_view cluster, std::string_view lines, TraceSink* trace = nullptr) {
  const Result<Scenario> scenario = parse_scenario(fmt::format("scenario 1\n{}\n{}{}", cluster, kWrites, lines), "s");
  EXPECT_TRUE(scenario.has_value()) << to_string(scenario.error());
  ScenarioRunner runner;
  return scenario ? runner.run(*scenario, trace) : RunReport{};
}

testing::AssertionResult holds(const RunReport& report) {
  for (const Violation& violation : report.violations) {
    return testing::AssertionFailure() << clause(violation.clause).text_id << ": " << violation.message;
  }
  if (report.was_cut_short || report.checked(ClauseId::V1) == 0 || report.checked(ClauseId::M1) == 0) {
    return testing::AssertionFailure() << "V1 or M1 was never checked";
  }
  return testing::AssertionSuccess();
}

TEST(JoinAndLeave, what_a_node_kept_that_left_is_read_from_another_one) {
  Log log;

  const RunReport report = run(kSingleCopies, "at 5ms join 3\nat 10ms move range 0 to 3\nat 60ms leave 2\n", &log);

  EXPECT_TRUE(holds(report));
  EXPECT_EQ(report.figures.nodes_left, 1U);
  EXPECT_NE(log.text().find("node 2 is stopped for good"), std::string::npos);
  EXPECT_GT(report.checked(ClauseId::V2), 1U);  // the move of range 0, and one of range 1 that nobody asked for
}

TEST(JoinAndLeave, a_node_leaves_to_which_another_one_has_just_moved_a_range) {
  const RunReport report = run(kSingleCopies, "at 5ms join 3\nat 10ms move range 0 to 3\nat 12ms leave 3\n");

  EXPECT_TRUE(holds(report));
  EXPECT_EQ(report.figures.nodes_left, 1U);
}

TEST(JoinAndLeave, a_move_to_a_node_that_is_held_back_is_given_up) {
  const RunReport report = run(kSingleCopies, "at 5ms move range 0 to 3\n");

  EXPECT_TRUE(holds(report));
  EXPECT_GT(report.checked(ClauseId::V2), 0U);
}

TEST(JoinAndLeave, an_owner_and_follower_leaves_its_replica_sets) {
  const RunReport report = run(kTwoCopies, "at 20ms leave 2\n");

  EXPECT_TRUE(holds(report));
  EXPECT_EQ(report.figures.nodes_left, 1U);
}

// The operator says it again.
TEST(JoinAndLeave, a_node_leaves_though_it_was_down_when_it_was_told_or_lost_its_disk_since) {
  const RunReport down = run(kTwoCopies, "at 19ms fault crash 2 for 20ms\nat 20ms leave 2\n");
  const RunReport forgetful = run(kTwoCopies, "at 20ms leave 2\nat 25ms fault lose_disk 2 for 20ms\n");

  EXPECT_TRUE(holds(down));
  EXPECT_EQ(down.figures.nodes_left, 1U);
  EXPECT_TRUE(holds(forgetful));
  EXPECT_EQ(forgetful.figures.nodes_left, 1U);
}

TEST(JoinAndLeave, who_joins_again_before_it_was_stopped_stays) {
  const RunReport report = run(kSingleCopies, "at 20ms leave 2\nat 21ms join 2\n");

  EXPECT_TRUE(holds(report));
  EXPECT_EQ(report.figures.nodes_left, 0U);
}

// Nothing excuses a node that left: its range must be elsewhere.
TEST(JoinAndLeave, a_node_that_is_stopped_before_it_gave_everything_away_is_missed) {
  const RunReport report = run(kSingleCopies, "at 5ms join 3\nat 20ms leave 2 at_once\n");

  EXPECT_NE(report.violation_of(ClauseId::V1), nullptr);
  EXPECT_EQ(report.figures.nodes_left, 1U);
}

TEST(JoinAndLeave, the_lines_survive_parsing_and_printing) {
  const std::string text =
      "scenario 1\ncluster storage_nodes 4 routers 1 clients 1 shards 1 keys 4\nheld_back 2\n"
      "network delay 0.5ms variety 0 bytes_per_second 100000000\n"
      "at 1ms join node 4\nat 2ms leave node 1\nat 3ms leave node 2 at_once\n";

  const Result<Scenario> parsed = parse_scenario(text, "s");

  ASSERT_TRUE(parsed.has_value()) << to_string(parsed.error());
  EXPECT_EQ(parsed->cluster.held_back, 2);
  EXPECT_EQ(std::get<JoinStep>(parsed->steps.at(0).what), JoinStep{NodeId{4}});
  EXPECT_EQ(std::get<LeaveStep>(parsed->steps.at(2).what), (LeaveStep{NodeId{2}, true}));
  EXPECT_EQ(to_text(*parsed), text);
}

}  // namespace
}  // namespace shardcheck::harness
