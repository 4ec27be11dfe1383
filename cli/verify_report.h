// What `shardcheck verify` found, and how it is printed: for people, as JSON, as JUnit XML.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/finding.h"
#include "cli/mutants.h"
#include "harness/campaign.h"
#include "harness/placement_check.h"
#include "histories/corpus.h"

namespace shardcheck::cli {

enum class RowStatus : std::uint8_t { held, violated, undecided, not_observable };
std::string_view name_of(RowStatus status);

struct KeptFinding {
  Finding finding;
  std::string path;
};

struct VerifyReport {
  std::string system;
  std::string program = "shardcheck";  // as its user would call it
  std::uint64_t seed = 0;
  impl::Mutant mutant = impl::Mutant::none;  // the seeded bug that is judged
  PlacementReport placement{};
  harness::CampaignReport campaign{};
  double campaign_seconds = 0;
  double placement_seconds = 0;
  bool tells_reach = true;  // of the phases of a move; a system may have no moves
  std::vector<KeptFinding> findings;
  std::optional<std::vector<histories::CorpusRow>> corpus;  // absent: not asked for
  std::optional<std::vector<KilledMutant>> mutants;         // absent: not asked for

  RowStatus status_of(ClauseId id) const;
  // A row that was never checked is never held.
  std::uint64_t checks_of(ClauseId id) const;
  ExitCode verdict() const;
  // Why it is undecided, and what may help; empty when it is not.
  std::string reason() const;
};

std::string to_text(const VerifyReport& report);
nlohmann::json to_json(const VerifyReport& report);
std::string to_junit(const VerifyReport& report);
Result<void> write_junit(const VerifyReport& report, const std::string& path);

}  // namespace shardcheck::cli
