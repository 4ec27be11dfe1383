// Reading, writing and making recorded histories. Bytes are those of the text.
#include <benchmark/benchmark.h>

#include <string>

#include "histories/formats.h"
#include "histories/history_generator.h"
#include "histories/history_writer.h"
#include "spec/assert.h"

namespace shardcheck::bench {
namespace {

using histories::Format;

constexpr std::uint64_t kOperations = 200'000;

histories::GeneratorOptions options_of(std::uint64_t operations) {
  return {.operations = operations, .clients = 64, .keys = 100, .pending = histories::percent(1)};
}

std::string text_of(const histories::History& history, Format format) {
  std::string text;
  if (format == Format::json_lines) {
    write_json_lines(history, text);
  } else {
    write_edn(history, text);
  }
  return text;
}

void read(benchmark::State& state, Format format, histories::GeneratorOptions options) {
  histories::HistoryBuilder builder;
  SHARDCHECK_ASSERT(generate_history(options, builder).has_value());
  const std::string text = text_of(builder.history(), format);
  for (auto _ : state) {
    const Result<histories::History> history = histories::parse_history(text, "bench", {.format = format});
    SHARDCHECK_ASSERT(history.has_value());
    benchmark::DoNotOptimize(history->operations.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void read_json_lines(benchmark::State& state) { read(state, Format::json_lines, options_of(kOperations)); }
void read_edn(benchmark::State& state) { read(state, Format::edn, options_of(kOperations)); }

// Reads of logs return long lists.
void read_json_lines_of_logs(benchmark::State& state) {
  histories::GeneratorOptions options = options_of(kOperations / 4);
  options.keys = 2'000;
  options.logs = histories::percent(100);
  read(state, Format::json_lines, options);
}

void write_json(benchmark::State& state) {
  histories::HistoryBuilder builder;
  SHARDCHECK_ASSERT(generate_history(options_of(kOperations), builder).has_value());
  std::int64_t bytes = 0;
  for (auto _ : state) {
    write_json_lines(builder.history(), [&bytes](std::string_view piece) {
      benchmark::DoNotOptimize(piece.data());
      bytes += static_cast<std::int64_t>(piece.size());
    });
  }
  state.SetBytesProcessed(bytes);
}

void generate(benchmark::State& state) {
  histories::HistoryBuilder builder;
  for (auto _ : state) {
    SHARDCHECK_ASSERT(generate_history(options_of(kOperations), builder).has_value());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kOperations));
}

BENCHMARK(read_json_lines)->Unit(benchmark::kMillisecond);
BENCHMARK(read_edn)->Unit(benchmark::kMillisecond);
BENCHMARK(read_json_lines_of_logs)->Unit(benchmark::kMillisecond);
BENCHMARK(write_json)->Unit(benchmark::kMillisecond);
BENCHMARK(generate)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace shardcheck::bench

BENCHMARK_MAIN();
