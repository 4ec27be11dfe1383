// Runs the Google Benchmark programs, bench_* in one folder, one after another as child processes, and collects their
// timings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/baseline.h"
#include "spec/error.h"

namespace shardcheck::bench {

struct SuiteOptions {
  std::string filter = ".";  // a regular expression of Google Benchmark's; matches a part of a name
  int repetitions = 10;
  std::string min_time_s = "0.1";  // how long one repetition lasts, at least
  bool is_quiet = false;           // the programs print their tables on standard error instead of standard output
};

// The programs of a folder, ascending by name: bench_* but not *_test. An error when there is none.
Result<std::vector<std::filesystem::path>> find_suites(const std::filesystem::path& folder);

// Runs everything that the filter matches, repetitions of all benchmarks of a program in random order. An error when it
// matches nothing, when a program fails, or when a benchmark reports an error.
Result<Baseline> run_suites(const std::vector<std::filesystem::path>& suites, const SuiteOptions& options);

// The samples in what a program wrote with --benchmark_out_format=json: CPU time of each repetition, in nanoseconds.
Result<std::vector<Figures>> parse_suite_output(std::string_view text, std::string_view file);

// This machine in a few words, without its name: processor, number of processors, compiler.
std::string describe_machine();

}  // namespace shardcheck::bench
