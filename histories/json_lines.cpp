#include "histories/json_lines.h"

#include <memory>
#include <optional>
#include <utility>

#include "histories/json_line_parser.h"

namespace shardcheck::histories {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

Result<History> read_all(Result<std::unique_ptr<ByteSource>> source, const std::string& name) {
  if (!source) {
    return std::unexpected(std::move(source.error()));
  }
  return read_json_lines(*std::move(source), name, {}, nullptr);
}

}  // namespace

Result<History> read_json_lines(std::unique_ptr<ByteSource> source, const std::string& name, ReadingRules rules,
                                ReadBudget* budget) {
  LineReader lines(std::move(source), name, budget);
  HistoryAssembler assembler(std::move(rules), budget);
  if (const Result<void> added = add_json_lines(lines, assembler, {}); !added) {
    return std::unexpected(added.error());
  }
  if (!assembler.has_operations()) {
    return fail(lines.place(), "the history ends without a single operation");
  }
  return assembler.take();
}

Result<void> add_json_lines(LineReader& lines, HistoryAssembler& assembler, const std::function<bool()>& goes_on) {
  JsonLineParser parser;
  while (!goes_on || goes_on()) {
    const Result<std::optional<std::string_view>> line = lines.next();
    if (!line) {
      return std::unexpected(line.error());
    }
    if (!*line) {
      return {};
    }
    if (lines.line_number() == 1 && (*line)->starts_with(kByteOrderMark)) {
      return fail(lines.place(), "the file begins with a byte order mark, which JSON lines have none of: remove it");
    }
    if (is_blank(**line)) {
      continue;
    }
    if (Result<void> added = assembler.add(parser.parse(**line, assembler.values()), lines); !added) {
      return added;
    }
  }
  return {};
}

Result<History> read_json_lines(const std::filesystem::path& file) {
  return read_all(ByteSource::of_file(file), file.string());
}

Result<History> parse_json_lines(std::string_view text, const std::string& name) {
  return read_all(ByteSource::of_text(text), name);
}

}  // namespace shardcheck::histories
