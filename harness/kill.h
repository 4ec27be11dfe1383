// The kill matrix: for every seeded bug of the reference, which of the rows that its table names caught it, after how
// many runs, and the smallest run that shows it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/runner.h"
#include "impl/mutant.h"
#include "spec/violation.h"

namespace shardcheck::harness {

struct KillOptions {
  std::uint64_t seed = 1;
  std::uint64_t runs_max = 200'000;  // of one mutant of the cluster; cases of the ring are bounded by cases_max
  std::uint64_t cases_max = 2'000;
  std::uint64_t more_failures = 4;  // to collect after the first, in so many more runs
  std::uint64_t more_runs = 2'000;
  std::uint64_t shrink_runs_max = 3'000;
  // Asked with each run; true ends the search for the present mutant.
  std::function<bool()> is_out_of_time{};
};

struct Kill {
  impl::Mutant mutant = impl::Mutant::none;
  bool is_killed = false;         // by a row that its table names
  Violation violation{};          // of the shrunk run
  std::uint64_t runs = 0;         // until the first kill, or without one
  std::size_t steps = 0;          // of the shrunk run
  std::vector<ClauseId> clauses;  // everything that the shrunk run violates
  std::string replay;             // a file for `shardcheck replay`: a scenario, or a case of a placement
};

Kill kill(impl::Mutant mutant, const KillOptions& options);

}  // namespace shardcheck::harness
