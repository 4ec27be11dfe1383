#include "sim/clock.h"

#include <gtest/gtest.h>

#include <string_view>

namespace shardcheck::sim {
namespace {

constexpr Duration kBound = milliseconds(2);
constexpr TrueTime at_ms(std::int64_t ms) { return TrueTime{ms * 1'000'000}; }
constexpr Instant reads_ms(std::int64_t ms) { return Instant{ms * 1'000'000}; }

TEST(Clock, an_exact_clock_reads_true_time) {
  const Clock clock(Duration{}, 0, kBound);

  EXPECT_EQ(clock.read(at_ms(70)), reads_ms(70));
  EXPECT_EQ(clock.when_reads(reads_ms(80), at_ms(70)), at_ms(80));
}

TEST(Clock, drifts_by_parts_per_million_of_true_time) {
  const Clock fast(milliseconds(1), 500, kBound);
  const Clock slow(milliseconds(1), -500, kBound);

  EXPECT_EQ(fast.read(at_ms(1'000)), Instant{1'001'500'000});
  EXPECT_EQ(slow.read(at_ms(1'000)), Instant{1'000'500'000});
}

TEST(Clock, never_leaves_the_bound) {
  const Clock fast(milliseconds(1), 1'000, kBound);
  const Clock slow(milliseconds(-1), -1'000, kBound);

  for (std::int64_t ms = 0; ms <= 10'000; ms += 100) {
    SCOPED_TRACE(ms);
    EXPECT_LE(fast.read(at_ms(ms)), reads_ms(ms) + kBound);
    EXPECT_GE(slow.read(at_ms(ms)), reads_ms(ms) - kBound);
  }
  EXPECT_EQ(fast.read(at_ms(10'000)), reads_ms(10'002));
  EXPECT_EQ(slow.read(at_ms(10'000)), reads_ms(9'998));
}

TEST(Clock, a_shift_beyond_the_bound_stops_at_it) {
  Clock clock(Duration{}, 0, kBound);

  clock.shift_to(milliseconds(50), at_ms(10));

  EXPECT_EQ(clock.read(at_ms(10)), reads_ms(12));
  EXPECT_EQ(clock.shifts(), 1U);
}

TEST(Clock, a_drift_changes_when_it_was_said_to) {
  Clock clock(milliseconds(1), 500, kBound);
  clock.change_drift({at_ms(1'000), -1'000});
  clock.change_drift({at_ms(2'000), 0});

  EXPECT_EQ(clock.read(at_ms(1'000)), Instant{1'001'500'000});
  EXPECT_EQ(clock.read(at_ms(1'500)), Instant{1'501'000'000});
  EXPECT_EQ(clock.read(at_ms(2'000)), Instant{2'000'500'000});
  EXPECT_EQ(clock.read(at_ms(9'000)), Instant{9'000'500'000});
}

TEST(Clock, a_clock_at_its_bound_leaves_it_at_once_when_the_drift_turns) {
  Clock clock(Duration{}, 1'000, kBound);
  clock.change_drift({at_ms(5'000), -1'000});

  EXPECT_EQ(clock.read(at_ms(5'000)), reads_ms(5'002));
  EXPECT_EQ(clock.read(at_ms(6'000)), reads_ms(6'001));
}

TEST(Clock, what_it_will_read_is_known_across_a_change_of_drift) {
  Clock clock(Duration{}, 1'000, kBound);
  clock.change_drift({at_ms(1'000), -1'000});

  const TrueTime at = clock.when_reads(reads_ms(1'500), at_ms(10));

  EXPECT_GE(clock.read(at), reads_ms(1'500));
  EXPECT_LT(clock.read(TrueTime{at.value - 1}), reads_ms(1'500));
}

TEST(Clock, a_shift_leaves_the_changes_to_come_as_they_are) {
  Clock clock(Duration{}, 1'000, kBound);
  clock.change_drift({at_ms(100), 0});
  clock.change_drift({at_ms(2'000), -500});

  clock.shift_to(milliseconds(1), at_ms(500));

  EXPECT_EQ(clock.read(at_ms(1'000)), reads_ms(1'001));
  EXPECT_EQ(clock.read(at_ms(3'000)), Instant{3'000'500'000});
}

TEST(Clock, drift_goes_on_from_a_shift) {
  Clock clock(milliseconds(1), 500, kBound);

  clock.shift_to(milliseconds(-1), at_ms(1'000));

  EXPECT_EQ(clock.read(at_ms(1'000)), reads_ms(999));
  EXPECT_EQ(clock.read(at_ms(2'000)), Instant{1'999'500'000});
}

TEST(Clock, an_instant_that_has_passed_is_now) {
  const Clock clock(milliseconds(1), 0, kBound);

  EXPECT_EQ(clock.when_reads(reads_ms(71), at_ms(70)), at_ms(70));
  EXPECT_EQ(clock.when_reads(reads_ms(3), at_ms(70)), at_ms(70));
}

struct Case {
  std::string_view name;
  Duration offset;
  std::int64_t drift_ppm;
};

void expect_first_time(const Clock& clock, Instant instant, TrueTime now) {
  const TrueTime when = clock.when_reads(instant, now);
  EXPECT_GE(clock.read(when), instant);
  for (std::int64_t before = 1; before <= 50 && when.value - before >= now.value; ++before) {
    EXPECT_LT(clock.read(when - nanoseconds(before)), instant) << before << " ns before";
  }
}

TEST(Clock, when_reads_is_the_first_such_time) {
  const Case cases[] = {
      {"fast", milliseconds(1), 700},
      {"slow", milliseconds(1), -700},
      {"slow from behind", milliseconds(-1), -300},
      {"reaches the upper bound", Duration{1'999'990}, 1'000},
      {"reaches the lower bound", Duration{-1'999'990}, -1'000},
  };
  for (const Case& it : cases) {
    SCOPED_TRACE(it.name);
    const Clock clock(it.offset, it.drift_ppm, kBound);
    for (std::int64_t ns = 1; ns < 60'000'000; ns += 3'333'337) {
      SCOPED_TRACE(ns);
      expect_first_time(clock, clock.read(at_ms(5)) + nanoseconds(ns), at_ms(5));
    }
  }
}

TEST(Clock, when_reads_is_the_first_such_time_after_a_shift_back) {
  Clock clock(milliseconds(2), 400, kBound);
  const Instant due = clock.read(at_ms(10));

  clock.shift_to(milliseconds(-2), at_ms(9));

  expect_first_time(clock, due, at_ms(9));
  EXPECT_GT(clock.when_reads(due, at_ms(9)), at_ms(13));
}

}  // namespace
}  // namespace shardcheck::sim
