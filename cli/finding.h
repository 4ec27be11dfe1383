// A failure as it is shown and kept: the clause and its sentence, what happened, the smallest run, and one command that
// replays it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"
#include "spec/violation.h"

namespace shardcheck::cli {

struct Finding {
  Violation violation;
  std::string system;  // "reference", or "reference with NAME"
  std::string name;    // of the file, without its ending
  std::string replay;  // its text: a scenario, or a case of a placement
  std::size_t steps = 0;
  std::vector<std::string> lead_up = {};  // a line each: how it came to that; empty for a case of a placement
};

// Writes the finding's file into `folder`; returns its path.
Result<std::string> keep(const Finding& finding, const std::string& folder);
// The arguments of `shardcheck` that draw the run which is kept in this file: "replay PATH --html ...".
std::string picture_command(const std::string& path);
// For people: several lines. `path` is empty where it could not be kept. `shown_at` names the clause under which the
// same run was shown above; empty: it is shown here.
std::string to_text(const Finding& finding, const std::string& path, const std::string& program = "shardcheck",
                    std::string_view shown_at = "");

// How it came to a violation, as a part of that; nothing if there are no lines.
std::string lead_up_text(const std::vector<std::string>& lines);

}  // namespace shardcheck::cli
