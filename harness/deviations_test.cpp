#include "harness/deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>
#include <vector>

#include "impl/messages.h"
#include "sim/disk.h"

namespace shardcheck::harness {
namespace {

using sim::Anchor;
using sim::Deviation;
using sim::Moment;

// Answers by the kind of the question, and counts the questions.
class Answers final : public sim::Choices {
 public:
  explicit Answers(std::function<std::uint64_t(Ask kind, std::uint64_t n)> answer) : answer_(std::move(answer)) {}
  std::uint64_t below(std::uint64_t n, sim::Label label) override {
    ++questions;
    return answer_(static_cast<Ask>(label.kind), n);
  }
  std::uint64_t questions = 0;

 private:
  std::function<std::uint64_t(Ask kind, std::uint64_t n)> answer_;
};

FaultProfile all_faults(std::uint32_t gap) {
  FaultProfile profile{.gap = gap};
  profile.is_enabled.fill(true);
  return profile;
}
FaultProfile only(FaultKind kind, std::uint32_t gap) {
  FaultProfile profile{.gap = gap};
  profile.is_enabled[static_cast<std::size_t>(kind)] = true;
  return profile;
}
// Process 0 is the directory, 1 and 2 may lose their disks, and one of them itself for good, 3 is a router.
FaultLimits limits() {
  FaultLimits limits{.clock_offset_max = milliseconds(2), .may_lose_disk = {NodeId{1}, NodeId{2}}};
  limits.may_be_lost[1] = {.first = NodeId{1}, .end = NodeId{3}, .most = 1};
  return limits;
}

Anchor message(std::uint32_t i) {
  const auto from = static_cast<std::uint16_t>(i % 4);
  return {static_cast<std::uint8_t>(i % 7), NodeId{from},
          NodeId{static_cast<std::uint16_t>((from + 1 + i / 4 % 3) % 4)}, i};
}

TEST(DrawnDeviations, a_quiet_run_asks_and_draws_nothing) {
  struct Case {
    const char* name;
    FaultProfile profile;
  };
  for (const Case& each : {Case{"no gap", all_faults(0)}, Case{"no fault enabled", FaultProfile{.gap = 30}}}) {
    SCOPED_TRACE(each.name);
    Answers choices([](Ask, std::uint64_t n) { return n - 1; });
    DrawnDeviations deviations;
    deviations.reset(each.profile, limits(), choices);

    for (std::uint32_t i = 0; i < 10'000; ++i) {
      EXPECT_EQ(deviations.at(message(i)), nullptr);
    }

    EXPECT_EQ(choices.questions, 0U);
    EXPECT_TRUE(deviations.drawn().empty());
  }
}

TEST(DrawnDeviations, answer_0_is_no_deviation) {
  Answers choices([](Ask, std::uint64_t) { return 0U; });
  DrawnDeviations deviations;
  deviations.reset(all_faults(30), limits(), choices);

  for (std::uint32_t i = 0; i < 10'000; ++i) {
    EXPECT_EQ(deviations.at(message(i)), nullptr);
  }

  EXPECT_GT(choices.questions, 300U);
  EXPECT_TRUE(deviations.drawn().empty());
}

TEST(DrawnDeviations, answer_0_of_the_gap_is_its_mean) {
  Answers choices([](Ask kind, std::uint64_t) { return kind == Ask::deviation_kind ? 1U : 0U; });
  DrawnDeviations deviations;
  deviations.reset(only(FaultKind::dropped, 60), limits(), choices);
  std::vector<std::uint32_t> struck;

  for (std::uint32_t i = 1; i <= 200; ++i) {
    if (deviations.at(message(i)) != nullptr) {
      struck.push_back(i);
    }
  }

  EXPECT_EQ(struck, (std::vector<std::uint32_t>{61, 122, 183}));
  EXPECT_EQ(deviations.drawn().size(), 3U);
  EXPECT_EQ(deviations.drawn()[1].anchor, message(122));
  EXPECT_EQ(deviations.drawn()[1].kind, FaultKind::dropped);
}

// What a tape does not hold needs no questions: a tape with one deviation strikes once, and then the run is as fast as
// a quiet one.
TEST(DrawnDeviations, choices_that_are_exhausted_are_not_asked_again) {
  const sim::Tape tape{{label(Ask::deviation_kind, 2), 1}};
  sim::RecordedChoices recorded(tape);
  class Counted final : public sim::Choices {
   public:
    explicit Counted(sim::Choices& source) : source_(source) {}
    std::uint64_t below(std::uint64_t n, sim::Label label) override {
      ++questions;
      return source_.below(n, label);
    }
    bool is_exhausted() const override { return source_.is_exhausted(); }
    std::uint64_t questions = 0;

   private:
    sim::Choices& source_;
  } choices(recorded);
  DrawnDeviations deviations;
  deviations.reset(only(FaultKind::delayed, 10), limits(), choices);

  std::vector<std::uint32_t> struck;
  for (std::uint32_t i = 1; i <= 10'000; ++i) {
    if (deviations.at(message(i)) != nullptr) {
      struck.push_back(i);
    }
  }

  EXPECT_EQ(struck, (std::vector<std::uint32_t>{22}));
  EXPECT_EQ(choices.questions, 5U);  // gap, kind, gap, kind, size
}

TEST(DrawnDeviations, a_disk_is_lost_only_where_it_may_be) {
  sim::SeededChoices choices(9);
  DrawnDeviations deviations;
  deviations.reset(only(FaultKind::disk_lost, 5), limits(), choices);
  std::size_t lost = 0;
  std::size_t crashed = 0;

  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const Deviation* deviation = deviations.at(message(i));
    if (deviation == nullptr) {
      continue;
    }
    const NodeId victim = deviation->moment == Moment::after_sending ? deviation->anchor.from : deviation->anchor.to;
    const bool may_lose = victim == NodeId{1} || victim == NodeId{2};
    EXPECT_EQ(deviation->kind, may_lose ? FaultKind::disk_lost : FaultKind::crashed);
    (may_lose ? lost : crashed) += 1;
  }

  EXPECT_GT(lost, 100U);
  EXPECT_GT(crashed, 100U);
}

TEST(DrawnDeviations, only_so_many_are_lost_for_good) {
  sim::SeededChoices choices(9);
  DrawnDeviations deviations;
  deviations.reset(only(FaultKind::lost_for_good, 5), limits(), choices);
  std::vector<NodeId> lost;

  for (std::uint32_t i = 0; i < 1'000; ++i) {
    const Deviation* deviation = deviations.at(message(i));
    if (deviation != nullptr && deviation->kind == FaultKind::lost_for_good) {
      lost.push_back(deviation->moment == Moment::after_sending ? deviation->anchor.from : deviation->anchor.to);
    }
  }

  ASSERT_EQ(lost.size(), 1U);
  EXPECT_TRUE(lost[0] == NodeId{1} || lost[0] == NodeId{2});
  EXPECT_GT(deviations.drawn().size(), 50U);
  EXPECT_EQ(deviations.drawn().back().kind, FaultKind::crashed);
}

TEST(DrawnDeviations, every_enabled_fault_strikes_within_its_limits) {
  sim::SeededChoices choices(4);
  DrawnDeviations deviations;
  deviations.reset(all_faults(5), limits(), choices);
  std::set<FaultKind> kinds;
  std::set<Moment> moments;
  bool is_clock_set_back = false;

  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const Deviation* deviation = deviations.at(message(i));
    if (deviation == nullptr) {
      continue;
    }
    EXPECT_EQ(deviation->anchor, message(i));
    kinds.insert(deviation->kind);
    moments.insert(deviation->moment);
    if (deviation->kind == FaultKind::clock_shifted) {
      EXPECT_GE(deviation->duration, milliseconds(-2));
      EXPECT_LE(deviation->duration, milliseconds(2));
      is_clock_set_back |= deviation->duration < Duration{};
    } else {
      const bool has_size = deviation->kind != FaultKind::dropped && deviation->kind != FaultKind::held_until_phase &&
                            deviation->kind != FaultKind::lost_for_good;
      EXPECT_EQ(deviation->duration > Duration{}, has_size);
    }
    EXPECT_LT(deviation->until_signal, kMovePhases);
  }

  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(kFaultKinds));
  EXPECT_EQ(moments.size(), static_cast<std::size_t>(sim::kMoments));
  EXPECT_TRUE(is_clock_set_back);
}

// How many crashes of a long run leave a torn record, by how much of it.
std::array<int, sim::kTornWhole + 1> torn_by_crashes(bool may_tear_records) {
  sim::SeededChoices choices(11);
  DrawnDeviations deviations;
  FaultLimits tearing = limits();
  tearing.may_tear_records = may_tear_records;
  deviations.reset(only(FaultKind::crashed, 5), tearing, choices);
  std::array<int, sim::kTornWhole + 1> counts{};
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    if (const Deviation* deviation = deviations.at(message(i))) {
      ++counts.at(deviation->torn);
    }
  }
  return counts;
}

TEST(DrawnDeviations, crashes_tear_records_where_they_may) {
  const auto counts = torn_by_crashes(true);
  const int all = std::accumulate(counts.begin(), counts.end(), 0);

  EXPECT_GT(counts[0], all / 3);
  EXPECT_LT(counts[0], all * 2 / 3);
  EXPECT_GT(*std::ranges::min_element(counts), 10);
  EXPECT_EQ(torn_by_crashes(false)[0], all);
}

TEST(DrawnDeviations, a_reset_forgets_the_run_before) {
  sim::SeededChoices choices(4);
  DrawnDeviations deviations;
  const auto draw = [&] {
    deviations.reset(all_faults(5), limits(), choices);
    for (std::uint32_t i = 0; i < 1'000; ++i) {
      deviations.at(message(i));
    }
    return deviations.drawn();
  };

  const std::vector<Deviation> first = draw();

  EXPECT_FALSE(first.empty());
  EXPECT_EQ(draw(), first);
}

Deviation drop(const Anchor& anchor) { return {.anchor = anchor, .kind = FaultKind::dropped}; }

TEST(ScriptedDeviations, strike_exactly_at_their_anchors) {
  const Anchor first{3, NodeId{1}, NodeId{2}, 5};
  const Anchor same_ends{3, NodeId{1}, NodeId{2}, 7};
  const Anchor last_kind{impl::kMessageKinds - 1, NodeId{0}, NodeId{3}, 0};
  const Anchor never{9, NodeId{0}, NodeId{1}, 100};
  ScriptedDeviations deviations;
  deviations.reset({drop(last_kind), drop(same_ends), drop(never), drop(first)});
  std::set<Anchor> struck;

  for (std::uint8_t kind = 0; kind < impl::kMessageKinds; ++kind) {
    for (std::uint16_t ends = 0; ends < 16; ++ends) {
      for (std::uint32_t count = 0; count < 10; ++count) {
        const Anchor anchor{kind, NodeId{static_cast<std::uint16_t>(ends / 4)},
                            NodeId{static_cast<std::uint16_t>(ends % 4)}, count};
        if (const Deviation* deviation = deviations.at(anchor)) {
          EXPECT_EQ(deviation->anchor, anchor);
          struck.insert(anchor);
        }
      }
    }
  }

  EXPECT_EQ(struck, (std::set<Anchor>{first, same_ends, last_kind}));
  EXPECT_EQ(deviations.reached(), 3U);
}

TEST(ScriptedDeviations, an_empty_script_never_strikes) {
  ScriptedDeviations deviations;
  deviations.reset({drop({3, NodeId{1}, NodeId{2}, 5})});
  deviations.reset({});

  EXPECT_EQ(deviations.at({3, NodeId{1}, NodeId{2}, 5}), nullptr);
  EXPECT_EQ(deviations.reached(), 0U);
}

}  // namespace
}  // namespace shardcheck::harness
