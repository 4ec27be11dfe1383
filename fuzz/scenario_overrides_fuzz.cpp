// A seed and a few changed answers: the runs near those that a seed gives, each one change away. scenario_target.h says
// what must hold, README.md of this folder has the flags.
//
// An input is the seed (4 bytes, the lowest first), then 4 bytes an override: the kind of question (harness/labels.h),
// its counter, and the answer (2 bytes, the lower first). What is left at the end is ignored.
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fuzz/scenario_target.h"
#include "fuzz/short_runs.h"
#include "harness/scenario_runner.h"

namespace shardcheck::fuzz {
namespace {

constexpr std::size_t kSeedBytes = 4;
constexpr std::size_t kOverrideBytes = 4;
constexpr std::size_t kOverridesMax = 32;
constexpr std::uint32_t kSeedsTried = 4'000;

std::uint32_t seed_in(std::span<const std::uint8_t> bytes) {
  std::uint32_t seed = 0;
  for (std::size_t i = 0; i < kSeedBytes && i < bytes.size(); ++i) {
    seed |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
  }
  return seed;
}

std::vector<sim::Override> overrides_in(std::span<const std::uint8_t> bytes) {
  std::vector<sim::Override> overrides;
  for (std::size_t i = kSeedBytes; i + kOverrideBytes <= bytes.size(); i += kOverrideBytes) {
    const auto answer = static_cast<std::uint64_t>(bytes[i + 2]) | static_cast<std::uint64_t>(bytes[i + 3]) << 8U;
    overrides.push_back({bytes[i], bytes[i + 1], answer});
  }
  return overrides;
}

// Runs from seeds alone.
std::vector<Seed> plain_runs() {
  std::vector<Seed> runs;
  harness::ScenarioRunner runner;
  harness::Scenario scenario;
  for (std::uint32_t i = 0; i < kSeedsTried; ++i) {
    sim::SeededChoices choices(i);
    ShortRuns short_ones(choices);
    const harness::RunReport& report = runner.run(short_ones, impl::Mutant::none, scenario);
    const std::vector<std::uint8_t> bytes{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8U), 0, 0};
    runs.push_back({fmt::format("seed_{:04}", i), bytes, reached_in(report)});
  }
  return runs;
}

}  // namespace
}  // namespace shardcheck::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  shardcheck::fuzz::read_flags(*argc, *argv, "scenario_overrides_fuzz", shardcheck::fuzz::plain_runs);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shardcheck;
  if (size > fuzz::kSeedBytes + fuzz::kOverridesMax * fuzz::kOverrideBytes) {
    return -1;  // not for the corpus
  }
  sim::SeededChoices seeded(fuzz::seed_in({data, size}));
  sim::OverriddenChoices choices(seeded, fuzz::overrides_in({data, size}));
  if (const auto clause = fuzz::run_scenario(choices)) {
    sim::OverriddenChoices same_again(seeded, fuzz::overrides_in({data, size}));
    fuzz::fail_run(same_again, *clause);
  }
  return 0;
}
