#include "histories/json_lines.h"

#include <memory>
#include <optional>
#include <utility>

#include "histories/byte_source.h"
#include "histories/history_assembler.h"
#include "histories/json_line_parser.h"
#include "histories/line_reader.h"

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
  LineReader lines(std::move(source), name);
  JsonLineParser parser;
  HistoryAssembler assembler(std::move(rules), budget);
  while (true) {
    const Result<std::optional<std::string_view>> line = lines.next();
    if (!line) {
      return std::unexpected(line.error());
    }
    if (!*line) {
      break;
    }
    if (lines.line_number() == 1 && (*line)->starts_with(kByteOrderMark)) {
      return fail(lines.place(), "the file begins with a byte order mark, which JSON lines have none of: remove it");
    }
    if (is_blank(**line)) {
      continue;
    }
    if (const Result<void> added = assembler.add(parser.parse(**line, assembler.values()), lines); !added) {
      return std::unexpected(added.error());
    }
  }
  if (!assembler.has_operations()) {
    return fail(lines.place(), "the history ends without a single operation");
  }
  return assembler.take();
}

Result<History> read_json_lines(const std::filesystem::path& file) {
  return read_all(ByteSource::of_file(file), file.string());
}

Result<History> parse_json_lines(std::string_view text, const std::string& name) {
  return read_all(ByteSource::of_text(text), name);
}

}  // namespace shardcheck::histories
