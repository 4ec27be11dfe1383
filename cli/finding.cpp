#include "cli/finding.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/files.h"
#include "cli/flags.h"
#include "cli/shell_word.h"
#include "spec/clauses.h"
#include "spec/wording.h"

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

}  // namespace

Result<std::string> keep(const Finding& finding, const std::string& folder) {
  const Clause& row = clause(finding.violation.clause);
  const std::string text = fmt::format("# {} {} violated by the {}\n# {}{}\n{}", row.text_id, row.name, finding.system,
                                       finding.violation.message, when(finding.violation), finding.replay);
  return write_text_file(folder, finding.name + ".scenario", text);
}

std::string picture_command(const std::string& path) {
  const std::string page = std::filesystem::path(path).replace_extension(".html").string();
  return fmt::format("replay {} --html {}", shell_word(path), shell_word(page));
}

std::string to_text(const Finding& finding, const std::string& path, const std::string& program,
                    std::string_view shown_at) {
  const Clause& row = clause(finding.violation.clause);
  const std::string again = path.empty() ? "keep the smallest run as a file; then shardcheck replay FILE"
                                         : program + " replay " + shell_word(path);
  // Shrunk as far as that, a scenario still ends as all do.
  const std::string steps = finding.steps == 0 ? "0 steps, since what clients ask at the end of every run is enough"
                                               : counted(finding.steps, "step");
  const std::string run = shown_at.empty()
                              ? fmt::format("{}:\n{}", steps, indented(finding.replay))
                              : fmt::format("{}: the same as of {} above", counted(finding.steps, "step"), shown_at);
  // A case of a placement has no clients, so it has no history to draw.
  const bool is_drawn = !path.empty() && !finding.replay.starts_with("placement ");
  const std::string picture = is_drawn ? fmt::format("  picture:  {} {}\n", program, picture_command(path)) : "";
  return fmt::format(
      "VIOLATED {} {} by the {}\n"
      "  promised: {}\n"
      "  happened: {}{}\n"
      "  smallest run, {}\n"
      "{}"
      "  again:    {}\n{}",
      row.text_id, row.name, finding.system, row.sentence, finding.violation.message, when(finding.violation), run,
      shown_at.empty() ? lead_up_text(finding.lead_up) : "", again, picture);
}

std::string lead_up_text(const std::vector<std::string>& lines) {
  std::string text = lines.empty() ? "" : "  how it came to that:\n";
  for (const std::string& line : lines) {
    text += fmt::format("    {}\n", line);
  }
  return text;
}

}  // namespace shardcheck::cli
