#include "bench/suites.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

extern char** environ;

namespace shardcheck::bench {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// A file that is gone when this goes out of scope.
class TemporaryFile {
 public:
  TemporaryFile() : path_((fs::temp_directory_path() / "shardcheck-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file >= 0) {
      close(file);
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { unlink(path_.c_str()); }

  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

// Where the standard output of a program goes.
struct Output {
  std::optional<std::string> file;  // else to ours, or, when `to_error`, to our standard error
  bool to_error = false;
};

// Runs a program to its end. An error when it cannot be started or does not end with 0.
Result<void> run_program(const fs::path& program, std::vector<std::string> arguments, const Output& output) {
  arguments.insert(arguments.begin(), program.string());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output.file) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.file->c_str(), O_WRONLY | O_TRUNC, 0);
  } else if (output.to_error) {
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  }
  pid_t child = 0;
  std::fflush(stdout);
  const int failure = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return fail(program.string(), fmt::format("cannot be started: {}", std::strerror(failure)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return fail(program.string(), fmt::format("cannot be waited for: {}", std::strerror(errno)));
    }
  }
  if (WIFSIGNALED(status)) {
    return fail(program.string(), fmt::format("was ended by signal {}", WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != 0) {
    return fail(program.string(), fmt::format("ended with {}", WEXITSTATUS(status)));
  }
  return {};
}

// Whether the filter matches a benchmark of the program.
Result<bool> has_match(const fs::path& suite, const std::string& filter) {
  const TemporaryFile names;
  const Result<void> listed = run_program(suite, {"--benchmark_list_tests=true", "--benchmark_filter=" + filter},
                                          {.file = names.path(), .to_error = false});
  if (!listed) {
    return std::unexpected(listed.error());
  }
  return names.text().find_first_not_of(" \n") != std::string::npos;
}

Result<std::vector<Figures>> run_suite(const fs::path& suite, const SuiteOptions& options) {
  const TemporaryFile figures;
  const Result<void> done = run_program(
      suite,
      {"--benchmark_filter=" + options.filter, fmt::format("--benchmark_repetitions={}", options.repetitions),
       "--benchmark_min_time=" + options.min_time_s, "--benchmark_enable_random_interleaving=true",
       "--benchmark_display_aggregates_only=true", "--benchmark_out=" + figures.path(), "--benchmark_out_format=json"},
      {.file = std::nullopt, .to_error = options.is_quiet});
  if (!done) {
    return std::unexpected(done.error());
  }
  return parse_suite_output(figures.text(), suite.string());
}

// Nanoseconds in the unit of a row; 0 for a unit that does not exist.
double nanoseconds_of_unit(const std::string& unit) {
  static const std::map<std::string, double> units{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const auto found = units.find(unit);
  return found == units.end() ? 0 : found->second;
}

}  // namespace

Result<std::vector<fs::path>> find_suites(const fs::path& folder) {
  std::vector<fs::path> suites;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    const bool is_suite = name.starts_with("bench_") && !name.ends_with("_test");
    if (is_suite && entry.is_regular_file() && access(entry.path().c_str(), X_OK) == 0) {
      suites.push_back(entry.path());
    }
  }
  if (suites.empty()) {
    return fail(folder.string(), "has no benchmark program (bench_*); ci/build builds them");
  }
  std::sort(suites.begin(), suites.end());
  return suites;
}

Result<Baseline> run_suites(const std::vector<fs::path>& suites, const SuiteOptions& options) {
  std::vector<fs::path> matching;
  for (const fs::path& suite : suites) {
    const Result<bool> matches = has_match(suite, options.filter);
    if (!matches) {
      return std::unexpected(matches.error());
    }
    if (*matches) {
      matching.push_back(suite);
    }
  }
  if (matching.empty()) {
    return fail("", fmt::format("no benchmark matches \"{}\"", options.filter));
  }
  Baseline baseline{.release = "", .machine = describe_machine(), .benchmarks = {}};
  for (const fs::path& suite : matching) {
    Result<std::vector<Figures>> figures = run_suite(suite, options);
    if (!figures) {
      return std::unexpected(figures.error());
    }
    baseline.benchmarks.insert(baseline.benchmarks.end(), figures->begin(), figures->end());
  }
  sort_baseline(baseline);
  return baseline;
}

Result<std::vector<Figures>> parse_suite_output(std::string_view text, std::string_view file) {
  const json document = json::parse(text.begin(), text.end(), nullptr, false);
  if (!document.is_object() || !document.contains("benchmarks") || !document["benchmarks"].is_array()) {
    return fail(std::string(file), "did not write its figures as JSON");
  }
  std::map<std::string, Figures> by_name;
  for (const json& row : document["benchmarks"]) {
    if (!row.is_object() || row.value("run_type", "") != "iteration") {
      continue;  // a mean or deviation over the repetitions
    }
    const std::string name = row.value("run_name", "");
    if (row.value("error_occurred", false)) {
      return fail(std::string(file), fmt::format("{} failed: {}", name, row.value("error_message", "")));
    }
    const double time_ns = row.value("cpu_time", 0.0) * nanoseconds_of_unit(row.value("time_unit", ""));
    if (name.empty() || !std::isfinite(time_ns) || time_ns <= 0) {
      return fail(std::string(file), fmt::format("wrote a row without name or time: {}", row.dump()));
    }
    by_name[name].name = name;
    by_name[name].samples_ns.push_back(time_ns);
  }
  std::vector<Figures> figures;
  for (auto& [name, row] : by_name) {
    std::sort(row.samples_ns.begin(), row.samples_ns.end());
    figures.push_back(std::move(row));
  }
  return figures;
}

std::string describe_machine() {
  std::ifstream stream("/proc/cpuinfo");
  std::string model = "unknown processor";
  int processors = 0;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      model = line.substr(colon + 2);
      ++processors;
    }
  }
#ifdef __clang__
  const char* compiler = __VERSION__;
#else
  const char* compiler = "g++ " __VERSION__;
#endif
  return fmt::format("{}, {} processors, {}", model, processors, compiler);
}

}  // namespace shardcheck::bench
