#include "harness/counterexample.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "harness/shrink.h"
#include "spec/assert.h"

namespace shardcheck::harness {
namespace {

std::string_view system_name(const Counterexample& found) {
  const impl::Mutant mutant = found.scenario.cluster.mutant;
  return mutant == impl::Mutant::none ? std::string_view("reference") : impl::row_of(mutant).name;
}

}  // namespace

Counterexample shrink_counterexample(ScenarioRunner& runner, sim::Choices& choices, impl::Mutant mutant,
                                     ClauseId clause, std::uint64_t shrink_runs_max) {
  sim::TapeRecorder recorder(choices);
  Scenario drawn;
  runner.run(recorder, mutant, drawn);
  Shrinker shrinker(runner, shrink_runs_max);
  const std::optional<Shrunk> shrunk = shrinker.shrink(recorder.take_tape(), mutant, clause);
  SHARDCHECK_ASSERT(shrunk.has_value());
  const std::uint64_t digest = runner.run(shrunk->scenario).digest;
  return {shrunk->violation, shrunk->scenario, digest};
}

std::string file_name(const Counterexample& found) {
  return fmt::format("{}-{}-{:016x}.scenario", clause(found.violation.clause).text_id, system_name(found),
                     found.digest);
}

Result<std::string> write_counterexample(const Counterexample& found, const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const std::string path = (std::filesystem::path(folder) / file_name(found)).string();
  const Clause& row = clause(found.violation.clause);
  std::ofstream file(path, std::ios::binary);
  file << fmt::format("# {} {} violated by {}\n# {}\n{}", row.text_id, row.name, system_name(found),
                      found.violation.message, to_text(found.scenario));
  file.close();
  if (!file) {
    return fail(path, "cannot be written");
  }
  return path;
}

std::string to_text(const Counterexample& found, const std::string& path) {
  const Clause& row = clause(found.violation.clause);
  return fmt::format(
      "violated {} {}\n"
      "  by:       {}\n"
      "  promised: {}\n"
      "  happened: {}\n"
      "  smallest run, {} steps, digest {:016x}:\n{}"
      "  again:    shardcheck replay {}\n",
      row.text_id, row.name, system_name(found), row.sentence, found.violation.message, found.scenario.size(),
      found.digest, to_text(found.scenario), path);
}

}  // namespace shardcheck::harness
