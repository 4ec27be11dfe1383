#include "harness/adapters/verify_cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "harness/adapters/cluster_runner.h"
#include "harness/describe.h"

namespace shardcheck::harness {
namespace {

using testing::HasSubstr;

// Requests are "KIND CLIENT SEQUENCE KEY VALUE", answers "CLIENT SEQUENCE VALUE".
struct TestRequest {
  std::string kind;
  std::uint16_t client = 0;
  std::uint32_t sequence = 0;
  std::uint32_t key = 0;
  std::int64_t value = 0;
};
TestRequest parse(const std::string& bytes) {
  TestRequest request;
  std::istringstream(bytes) >> request.kind >> request.client >> request.sequence >> request.key >> request.value;
  return request;
}

using Handler = std::function<void(const ByteInput&, Instant, ByteOutputs&)>;

class HandledBy final : public ClusterProcess {
 public:
  explicit HandledBy(Handler handler) : handler_(std::move(handler)) {}
  void handle(const ByteInput& input, Instant now, ByteOutputs& outputs) override { handler_(input, now, outputs); }

 private:
  Handler handler_;
};

struct TestCluster final : Cluster {
  TestCluster() {
    of.processes = {"node 0", "node 1"};
    of.clients = 2;
    of.key_space = {Key{0}, Key{4}};
    of.message_kinds = {"request", "answer"};
  }
  ClusterShape shape() const override { return of; }
  std::unique_ptr<ClusterProcess> make(NodeId id) const override { return maker(id); }
  Addressed encode(const ClientStep& step) const override {
    return {requests_go_to,
            fmt::format("{} {} {} {} {}", name_of(step.operation.kind), step.request.client.value,
                        step.request.sequence, step.operation.key.value, step.operation.argument.number)};
  }
  std::optional<ClusterReply> decode(std::string_view bytes) const override {
    ClusterReply reply;
    std::int64_t value = 0;
    std::istringstream(std::string(bytes)) >> reply.request.client.value >> reply.request.sequence >> value;
    reply.outcome = {OutcomeKind::ok, value == 0 ? absent() : number(value)};
    return reply;
  }
  std::uint8_t kind_of(std::string_view bytes) const override {
    return bytes.starts_with("read") || bytes.starts_with("write") ? 0 : 1;
  }

  ClusterShape of;
  NodeId requests_go_to{0};
  std::function<std::unique_ptr<ClusterProcess>(NodeId)> maker;
};

// Every process does the same; what it remembers is lost at a crash.
std::unique_ptr<TestCluster> cluster_of(const std::function<Handler(NodeId)>& make_handler) {
  auto cluster = std::make_unique<TestCluster>();
  cluster->maker = [make_handler](NodeId id) { return std::make_unique<HandledBy>(make_handler(id)); };
  return cluster;
}

enum class StoreBug { none, answers_before_sync, trusts_torn_records };

// Keeps all keys on node 0. A record ends with a mark, which a torn one has not.
class Store {
 public:
  explicit Store(StoreBug bug) : bug_(bug) {}

  void operator()(const ByteInput& input, Instant, ByteOutputs& outputs) {
    if (const auto* started = std::get_if<Started<std::string>>(&input)) {
      records_ = started->durable.size();
      for (const std::string& record : started->durable) {
        if (record.ends_with(';') || bug_ == StoreBug::trusts_torn_records) {
          values_[parse(record).key] = parse(record).value;
        }
      }
    } else if (const auto* received = std::get_if<Received<std::string>>(&input)) {
      serve(received->message, outputs);
    } else if (const auto* synced = std::get_if<Synced>(&input)) {
      for (; !waiting_.empty() && waiting_.front().first <= synced->count; waiting_.pop_front()) {
        outputs.send(kNoNode, waiting_.front().second);
      }
    }
  }

 private:
  void serve(const std::string& bytes, ByteOutputs& outputs) {
    const TestRequest request = parse(bytes);
    if (request.kind == "write") {
      values_[request.key] = request.value;
      outputs.append(bytes + ";");
      ++records_;
    }
    outputs.wants_sync = true;
    const std::string answer = fmt::format("{} {} {}", request.client, request.sequence, values_[request.key]);
    if (bug_ == StoreBug::answers_before_sync) {
      outputs.send(kNoNode, answer);
    } else {
      waiting_.emplace_back(records_, answer);
    }
  }

  StoreBug bug_;
  std::map<std::uint32_t, std::int64_t> values_;
  std::uint64_t records_ = 0;
  std::deque<std::pair<std::uint64_t, std::string>> waiting_;
};

std::unique_ptr<TestCluster> store(StoreBug bug) {
  return cluster_of([=](NodeId) { return Store(bug); });
}

// Answers every request at once with nothing, after `extra` had its way.
Handler answering(const Handler& extra) {
  return [extra](const ByteInput& input, Instant now, ByteOutputs& outputs) {
    if (const auto* received = std::get_if<Received<std::string>>(&input)) {
      const TestRequest request = parse(received->message);
      outputs.send(kNoNode, fmt::format("{} {} 0", request.client, request.sequence));
    }
    extra(input, now, outputs);
  };
}

std::string error_of(const Cluster& cluster) {
  const ClusterReport report = verify_cluster(cluster, "wrong", {.scenarios = 3});
  EXPECT_NE(exit_code_of(report), 0);
  EXPECT_THAT(to_text(report), HasSubstr("cannot be judged: "));
  return report.campaign.error;
}

TEST(VerifyCluster, a_right_store_holds) {
  const auto cluster = store(StoreBug::none);

  const ClusterReport report = verify_cluster(*cluster, "store", {.scenarios = 400});

  EXPECT_EQ(exit_code_of(report), 0) << to_text(report);
  EXPECT_EQ(report.campaign.scenarios, 400);
  EXPECT_EQ(report.campaign.checked(ClauseId::C1), 1'600);  // four keys in each
  EXPECT_GT(report.campaign.checked(ClauseId::M1), 400);
  EXPECT_GT(report.campaign.checked(ClauseId::V1), 1'600);
  EXPECT_EQ(report.campaign.checked(ClauseId::X1), 25);  // one scenario in sixteen
  EXPECT_EQ(report.campaign.checked(ClauseId::L1), 0);
}

TEST(VerifyCluster, an_answer_before_the_sync_loses_an_acknowledged_write) {
  const auto cluster = store(StoreBug::answers_before_sync);

  const ClusterReport report = verify_cluster(*cluster, "store", {.scenarios = 2'000});

  EXPECT_EQ(exit_code_of(report), 1);
  const Failure* lost = report.campaign.failure_of(ClauseId::M1);
  ASSERT_NE(lost, nullptr);
  EXPECT_LE(lost->scenario.size(), 8) << to_text(lost->scenario);
  EXPECT_TRUE(
      std::ranges::any_of(lost->scenario.deviations, [](const auto& it) { return it.kind == FaultKind::crashed; }));
  EXPECT_THAT(to_text(report), HasSubstr(" crashes, and restarts after "));
}

TEST(VerifyCluster, who_trusts_a_torn_record_is_found_by_nothing_else) {
  const auto cluster = store(StoreBug::trusts_torn_records);

  const ClusterReport report = verify_cluster(*cluster, "store", {.scenarios = 2'000});
  cluster->of.may_tear_records = false;
  const ClusterReport whole = verify_cluster(*cluster, "store", {.scenarios = 2'000});

  EXPECT_EQ(exit_code_of(whole), 0) << to_text(whole);
  ASSERT_TRUE(report.campaign.is_violated()) << to_text(report);
  for (const Failure& failure : report.campaign.failures) {
    EXPECT_TRUE(std::ranges::any_of(failure.scenario.deviations, [](const auto& it) { return it.torn != 0; }));
    EXPECT_THAT(to_text(failure.scenario), HasSubstr(" torn "));
    const Result<Scenario> again = parse_scenario(to_text(failure.scenario), "text");
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(*again, failure.scenario);
  }
  EXPECT_THAT(to_text(report), HasSubstr("leaving a torn record on its disk"));
}

TEST(VerifyCluster, what_a_shrunk_crash_left_is_not_torn_unless_it_must_be) {
  const auto cluster = store(StoreBug::answers_before_sync);

  const ClusterReport report = verify_cluster(*cluster, "store", {.scenarios = 2'000});

  const Failure* lost = report.campaign.failure_of(ClauseId::M1);
  ASSERT_NE(lost, nullptr);
  EXPECT_THAT(to_text(lost->scenario), testing::Not(HasSubstr(" torn ")));
}

TEST(VerifyCluster, a_failing_scenario_replays_from_its_text) {
  const auto cluster = store(StoreBug::answers_before_sync);
  const ClusterReport report = verify_cluster(*cluster, "store", {.scenarios = 2'000});
  const Failure* lost = report.campaign.failure_of(ClauseId::M1);
  ASSERT_NE(lost, nullptr);

  const Result<Scenario> again = parse_scenario(to_text(lost->scenario), "text");

  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(*again, lost->scenario);
  ClusterRunner runner(*cluster, "store");
  ASSERT_TRUE(runner.check(*again));
  EXPECT_NE(runner.run(*again).violation_of(ClauseId::M1), nullptr);
  EXPECT_FALSE(ClusterRunner(*cluster, "another").check(*again));
}

TEST(ScenarioOfSystem, what_makes_no_sense_is_refused_with_its_line) {
  struct Case {
    std::string_view lines;
    std::string_view error;
  };
  const Case cases[] = {
      {"system s processes 2 clients 2 shards 0 keys 0 4\n", "text:4: the cluster is described already"},
      {"messages other\n", "text:4: the messages are named already"},
      {"mutant fence_memory_only\n", "text:4: only the reference has mutants"},
      {"at 1ms client 2 request 16 read 0\n", "text:4: the client is '2', but must be a whole number from 0 to 1"},
      {"at 1ms client 1 request 16 read 4\n", "text:4: the key is '4', but must be a whole number from 0 to 3"},
      {"on hello 0 -> 1 #0 lost\n", "text:4: 'hello' is no kind of message"},
      {"on answer 0 -> 1 #0 crash after_sending 1ms kept 0 torn 17\n",
       "text:4: torn is '17', but must be a whole number from 1 to 16"},
      {"on answer 0 -> 1 #0 crash after_sending 1ms kept 0 torn 0\n",
       "text:4: torn is '0', but must be a whole number from 1 to 16"},
      {"on answer 0 -> 3 #0 lost\n", "text:4: the receiver is '3', but must be a whole number from 0 to 2"},
  };
  const std::string head = "scenario 1\nsystem s processes 2 clients 2 shards 0 keys 0 4\nmessages request answer\n";
  ASSERT_TRUE(parse_scenario(head, "text"));
  for (const Case& each : cases) {
    SCOPED_TRACE(each.lines);

    const Result<Scenario> scenario = parse_scenario(head + std::string(each.lines), "text");

    ASSERT_FALSE(scenario);
    EXPECT_EQ(to_string(scenario.error()), each.error);
  }
}

TEST(VerifyCluster, a_right_store_is_found_right_by_the_scenario_that_breaks_the_wrong_one) {
  const auto wrong = store(StoreBug::answers_before_sync);
  const ClusterReport report = verify_cluster(*wrong, "store", {.scenarios = 2'000});
  const Failure* lost = report.campaign.failure_of(ClauseId::M1);
  ASSERT_NE(lost, nullptr);
  const auto right = store(StoreBug::none);
  ClusterRunner runner(*right, "store");

  const RunReport& run = runner.run(lost->scenario);

  EXPECT_TRUE(run.violations.empty());
}

TEST(VerifyCluster, what_decides_by_more_than_its_input_is_found_out) {
  std::uint64_t calls = 0;
  const auto cluster = cluster_of([&](NodeId) {
    return [&calls](const ByteInput& input, Instant, ByteOutputs& outputs) {
      if (const auto* received = std::get_if<Received<std::string>>(&input)) {
        const TestRequest request = parse(received->message);
        outputs.send(kNoNode, fmt::format("{} {} 0 {}", request.client, request.sequence, ++calls));
      }
    };
  });

  const ClusterReport report = verify_cluster(*cluster, "fickle", {.scenarios = 1});

  EXPECT_NE(report.campaign.failure_of(ClauseId::X1), nullptr);
  EXPECT_EQ(exit_code_of(report), 1);
}

TEST(VerifyCluster, a_process_that_throws_leaves_the_run_undecided) {
  const auto cluster = cluster_of([](NodeId) {
    return answering([](const ByteInput& input, Instant, ByteOutputs&) {
      if (std::holds_alternative<Received<std::string>>(input)) {
        throw std::runtime_error("no such key");
      }
    });
  });

  const ClusterReport report = verify_cluster(*cluster, "throws", {.scenarios = 3});

  EXPECT_THAT(report.campaign.error, HasSubstr("process 0 threw: no such key"));
  EXPECT_EQ(exit_code_of(report), 2);
}

TEST(VerifyCluster, a_process_that_is_not_made_is_an_error) {
  TestCluster cluster;
  cluster.maker = [](NodeId) { return nullptr; };

  EXPECT_THAT(error_of(cluster), HasSubstr("process 0 was not made"));
}

TEST(VerifyCluster, messages_to_nobody_are_an_error) {
  const auto cluster = cluster_of([](NodeId) {
    return answering([](const ByteInput&, Instant, ByteOutputs& outputs) { outputs.send(NodeId{2}, "hello"); });
  });

  EXPECT_THAT(error_of(*cluster), HasSubstr("process 0 sent a message to process 2, which does not exist"));
}

TEST(VerifyCluster, requests_to_nobody_are_an_error) {
  const auto cluster = store(StoreBug::none);
  cluster->requests_go_to = NodeId{7};

  EXPECT_THAT(error_of(*cluster), HasSubstr("a request goes to process 7, which does not exist"));
}

TEST(VerifyCluster, answers_to_nobody_are_an_error) {
  const auto cluster = cluster_of(
      [](NodeId) { return [](const ByteInput&, Instant, ByteOutputs& outputs) { outputs.send(kNoNode, "2 1 0"); }; });

  EXPECT_THAT(error_of(*cluster), HasSubstr("an answer goes to client 2, which does not exist"));
}

TEST(VerifyCluster, facts_about_what_does_not_exist_are_an_error) {
  const auto cluster = cluster_of([](NodeId) {
    return answering([](const ByteInput&, Instant, ByteOutputs& outputs) { outputs.observe(ClaimEnded{ShardId{0}}); });
  });

  EXPECT_THAT(error_of(*cluster), HasSubstr("told a fact about a node, shard or client that does not exist"));
}

TEST(VerifyCluster, facts_that_are_not_a_process_to_tell_are_an_error) {
  const auto cluster = cluster_of(
      [](NodeId) { return answering([](const ByteInput&, Instant, ByteOutputs& out) { out.observe(Healed{}); }); });

  EXPECT_THAT(error_of(*cluster), HasSubstr("told a fact that the world tells by itself"));
}

TEST(VerifyCluster, a_cluster_that_says_nothing_is_not_held) {
  const auto cluster = cluster_of([](NodeId) { return [](const ByteInput&, Instant, ByteOutputs&) {}; });

  const ClusterReport report = verify_cluster(*cluster, "mute", {.scenarios = 20});

  EXPECT_NE(report.campaign.failure_of(ClauseId::V1), nullptr);
  EXPECT_EQ(exit_code_of(report), 1);
}

}  // namespace
}  // namespace shardcheck::harness
