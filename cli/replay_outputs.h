// What replay writes beside its answer: the history of the run's clients, and the page with its picture.
#pragma once

#include <string>
#include <vector>

#include "histories/history.h"
#include "spec/error.h"
#include "spec/violation.h"

namespace shardcheck::cli {

// Where they go; empty: nowhere.
struct ReplayOutputs {
  std::string history;  // JSON lines, as `check` reads them
  std::string html;     // as `check --html` writes it

  bool is_wanted() const { return !history.empty() || !html.empty(); }
};

// What cannot be written is said before the run. `file` is what is replayed, which nothing may replace.
Result<void> check_outputs(const ReplayOutputs& outputs, const std::string& file);

// `violations` are those of the run, whose promises the page says; none: it held.
Result<void> write_outputs(const ReplayOutputs& outputs, const std::string& file, const histories::History& history,
                           const std::vector<Violation>& violations);

}  // namespace shardcheck::cli
