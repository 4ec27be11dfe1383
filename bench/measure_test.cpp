#include "bench/measure.h"

#include <gtest/gtest.h>

#include <string>

namespace shardcheck::bench {
namespace {

// A clock that only the work moves.
struct Machine {
  std::int64_t now_ns = 0;
  std::string turns;

  auto work(char name, std::int64_t cost_ns) {
    return [this, name, cost_ns] {
      now_ns += cost_ns;
      turns += name;
    };
  }
  auto clock() {
    return [this] { return now_ns; };
  }
};

TEST(Measure, a_subject_four_times_as_fast_has_speedup_four) {
  Machine machine;

  const Ratio ratio = measure_in_turns(10, machine.work('s', 100), machine.work('b', 400),
                                       {.repetitions = 3, .repetition_ns_min = 1}, machine.clock());

  EXPECT_EQ(ratio.subject_ns, 10);
  EXPECT_EQ(ratio.baseline_ns, 40);
  EXPECT_EQ(ratio.speedup(), 4);
}

TEST(Measure, the_two_take_turns_in_alternating_order) {
  Machine machine;

  measure_in_turns(1, machine.work('s', 100), machine.work('b', 100), {.repetitions = 3, .repetition_ns_min = 1},
                   machine.clock());

  // Once each to find the length of a turn, then three rounds.
  EXPECT_EQ(machine.turns,
            "sb"
            "sb"
            "bs"
            "sb");
}

TEST(Measure, a_turn_calls_until_it_is_long_enough) {
  Machine machine;

  const Ratio ratio = measure_in_turns(1, machine.work('s', 10), machine.work('b', 1000),
                                       {.repetitions = 1, .repetition_ns_min = 70}, machine.clock());

  // 1 + 2 + 4 + 8 calls to find 8, then one turn of 8; the baseline is long enough at once.
  EXPECT_EQ(machine.turns, std::string(15, 's') + "b" + std::string(8, 's') + "b");
  EXPECT_EQ(ratio.subject_ns, 10);
}

TEST(Measure, one_slow_turn_decides_nothing) {
  Machine machine;
  int calls = 0;
  const auto disturbed = [&] { machine.now_ns += ++calls == 3 ? 100'000 : 100; };

  const Ratio ratio = measure_in_turns(1, disturbed, machine.work('b', 200), {.repetitions = 5, .repetition_ns_min = 1},
                                       machine.clock());

  EXPECT_EQ(ratio.speedup(), 2);
}

TEST(Measure, real_work_takes_cpu_time) {
  std::uint64_t sum = 0;
  const auto add = [&sum] {
    for (std::uint64_t value = 0; value < 1000; ++value) {
      sum += value;
      keep(sum);
    }
  };

  const Ratio ratio = measure_in_turns(1000, add, add, {.repetitions = 5, .repetition_ns_min = 1'000'000});

  EXPECT_GT(ratio.subject_ns, 0);
  EXPECT_GT(ratio.baseline_ns, 0);
}

}  // namespace
}  // namespace shardcheck::bench
