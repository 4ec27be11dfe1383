// The kill matrix as the commands print it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/kill.h"
#include "spec/error.h"

namespace shardcheck::cli {

struct MutantsOptions {
  std::uint64_t seed = 1;
  double seconds_each = 60;  // of one core
  std::string out = "findings";
  std::optional<impl::Mutant> only{};
};

struct KilledMutant {
  harness::Kill kill;
  double seconds = 0;       // of one core
  std::string replay_file;  // empty when it survived
};

// Fails only when a file cannot be written.
Result<std::vector<KilledMutant>> kill_mutants(const MutantsOptions& options);
std::size_t survivors(const std::vector<KilledMutant>& rows);
std::string to_text(const std::vector<KilledMutant>& rows);
nlohmann::json to_json(const std::vector<KilledMutant>& rows);

}  // namespace shardcheck::cli
