// Whatever finds a violation, what it leaves is a file; the file alone, read anew, is the same violation in the same
// run.
#include "harness/counterexample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "harness/campaign.h"

namespace shardcheck::harness {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr impl::Mutant kMutant = impl::Mutant::move_no_tombstones;
constexpr ClauseId kClause = ClauseId::M5;
constexpr std::uint64_t kRunsMax = 3'000;
constexpr std::uint64_t kShrinkRunsMax = 300;

// As a fuzzer would hand them over: a byte an answer.
Bytes bytes_of(std::uint64_t seed) {
  Bytes bytes(700);
  std::uint64_t state = seed;
  for (std::uint8_t& byte : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::uint8_t>(state >> 56U);
  }
  return bytes;
}

// The first of them whose run breaks the clause, shrunk; each call gives the same answers from the beginning.
using Driver = std::function<std::unique_ptr<sim::Choices>(std::uint64_t)>;

std::optional<Counterexample> find(const Driver& driver) {
  ScenarioRunner runner;
  Scenario scenario;
  for (std::uint64_t i = 0; i < kRunsMax; ++i) {
    if (runner.run(*driver(i), kMutant, scenario).violation_of(kClause) != nullptr) {
      return shrink_counterexample(runner, *driver(i), kMutant, kClause, kShrinkRunsMax);
    }
  }
  return std::nullopt;
}

void expect_replays_from_its_file(const std::optional<Counterexample>& found) {
  ASSERT_TRUE(found.has_value());
  const std::string folder = testing::TempDir() + "shardcheck_counterexample_test." + std::to_string(getpid());

  const Result<std::string> path = write_counterexample(*found, folder);

  ASSERT_TRUE(path.has_value()) << to_string(path.error());
  EXPECT_THAT(to_text(*found, *path), testing::HasSubstr("shardcheck replay " + *path));
  std::ifstream file(*path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const Result<Scenario> read = parse_scenario(text.str(), *path);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(*read, found->scenario);
  ScenarioRunner fresh;
  const RunReport& again = fresh.run(*read);
  EXPECT_EQ(again.digest, found->digest);
  ASSERT_NE(again.violation_of(kClause), nullptr);
  EXPECT_EQ(*again.violation_of(kClause), found->violation);
  std::filesystem::remove_all(folder);
}

TEST(Counterexample, of_a_seed_replays_from_its_file) {
  expect_replays_from_its_file(
      find([](std::uint64_t i) { return std::make_unique<sim::SeededChoices>(seed_of(1, i)); }));
}

TEST(Counterexample, of_bytes_replays_from_its_file) {
  Bytes bytes;
  expect_replays_from_its_file(find([&bytes](std::uint64_t i) {
    bytes = bytes_of(i);
    return std::make_unique<sim::ByteChoices>(bytes);
  }));
}

TEST(Counterexample, of_recorded_answers_replays_from_its_file) {
  ScenarioRunner runner;
  Scenario scenario;
  std::vector<sim::Tape> tapes;
  for (std::uint64_t i = 0; i < kRunsMax && tapes.empty(); ++i) {
    sim::SeededChoices seeded(seed_of(7, i));
    sim::TapeRecorder recorder(seeded);
    if (runner.run(recorder, kMutant, scenario).violation_of(kClause) != nullptr) {
      tapes.push_back(recorder.take_tape());
    }
  }
  ASSERT_FALSE(tapes.empty());
  expect_replays_from_its_file(
      find([&tapes](std::uint64_t) { return std::make_unique<sim::RecordedChoices>(tapes.front()); }));
}

}  // namespace
}  // namespace shardcheck::harness
