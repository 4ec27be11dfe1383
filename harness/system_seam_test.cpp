// The smallest System that someone with a test harness of their own could bring: one register, answered a millisecond
// later. Shows that spec/system.h is enough to be judged, and that the runner accepts the right one and rejects wrong
// ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "harness/runner.h"
#include "harness/workload.h"
#include "spec/key_model.h"

namespace shardcheck::harness {
namespace {

enum class Bug { none, reads_are_stale, a_crash_forgets, never_answers };

class OneRegister final : public System {
 public:
  explicit OneRegister(Bug bug) : bug_(bug) {}

  void start(ObservationSink& sink) override {
    sink_ = &sink;
    now_ = TrueTime{};
    value_ = before_ = absent();
    answers_.clear();
  }
  Bounds bounds() const override {
    Bounds bounds;
    bounds.nodes = 1;
    bounds.clients = 2;
    bounds.key_space = {Key{0}, Key{1}};
    bounds.service_within = milliseconds(20);
    return bounds;
  }
  bool apply(const Step& step) override {
    if (const auto* client = std::get_if<ClientStep>(&step.what)) {
      serve(*client);
      return true;
    }
    const auto* fault = std::get_if<FaultStep>(&step.what);
    if (fault == nullptr || fault->kind != FaultKind::crashed) {
      return false;
    }
    value_ = bug_ == Bug::a_crash_forgets ? absent() : value_;
    return true;
  }
  bool advance(TrueTime until) override {
    for (; !answers_.empty() && answers_.front().at <= until; answers_.pop_front()) {
      now_ = answers_.front().at;
      sink_->on(answers_.front());
    }
    now_ = std::max(now_, until);
    return true;
  }
  TrueTime now() const override { return now_; }
  void heal() override { sink_->on({now_, kNoNode, Healed{}}); }
  bool is_settled() const override { return true; }

 private:
  void serve(const ClientStep& step) {
    const Operation& asked = step.operation;
    const auto done = KeyModel<InlineValues>::apply({}, asked.kind, value_, asked.argument, asked.expected);
    const bool is_stale = bug_ == Bug::reads_are_stale && asked.kind == OperationKind::read;
    const Outcome outcome{done.outcome, is_stale ? before_ : done.answer};
    if (may_change_state(asked.kind)) {
      before_ = value_;
    }
    value_ = done.after;
    if (bug_ != Bug::never_answers) {
      answers_.push_back({now_ + milliseconds(1), kNoNode, Returned{step.request, outcome, false, false}});
    }
  }

  Bug bug_;
  ObservationSink* sink_ = nullptr;
  TrueTime now_;
  Value value_;
  Value before_;
  std::deque<Observed> answers_;
};

Step ask(std::int64_t at, std::uint32_t sequence, Operation operation) {
  return {TrueTime{milliseconds(at).value}, ClientStep{{ClientId{0}, sequence}, operation}};
}

std::vector<Step> write_crash_read() {
  return {ask(1, 16, {OperationKind::write, Key{0}, number(1), absent()}),
          ask(3, 32, {OperationKind::write, Key{0}, number(2), absent()}),
          {TrueTime{milliseconds(6).value}, FaultStep{FaultKind::crashed, NodeId{0}, kNoNode, milliseconds(1)}},
          ask(8, 48, {OperationKind::read, Key{0}, absent(), absent()})};
}

TEST(SystemSeam, a_right_register_holds) {
  OneRegister system(Bug::none);
  Runner runner;

  const RunReport& report = runner.run(system, write_crash_read());

  EXPECT_TRUE(report.violations.empty());
  EXPECT_FALSE(report.is_undecided);
  EXPECT_EQ(report.checked(ClauseId::C1), 1);
  EXPECT_EQ(report.checked(ClauseId::M1), 2);
  EXPECT_EQ(report.checked(ClauseId::V1), 3);
  EXPECT_EQ(report.checked(ClauseId::L1), 0);
  EXPECT_EQ(report.operations, 6);
}

TEST(SystemSeam, a_right_register_holds_under_drawn_work) {
  WorkloadShape shape;
  shape.clients = 2;
  shape.key_space = {Key{0}, Key{1}};
  shape.ranges = in_fours(shape.key_space);
  shape.is_supported.fill(true);
  OneRegister system(Bug::none);
  Runner runner;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    sim::SeededChoices choices(seed);

    const RunReport& report = runner.run(system, draw_workload(choices, shape));

    EXPECT_TRUE(report.violations.empty());
    EXPECT_EQ(report.checked(ClauseId::C1), 1);
  }
}

TEST(SystemSeam, stale_reads_are_not_linearizable) {
  OneRegister system(Bug::reads_are_stale);
  Runner runner;

  const RunReport& report = runner.run(system, write_crash_read());

  ASSERT_NE(report.violation_of(ClauseId::C1), nullptr);
  EXPECT_THAT(report.violation_of(ClauseId::C1)->message, testing::HasSubstr("key 0 is not linearizable"));
}

TEST(SystemSeam, a_crash_that_forgets_loses_an_acknowledged_write) {
  OneRegister system(Bug::a_crash_forgets);
  Runner runner;

  const RunReport& report = runner.run(system, write_crash_read());

  EXPECT_NE(report.violation_of(ClauseId::M1), nullptr);
  EXPECT_NE(report.violation_of(ClauseId::C1), nullptr);
}

TEST(SystemSeam, a_register_that_never_answers_does_not_serve) {
  OneRegister system(Bug::never_answers);
  Runner runner;

  const RunReport& report = runner.run(system, write_crash_read());

  EXPECT_NE(report.violation_of(ClauseId::V1), nullptr);
  EXPECT_EQ(report.violation_of(ClauseId::C1), nullptr);
}

}  // namespace
}  // namespace shardcheck::harness
