// Measures one way of doing a piece of work against another one: in one process, in turns, by the CPU time of this
// thread, and by medians, so that neither another process nor a slow second of the machine decides. Absolute figures
// do not travel between machines; the ratio does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/statistics.h"
#include "spec/assert.h"

namespace shardcheck::bench {

// Medians, nanoseconds of CPU time an operation.
struct Ratio {
  double subject_ns = 0;
  double baseline_ns = 0;

  // How many times faster than the baseline the subject is: 2 is twice as fast, below 1 is slower.
  double speedup() const { return baseline_ns / subject_ns; }
};

struct MeasureOptions {
  int repetitions = 15;                         // turns each of the two gets
  std::int64_t repetition_ns_min = 10'000'000;  // a turn calls its function as often as it takes to last so long
  std::int64_t calls_max = 1 << 20;             // calls in a turn, at most
};

// Nanoseconds of CPU time this thread has used.
std::int64_t thread_cpu_ns();

// Makes the compiler believe that `value` is used, so that the work that computed it is not removed.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

namespace detail {

template <class Work, class Clock>
std::int64_t time_of_calls(std::int64_t calls, Work& work, Clock& now_ns) {
  const std::int64_t start_ns = now_ns();
  for (std::int64_t call = 0; call < calls; ++call) {
    work();
  }
  return now_ns() - start_ns;
}

// How many calls a turn needs to last long enough. Warms the caches on the way.
template <class Work, class Clock>
std::int64_t calls_of_turn(Work& work, Clock& now_ns, const MeasureOptions& options) {
  std::int64_t calls = 1;
  while (calls < options.calls_max && time_of_calls(calls, work, now_ns) < options.repetition_ns_min) {
    calls *= 2;
  }
  return calls;
}

}  // namespace detail

// Calls `subject()` and `baseline()`, each of which does `operations` operations and keep()s what it computed, in turns
// whose order alternates. The clock is an argument for tests only.
template <class Subject, class Baseline, class Clock = std::int64_t (*)()>
Ratio measure_in_turns(std::size_t operations, Subject&& subject, Baseline&& baseline,
                       const MeasureOptions& options = {}, Clock now_ns = thread_cpu_ns) {
  SHARDCHECK_ASSERT(operations > 0);
  SHARDCHECK_ASSERT(options.repetitions > 0);
  const std::int64_t subject_calls = detail::calls_of_turn(subject, now_ns, options);
  const std::int64_t baseline_calls = detail::calls_of_turn(baseline, now_ns, options);
  std::vector<double> subject_ns;
  std::vector<double> baseline_ns;
  const auto take_turn = [&](auto& work, std::int64_t calls, std::vector<double>& samples_ns) {
    const std::int64_t spent_ns = detail::time_of_calls(calls, work, now_ns);
    samples_ns.push_back(static_cast<double>(spent_ns) /
                         (static_cast<double>(calls) * static_cast<double>(operations)));
  };

  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    const bool subject_is_first = repetition % 2 == 0;
    if (subject_is_first) {
      take_turn(subject, subject_calls, subject_ns);
    }
    take_turn(baseline, baseline_calls, baseline_ns);
    if (!subject_is_first) {
      take_turn(subject, subject_calls, subject_ns);
    }
  }
  return {.subject_ns = median(subject_ns), .baseline_ns = median(baseline_ns)};
}

}  // namespace shardcheck::bench
