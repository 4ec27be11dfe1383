#include "bench/baseline.h"

#include <gtest/gtest.h>

namespace shardcheck::bench {
namespace {

constexpr std::string_view kHead = R"({"format": "shardcheck-baseline-1", "release": "1.0.0", "machine": "m", )";

std::string error_of(std::string_view text) {
  const Result<Baseline> parsed = parse_baseline(text, "old.json");
  return parsed ? "no error" : to_string(parsed.error());
}

std::string error_of_rows(std::string_view rows) {
  return error_of(std::string(kHead) + "\n\"benchmarks\": " + std::string(rows) + "}");
}

TEST(Baseline, what_is_printed_is_read_back) {
  const Baseline baseline{
      .release = "1.2.3",
      .machine = "a \"quoted\" machine",
      .benchmarks = {{.name = "a/1", .samples_ns = {1.5, 2, 2.5}}, {.name = "b", .samples_ns = {1e9}}}};

  const Result<Baseline> read = parse_baseline(print_baseline(baseline), "old.json");

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, baseline);
}

TEST(Baseline, prints_one_benchmark_a_line) {
  const Baseline baseline{.release = "1.0.0", .machine = "m", .benchmarks = {{.name = "a", .samples_ns = {1, 2, 4}}}};

  EXPECT_EQ(print_baseline(baseline),
            "{\"format\": \"shardcheck-baseline-1\", \"release\": \"1.0.0\", \"machine\": \"m\",\n"
            " \"benchmarks\": [\n"
            "  {\"name\": \"a\", \"median_ns\": 2, \"mad_ns\": 1, \"n\": 3, \"samples_ns\": [1, 2, 4]}\n"
            " ]}\n");
}

TEST(Baseline, names_and_samples_are_put_in_order) {
  const Result<Baseline> read = parse_baseline(
      std::string(kHead) + R"("benchmarks": [{"name": "b", "samples_ns": [3, 1]}, {"name": "a", "samples_ns": [2]}]})",
      "old.json");

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->benchmarks[0].name, "a");
  EXPECT_EQ(read->benchmarks[1].samples_ns, (std::vector<double>{1, 3}));
}

TEST(Baseline, text_that_is_not_json_is_refused_with_line_and_column) {
  EXPECT_EQ(error_of("{\"format\": \"x\",\n  oops"), "old.json:2:3: is not JSON");
  EXPECT_EQ(error_of("{"), "old.json:1:2: is not JSON");
  EXPECT_EQ(error_of("\xff"), "old.json:1:1: is not JSON");
}

TEST(Baseline, another_format_is_refused) {
  const std::string expected = R"(old.json: is not a baseline: "format" is not "shardcheck-baseline-1")";

  EXPECT_EQ(error_of("[]"), expected);
  EXPECT_EQ(error_of("{}"), expected);
  EXPECT_EQ(error_of(R"({"format": 1})"), expected);
}

TEST(Baseline, missing_fields_are_named) {
  EXPECT_EQ(error_of(R"({"format": "shardcheck-baseline-1"})"), R"(old.json: needs a text "release")");
  EXPECT_EQ(error_of(std::string(kHead) + R"("benchmarks": 1})"), R"(old.json: needs a list "benchmarks")");
  EXPECT_EQ(error_of_rows("[1]"), "old.json:/benchmarks/0: is not an object");
  EXPECT_EQ(error_of_rows(R"([{"samples_ns": [1]}])"), R"(old.json:/benchmarks/0: needs a text "name")");
  EXPECT_EQ(error_of_rows(R"([{"name": "a", "samples_ns": []}])"),
            R"(old.json:/benchmarks/0: needs a list "samples_ns" that is not empty)");
}

TEST(Baseline, samples_that_are_no_times_are_refused) {
  const std::string expected = "old.json:/benchmarks/0/samples_ns/1: is not a time: a number above 0";

  EXPECT_EQ(error_of_rows(R"([{"name": "a", "samples_ns": [1, 0]}])"), expected);
  EXPECT_EQ(error_of_rows(R"([{"name": "a", "samples_ns": [1, -2]}])"), expected);
  EXPECT_EQ(error_of_rows(R"([{"name": "a", "samples_ns": [1, "2"]}])"), expected);
  EXPECT_EQ(error_of_rows(R"([{"name": "a", "samples_ns": [1, null]}])"), expected);
  EXPECT_NE(error_of_rows(R"([{"name": "a", "samples_ns": [1, 1e999]}])"), "no error");
}

TEST(Baseline, a_count_that_does_not_fit_and_a_name_twice_are_refused) {
  EXPECT_EQ(error_of_rows(R"([{"name": "a", "n": 3, "samples_ns": [1, 2]}])"),
            "old.json:/benchmarks/0: says n = 3 and has 2 samples");
  EXPECT_EQ(error_of_rows(R"([{"name": "a", "samples_ns": [1]}, {"name": "a", "samples_ns": [1]}])"),
            R"(old.json:/benchmarks: has "a" twice)");
}

TEST(Baseline, a_folder_and_a_file_that_never_ends_are_errors) {
  const Result<Baseline> folder = read_baseline("/");
  const Result<Baseline> endless = read_baseline("/dev/zero");

  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(to_string(folder.error()), "/: this is a folder, not a file");
  ASSERT_FALSE(endless.has_value());
  EXPECT_EQ(to_string(endless.error()), "/dev/zero: the file is larger than 16 MiB, which no baseline is");
}

TEST(Baseline, a_file_that_is_not_there_is_an_error) {
  const Result<Baseline> read = read_baseline("no/such/file.json");

  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(to_string(read.error()), "no/such/file.json: cannot be opened");
}

}  // namespace
}  // namespace shardcheck::bench
