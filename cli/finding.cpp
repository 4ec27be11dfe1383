#include "cli/finding.h"

#include <fmt/format.h>

#include "cli/files.h"
#include "spec/clauses.h"

namespace shardcheck::cli {
namespace {

std::string indented(const std::string& text) {
  std::string result = "    ";
  for (const char character : text) {
    result += character;
    if (character == '\n') {
      result += "    ";
    }
  }
  result.erase(result.find_last_not_of(" \n") + 1);
  return result;
}

std::string when(const Violation& violation) {
  return violation.at == TrueTime{} ? ""
                                    : fmt::format(" (at {:.3f} ms)", static_cast<double>(violation.at.value) / 1e6);
}

}  // namespace

Result<std::string> keep(const Finding& finding, const std::string& folder) {
  const Clause& row = clause(finding.violation.clause);
  const std::string text = fmt::format("# {} {} violated by the {}\n# {}{}\n{}", row.text_id, row.name, finding.system,
                                       finding.violation.message, when(finding.violation), finding.replay);
  return write_text_file(folder, finding.name + ".scenario", text);
}

std::string to_text(const Finding& finding, const std::string& path) {
  const Clause& row = clause(finding.violation.clause);
  return fmt::format(
      "VIOLATED {} {} by the {}\n"
      "  promised: {}\n"
      "  happened: {}{}\n"
      "  smallest run, {} steps:\n{}\n"
      "  again:    shardcheck replay {}\n",
      row.text_id, row.name, finding.system, row.sentence, finding.violation.message, when(finding.violation),
      finding.steps, indented(finding.replay), path);
}

}  // namespace shardcheck::cli
