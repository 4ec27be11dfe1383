// What `shardcheck placement` found of one scheme, and how it is printed: for people, as JSON, as JUnit XML.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/exit_code.h"
#include "cli/placement_figures.h"
#include "harness/placement_check.h"

namespace shardcheck::cli {

struct SchemeReport {
  PlacementReport laws;
  std::optional<PlacementFigures> figures;  // absent: why_no_figures, or not asked for
  std::string why_no_figures;
  std::string which_cases;          // in words
  std::string again;                // the command that gives the same report
  std::string again_one_case = {};  // that judges one case kept as FILE; empty: that is what was asked for

  ExitCode verdict() const;
};

// "held", "violated", "not observable"; where it broke down too often before, "not judged".
std::string_view outcome_word(const PlacementReport& report, const PlacementRow& row);

std::string to_text(const SchemeReport& report);
nlohmann::json to_json(const SchemeReport& report);
// One test case for each clause, and one for whether the scheme answered to the end.
std::string to_junit(const std::vector<SchemeReport>& reports);

}  // namespace shardcheck::cli
