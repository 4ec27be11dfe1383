// The checker of histories, one thread, on histories that are in memory already: per operation the time, and the most
// memory it took beside the history.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <string>

#include "bench/history_samples.h"
#include "histories/checker.h"
#include "histories/large_pages.h"

namespace {

// What the program has on its heap, and the most since it was last asked.
std::size_t live_bytes = 0;
std::size_t peak_bytes = 0;

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = shardcheck::histories::allocate_in_large_pages(size);
  if (memory == nullptr) {
    std::abort();
  }
  live_bytes += malloc_usable_size(memory);
  peak_bytes = live_bytes > peak_bytes ? live_bytes : peak_bytes;
  return memory;
}

void operator delete(void* memory) noexcept {
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace shardcheck::bench {
namespace {

using histories::Verdict;

void check_sample(benchmark::State& state, const HistorySample& sample, const histories::CheckOptions& options) {
  const std::size_t before = live_bytes;
  const histories::History history = make_history(sample);
  const std::size_t with_history = live_bytes;
  const Verdict expected = sample.has_stale_read ? Verdict::not_linearizable : Verdict::linearizable;
  peak_bytes = live_bytes;
  for (auto _ : state) {
    // A new one each time: its memory is part of the work.
    const histories::CheckReport report = histories::check(history, options);
    if (report.verdict == Verdict::undecided) {
      state.SkipWithError(std::string(name_of(report.keys.front().shortage)).c_str());
    } else if (report.verdict != expected) {
      state.SkipWithError("wrong verdict");
    }
  }
  const auto operations = static_cast<double>(sample.operations);
  state.counters["bytes_per_operation"] = static_cast<double>(peak_bytes - with_history) / operations;
  state.counters["with_history"] = static_cast<double>(peak_bytes - before) / operations;
  state.counters["ns_per_operation"] = benchmark::Counter(
      operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Values written once, 64 clients.
void check_unique(benchmark::State& state) {
  check_sample(state,
               {.operations = static_cast<std::uint64_t>(state.range(0)),
                .keys = static_cast<std::uint32_t>(state.range(1)),
                .pending_in_1000 = static_cast<std::uint32_t>(state.range(2)) * 10,
                .has_stale_read = state.range(3) != 0},
               {.memory_bytes_max = std::uint64_t{8} << 30U, .explains = false});
}

// The same with the first answer that cannot be explained.
void explain_unique(benchmark::State& state) {
  check_sample(
      state, {.operations = static_cast<std::uint64_t>(state.range(0)), .pending_in_1000 = 10, .has_stale_read = true},
      {});
}

// Values written again and again: the search.
void check_repeated(benchmark::State& state) {
  check_sample(state,
               {.operations = static_cast<std::uint64_t>(state.range(0)),
                .clients = static_cast<std::uint32_t>(state.range(1)),
                .pending_in_1000 = static_cast<std::uint32_t>(state.range(2)),
                .values = state.range(3) == 0 ? 10U : 1000U,
                .has_stale_read = state.range(3) != 0},
               {.explains = false});
}

BENCHMARK(check_unique)
    ->ArgNames({"operations", "keys", "pending%", "stale"})
    ->Unit(benchmark::kMillisecond)
    ->ArgsProduct({{1'000'000}, {1}, {0, 1, 5}, {0, 1}})
    ->ArgsProduct({{1'000'000}, {100}, {1}, {0, 1}})
    ->ArgsProduct({{10'000, 100'000, 10'000'000}, {1}, {1}, {0}});
BENCHMARK(explain_unique)->ArgName("operations")->Unit(benchmark::kMillisecond)->Arg(1'000'000);
BENCHMARK(check_repeated)
    ->ArgNames({"operations", "clients", "pending_in_1000", "stale"})
    ->Unit(benchmark::kMillisecond)
    ->ArgsProduct({{10'000, 100'000, 1'000'000}, {8}, {0}, {0, 1}})
    ->ArgsProduct({{10'000, 100'000, 1'000'000}, {8}, {1}, {0}})
    ->Args({10'000, 8, 1, 1});  // ten times as long, it is not refuted within the memory

}  // namespace
}  // namespace shardcheck::bench

BENCHMARK_MAIN();
