#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "bench/baseline.h"
#include "cli/exit_code.h"

namespace shardcheck::app {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

struct Ended {
  ExitCode exit;
  std::string out;
  std::string error;
};

Ended shardcheck_command(std::vector<std::string> arguments) {
  std::vector<const char*> pointers{"shardcheck"};
  for (const std::string& argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit = cli::run(static_cast<int>(pointers.size()), pointers.data(), {.commands = {add_bench, add_compare}});
  std::fflush(stdout);
  return {.exit = static_cast<ExitCode>(exit),
          .out = testing::internal::GetCapturedStdout(),
          .error = testing::internal::GetCapturedStderr()};
}

class App : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  // A baseline of one benchmark with ten samples from `first_ns` on, one apart.
  std::string write_baseline(const std::string& name, double first_ns, const std::string& benchmark = "lookup") {
    bench::Baseline baseline{.release = "1.0.0", .machine = "m", .benchmarks = {{.name = benchmark, .samples_ns = {}}}};
    for (int step = 0; step < 10; ++step) {
      baseline.benchmarks[0].samples_ns.push_back(first_ns + step);
    }
    return write(name, print_baseline(baseline));
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "shardcheck_app_test";
};

TEST_F(App, compare_ends_with_0_when_nothing_became_slower) {
  const Ended ended = shardcheck_command({"compare", write_baseline("old", 1000), write_baseline("new", 900)});

  EXPECT_EQ(ended.exit, ExitCode::held);
  EXPECT_THAT(ended.out, HasSubstr("faster"));
}

TEST_F(App, compare_ends_with_1_when_something_became_slower) {
  const Ended ended = shardcheck_command({"compare", write_baseline("old", 900), write_baseline("new", 1000)});

  EXPECT_EQ(ended.exit, ExitCode::violated);
  EXPECT_THAT(ended.out, HasSubstr("slower"));
}

TEST_F(App, compare_takes_a_threshold) {
  const Ended ended =
      shardcheck_command({"compare", "--threshold", "20", write_baseline("old", 900), write_baseline("new", 1000)});

  EXPECT_EQ(ended.exit, ExitCode::held);
}

TEST_F(App, compare_ends_with_2_when_a_benchmark_is_missing) {
  const Ended ended = shardcheck_command({"compare", write_baseline("old", 900, "a"), write_baseline("new", 900, "b")});

  EXPECT_EQ(ended.exit, ExitCode::undecided);
  EXPECT_THAT(ended.out, HasSubstr("missing"));
}

TEST_F(App, compare_ends_with_3_and_the_place_in_a_broken_file) {
  const std::string broken = write("broken", "{\n  oops");

  const Ended ended = shardcheck_command({"compare", write_baseline("old", 900), broken});

  EXPECT_EQ(ended.exit, ExitCode::bad_input);
  EXPECT_EQ(ended.error, "shardcheck: " + broken + ":2:3: is not JSON\n");
  EXPECT_EQ(shardcheck_command({"compare", "no-such-file", broken}).exit, ExitCode::bad_input);
  EXPECT_EQ(shardcheck_command({"compare", broken}).exit, ExitCode::bad_input);
}

TEST_F(App, compare_refuses_what_is_no_number_and_what_is_no_file) {
  const std::string old = write_baseline("old", 900);
  EXPECT_EQ(shardcheck_command({"compare", "--level", "nan", old, old}).exit, ExitCode::bad_input);
  EXPECT_EQ(shardcheck_command({"compare", "--threshold", "nan", old, old}).exit, ExitCode::bad_input);
  EXPECT_EQ(shardcheck_command({"bench", "--out", ""}).exit, ExitCode::bad_input);

  const Ended folder = shardcheck_command({"compare", "--json", old, folder_.string()});
  EXPECT_EQ(folder.exit, ExitCode::bad_input);
  EXPECT_EQ(folder.error, "shardcheck: " + folder_.string() + ": this is a folder, not a file\n");
  EXPECT_EQ(nlohmann::json::parse(folder.out)["error"]["what"], "this is a folder, not a file");
}

TEST_F(App, compare_prints_json) {
  const Ended ended =
      shardcheck_command({"compare", "--json", write_baseline("old", 900), write_baseline("new", 1000)});

  const nlohmann::json document = nlohmann::json::parse(ended.out);
  EXPECT_EQ(document["verdict"], "slower");
  EXPECT_EQ(document["benchmarks"][0]["change"], "slower");
}

TEST_F(App, bench_without_programs_ends_with_3) {
  const Ended ended = shardcheck_command({"bench", "--suites", folder_.string()});

  EXPECT_EQ(ended.exit, ExitCode::bad_input);
  EXPECT_THAT(ended.error, HasSubstr("has no benchmark program"));
}

TEST_F(App, an_unknown_promise_ends_with_3) {
  const Ended ended = shardcheck_command({"bench", "--promises", "no_such_promise"});

  EXPECT_EQ(ended.exit, ExitCode::bad_input);
  EXPECT_EQ(ended.error, "shardcheck: no promise has \"no_such_promise\" in its name\n");
}

TEST_F(App, bench_keeps_figures_that_compare_can_read) {
  const std::string program = write("bench_a", R"(#!/bin/sh
for argument; do case "$argument" in
  --benchmark_list_tests=true) echo a; exit 0 ;;
  --benchmark_out=*) echo '{"benchmarks": [{"run_type": "iteration", "run_name": "a", "cpu_time": 2,
    "time_unit": "ns"}]}' > "${argument#*=}" ;;
esac; done
)");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string out = (folder_ / "out.json").string();

  const Ended ended = shardcheck_command({"bench", "--suites", folder_.string(), "--release", "2.0.0", "--out", out});

  ASSERT_EQ(ended.exit, ExitCode::held) << ended.error;
  const Result<bench::Baseline> kept = bench::read_baseline(out);
  ASSERT_TRUE(kept.has_value()) << to_string(kept.error());
  EXPECT_EQ(kept->release, "2.0.0");
  EXPECT_EQ(kept->benchmarks, (std::vector<bench::Figures>{{.name = "a", .samples_ns = {2}}}));
}

}  // namespace
}  // namespace shardcheck::app
