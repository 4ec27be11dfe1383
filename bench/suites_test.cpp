#include "bench/suites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace shardcheck::bench {
namespace {

namespace fs = std::filesystem;

// A folder of its own, with programs that answer as a Google Benchmark program would.
class Suites : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void add_program(const std::string& name, const std::string& listed, const std::string& written, int status = 0) {
    std::ofstream script(folder_ / name);
    script << "#!/bin/sh\n"
              "for argument; do case \"$argument\" in\n"
              "  --benchmark_list_tests=true) echo '"
           << listed << "'; exit 0 ;;\n  --benchmark_out=*) cat > \"${argument#*=}\" <<'END'\n"
           << written << "\nEND\n;;\nesac; done\nexit " << status << "\n";
    script.close();
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }

  Result<Baseline> run() {
    const auto suites = find_suites(folder_);
    if (!suites) {
      return std::unexpected(suites.error());
    }
    return run_suites(*suites, {.is_quiet = true});
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "shardcheck_suites_test";
};

constexpr const char* kTwoSamples = R"({"benchmarks": [
  {"run_type": "iteration", "run_name": "a/1", "cpu_time": 3.0, "time_unit": "us"},
  {"run_type": "iteration", "run_name": "a/1", "cpu_time": 2.0, "time_unit": "us"},
  {"run_type": "aggregate", "run_name": "a/1", "cpu_time": 2.5, "time_unit": "us"}]})";

TEST_F(Suites, samples_of_all_programs_are_collected_in_nanoseconds) {
  add_program("bench_b", "b", R"({"benchmarks": [{"run_type": "iteration", "run_name": "b", "cpu_time": 7,
                                  "time_unit": "ns"}]})");
  add_program("bench_a", "a/1", kTwoSamples);
  add_program("other", "c", "{}");
  add_program("bench_test", "d", "{}");

  const Result<Baseline> baseline = run();

  ASSERT_TRUE(baseline.has_value()) << to_string(baseline.error());
  EXPECT_THAT(baseline->benchmarks, testing::ElementsAre(Figures{.name = "a/1", .samples_ns = {2000, 3000}},
                                                         Figures{.name = "b", .samples_ns = {7}}));
  EXPECT_FALSE(baseline->machine.empty());
}

TEST_F(Suites, a_program_without_a_match_is_not_run) {
  add_program("bench_a", "a/1", kTwoSamples);
  add_program("bench_b", "", "", 1);

  EXPECT_TRUE(run().has_value());
}

TEST_F(Suites, a_filter_that_matches_nothing_is_an_error) {
  add_program("bench_a", "", kTwoSamples);

  EXPECT_EQ(to_string(run().error()), "no benchmark matches \".\"");
}

TEST_F(Suites, a_folder_without_programs_is_an_error) {
  EXPECT_THAT(to_string(run().error()), testing::HasSubstr("has no benchmark program"));
}

TEST_F(Suites, a_program_that_fails_is_an_error) {
  add_program("bench_a", "a/1", kTwoSamples, 7);

  EXPECT_EQ(to_string(run().error()), (folder_ / "bench_a").string() + ": ended with 7");
}

TEST_F(Suites, a_program_that_cannot_be_started_is_an_error) {
  std::ofstream(folder_ / "bench_a") << "neither script nor program\n";
  fs::permissions(folder_ / "bench_a", fs::perms::owner_all);

  EXPECT_THAT(to_string(run().error()), testing::HasSubstr("cannot be started"));
}

TEST(SuiteOutput, errors_and_nonsense_are_refused) {
  const auto error_of = [](std::string_view text) {
    const auto parsed = parse_suite_output(text, "bench_a");
    return parsed ? "no error" : to_string(parsed.error());
  };

  EXPECT_EQ(error_of("no json"), "bench_a: did not write its figures as JSON");
  EXPECT_EQ(error_of(R"({"benchmarks": [{"run_type": "iteration", "run_name": "a", "error_occurred": true,
                         "error_message": "no map"}]})"),
            "bench_a: a failed: no map");
  EXPECT_THAT(error_of(R"({"benchmarks": [{"run_type": "iteration", "run_name": "a", "cpu_time": 1,
                           "time_unit": "weeks"}]})"),
              testing::StartsWith("bench_a: wrote a row without name or time"));
}

}  // namespace
}  // namespace shardcheck::bench
