// Everything that the parser of scenarios refuses, with the place and the words.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/scenario.h"

namespace shardcheck::harness {
namespace {

struct Refusal {
  std::string text;
  std::string error;
};

std::string error_of(const std::string& text) {
  const Result<Scenario> scenario = parse_scenario(text, "s");
  return scenario ? "accepted" : to_string(scenario.error());
}

// Lines behind a cluster of 3 storage nodes (1-3), routers 4 and 5, mover 6.
void expect_refused_behind_cluster(const std::vector<Refusal>& cases) {
  for (const Refusal& each : cases) {
    SCOPED_TRACE(each.text);
    EXPECT_EQ(error_of("scenario 1\ncluster storage_nodes 3 routers 2 clients 4 shards 3 keys 12\n" + each.text),
              each.error);
  }
}

void expect_refused(const std::vector<Refusal>& cases) {
  for (const Refusal& each : cases) {
    SCOPED_TRACE(each.text.substr(0, 100));
    EXPECT_EQ(error_of(each.text), each.error);
  }
}

TEST(ScenarioRefusal, names_what_is_wrong_about_load_and_drift) {
  const std::string clock = "clock 0 offset 0ms drift_ppm 0";
  expect_refused_behind_cluster(
      {{"unanswered_max 0", "s:3: unanswered_max is '0', but must be a whole number from 1 to 10000"},
       {"network delay 0.5ms variety 0 bytes_per_second 1000000 inbox_max 0",
        "s:3: inbox_max is '0', but must be a whole number from 1 to 10000"},
       {clock + " then 40ms 1001", "s:3: drift_ppm is '1001', but must be a whole number from -1000 to 1000"},
       {clock + " then 40ms 1 then 39ms 1", "s:3: changes of a drift must be in order of time"},
       {clock + " then 1ms 1 then 2ms 1 then 3ms 1 then 4ms 1", "s:3: the drift of a clock changes 3 times at most"}});
}

const std::string kNotWhole =
    "s: this is no whole scenario: 'scenario 1' and 'cluster ...' or 'system ...' must be there";
const std::string kNoScenario = "s:1: this is no scenario: the first line must be 'scenario 1'";

// As many storage nodes stay as a replica set has members, whoever leaves and whoever is lost.
TEST(ScenarioRefusal, names_what_is_wrong_about_joining_and_leaving) {
  const std::string too_many =
      "too many leave or are lost for good: as many storage nodes must stay as a replica set has members";
  expect_refused_behind_cluster(
      {{"held_back 2\nat 0ms join 3\nat 1ms leave 1\nat 1ms leave 2\nat 1ms leave 2", "accepted"},
       {"replicas 2\nat 1ms leave 1\nat 2ms leave 1\nat 3ms join 1", "accepted"},
       {"replicas 2\nat 1ms leave 1\nat 1ms fault lose_for_good 1\nat 1ms fault lose_for_good 4", "accepted"},
       {"at 1ms leave 3 at_once", "accepted"},
       {"held_back 0", "s:3: held_back is '0', but must be a whole number from 1 to 2"},
       {"held_back 3", "s:3: held_back is '3', but must be a whole number from 1 to 2"},
       {"held_back 1\nheld_back 1", "s:4: 'held_back' comes once, before the steps, and only of the reference"},
       {"at 1ms join", "s:3: the line ends where the node should be"},
       {"at 1ms join 4", "s:3: only storage nodes of the reference join and leave"},
       {"at 1ms leave 0", "s:3: only storage nodes of the reference join and leave"},
       {"at 1ms leave 1 now", "s:3: 'now' stands where 'at_once' should be"},
       {"at 1ms leave 1\nat 1ms leave 2\nat 1ms leave 3", "s:5: " + too_many},
       {"replicas 2\nat 1ms leave 1\nat 1ms leave 2", "s:5: " + too_many},
       {"replicas 2\nat 1ms leave 1\nat 1ms fault lose_for_good 2", "s:5: " + too_many},
       {"replicas 2\nat 1ms fault lose_for_good 2\nat 1ms leave 1", "s:5: " + too_many},
       {"replicas 2\nat 1ms leave 1\non poll 2 -> 0 #0 lose_for_good after_sending", "s:5: " + too_many}});
  expect_refused({{"scenario 1\nsystem mine processes 2 clients 1 shards 1 keys 0 4\nmessages a\nat 1ms join 0",
                   "s:4: only storage nodes of the reference join and leave"},
                  {"scenario 1\ncluster storage_nodes 1 routers 1 clients 3 shards 1 keys 4\nalone directory\n"
                   "at 1ms leave 1",
                   "s:4: a directory alone has no ranges to leave"}});
}

TEST(ScenarioRefusal, a_directory_alone_has_settings_and_nothing_else) {
  const std::string alone =
      "scenario 1\ncluster storage_nodes 1 routers 1 clients 3 shards 1 keys 4 directories 3\n"
      "alone directory\n";
  expect_refused(
      {{alone + "at 1ms client 2 request 1 read 0\nat 1ms fault crash 5 for 1ms", "accepted"},
       {alone + "at 1ms fault crash 6 for 1ms", "s:4: the process is '6', but must be a whole number from 0 to 5"},
       {alone + "at 1ms fault lose_disk 3 for 1ms", "s:4: only a storage node may lose its disk"},
       {alone + "at 1ms move range 0 to 3", "s:4: a directory alone has no ranges to move"},
       {alone + "at 1ms client 0 request 1 incr 0", "s:4: settings of the directory know no incr"},
       {alone + "mutant dir_grant_not_majority", "accepted"},
       {alone + "mutant move_no_tombstones", "s:4: a directory alone cannot show 'move_no_tombstones'"},
       {alone + "alone directory", "s:4: 'alone' comes once, before clocks, steps and deviations"},
       {"scenario 1\nsystem mine processes 2 clients 1 shards 0 keys 0 4\nmessages a\nalone directory",
        "s:4: 'alone' comes once, before the steps, and only of the reference"},
       {"scenario 1\nsystem mine processes 2 clients 1 shards 0 keys 0 4\nmessages a\n"
        "at 1ms merge range 0",
        "s:4: this system has no ranges"}});
}

TEST(ScenarioRefusal, names_what_is_no_scenario) {
  expect_refused(
      {{"", kNotWhole},
       {"\n\n", kNotWhole},
       {"# nothing but a comment\n", kNotWhole},
       {"scenario 1\n", kNotWhole},
       {std::string(4'096, '\0'), kNoScenario},
       {std::string(1'000'000, 'a'), kNoScenario},
       {std::string(1'000'000, ' '), kNotWhole},
       {"\x7f"
        "ELF\x02\x01\x01\n\xff\xfe",
        kNoScenario},
       {"placement ring\n", kNoScenario},
       {"{\"f\":\"read\"}", kNoScenario},
       {"scenario", "s:1: the line ends where the version of the format should be"},
       {"scenario 2", "s:1: the version of the format is '2', but must be a whole number from 1 to 1"},
       {"scenario one", "s:1: the version of the format is 'one', but must be a whole number from 1 to 1"},
       {"scenario 1 1", "s:1: '1' stands behind the end of what this line says"},
       {"\n# x\nscenario 1\nat 0ms move range 0 to 1", "s:4: the line 'cluster ...' or 'system ...' must come first"}});
}

TEST(ScenarioRefusal, names_a_line_that_never_ends) {
  const std::string head = "scenario 1\ncluster storage_nodes 3 routers 2 clients 4 shards 3 keys 12\n";

  EXPECT_EQ(error_of(head + std::string(1'000'000, 'a')), "s:3: '" + std::string(40, 'a') + "' is no kind of line");
  EXPECT_EQ(error_of(head + "at 0ms client 0 request 1 write 0 [" + std::string(1'000'000, '1')),
            "s:3: '[" + std::string(39, '1') + "' is no list of at most 11 numbers from 0 to 65535");
  EXPECT_EQ(error_of(head + "at 0ms move range " + std::string(1'000'000, '9')),
            "s:3: the range is '" + std::string(40, '9') + "', but must be a whole number from 0 to 2");
}

TEST(ScenarioRefusal, names_more_lines_than_a_scenario_may_have) {
  EXPECT_EQ(error_of(std::string(100'001, '\n')), "s:100001: a scenario has at most 100000 lines");
}

TEST(ScenarioRefusal, names_wrong_kinds_of_routers) {
  expect_refused_behind_cluster({{"router_kinds client_cache", "s:3: the line ends where kind of router should be"},
                                 {"router_kinds client_cache proxy", "s:3: 'proxy' is no kind of router"},
                                 {"router_kinds client_cache coordinator coordinator",
                                  "s:3: 'coordinator' stands behind the end of what this line says"}});
}

TEST(ScenarioRefusal, names_wrong_clusters) {
  const std::string first = "scenario 1\ncluster ";
  expect_refused(
      {{first, "s:2: the line ends where 'storage_nodes' should be"},
       {first + "routers 2", "s:2: 'routers' stands where 'storage_nodes' should be"},
       {first + "storage_nodes", "s:2: the line ends where storage_nodes should be"},
       {first + "storage_nodes 0", "s:2: storage_nodes is '0', but must be a whole number from 1 to 30"},
       {first + "storage_nodes -1", "s:2: storage_nodes is '-1', but must be a whole number from 1 to 30"},
       {first + "storage_nodes 31", "s:2: storage_nodes is '31', but must be a whole number from 1 to 30"},
       {first + "storage_nodes 1e1", "s:2: storage_nodes is '1e1', but must be a whole number from 1 to 30"},
       {first + "storage_nodes 99999999999999999999",
        "s:2: storage_nodes is '99999999999999999999', but must be a whole number from 1 to 30"},
       {first + "storage_nodes 3 routers 17", "s:2: routers is '17', but must be a whole number from 1 to 16"},
       {first + "storage_nodes 3 routers 2 clients 65",
        "s:2: clients is '65', but must be a whole number from 1 to 64"},
       {first + "storage_nodes 3 routers 2 clients 4 shards 0",
        "s:2: shards is '0', but must be a whole number from 1 to 64"},
       {first + "storage_nodes 3 routers 2 clients 4 shards 3 keys 2",
        "s:2: keys is '2', but must be a whole number from 3 to 1024"},
       {first + "storage_nodes 3 routers 2 clients 4 shards 3 keys 1025",
        "s:2: keys is '1025', but must be a whole number from 3 to 1024"},
       {first + "storage_nodes 3 routers 2 clients 4 shards 3 keys 12 more",
        "s:2: 'more' stands where 'directories' should be"},
       {first + "storage_nodes 3 routers 2 clients 4 shards 3 keys 12 directories 6",
        "s:2: directories is '6', but must be a whole number from 1 to 5"},
       {first + "storage_nodes 3 routers 2 clients 4 shards 3 keys 12 directories 3 more",
        "s:2: 'more' stands behind the end of what this line says"}});
}

// What came before was checked against the first one.
TEST(ScenarioRefusal, names_a_second_cluster) {
  expect_refused_behind_cluster(
      {{"at 0ms client 3 request 1 read 0\ncluster storage_nodes 1 routers 1 clients 1 shards 1 keys 1",
        "s:4: the cluster is described already"}});
}

TEST(ScenarioRefusal, names_wrong_lines_of_the_set_up) {
  expect_refused_behind_cluster(
      {{"scenario 1", "s:3: 'scenario' is no kind of line"},
       {"step", "s:3: 'step' is no kind of line"},
       {"mutant", "s:3: the line ends where the name of a mutant should be"},
       {"mutant none", "s:3: 'none' is no mutant; 'shardcheck list mutants' names them"},
       {"replicas 4", "s:3: replicas is '4', but must be a whole number from 1 to 3"},
       {"replicas 2\nreplicas 3", "s:4: 'replicas' comes once, before the steps, and only of the reference"},
       {"moves movers 2\nmoves movers 1", "s:4: 'moves' comes once, before clocks, steps and deviations"},
       {"clock 1 offset 1ms drift_ppm 0\nmoves movers 2",
        "s:4: 'moves' comes once, before clocks, steps and deviations"},
       {"at 1ms move range 0 to 1\nmutant move_no_tombstones",
        "s:4: 'mutant' comes once, before clocks, steps and deviations"},
       {"router_kinds client_cache client_cache\nrouter_kinds client_cache client_cache",
        "s:4: 'router_kinds' comes once, before clocks, steps and deviations"},
       {"network delay 1.1ms variety 0 bytes_per_second 100000000",
        "s:3: the reference's time-outs are made for links with a delay of 1 ms at most and 500000 bytes a second at "
        "least"},
       {"network delay 1ms variety 0 bytes_per_second 499999",
        "s:3: the reference's time-outs are made for links with a delay of 1 ms at most and 500000 bytes a second at "
        "least"},
       {"mutant no_such", "s:3: 'no_such' is no mutant; 'shardcheck list mutants' names them"},
       {"network delay -1ms", "s:3: the delay of a network cannot be negative"},
       {"network delay soon", "s:3: the delay is 'soon', but must be a time such as 4.8ms"},
       {"network delay 1000000001ms", "s:3: the delay is '1000000001ms', but must be a time such as 4.8ms"},
       {"network delay 1ms variety 256", "s:3: variety is '256', but must be a whole number from 0 to 255"},
       {"network delay 1ms variety 0 bytes_per_second 999",
        "s:3: bytes_per_second is '999', but must be a whole number from 1000 to 1000000000000"},
       {"clock 7 offset 0ms drift_ppm 0", "s:3: the process of a clock is '7', but must be a whole number from 0 to 6"},
       {"clock 0 offset 0 drift_ppm 0", "s:3: the offset is '0', but must be a time such as 4.8ms"},
       {"clock 0 offset 2.000001ms drift_ppm 0",
        "s:3: a clock is at most 2ms ahead of true time or behind it: the reference promises no more"},
       {"clock 0 offset -80ms drift_ppm 0",
        "s:3: a clock is at most 2ms ahead of true time or behind it: the reference promises no more"},
       {"on reply 1 -> 4 #0 shift_clock after_sending 2.1ms",
        "s:3: a clock is at most 2ms ahead of true time or behind it: the reference promises no more"},
       {"clock 0 offset 0ms drift_ppm 1001", "s:3: drift_ppm is '1001', but must be a whole number from -1000 to 1000"},
       {"clock 1 offset 0ms drift_ppm 1\nclock 1 offset 1ms drift_ppm 1", "s:4: this process has a clock already"}});
}

TEST(ScenarioRefusal, names_wrong_steps) {
  expect_refused_behind_cluster(
      {{"at", "s:3: the line ends where the time of a step should be"},
       {"at -1ms move range 0 to 1", "s:3: steps must be in order of time"},
       {"at 2ms move range 0 to 1\nat 1.999999ms move range 0 to 1", "s:4: steps must be in order of time"},
       {"at now move range 0 to 1", "s:3: the time of a step is 'now', but must be a time such as 4.8ms"},
       {"at 0ms",
        "s:3: the line ends where 'client', 'move', 'split', 'merge', 'split_metadata', 'join', 'leave' or 'fault' "
        "should be"},
       {"at 0ms halve", "s:3: 'halve' is no kind of step"},
       {"at 0ms move range 3 to 1", "s:3: the range is '3', but must be a whole number from 0 to 2"},
       {"at 0ms move range 0 to 0", "s:3: a range can only move to a storage node"},
       {"at 0ms move range 0 to 4", "s:3: a range can only move to a storage node"},
       {"at 0ms move range 0 to 7", "s:3: the target is '7', but must be a whole number from 0 to 6"},
       {"at 0ms move range 0 to 1 slowly", "s:3: 'slowly' is neither 'mode' nor 'forwarding'"},
       {"at 0ms move range 0 to 1 mode fast", "s:3: 'fast' is no mode of a move"},
       {"at 0ms move range 0 to 1 forwarding twice", "s:3: 'twice' stands behind the end of what this line says"},
       {"at 0ms split_metadata 12", "s:3: the key is '12', but must be a whole number from 0 to 11"},
       {"at 0ms fault drop 1 for 1ms",
        "s:3: as a step, a fault can be crash, lose_disk, pause, cut or lose_for_good; the others happen to messages"},
       {"at 0ms fault burn 1 for 1ms", "s:3: 'burn' is no fault"},
       {"at 0ms fault crash 7 for 1ms", "s:3: the process is '7', but must be a whole number from 0 to 6"},
       {"at 0ms fault cut 1 7 for 1ms",
        "s:3: the other end of the link is '7', but must be a whole number from 0 to 6"},
       {"at 0ms fault lose_for_good 0",
        "s:3: too many are lost for good: a majority of the directory must stay, and one of each other role"},
       {"at 0ms fault lose_for_good 4\non reply 5 -> 3 #0 lose_for_good after_sending",
        "s:4: too many are lost for good: a majority of the directory must stay, and one of each other role"},
       {"at 0ms fault lose_for_good 1 for 1ms", "s:3: 'for' stands behind the end of what this line says"},
       {"at 0ms fault lose_disk 0 for 1ms", "s:3: only a storage node may lose its disk"},
       {"at 0ms fault crash 0 for -1ms", "s:3: how long cannot be negative"},
       {"at 0ms fault crash 0 for 1ms or 2ms", "s:3: 'or' stands behind the end of what this line says"}});
}

TEST(ScenarioRefusal, names_wrong_operations) {
  const std::string client = "at 0ms client 0 request 1 ";
  expect_refused_behind_cluster(
      {{"at 0ms client 4 request 1 read 0", "s:3: the client is '4', but must be a whole number from 0 to 3"},
       {"at 0ms client 0 read 0", "s:3: 'read' stands where 'request' should be"},
       {"at 0ms client 0 request 0 read 0", "s:3: the request is '0', but must be a whole number from 1 to 1000000000"},
       {"at 0ms client 0 request 1000000001 read 0",
        "s:3: the request is '1000000001', but must be a whole number from 1 to 1000000000"},
       {client + "read 0\nat 0ms client 1 request 1 read 0\nat 1ms client 0 request 1 read 0",
        "s:5: the requests of one client must have growing numbers"},
       {client + "get 0", "s:3: 'get' is no operation"},
       {client + "scan 0", "s:3: the line ends where the end of the scan should be"},
       {client + "scan 3 3", "s:3: the end of the scan is '3', but must be a whole number from 4 to 12"},
       {client + "read 12", "s:3: the key is '12', but must be a whole number from 0 to 11"},
       {client + "read", "s:3: the line ends where the key should be"},
       {client + "read 0 1", "s:3: '1' stands behind the end of what this line says"},
       {client + "write 0", "s:3: the line ends where a value should be"},
       {client + "write 0 x", "s:3: 'x' is no value: 'nil', a whole number, or a list such as [7]"},
       {client + "write 0 9223372036854775808",
        "s:3: '9223372036854775808' is no value: 'nil', a whole number, or a list such as [7]"},
       {client + "write 0 [1 2 3", "s:3: '[1 2 3' is no list of at most 11 numbers from 0 to 65535"},
       {client + "write 0 [", "s:3: '[' is no list of at most 11 numbers from 0 to 65535"},
       {client + "write 0 [65536]", "s:3: '[65536]' is no list of at most 11 numbers from 0 to 65535"},
       {client + "write 0 [-1]", "s:3: '[-1]' is no list of at most 11 numbers from 0 to 65535"},
       {client + "write 0 [1 2 3 4 5 6 7 8 9 1 2 3]",
        "s:3: '[1 2 3 4 5 6 7 8 9 1 2 3]' is no list of at most 11 numbers from 0 to 65535"},
       {client + "cas 0 nil", "s:3: the line ends where a value should be"},
       {client + "append 1 7", "s:3: what is appended must be a list of one, such as [7]"},
       {client + "append 1 [7 8]", "s:3: what is appended must be a list of one, such as [7]"},
       {client + "append 1 nil", "s:3: what is appended must be a list of one, such as [7]"}});
}

TEST(ScenarioRefusal, names_wrong_deviations) {
  expect_refused_behind_cluster(
      {{"on", "s:3: the line ends where the kind of message should be"},
       {"on letter 4 -> 1 #0 drop", "s:3: 'letter' is no kind of message"},
       {"on request 7 -> 1 #0 drop", "s:3: the sender is '7', but must be a whole number from 0 to 6"},
       {"on request 4 1 #0 drop", "s:3: '1' stands where '->' should be"},
       {"on request 4 -> -1 #0 drop", "s:3: the receiver is '-1', but must be a whole number from 0 to 6"},
       {"on request 4 -> 1 0 drop", "s:3: '0' must be '#' and a number, such as #0 for the first"},
       {"on request 4 -> 1 # drop", "s:3: '#' must be '#' and a number, such as #0 for the first"},
       {"on request 4 -> 1 #-1 drop", "s:3: '#-1' must be '#' and a number, such as #0 for the first"},
       {"on request 4 -> 1 #4294967296 drop", "s:3: '#4294967296' must be '#' and a number, such as #0 for the first"},
       {"on request 4 -> 1 #0", "s:3: the line ends where fault should be"},
       {"on request 4 -> 1 #0 lose", "s:3: 'lose' is no fault"},
       {"on request 4 -> 1 #0 drop 1ms", "s:3: '1ms' stands behind the end of what this line says"},
       {"on request 4 -> 1 #0 delay -1ms", "s:3: only a shift of a clock can be negative"},
       {"on request 4 -> 1 #0 delay", "s:3: the line ends where the size of the deviation should be"},
       {"on request 4 -> 1 #0 hold_until later", "s:3: 'later' is no phase of a move"},
       {"on request 4 -> 1 #0 cut sideways 1ms", "s:3: 'sideways' is neither 'one_way' nor 'both_ways'"},
       {"on request 4 -> 1 #0 crash sometime 1ms kept 0", "s:3: 'sometime' is no moment"},
       {"on request 4 -> 1 #0 crash after_sending 1ms", "s:3: the line ends where 'kept' should be"},
       {"on request 4 -> 1 #0 crash after_sending 1ms kept 0 torn 3",
        "s:3: the reference's records are no bytes: one that is torn is one that is not kept"},
       {"on request 4 -> 1 #0 crash after_sending 1ms kept 256",
        "s:3: kept is '256', but must be a whole number from 0 to 255"},
       {"on request 4 -> 1 #0 lose_disk after_sending 1ms", "s:3: only a storage node may lose its disk"},
       {"on renew 1 -> 0 #0 lose_disk before_receiving 1ms", "s:3: only a storage node may lose its disk"},
       {"on request 4 -> 1 #0 drop\non request 4 -> 1 #1 drop\non request 4 -> 1 #0 delay 1ms",
        "s:5: this message has a deviation already"}});
}

}  // namespace
}  // namespace shardcheck::harness
