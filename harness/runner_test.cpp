// The runner on a system that is nobody's cluster: what it accepts, what it rejects, and what it says when it cannot
// say anything.
#include "harness/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "spec/key_model.h"

namespace shardcheck::harness {
namespace {

constexpr Duration kAnswersAfter = milliseconds(1);

// What the store does wrong; nothing by default.
struct Habits {
  std::uint32_t forgets_write_of = 0;  // the sequence of a write that is acknowledged and not stored
  std::uint32_t reads_old_at = 0;      // the sequence of a read that misses all that was written
  bool never_answers = false;
  bool answers_reads_only = false;
  bool reports_loss = false;       // of everything, when it is healed
  Duration takes = kAnswersAfter;  // until an answer
  TrueTime cut_short_at{INT64_MAX};
};

// A correct store in one place, written as a user would: it implements System and nothing else.
class TinyStore final : public System {
 public:
  explicit TinyStore(Habits habits = {}, int clients = 2) : habits_(habits), clients_(clients) {}

  void start(ObservationSink& sink) override {
    sink_ = &sink;
    now_ = TrueTime{};
    waiting_.clear();
    values_.clear();
    busy_.assign(static_cast<std::size_t>(clients_), false);
  }
  Bounds bounds() const override {
    Bounds bounds;
    bounds.nodes = 1;
    bounds.shards = 1;
    bounds.clients = clients_;
    bounds.key_space = {Key{0}, Key{4}};
    bounds.service_within = milliseconds(300);
    bounds.move_within = milliseconds(300);
    bounds.retention = milliseconds(30);
    return bounds;
  }
  bool apply(const Step& step) override {
    const auto* client = std::get_if<ClientStep>(&step.what);
    if (client == nullptr) {
      return false;  // it has no ranges, and nothing that could fail
    }
    EXPECT_EQ(step.at, now_);
    waiting_.push_back({now_ + habits_.takes, *client});
    return true;
  }
  bool advance(TrueTime until) override {
    for (std::size_t i = 0; i < waiting_.size() && waiting_[i].first <= until; ++i) {
      now_ = waiting_[i].first;
      answer(waiting_[i].second);
    }
    std::erase_if(waiting_, [until](const auto& each) { return each.first <= until; });
    now_ = until;
    return until < habits_.cut_short_at;
  }
  TrueTime now() const override { return now_; }
  void heal() override {
    if (habits_.reports_loss) {
      ShardRecord record;
      record.range = {Key{0}, Key{4}};
      record.epoch = Epoch{1};
      record.is_data_lost = true;
      sink_->on({now_, NodeId{0}, RecordCommitted{DirectoryPosition{1}, RecordChange::created, {}, {}, record}});
    }
    sink_->on({now_, kNoNode, Healed{}});
    is_healed_ = true;
  }

 private:
  void answer(const ClientStep& step) {
    const Operation& operation = step.operation;
    const bool is_read = operation.kind == OperationKind::read;
    if (habits_.never_answers || (habits_.answers_reads_only && !is_read)) {
      return;
    }
    Value& stored = values_[operation.key];
    Outcome outcome{OutcomeKind::ok, {}};
    if (is_healed_ && habits_.reports_loss) {
      outcome.kind = OutcomeKind::refused;
    } else if (is_read) {
      outcome.value = step.request.sequence == habits_.reads_old_at ? absent() : stored;
    } else if (step.request.sequence != habits_.forgets_write_of) {
      stored = operation.argument;
    }
    sink_->on({now_, kNoNode, Returned{step.request, outcome, false, false}});
  }

  Habits habits_;
  int clients_;
  ObservationSink* sink_ = nullptr;
  TrueTime now_;
  std::vector<std::pair<TrueTime, ClientStep>> waiting_;
  std::map<Key, Value> values_;
  std::vector<bool> busy_;
  bool is_healed_ = false;
};

TrueTime at(std::int64_t ms) { return TrueTime{milliseconds(ms).value}; }
Step write(std::int64_t ms, std::uint16_t client, std::uint32_t sequence, std::uint32_t key, std::int64_t value) {
  return {at(ms), ClientStep{{ClientId{client}, sequence}, {OperationKind::write, Key{key}, number(value), absent()}}};
}
Step read(std::int64_t ms, std::uint16_t client, std::uint32_t sequence, std::uint32_t key) {
  return {at(ms), ClientStep{{ClientId{client}, sequence}, {OperationKind::read, Key{key}, absent(), absent()}}};
}
const std::vector<Step> kSteps{write(5, 0, 1, 0, 10), write(5, 1, 1, 1, 11), read(10, 1, 2, 0), write(20, 0, 2, 0, 12),
                               read(30, 1, 3, 0)};

std::vector<std::string> violated(const RunReport& report) {
  std::vector<std::string> ids;
  for (const Violation& violation : report.violations) {
    ids.emplace_back(clause(violation.clause).text_id);
  }
  return ids;
}

TEST(Runner, accepts_a_correct_store) {
  TinyStore store;
  Runner runner;

  const RunReport& report = runner.run(store, kSteps);

  EXPECT_EQ(violated(report), std::vector<std::string>{});
  EXPECT_EQ(report.operations, 5U + 3 * 4U);  // and a final read of each key
  EXPECT_EQ(report.checked(ClauseId::C1), 4U);
  EXPECT_GT(report.checked(ClauseId::M1), 0U);
  EXPECT_GT(report.checked(ClauseId::V1), 0U);
  EXPECT_EQ(report.checked(ClauseId::L1), 0U);  // it tells of no leases
  EXPECT_FALSE(report.is_undecided);
  EXPECT_FALSE(report.was_cut_short);
}

TEST(Runner, rejects_a_store_that_forgets_a_write) {
  TinyStore store({.forgets_write_of = 2});
  Runner runner;

  const RunReport& report = runner.run(store, kSteps);

  EXPECT_EQ(violated(report), (std::vector<std::string>{"M1", "C1"}));
  ASSERT_NE(report.violation_of(ClauseId::C1), nullptr);
  EXPECT_EQ(report.violation_of(ClauseId::C1)->message.substr(0, 35), "key 0 is not linearizable: the read");
}

// It is there in the end, so no write was lost: only the order of the answers shows it.
TEST(Runner, rejects_one_stale_read_by_the_history_alone) {
  TinyStore store({.reads_old_at = 3});
  Runner runner;

  const RunReport& report = runner.run(store, kSteps);

  EXPECT_EQ(violated(report), (std::vector<std::string>{"C1"}));
  // The history is not kept, so no line of it says anything.
  EXPECT_NE(report.violations[0].message.find(
                "key 0 is not linearizable: the read (request 3 of client 1) returned nothing, but "),
            std::string::npos)
      << report.violations[0].message;
  EXPECT_NE(report.violations[0].message.find("What was asked of the key: request 1 of client 0: write "),
            std::string::npos)
      << report.violations[0].message;
}

TEST(Runner, rejects_a_store_that_never_answers) {
  TinyStore store({.never_answers = true});
  Runner runner;

  const RunReport& report = runner.run(store, kSteps);

  EXPECT_EQ(violated(report), (std::vector<std::string>{"V1"}));
}

TEST(Runner, rejects_a_store_that_answers_reads_only) {
  TinyStore store({.answers_reads_only = true});
  Runner runner;

  const RunReport& report = runner.run(store, kSteps);

  ASSERT_EQ(violated(report), (std::vector<std::string>{"V1"}));
  EXPECT_NE(report.violations[0].message.find("(write of key"), std::string::npos) << report.violations[0].message;
}

// An answer that comes when its client has given up is no answer: the outcome stays unknown.
// It never serves again, so there is nothing to wait for.
TEST(Runner, reads_the_keys_of_a_lost_range_once) {
  TinyStore store({.reports_loss = true});
  Runner runner;

  const RunReport& report = runner.run(store, kSteps);

  EXPECT_EQ(report.operations, kSteps.size() + 4U + 2U);
}

TEST(Runner, leaves_out_answers_that_come_too_late) {
  TinyStore store({.takes = milliseconds(250)});
  Runner runner;

  runner.run(store, {write(5, 0, 1, 0, 10)});

  const histories::RecordedOperation& first = runner.history().operations.at(0);
  EXPECT_EQ(first.kind, OperationKind::write);
  EXPECT_EQ(first.outcome, OutcomeKind::unknown);
}

TEST(Runner, lets_a_client_have_one_operation_at_a_time) {
  TinyStore store({.takes = milliseconds(10)});
  Runner runner;

  const RunReport& report = runner.run(store, {write(5, 0, 1, 0, 10), write(5, 0, 2, 0, 11), read(5, 0, 3, 0)});

  EXPECT_EQ(violated(report), std::vector<std::string>{});
  const std::vector<histories::RecordedOperation>& operations = runner.history().operations;
  ASSERT_GE(operations.size(), 3U);
  EXPECT_GE(operations[1].invoked_at, operations[0].returned_at);
  EXPECT_GE(operations[2].invoked_at, operations[1].returned_at);
  EXPECT_EQ(operations[0].invoked_at, at(5));
}

TEST(Runner, leaves_out_steps_that_a_system_cannot_do) {
  TinyStore store;
  Runner runner;

  const RunReport& report = runner.run(
      store, {{at(1), MoveStep{ShardId{0}, NodeId{0}}}, {at(2), FaultStep{}}, write(5, 0, 1, 0, 10), read(9, 1, 1, 0)});

  EXPECT_EQ(violated(report), std::vector<std::string>{});
  EXPECT_EQ(report.checked(ClauseId::V2), 0U);
}

TEST(Runner, says_that_a_run_was_cut_short) {
  TinyStore store({.cut_short_at = at(15)});
  Runner runner;

  const RunReport& report = runner.run(store, kSteps);

  EXPECT_TRUE(report.was_cut_short);
  EXPECT_EQ(violated(report), std::vector<std::string>{});
  EXPECT_EQ(report.operations, 3U);
}

// A register that answers reads of key 0 with 1 and 2 by turns, though the swaps that would have to do it were never
// answered.
class Flickering final : public System {
 public:
  explicit Flickering(int clients) : clients_(clients) {}

  void start(ObservationSink& sink) override {
    sink_ = &sink;
    now_ = TrueTime{};
  }
  Bounds bounds() const override { return TinyStore({}, clients_).bounds(); }
  bool apply(const Step& step) override {
    const auto& client = std::get<ClientStep>(step.what);
    if (client.operation.kind != OperationKind::compare_and_set) {
      asked_.push_back(client);
    }
    return true;
  }
  bool advance(TrueTime until) override {
    now_ = until;
    for (const ClientStep& step : std::exchange(asked_, {})) {
      Outcome outcome{OutcomeKind::ok, {}};
      if (step.operation.kind == OperationKind::read && step.operation.key == Key{0}) {
        outcome.value = number(1 + reads_++ % 2);
      }
      sink_->on({now_, kNoNode, Returned{step.request, outcome, false, false}});
    }
    return true;
  }
  TrueTime now() const override { return now_; }
  void heal() override {}

 private:
  int clients_;
  ObservationSink* sink_ = nullptr;
  TrueTime now_;
  std::vector<ClientStep> asked_;
  std::int64_t reads_ = 0;
};

// Each of thirty swaps may have happened once, at any time: far too many orders for the budget of one run.
TEST(Runner, says_that_a_history_is_undecided) {
  std::vector<Step> steps{write(1, 0, 1, 0, 1)};
  std::uint16_t client = 1;
  for (std::int64_t from = 1; from <= 6; ++from) {
    for (std::int64_t to = 1; to <= 6; ++to) {
      if (from != to) {
        const Operation swap{OperationKind::compare_and_set, Key{0}, number(to), number(from)};
        steps.push_back({at(5), ClientStep{{ClientId{client++}, 1}, swap}});
      }
    }
  }
  for (std::uint32_t i = 0; i < 20; ++i) {
    steps.push_back(read(10 + i, 0, 2 + i, 0));
  }
  Flickering system(client);
  Runner runner;

  const RunReport& report = runner.run(system, steps);

  EXPECT_TRUE(report.is_undecided);
  EXPECT_EQ(report.checked(ClauseId::C1), 3U);  // the other keys
}

TEST(Runner, forgets_the_run_before) {
  Runner runner;
  TinyStore forgetful({.forgets_write_of = 2});
  runner.run(forgetful, kSteps);
  TinyStore store;

  const RunReport& report = runner.run(store, kSteps);

  EXPECT_EQ(violated(report), std::vector<std::string>{});
  EXPECT_EQ(report.operations, 17U);
}

}  // namespace
}  // namespace shardcheck::harness
