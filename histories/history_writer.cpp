#include "histories/history_writer.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
#include <vector>

#include "histories/edn_values.h"

namespace shardcheck::histories {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10U;

struct Line {
  std::uint32_t number;
  std::uint32_t index;  // of the operation or the nemesis event
  enum class What : std::uint8_t { nothing, invocation, answer, nemesis } what;
};

TrueTime time_of(const History& history, const Line& line) {
  switch (line.what) {
    case Line::What::invocation: return history.operations[line.index].invoked_at;
    case Line::What::answer: return history.operations[line.index].returned_at;
    case Line::What::nemesis:
    case Line::What::nothing: break;
  }
  return TrueTime{};
}

template <class Visit>
void visit_lines(const History& history, Visit visit) {
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const RecordedOperation& operation = history.operations[i];
    visit(Line{operation.invoke_line, i, Line::What::invocation});
    if (operation.has_returned()) {
      visit(Line{operation.return_line, i, Line::What::answer});
    }
  }
  for (std::uint32_t i = 0; i < history.nemesis.size(); ++i) {
    visit(Line{history.nemesis[i].line, i, Line::What::nemesis});
  }
}

// Nearly always every line has a number of its own and few are missing; then each is put straight to its place.
std::vector<Line> lines_in_order(const History& history) {
  std::size_t count = 0;
  std::size_t last = 0;
  visit_lines(history, [&](const Line& line) {
    ++count;
    last = std::max<std::size_t>(last, line.number);
  });
  std::vector<Line> lines;
  bool has_ties = last > count * 2 + 1024;
  if (!has_ties) {
    lines.resize(last + 1, Line{0, 0, Line::What::nothing});
    visit_lines(history, [&](const Line& line) {
      has_ties |= lines[line.number].what != Line::What::nothing;
      lines[line.number] = line;
    });
  }
  if (has_ties) {
    lines.clear();
    visit_lines(history, [&](const Line& line) { lines.push_back(line); });
    std::ranges::sort(lines, {}, [&](const Line& line) {
      return std::tuple(line.number, time_of(history, line), line.what, line.index);
    });
  }
  return lines;
}

std::string_view type_name(const RecordedOperation& operation, bool is_return) {
  if (!is_return) {
    return "invoke";
  }
  switch (operation.outcome) {
    case OutcomeKind::ok: return "ok";
    case OutcomeKind::refused: return "fail";
    case OutcomeKind::unknown: return "info";
  }
  return "";
}

void append_json(const ValueTable& values, ValueId value, std::string& out) { values.append_text(value, out); }

template <class AppendValue>
void append_value(const ValueTable& values, const RecordedOperation& operation, bool is_return, char comma,
                  AppendValue append, std::string& out) {
  switch (operation.kind) {
    case OperationKind::read:
    case OperationKind::increment: append(values, is_return ? operation.observed : kAbsent, out); break;
    case OperationKind::write:
    case OperationKind::append: append(values, operation.argument, out); break;
    case OperationKind::remove:
    case OperationKind::scan: append(values, kAbsent, out); break;  // a scan is never recorded
    case OperationKind::compare_and_set:
      out += '[';
      append(values, operation.expected, out);
      out += comma;
      append(values, operation.argument, out);
      out += ']';
      break;
  }
}

void append_time(const RecordedOperation& operation, bool is_return, std::int64_t shift, std::string& out) {
  const std::int64_t time = (is_return ? operation.returned_at : operation.invoked_at).value;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  append_number(time > kMax - shift ? kMax : time + shift, out);
}

void append_json_line(const ValueTable& values, const RecordedOperation& operation, bool is_return, std::int64_t shift,
                      std::string& out) {
  out += R"({"process":)";
  values.append_text(operation.process, out);
  out += R"(,"type":")";
  out += type_name(operation, is_return);
  out += R"(","f":")";
  out += name_of(operation.kind);
  out += R"(","key":)";
  values.append_text(operation.key, out);
  out += R"(,"value":)";
  append_value(values, operation, is_return, ',', append_json, out);
  out += R"(,"time":)";
  append_time(operation, is_return, shift, out);
  out += "}\n";
}

void append_edn_line(const ValueTable& values, const RecordedOperation& operation, bool is_return, std::int64_t shift,
                     std::string& out) {
  out += "{:process ";
  append_edn(values, operation.process, out);
  out += ", :type :";
  out += type_name(operation, is_return);
  out += ", :f :";
  out += name_of(operation.kind);
  out += ", :key ";
  append_edn(values, operation.key, out);
  out += ", :value ";
  append_value(values, operation, is_return, ' ', append_edn, out);
  out += ", :time ";
  append_time(operation, is_return, shift, out);
  out += "}\n";
}

// The "value" of a line: a string as one, and anything else, which EDN may write in another way, as the text of it.
void append_edn_nemesis_value(std::string_view line, std::string& out) {
  simdjson::dom::parser parser;
  simdjson::dom::element value;
  std::string_view text;
  if (parser.parse(line).get(value) != simdjson::SUCCESS || value["value"].get(value) != simdjson::SUCCESS ||
      value.is_null()) {
    out += "nil";
  } else if (value.get(text) == simdjson::SUCCESS) {
    append_edn_string(text, out);
  } else {
    append_edn_string(simdjson::minify(value), out);
  }
}

void append_edn_nemesis(const NemesisEvent& event, std::string& out) {
  out += "{:process :nemesis, :type :info, :f ";
  append_edn_string(event.what, out);
  // An empty key tells the format, where this is the first line.
  out += ", :key nil, :value ";
  append_edn_nemesis_value(event.text, out);
  if (event.at) {
    out += ", :time ";
    append_number(event.at->value, out);
  }
  // Whatever else the line says, and how: so that it is the same when it becomes JSON again.
  out += ", :json ";
  append_edn_string(event.text, out);
  out += "}\n";
}

std::int64_t shift_of(const History& history) {
  return history.operations.empty() ? 0 : std::max<std::int64_t>(0, -history.operations.front().invoked_at.value);
}

template <class AppendOperation, class AppendNemesis>
void write(const History& history, AppendOperation append_operation, AppendNemesis append_nemesis, std::string& out,
           const TextSink* sink) {
  const std::int64_t shift = shift_of(history);
  for (const Line& line : lines_in_order(history)) {
    if (line.what == Line::What::nemesis) {
      append_nemesis(history.nemesis[line.index], out);
    } else if (line.what != Line::What::nothing) {
      append_operation(history.values, history.operations[line.index], line.what == Line::What::answer, shift, out);
    }
    if (sink != nullptr && out.size() >= kPiece) {
      (*sink)(out);
      out.clear();
    }
  }
}

void append_json_nemesis(const NemesisEvent& event, std::string& out) {
  out += event.text;
  out += '\n';
}

}  // namespace

void write_json_lines(const History& history, std::string& out) {
  write(history, append_json_line, append_json_nemesis, out, nullptr);
}

void write_edn(const History& history, std::string& out) {
  write(history, append_edn_line, append_edn_nemesis, out, nullptr);
}

void write_json_lines(const History& history, const TextSink& sink) {
  std::string piece;
  write(history, append_json_line, append_json_nemesis, piece, &sink);
  sink(piece);
}

void write_edn(const History& history, const TextSink& sink) {
  std::string piece;
  write(history, append_edn_line, append_edn_nemesis, piece, &sink);
  sink(piece);
}

}  // namespace shardcheck::histories
