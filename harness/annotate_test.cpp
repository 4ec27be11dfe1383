#include "harness/annotate.h"

#include <gmock/gmock.h>

#include <string>

#include "harness/scenario_runner.h"

namespace shardcheck::harness {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kHead =
    "scenario 1\ncluster storage_nodes 2 routers 1 clients 2 shards 1 keys 4\n"
    "network delay 0.5ms variety 0 bytes_per_second 100000000\n";

class Lines final : public TraceSink {
 public:
  void line(TrueTime, const std::string& text) override { text_ += text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// What a reader of the report and of the trace has of it.
struct Told {
  std::string report;
  std::string trace;

  explicit Told(const std::string& steps) {
    const Result<Scenario> scenario = parse_scenario(kHead + steps, "s");
    if (!scenario) {
      report = to_string(scenario.error());
      return;
    }
    Lines lines;
    FaultListener faults(&lines);
    ScenarioRunner().run(*scenario, &faults);
    report = annotated_text(*scenario, faults);
    trace = lines.text();
    const Result<Scenario> again = parse_scenario(report, "report");
    EXPECT_TRUE(again.has_value() && *again == *scenario) << "comments changed the scenario";
  }
};

TEST(Annotate, says_who_is_who_and_how_the_ranges_lie_at_first) {
  const Told told("at 1ms client 1 request 32 read 0\n");

  EXPECT_THAT(told.report, HasSubstr("\n# processes: 0 the directory; 1-2 storage nodes; 3 the router; 4 the mover\n"
                                     "# at first: range 0, keys [0, 4), is owned by node 1 under epoch 1\n"));
}

TEST(Annotate, says_which_requests_are_in_no_step) {
  const Told told("at 1ms client 1 request 32 read 0\n");

  EXPECT_THAT(
      told.report,
      HasSubstr(
          "all faults end, and the clients read every key and write to each range: requests 48 and later of client "
          "1, requests 16 and later of every other client\n"));
}

TEST(Annotate, says_when_a_fault_struck_and_which_part_it_has_in_a_move) {
  const Told told(
      "at 1ms move range 0 to node 2\nat 90ms fault pause 2 for 1ms\n"
      "on chunk 1 -> 2 #0 delay 1ms\non chunk 2 -> 1 #0 cut one_way 5ms\n");

  EXPECT_THAT(told.report,
              HasSubstr("#   the 1st chunk from storage node 1 to storage node 2 is delayed by 1 ms, at "));
  EXPECT_THAT(told.report, HasSubstr("storage node 1 is the source of move "));
  EXPECT_THAT(told.report, HasSubstr("storage node 2 is the target of move "));
  EXPECT_THAT(told.report, HasSubstr("the link is cut one way for 5 ms; it never came to that\n"));
  EXPECT_THAT(told.report, HasSubstr("at 90ms fault pause 2 for 1ms\n#   storage node 2 pauses for 1 ms\n"));
}

TEST(FactTrace, says_who_serves_what_the_directory_commits_and_which_copies_go) {
  const Told told("at 1ms client 0 request 16 write 1 7\nat 10ms move range 0 to node 2\n");

  EXPECT_THAT(told.trace, HasSubstr("  storage node 1 serves range 0 [0, 4) under epoch 1, until "));
  EXPECT_THAT(told.trace,
              HasSubstr("  storage node 1 has key 1 of range 0 in version 1.1 on its disk (request 16 of "));
  EXPECT_THAT(told.trace,
              HasSubstr("  storage node 2 has key 1 of range 0 in version 1.1 on its disk (backfill for move "));
  EXPECT_THAT(told.trace, HasSubstr("  client 0 is answered: request 16 ok"));
  EXPECT_THAT(told.trace, HasSubstr("  storage node 2 begins a copy of range 0 [0, 4) for move "));
  EXPECT_THAT(told.trace, HasSubstr("  storage node 1 stops serving range 0\n"));
  EXPECT_THAT(told.trace, HasSubstr("from storage node 1 to storage node 2 is switched"));
  EXPECT_THAT(told.trace, HasSubstr("  storage node 1 erases key 1 for move "));
  EXPECT_THAT(told.trace, HasSubstr("  storage node 1 removes its copy of range 0 [0, 4) for move "));
  EXPECT_THAT(told.trace, HasSubstr("  all faults end\n"));
}

TEST(FactTrace, says_of_a_step_that_strikes_whom_it_strikes) {
  const Told told("at 5ms fault crash 2 for 10ms\n");

  EXPECT_THAT(told.trace, HasSubstr("FAULT storage node 2 crashes, and restarts after 10 ms\n"));
  EXPECT_THAT(told.trace, Not(HasSubstr("after sending the 1st")));
}

}  // namespace
}  // namespace shardcheck::harness
