// Any bytes as the answers to all questions of one run of the cluster, a byte each. scenario_target.h says what must
// hold, README.md of this folder has the flags.
#include <fmt/core.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "fuzz/byte_recorder.h"
#include "fuzz/scenario_target.h"
#include "fuzz/short_runs.h"
#include "harness/campaign.h"
#include "harness/scenario_runner.h"

namespace shardcheck::fuzz {
namespace {

// No run reads more: what lies behind would only be changed in vain.
constexpr std::size_t kBytesMax = 256;
constexpr std::uint64_t kSeedsTried = 8'000;
constexpr std::size_t kSeedBytesMax = 160;

// Runs from seeds as bytes, those that are short enough.
std::vector<Seed> short_runs() {
  std::vector<Seed> runs;
  harness::ScenarioRunner runner;
  harness::Scenario scenario;
  for (std::uint64_t i = 0; i < kSeedsTried; ++i) {
    sim::SeededChoices seeded(harness::seed_of(1, i));
    ByteRecorder recorder(seeded);
    ShortRuns short_ones(recorder);
    const harness::RunReport& first = runner.run(short_ones, impl::Mutant::none, scenario);
    if (recorder.bytes().size() > kSeedBytesMax) {
      continue;
    }
    const std::uint64_t digest = first.digest;
    sim::ByteChoices choices(recorder.bytes());
    ShortRuns short_again(choices);
    const harness::RunReport& again = runner.run(short_again, impl::Mutant::none, scenario);
    if (again.digest != digest) {
      fmt::print(stderr, "the bytes of seed {} give another run\n", i);
      std::exit(1);
    }
    runs.push_back({fmt::format("seed_{:04}", i), recorder.bytes(), reached_in(again)});
  }
  return runs;
}

}  // namespace
}  // namespace shardcheck::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  shardcheck::fuzz::read_flags(*argc, *argv, "scenario_bytes_fuzz", shardcheck::fuzz::short_runs);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > shardcheck::fuzz::kBytesMax) {
    return -1;  // not for the corpus
  }
  shardcheck::sim::ByteChoices choices({data, size});
  if (const auto clause = shardcheck::fuzz::run_scenario(choices)) {
    shardcheck::sim::ByteChoices same_again({data, size});
    shardcheck::fuzz::fail_run(same_again, *clause);
  }
  return 0;
}
