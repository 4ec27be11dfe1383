#include "harness/run_story.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/scenario_runner.h"
#include "histories/formats.h"
#include "histories/history_writer.h"
#include "histories/picture_bands.h"

namespace shardcheck::harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Told {
  histories::History history;
  std::vector<std::string> lines;  // of the nemesis
  RunReport report;

  explicit Told(const std::string& steps) {
    const Result<Scenario> scenario =
        parse_scenario("scenario 1\ncluster storage_nodes 2 routers 1 clients 2 shards 1 keys 4\n" + steps, "s");
    if (!scenario) {
      lines.push_back(to_string(scenario.error()));
      return;
    }
    ScenarioRunner runner;
    RunStory story(*scenario);
    report = runner.run(*scenario, &story);
    history = story.told_with(runner.history(), report.violations);
    for (const histories::NemesisEvent& event : history.nemesis) {
      lines.push_back(event.what);
    }
  }
  const histories::NemesisEvent* line(const std::string& what) const {
    const auto found = std::ranges::find(history.nemesis, what, &histories::NemesisEvent::what);
    return found == history.nemesis.end() ? nullptr : &*found;
  }
  // Of the band that begins so; less than no time if there is none, or nothing ends it.
  Duration lasted(const std::string& what) const {
    for (const histories::NemesisBand& band : histories::bands_of(history)) {
      if (history.nemesis[band.event].what == what && band.until) {
        return *band.until - band.from;
      }
    }
    return nanoseconds(-1);
  }
};

TEST(RunStory, a_move_is_told_from_its_step_to_its_end) {
  const Told told("at 4.8ms move range 0 to 2\nat 5ms client 0 request 16 write 0 7\n");

  EXPECT_THAT(told.lines, Contains("step: an operator moves range 0 to storage node 2"));
  EXPECT_THAT(told.lines, Contains(StartsWith("phase copying of move ")));
  EXPECT_THAT(told.lines, Contains(HasSubstr("; storage node 2 owns range 0 under ")));
  const auto begun = std::ranges::find_if(told.lines, [](const auto& it) { return it.starts_with("begin move "); });
  ASSERT_NE(begun, told.lines.end());
  EXPECT_THAT(*begun, HasSubstr(" of range 0 from storage node 1 to storage node 2"));
  EXPECT_GT(told.lasted(*begun), milliseconds(1));
}

TEST(RunStory, a_fault_lasts_until_it_is_over) {
  const Told told(
      "at 5ms fault crash 1 for 10ms\nat 6ms fault pause 2 for 7ms\n"
      "at 7ms fault cut 0 2 for 3ms\nat 30ms client 0 request 16 write 0 7\n");

  EXPECT_EQ(told.lasted("crash storage node 1"), milliseconds(10)) << testing::PrintToString(told.lines);
  EXPECT_EQ(told.lasted("pause storage node 2"), milliseconds(7));
  EXPECT_EQ(told.lasted("cut link of directory"), milliseconds(3));
}

TEST(RunStory, what_nobody_ends_ends_when_all_faults_do) {
  const Told told("at 5ms fault pause 2 for 10000ms\nat 30ms client 0 request 16 write 0 7\n");

  const histories::NemesisEvent* healed = told.line("all faults end");
  ASSERT_NE(healed, nullptr);
  EXPECT_EQ(told.lasted("pause storage node 2"), *healed->at - TrueTime{5'000'000});
}

TEST(RunStory, a_crash_ends_a_pause) {
  const Told told(
      "at 5ms fault pause 2 for 20ms\nat 7ms fault crash 2 for 5ms\nat 30ms client 0 request 16 write 0 7\n");

  EXPECT_EQ(told.lasted("pause storage node 2"), milliseconds(2)) << testing::PrintToString(told.lines);
  EXPECT_EQ(told.lasted("crash storage node 2"), milliseconds(5));
}

TEST(RunStory, the_history_is_the_same_with_its_lines_between) {
  const Told told("at 4ms client 1 request 16 write 1 7\nat 4.8ms move range 0 to 2\n");

  std::string text;
  histories::write_json_lines(told.history, text);
  const Result<histories::History> again = histories::parse_history(text, "told");
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_TRUE(histories::is_same(told.history, *again, true)) << text;
  EXPECT_FALSE(told.history.nemesis.empty());
  // One write; at the end four reads, a write to the range and a read of that.
  EXPECT_EQ(told.history.operations.size(), 7U);
}

TEST(RunStory, a_violation_stands_where_it_was_seen) {
  const Told told(
      "mutant move_no_tombstones\nat 4ms client 1 request 16 write 1 7\nat 5ms client 0 request 16 write 0 7\n"
      "at 8ms client 0 request 32 del 0\nat 15ms move range 0 to 2\n");

  ASSERT_FALSE(told.report.violations.empty());
  const Violation& seen = told.report.violations.front();
  const Clause& row = clause(seen.clause);
  const std::string what = fmt::format("violated {} {}: {}", row.text_id, row.name, seen.message);
  ASSERT_NE(told.line(what), nullptr) << testing::PrintToString(told.lines);
  EXPECT_EQ(told.line(what)->at, seen.at);
}

TEST(RunStory, a_step_that_a_run_never_came_to_is_not_told) {
  const Told told("at 4.8ms move range 0 to 2\nat 1000000000ms move range 0 to 1\n");

  EXPECT_TRUE(told.report.was_cut_short);
  EXPECT_THAT(told.lines, Not(Contains("step: an operator moves range 0 to storage node 1")));
}

}  // namespace
}  // namespace shardcheck::harness
