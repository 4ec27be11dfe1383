#include "cli/replay_outputs.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/check_report.h"
#include "cli/files.h"
#include "histories/checker.h"
#include "histories/history_writer.h"
#include "histories/picture.h"
#include "spec/clauses.h"
#include "spec/wording.h"

namespace shardcheck::cli {
namespace {

// The runner's history of one scenario is short; a search that needs more than this stays undecided on the page.
constexpr std::uint64_t kStepsMax = 2'000'000;
constexpr std::uint64_t kMemoryMax = std::uint64_t{256} << 20U;

Result<void> check_output(const std::string& flag, const std::string& path, const std::string& file) {
  if (path.empty()) {
    return {};
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(path, file, ignored)) {
    return fail(flag, "this is the file that is replayed, which must not be replaced");
  }
  return check_writable_file(path);
}

Result<void> write(const std::string& path, const TextPieces& pieces) {
  const std::filesystem::path whole(path);
  const std::string folder = whole.has_parent_path() ? whole.parent_path().string() : ".";
  const Result<std::string> written = write_text_file(folder, whole.filename().string(), pieces);
  return written ? Result<void>{} : std::unexpected(written.error());
}

std::string name_in_folder(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string title_of(const std::string& file, const std::vector<Violation>& violations) {
  std::string title = name_in_folder(file);
  for (const Violation& violation : violations) {
    const Clause& row = clause(violation.clause);
    title += fmt::format("{} {} {} violated: {}", title.size() == name_in_folder(file).size() ? ":" : ";", row.text_id,
                         row.name, row.sentence);
  }
  return title;
}

std::string page_of(const std::string& file, const histories::History& history,
                    const std::vector<Violation>& violations) {
  Judged judged{.file = file, .history = history, .report = {}, .findings = {}, .stopped_at = {}, .pause_max = {}};
  judged.findings.availability = histories::availability_of(judged.history);
  judged.report = histories::Checker().check(judged.history, {.steps_max = kStepsMax, .memory_bytes_max = kMemoryMax});
  classify_keys(judged.history, judged.report, {.is_out_of_time = {}, .memory_bytes_max = kMemoryMax}, judged.findings);
  const histories::PictureOptions options{
      .title = title_of(file, violations),
      .remarks = [&](const histories::KeyVerdict& key) { return remarks_on(judged, key); }};
  return histories::picture_of(judged.history, judged.report, options);
}

}  // namespace

Result<void> check_outputs(const ReplayOutputs& outputs, const std::string& file) {
  if (!outputs.history.empty() && outputs.history == outputs.html) {
    return fail("--html", "the picture and the history cannot be the same file");
  }
  const Result<void> possible = check_output("--history", outputs.history, file);
  return possible ? check_output("--html", outputs.html, file) : possible;
}

Result<void> write_outputs(const ReplayOutputs& outputs, const std::string& file, const histories::History& history,
                           const std::vector<Violation>& violations) {
  if (!outputs.history.empty()) {
    const Result<void> written =
        write(outputs.history, [&](const auto& sink) { histories::write_json_lines(history, sink); });
    if (!written) {
      return written;
    }
  }
  if (!outputs.html.empty()) {
    return write(outputs.html, [&](const auto& sink) { sink(page_of(file, history, violations)); });
  }
  return {};
}

}  // namespace shardcheck::cli
