// The whole cluster under moves, crashes and every other fault, driven by RapidCheck: the input is the bytes that
// answer every question of a run. The reference violates nothing, the seeded bugs are found, and what was written down
// of a run is the same run again.
//
// RapidCheck finds and harness/shrink.h shrinks: RapidCheck's own shrinking of such bytes takes seconds where ours
// takes milliseconds, and bytes mean something else as soon as one is taken away.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "harness/counterexample.h"
#include "harness/reference_system.h"
#include "harness/scenario_driver.h"

namespace shardcheck::harness {
namespace {

using Bytes = std::vector<std::uint8_t>;

// RapidCheck's sizes go from 0 to 100 again and again. A long run reads some 600 bytes, most of them before it begins;
// after the last byte of a shorter input the run is quiet.
constexpr std::uint64_t kBytesPerSize = 16;
constexpr std::uint64_t kShrinkRunsMax = 3'000;
// Below so many cases nobody can ask that everything was reached.
constexpr std::uint64_t kCasesForReach = 2'000;
// A lost disk is rare, and so is a moment after an abort: both together come about once in 2,000 cases.
constexpr std::uint64_t kCasesForEveryPair = 50'000;

// Written by hand because it is quick, and because what is made so is never shrunk.
rc::Gen<Bytes> any_bytes() {
  return [](const rc::Random& seed, int size) {
    rc::Random random = seed;
    const std::uint64_t length_end = kBytesPerSize * static_cast<std::uint64_t>(size) + 1;
    Bytes bytes(random.next() % length_end);
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random.next() & 0xffU);
    }
    return rc::shrinkable::just(std::move(bytes));
  };
}

// The reference, and what happened to it in all runs so far: a property that never met a move in trouble shows nothing.
class CountedSystem final : public System, private ObservationSink {
 public:
  void configure(const Scenario& scenario, sim::DeviationSource& deviations) {
    system_.configure(scenario, deviations);
  }

  void start(ObservationSink& sink) override {
    sink_ = &sink;
    system_.start(*this);
  }
  Bounds bounds() const override { return system_.bounds(); }
  bool apply(const Step& step) override { return system_.apply(step); }
  bool advance(TrueTime until) override { return system_.advance(until); }
  TrueTime now() const override { return system_.now(); }
  void heal() override { system_.heal(); }
  bool is_settled() const override { return system_.is_settled(); }
  ProcessRole role_of(NodeId id) const override { return system_.role_of(id); }
  bool is_cut_off(ClientId id) const override { return system_.is_cut_off(id); }
  void tell_end() override { system_.tell_end(); }
  std::uint64_t events() const override { return system_.events(); }
  std::uint64_t digest() const override { return system_.digest(); }

  std::uint64_t moves_begun = 0;
  std::uint64_t moves_committed = 0;
  std::uint64_t moves_aborted = 0;
  std::uint64_t crashes = 0;
  std::uint64_t lookups_crossed = 0;

 private:
  void on(const Observed& observed) override {
    if (const auto* committed = std::get_if<RecordCommitted>(&observed.fact)) {
      moves_begun += committed->change == RecordChange::move_begun ? 1 : 0;
      moves_committed += committed->change == RecordChange::move_committed ? 1 : 0;
      moves_aborted += committed->change == RecordChange::move_aborted ? 1 : 0;
    } else if (std::holds_alternative<Crashed>(observed.fact)) {
      ++crashes;
    }
    lookups_crossed += std::holds_alternative<LookupCrossed>(observed.fact) ? 1U : 0U;
    sink_->on(observed);
  }

  ReferenceSystem system_;
  ObservationSink* sink_ = nullptr;
};

struct Case {
  Scenario scenario;
  RunReport report;
};

// Runs cases and keeps what they reached together.
class Cases {
 public:
  Case run(const Bytes& bytes, impl::Mutant mutant) {
    sim::ByteChoices choices(bytes);
    Plan plan = draw_plan(choices, mutant);
    const FaultLimits limits = fault_limits_of(plan.scenario);
    Case result;
    result.report = driver_.run(system_, std::move(plan), limits, choices, result.scenario);
    ++count_;
    undecided_ += result.report.is_undecided ? 1 : 0;
    reached_ |= result.report.reached;
    signals_ |= result.report.signals;
    return result;
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t undecided() const { return undecided_; }
  const CountedSystem& seen() const { return system_; }
  bool is_reached(MovePhase phase, FaultKind fault) const { return reached_.has(phase, fault); }
  bool is_given(Signal signal) const { return signals_.test(static_cast<std::size_t>(signal)); }

 private:
  CountedSystem system_;
  ScenarioDriver driver_;
  std::uint64_t count_ = 0;
  std::uint64_t undecided_ = 0;
  Reach reached_;
  std::bitset<3> signals_;
};

// Shrunk, written down, and told in words.
std::string explain(const Bytes& bytes, impl::Mutant mutant, ClauseId clause) {
  ScenarioRunner runner;
  sim::ByteChoices choices(bytes);
  const Counterexample found = shrink_counterexample(runner, choices, mutant, clause, kShrinkRunsMax);
  const Result<std::string> path = write_counterexample(found, "findings");
  return to_text(found, path ? *path : to_string(path.error()));
}

// Every phase saw some fault and every fault some phase; from many cases on, every fault struck in every phase.
void expect_reached(const Cases& cases) {
  std::bitset<kMovePhases> phases;
  std::bitset<kFaultKinds> faults;
  for (std::size_t phase = 0; phase < kMovePhases; ++phase) {
    for (std::size_t fault = 0; fault < kFaultKinds; ++fault) {
      const bool is_reached = cases.is_reached(static_cast<MovePhase>(phase), static_cast<FaultKind>(fault));
      EXPECT_TRUE(is_reached || cases.count() < kCasesForEveryPair)
          << "no fault '" << name_of(static_cast<FaultKind>(fault)) << "' while a move was in phase '"
          << name_of(static_cast<MovePhase>(phase)) << "'";
      phases[phase] = phases[phase] || is_reached;
      // A fault before or after a move is none in the middle of one.
      faults[fault] = faults[fault] || (is_reached && static_cast<MovePhase>(phase) != MovePhase::none);
    }
  }
  EXPECT_TRUE(phases.all()) << "phases without a fault: " << phases;
  EXPECT_TRUE(faults.all()) << "faults outside of moves alone: " << faults;
}

TEST(ClusterProperty, reference_violates_nothing) {
  Cases cases;

  const bool has_held = rc::check("the reference violates nothing", [&] {
    const Bytes bytes = *any_bytes();
    const Case it = cases.run(bytes, impl::Mutant::none);
    RC_ASSERT(!it.report.was_cut_short);
    if (!it.report.violations.empty()) {
      RC_FAIL(explain(bytes, impl::Mutant::none, it.report.violations.front().clause));
    }
  });

  EXPECT_TRUE(has_held);
  const CountedSystem& seen = cases.seen();
  fmt::print(
      "{} cases, {} undecided; moves: {} begun, {} committed, {} aborted; {} crashes; {} lookups met a split of their "
      "metadata shard\n",
      cases.count(), cases.undecided(), seen.moves_begun, seen.moves_committed, seen.moves_aborted, seen.crashes,
      seen.lookups_crossed);
  EXPECT_LE(cases.undecided(), cases.count() / 100);
  if (cases.count() < kCasesForReach) {
    GTEST_SKIP() << "what was reached is judged from " << kCasesForReach << " cases on";
  }
  EXPECT_GE(seen.moves_committed, cases.count() / 4);
  EXPECT_GE(seen.moves_aborted, cases.count() / 100);
  EXPECT_GE(seen.crashes, cases.count() / 20);
  EXPECT_GE(seen.lookups_crossed, cases.count() / 200);
  expect_reached(cases);
  for (const Signal signal : {Signal::stale_epoch, Signal::not_owner, Signal::transient}) {
    EXPECT_TRUE(cases.is_given(signal)) << name_of(signal);
  }
}

TEST(ClusterProperty, written_scenario_is_the_same_run_again) {
  Cases cases;
  ScenarioRunner runner;
  rc::detail::TestParams parameters = rc::detail::configuration().testParams;
  parameters.maxSuccess /= 4;  // each case is run twice, written and read

  const rc::detail::TestResult result = rc::detail::checkTestable(
      [&] {
        const Case it = cases.run(*any_bytes(), impl::Mutant::none);
        const std::string text = to_text(it.scenario);
        const Result<Scenario> read = parse_scenario(text, "written");
        RC_ASSERT(read.has_value());
        RC_ASSERT(to_text(*read) == text);
        const RunReport& again = runner.run(*read);
        RC_ASSERT(again.digest == it.report.digest);
        RC_ASSERT(again.events == it.report.events);
        RC_ASSERT(again.violations == it.report.violations);
      },
      rc::detail::TestMetadata{}, parameters);

  std::ostringstream words;
  rc::detail::printResultMessage(result, words);
  EXPECT_TRUE(result.is<rc::detail::SuccessResult>()) << words.str();
  EXPECT_GE(cases.seen().moves_committed, cases.count() / 4);
  EXPECT_GE(cases.seen().crashes, cases.count() / 20);
}

// The same property on a seeded bug, which it must find within `cases_max` cases by one of the rows that the bug's
// table names; what is shrunk is smaller and breaks the same row.
void expect_found(impl::Mutant mutant, int cases_max) {
  Cases cases;
  Bytes found_by;
  std::optional<ClauseId> found;
  std::size_t found_size = 0;
  rc::detail::TestParams parameters;
  parameters.seed = 1;
  parameters.maxSuccess = cases_max;
  const impl::MutantRow& row = impl::row_of(mutant);

  rc::detail::checkTestable(
      [&] {
        const Bytes bytes = *any_bytes();
        const Case it = cases.run(bytes, mutant);
        for (const Violation& violation : it.report.violations) {
          if (std::ranges::find(row.clauses, violation.clause) != row.clauses.end()) {
            found_by = bytes;
            found = violation.clause;
            found_size = it.scenario.size();
            RC_FAIL("violated");
          }
        }
      },
      rc::detail::TestMetadata{}, parameters);

  ASSERT_TRUE(found.has_value()) << row.name << " survived " << cases.count() << " cases";
  ScenarioRunner runner;
  sim::ByteChoices choices(found_by);
  const Counterexample shrunk = shrink_counterexample(runner, choices, mutant, *found, kShrinkRunsMax);
  fmt::print("{} violated {} in case {}, shrunk from {} to {} steps\n", row.name, clause(*found).text_id, cases.count(),
             found_size, shrunk.scenario.size());
  EXPECT_LT(shrunk.scenario.size(), found_size);
  EXPECT_EQ(shrunk.violation.clause, *found);
  const Violation* again = runner.run(shrunk.scenario).violation_of(*found);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(*again, shrunk.violation);
  EXPECT_THAT(to_text(shrunk, "x.scenario"),
              testing::StartsWith(fmt::format("violated {} {}\n", clause(*found).text_id, clause(*found).name)));
}

TEST(ClusterProperty, rapidcheck_finds_move_no_tombstones) { expect_found(impl::Mutant::move_no_tombstones, 2'000); }
TEST(ClusterProperty, rapidcheck_finds_fence_accepts_future) {
  expect_found(impl::Mutant::fence_accepts_future, 2'000);
}
TEST(ClusterProperty, rapidcheck_finds_lease_check_at_admission_only) {
  expect_found(impl::Mutant::lease_check_at_admission_only, 2'000);
}

}  // namespace
}  // namespace shardcheck::harness

// So many cases and this seed, unless RC_PARAMS says something else: RC_PARAMS="max_success=100000" tries fresh ones.
// RapidCheck prints the seed it uses.
int main(int argc, char** argv) {
  setenv("RC_PARAMS", "seed=1 max_success=2000", 0);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
