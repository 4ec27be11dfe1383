// How it came to a violation, in the words that a user is shown.
#include "harness/excerpt.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "harness/scenario_runner.h"

namespace shardcheck::harness {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kCluster =
    "scenario 1\ncluster storage_nodes 4 routers 2 clients 2 shards 2 keys 8\nnetwork delay 0.5ms variety 0 "
    "bytes_per_second 100000000\n";
constexpr NodeId kA{1};  // storage nodes of that cluster
constexpr NodeId kB{2};
constexpr NodeId kC{3};

Scenario scenario_of(const std::string& more) { return parse_scenario(std::string(kCluster) + more, "s").value(); }

struct Listened {
  Scenario scenario = scenario_of("");
  Excerpt excerpt{scenario};

  void tell(std::int64_t ms, NodeId by, Observation fact) {
    excerpt.happened({TrueTime{ms * 1'000'000}, by, std::move(fact)});
  }
  void create(ShardId shard, KeyRange range, NodeId owner) {
    RecordCommitted fact{};
    fact.change = RecordChange::created;
    fact.record.shard = shard;
    fact.record.range = range;
    fact.record.owner = owner;
    fact.record.epoch = Epoch{shard.value + 1U};
    tell(1, NodeId{0}, fact);
  }
  void ask(std::int64_t ms, std::uint32_t sequence, Key key) {
    tell(ms, NodeId{5}, Invoked{{ClientId{0}, sequence}, {OperationKind::write, key, number(7), absent()}});
  }
  std::vector<std::string> before(const std::string& message, std::int64_t ms = 100) const {
    return excerpt.before({ClauseId::M1, TrueTime{ms * 1'000'000}, message});
  }
};

TEST(Excerpt, tells_what_is_about_the_key_that_is_named_and_about_its_range) {
  Listened run;
  run.create(ShardId{0}, {Key{0}, Key{4}}, kA);
  run.create(ShardId{1}, {Key{4}, Key{16}}, kB);
  run.ask(10, 16, Key{1});
  run.ask(11, 32, Key{12});
  run.tell(20, kA, ClaimEnded{ShardId{0}});
  run.tell(21, kB, ClaimEnded{ShardId{1}});

  const std::vector<std::string> lines = run.before("the final read of key 12 found nothing");

  EXPECT_THAT(lines, Contains(HasSubstr("client 0 asks for write of 7 to key 12 (request 32)")));
  EXPECT_THAT(lines, Contains(HasSubstr("storage node 2 stops serving range 1")));
  EXPECT_THAT(lines, Contains(HasSubstr("range 1 [4, 16) belongs to storage node 2")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("key 1 "))));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("range 0"))));
  EXPECT_EQ(lines.back(), " 100.000 ms  M1 NoLostWrite is broken");
}

// What stays the same is told once.
TEST(Excerpt, tells_of_a_range_what_is_new_in_it) {
  Listened run;
  run.create(ShardId{0}, {Key{0}, Key{4}}, kA);
  RecordCommitted fact{};
  fact.record.shard = ShardId{0};
  fact.record.range = {Key{0}, Key{4}};
  fact.record.owner = kA;
  fact.record.epoch = Epoch{1};
  fact.record.move = MoveId{4};
  fact.record.source = kA;
  fact.record.target = kB;
  fact.record.phase = MovePhase::preparing;
  run.tell(10, NodeId{0}, fact);
  fact.record.phase = MovePhase::copying;
  run.tell(20, NodeId{0}, fact);
  fact.record.mover = kC;
  fact.record.mover_epoch = MoverEpoch{2};
  run.tell(30, NodeId{0}, fact);
  fact.record.members.insert(kA);
  fact.record.joining = kC;
  run.tell(40, NodeId{0}, fact);
  fact.record.phase = MovePhase::none;
  fact.record.move = MoveId{};
  run.tell(50, NodeId{0}, fact);
  fact.record.owner = kB;
  fact.record.epoch = Epoch{9};
  run.tell(60, NodeId{0}, fact);

  const std::vector<std::string> lines = run.before("range 0 went wrong");

  ASSERT_EQ(lines.size(), 8U);
  EXPECT_THAT(lines[0], HasSubstr(": range 0 [0, 4) belongs to storage node 1 under epoch 1"));
  EXPECT_THAT(lines[1], EndsWith(": range 0 now: move 4 from storage node 1 to storage node 2 is preparing"));
  EXPECT_THAT(lines[2], EndsWith(": range 0 now: move 4 is copying"));
  EXPECT_THAT(lines[3], EndsWith(": range 0 now: move 4, driven by storage node 3 under mover epoch 2"));
  EXPECT_THAT(lines[4], EndsWith(": range 0 now: replica set 1, storage node 3 joins it"));
  EXPECT_THAT(lines[5], EndsWith(": range 0 now: move 4 is over"));
  EXPECT_THAT(lines[6], HasSubstr(": range 0 [0, 4) belongs to storage node 2 under epoch 9, replica set 1"));

  // Where the beginning is left out, the first that is left is whole.
  for (int i = 0; i < 16; ++i) {
    run.ask(70 + i, static_cast<std::uint32_t>(16 * i), Key{1});
  }
  const std::vector<std::string> later = run.before("range 0 and key 1 went wrong");
  EXPECT_THAT(later[1], HasSubstr(": range 0 [0, 4) belongs to storage node 1 under epoch 1"));
  EXPECT_THAT(later[2], EndsWith(": range 0 now: replica set 1, storage node 3 joins it"));
}

TEST(Excerpt, tells_of_a_named_request_and_of_its_key) {
  Listened run;
  run.ask(10, 16, Key{1});
  run.ask(11, 32, Key{2});
  run.tell(
      12, kA,
      Applied{ShardId{0}, Key{1}, {Epoch{1}, LogPosition{3}}, ApplyCause::client, false, {ClientId{0}, 16}, MoveId{}});

  const std::vector<std::string> lines = run.before("request 16 of client 0 was applied twice");

  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[0], EndsWith("(request 16)"));
  EXPECT_THAT(lines[1], HasSubstr("storage node 1 has key 1"));
}

TEST(Excerpt, stops_where_the_promise_was_broken_and_goes_on_to_the_end_without_a_time) {
  Listened run;
  run.ask(10, 16, Key{1});
  run.ask(30, 32, Key{1});

  EXPECT_THAT(run.before("key 1", 20), Not(Contains(HasSubstr("request 32"))));
  const std::vector<std::string> whole = run.excerpt.before({ClauseId::C1, TrueTime{}, "key 1"});
  EXPECT_THAT(whole, Contains(HasSubstr("request 32")));
  EXPECT_THAT(whole.back(), StartsWith(" at the end  C1"));
}

TEST(Excerpt, tells_the_last_of_many_renewals) {
  Listened run;
  for (int ms = 10; ms < 15; ++ms) {
    run.tell(ms, kA, ClaimChanged{ShardId{0}, {Key{0}, Key{4}}, Epoch{1}, TrueTime{(ms + 40) * 1'000'000}});
  }

  const std::vector<std::string> lines = run.before("node 1 served range 0");

  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], EndsWith("under epoch 1, until 54.000 ms (5 times since 10.000 ms)"));
}

TEST(Excerpt, keeps_all_faults_and_the_latest_of_the_rest) {
  Listened run;
  sim::Deviation pause{};
  pause.kind = FaultKind::paused;
  pause.anchor.from = kA;
  pause.anchor.to = kA;
  pause.duration = milliseconds(50);
  run.excerpt.struck(TrueTime{1'000'000}, kA, pause, "storage node 1 is the source of move 7");
  for (std::uint32_t sequence = 1; sequence <= 40; ++sequence) {
    run.ask(10, sequence, Key{1});
  }

  const std::vector<std::string> lines = run.before("key 1");

  ASSERT_THAT(lines, SizeIs(Excerpt::kLinesMax + 2));
  EXPECT_EQ(lines[0], "(21 earlier lines are left out; replay --trace prints all)");
  EXPECT_THAT(lines[1], HasSubstr("FAULT storage node 1 pauses for 50 ms; storage node 1 is the source of move 7"));
  EXPECT_THAT(lines[2], HasSubstr("(request 22)"));
  EXPECT_THAT(lines[lines.size() - 2], HasSubstr("(request 40)"));
}

// Faults are never left out, so there may be less to leave out than there is too much.
TEST(Excerpt, counts_only_what_it_leaves_out) {
  Listened run;
  sim::Deviation pause{};
  pause.kind = FaultKind::paused;
  pause.anchor.from = kA;
  pause.anchor.to = kA;
  for (std::size_t fault = 0; fault < Excerpt::kLinesMax + 5; ++fault) {
    run.excerpt.struck(TrueTime{1'000'000}, kA, pause, "");
  }
  run.ask(10, 1, Key{1});

  const std::vector<std::string> lines = run.before("key 1");

  ASSERT_THAT(lines, SizeIs(Excerpt::kLinesMax + 5 + 2));
  EXPECT_EQ(lines[0], "(1 earlier line is left out; replay --trace prints all)");
}

TEST(Excerpt, of_a_real_run_ends_with_what_broke_it) {
  const Scenario scenario = scenario_of(
      "mutant lease_check_at_admission_only\n"
      "at 27.2ms client 0 request 1248 write 0 78\non request 5 -> 1 #0 pause after_receiving 140ms\n");
  ScenarioRunner runner;
  Excerpt excerpt(scenario);
  const RunReport& report = runner.run(scenario, &excerpt);
  const Violation* violation = report.violation_of(ClauseId::L2);
  ASSERT_NE(violation, nullptr);

  const std::vector<std::string> lines = excerpt.before(*violation);

  EXPECT_THAT(lines, Contains(HasSubstr("client 0 asks for write of 78 to key 0 (request 1248)")));
  EXPECT_THAT(lines, Contains(HasSubstr("router 5 sends attempt ")));
  EXPECT_THAT(lines, Contains(HasSubstr("FAULT storage node 1 after receiving")));
  EXPECT_THAT(lines,
              Contains(HasSubstr("attempt 7 of request 1248 of client 0 to storage node 1 under epoch 1, because no "
                                 "answer came (6 times since 36.201 ms)")));
  EXPECT_THAT(lines, Contains(AllOf(StartsWith("  87.200 ms  storage node 1 serves attempt 1 of request 1248"),
                                    EndsWith(" under epoch 1"))));
  EXPECT_THAT(lines, Each(Not(HasSubstr("key 5"))));
}

}  // namespace
}  // namespace shardcheck::harness
