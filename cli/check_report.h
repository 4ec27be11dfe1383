// What shardcheck check says about a file, to people and to programs.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/key_findings.h"
#include "histories/checker.h"
#include "histories/history.h"
#include "histories/stream_checker.h"

namespace shardcheck::cli {

struct Judged {
  std::string file;
  histories::History history;
  histories::CheckReport report;
  KeyFindings findings;
  double seconds = 0;
  // The budget ran out while the file was read, at this place: nothing was judged.
  histories::Shortage reading_shortage = histories::Shortage::none;
  std::string stopped_at;
  std::optional<Duration> pause_max;  // the longest time without a success that is allowed
};

// What shardcheck check --stream has to say.
struct StreamJudged {
  std::string file;
  histories::StreamReport report;
  double seconds = 0;
};

bool has_unavailable_key(const Judged& judged);
void print_text(const Judged& judged);
void print_text(const StreamJudged& judged);
nlohmann::json row_of(const Judged& judged);
nlohmann::json row_of(const StreamJudged& judged);
// What a picture says about a key beside its explanation.
std::vector<std::string> remarks_on(const Judged& judged, const histories::KeyVerdict& key);

}  // namespace shardcheck::cli
