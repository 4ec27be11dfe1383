// The search with a user's model, and the checker, on the logs that Porcupine is measured with, one thread, after
// reading: key-value logs with the whole map as one state, with one state a key, and by the checker; logs of etcd by
// the checker. The logs are not kept here: SHARDCHECK_PORCUPINE_LOGS names their folder (with kv/ and jepsen/).
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/key_value_model.h"
#include "histories/checker.h"
#include "histories/formats.h"
#include "histories/model_search.h"

namespace shardcheck::bench {
namespace {

namespace fs = std::filesystem;
using histories::History;
using histories::Verdict;

using HistoryPointer = std::shared_ptr<const History>;

fs::path folder_of_logs() {
  if (const char* given = std::getenv("SHARDCHECK_PORCUPINE_LOGS"); given != nullptr) {
    return given;
  }
  return fs::path(SHARDCHECK_SOURCE_DIR).parent_path() / "shared/histories/external/porcupine";
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void count_memory_of_process(benchmark::State& state) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["process_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

template <class Model>
void judge_by_model(benchmark::State& state, const History& history, Verdict expected) {
  std::uint32_t keys = 0;
  const auto operations = key_value_operations(history, keys);
  if (keys > WholeMapModel::kKeysMax) {
    state.SkipWithError("more keys than the model has");
    return;
  }
  histories::ModelReport report;
  for (auto _ : state) {
    report = histories::check(operations, Model(history.values));
  }
  if (report.verdict != expected) {
    state.SkipWithError("wrong verdict");
  }
  std::uint64_t memory_bytes = 0;
  for (const histories::PartitionVerdict& partition : report.partitions) {
    memory_bytes = std::max(memory_bytes, partition.memory_bytes);
  }
  state.counters["operations"] = static_cast<double>(operations.size());
  state.counters["steps"] = static_cast<double>(report.steps());
  state.counters["search_MB"] = static_cast<double>(memory_bytes) / (1 << 20);
  count_memory_of_process(state);
}

// Judges them one after another. An expected verdict of undecided: there is no label.
void judge_by_checker(benchmark::State& state, const std::vector<HistoryPointer>& logs, Verdict expected) {
  constexpr std::uint64_t kSteps = 2'000'000;  // of a key: many seconds more would be no figure to compare
  Verdict verdict = Verdict::undecided;
  for (auto _ : state) {
    for (const HistoryPointer& log : logs) {
      verdict =
          histories::check(*log, {.steps_max = kSteps, .explains = false, .stops_at_first_violation = true}).verdict;
    }
  }
  if (verdict == Verdict::undecided) {
    state.SkipWithError("undecided");
  } else if (expected != Verdict::undecided && verdict != expected) {
    state.SkipWithError("wrong verdict");
  }
  count_memory_of_process(state);
}

template <class Judge>
void add_row(const std::string& name, Judge judge) {
  benchmark::RegisterBenchmark(name.c_str(), judge)->Unit(benchmark::kMillisecond);
}

HistoryPointer read(const fs::path& file) {
  auto history = histories::read_history(file);
  return history ? std::make_shared<const History>(std::move(*history)) : nullptr;
}

void add_key_value_rows(const fs::path& file) {
  const HistoryPointer log = read(file);
  if (log == nullptr) {
    return;
  }
  const std::string name = file.stem();
  const Verdict expected = name.ends_with("ok") ? Verdict::linearizable : Verdict::not_linearizable;
  if (!name.starts_with("c50")) {
    add_row("kv_whole_map/" + name, [=](auto& state) { judge_by_model<WholeMapModel>(state, *log, expected); });
    add_row("kv_whole_map_commuting/" + name,
            [=](auto& state) { judge_by_model<CommutingMapModel>(state, *log, expected); });
  }
  add_row("kv_partitioned/" + name, [=](auto& state) { judge_by_model<KeyModelOfOne>(state, *log, expected); });
  add_row("kv_checker/" + name, [=](auto& state) { judge_by_checker(state, {log}, expected); });
}

void add_rows() {
  const fs::path folder = folder_of_logs();
  for (const fs::path& file : files_in(folder / "kv")) {
    add_key_value_rows(file);
  }
  std::vector<HistoryPointer> logs;
  for (const fs::path& file : files_in(folder / "jepsen")) {
    if (const HistoryPointer log = read(file); log != nullptr) {
      logs.push_back(log);
      add_row("etcd_checker/" + file.stem().string(),
              [=](auto& state) { judge_by_checker(state, {log}, Verdict::undecided); });
    }
  }
  add_row("etcd_checker_all", [=](auto& state) {
    if (logs.empty()) {
      state.SkipWithError(("no logs in " + folder.string()).c_str());
      return;
    }
    judge_by_checker(state, logs, Verdict::undecided);
  });
}

}  // namespace
}  // namespace shardcheck::bench

int main(int argc, char** argv) {
  // Memory that was freed is kept for the next round, as Go's runtime does, with which this is compared.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  benchmark::Initialize(&argc, argv);
  shardcheck::bench::add_rows();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
