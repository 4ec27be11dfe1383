#include "histories/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "histories/formats.h"

namespace shardcheck::histories {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

std::string name_of_key(const ValueTable& values, ValueId key) {
  return values.kind(key) == StoredKind::string ? std::string(values.string_of(key)) : values.to_text(key);
}

}  // namespace

Result<std::vector<CorpusLabel>> read_corpus_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "manifest.tsv";
  std::ifstream manifest(path);
  if (!manifest) {
    return fail(path.string(), "cannot be opened");
  }
  std::vector<CorpusLabel> labels;
  std::string line;
  std::getline(manifest, line);
  for (int number = 2; std::getline(manifest, line); ++number) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() < 4 || (fields[3] != "yes" && fields[3] != "no")) {
      return fail(fmt::format("{}:{}", path.string(), number),
                  "not of the form file, system, scenario, yes or no, keys, separated by tabs");
    }
    CorpusLabel label{.file = fields[0],
                      .system = fields[1],
                      .scenario = fields[2],
                      .expected = fields[3] == "yes" ? Verdict::linearizable : Verdict::not_linearizable,
                      .keys_expected = fields.size() > 4 ? split(fields[4], ',') : std::vector<std::string>()};
    std::ranges::sort(label.keys_expected);
    labels.push_back(std::move(label));
  }
  if (labels.empty()) {
    return fail(path.string(), "names no history");
  }
  return labels;
}

Result<std::vector<CorpusRow>> judge_corpus(const std::filesystem::path& folder, const CheckOptions& options) {
  Result<std::vector<CorpusLabel>> labels = read_corpus_manifest(folder);
  if (!labels) {
    return std::unexpected(labels.error());
  }
  Checker checker;
  std::vector<CorpusRow> rows;
  for (CorpusLabel& label : *labels) {
    const Result<History> history = read_history(folder / label.file);
    if (!history) {
      return std::unexpected(history.error());
    }
    const CheckReport report = checker.check(*history, options);
    CorpusRow row{
        .label = std::move(label), .verdict = report.verdict, .keys_found = {}, .operations = report.operations};
    for (const KeyVerdict& key : report.keys) {
      if (key.verdict == Verdict::not_linearizable) {
        row.keys_found.push_back(name_of_key(history->values, key.key));
      }
    }
    std::ranges::sort(row.keys_found);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace shardcheck::histories
