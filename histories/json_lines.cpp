#include "histories/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "histories/byte_source.h"
#include "histories/history_recorder.h"
#include "histories/json_line_fields.h"
#include "histories/line_reader.h"

namespace shardcheck::histories {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

Result<History> read_all(Result<std::unique_ptr<ByteSource>> source, const std::string& name) {
  if (!source) {
    return std::unexpected(std::move(source.error()));
  }
  LineReader lines(*std::move(source), name);
  JsonLineParser parser;
  HistoryRecorder recorder;
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
    const Result<JsonLineFields> fields = parser.parse(**line);
    if (!fields) {
      return fail(lines.place(), fields.error().what);
    }
    if (const Result<void> recorded = recorder.record(*fields, lines.line_number()); !recorded) {
      return fail(lines.place(), recorded.error().what);
    }
  }
  if (!recorder.has_operations()) {
    return fail(lines.place(), "the history ends without a single operation");
  }
  return recorder.take();
}

void append_line(const History& history, const RecordedOperation& operation, bool is_return, std::string& out) {
  const ValueTable& values = history.values;
  out += R"({"process":)";
  values.append_text(operation.process, out);
  out += R"(,"type":")";
  if (!is_return) {
    out += "invoke";
  } else {
    switch (operation.outcome) {
      case OutcomeKind::ok: out += "ok"; break;
      case OutcomeKind::refused: out += "fail"; break;
      case OutcomeKind::unknown: out += "info"; break;
    }
  }
  fmt::format_to(std::back_inserter(out), R"(","f":"{}","key":)", name_of(operation.kind));
  values.append_text(operation.key, out);
  out += R"(,"value":)";
  switch (operation.kind) {
    case OperationKind::read:
    case OperationKind::increment: values.append_text(is_return ? operation.observed : kAbsent, out); break;
    case OperationKind::write:
    case OperationKind::append: values.append_text(operation.argument, out); break;
    case OperationKind::remove:
    case OperationKind::scan: out += "null"; break;  // a scan is never recorded
    case OperationKind::compare_and_set:
      out += '[';
      values.append_text(operation.expected, out);
      out += ',';
      values.append_text(operation.argument, out);
      out += ']';
      break;
  }
  const TrueTime time = is_return ? operation.returned_at : operation.invoked_at;
  fmt::format_to(std::back_inserter(out), R"(,"time":{}}})", time.value);
  out += '\n';
}

}  // namespace

Result<History> read_json_lines(const std::filesystem::path& file) {
  return read_all(ByteSource::of_file(file), file.string());
}

Result<History> parse_json_lines(std::string_view text, const std::string& name) {
  return read_all(ByteSource::of_text(text), name);
}

void write_json_lines(const History& history, std::string& out) {
  struct Line {
    std::uint32_t number;
    std::uint32_t index;  // of the operation or the nemesis event
    enum class What : std::uint8_t { invocation, answer, nemesis } what;
  };
  std::vector<Line> lines;
  lines.reserve(history.operations.size() * 2 + history.nemesis.size());
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const RecordedOperation& operation = history.operations[i];
    lines.push_back({operation.invoke_line, i, Line::What::invocation});
    if (operation.has_returned()) {
      lines.push_back({operation.return_line, i, Line::What::answer});
    }
  }
  for (std::uint32_t i = 0; i < history.nemesis.size(); ++i) {
    lines.push_back({history.nemesis[i].line, i, Line::What::nemesis});
  }
  std::ranges::sort(lines, {}, &Line::number);
  for (const Line& line : lines) {
    if (line.what == Line::What::nemesis) {
      out += history.nemesis[line.index].text;
      out += '\n';
    } else {
      append_line(history, history.operations[line.index], line.what == Line::What::answer, out);
    }
  }
}

}  // namespace shardcheck::histories
