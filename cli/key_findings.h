// What shardcheck check says about keys beside their verdicts: why they are violated, what still holds, and for how
// long they could not be used.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "histories/availability.h"
#include "histories/checker.h"
#include "histories/classify.h"
#include "histories/history.h"

namespace shardcheck::cli {

struct KeyFindings {
  std::vector<histories::KeyAvailability> availability;              // of every key of the history
  std::vector<std::optional<histories::Classification>> classified;  // of the report's keys: those violated
};

// `history` and `report` as they were judged.
void classify_keys(const histories::History& history, const histories::CheckReport& report,
                   const histories::ClassifyBudget& budget, KeyFindings& findings);

// More than `longest_allowed` without a success, or none any more.
bool is_unavailable(const histories::KeyAvailability& key, Duration longest_allowed);

// Lines of text, each ended, indented by four.
std::string text_of(const histories::History& history, const histories::Explanation& explanation);
std::string text_of(const histories::LinearizablePrefix& reached);
std::string text_of(const histories::Classification& classified);
// Without a line end: "nothing succeeded for 12.500 ms ...".
std::string text_of(const histories::History& history, const histories::Outage& outage);

nlohmann::json to_json(const histories::History& history, const histories::Explanation& explanation);
nlohmann::json to_json(const histories::LinearizablePrefix& prefix);
nlohmann::json to_json(const histories::Classification& classified);
nlohmann::json to_json(const histories::History& history, const histories::KeyAvailability& key);

}  // namespace shardcheck::cli
