#include "histories/edn_history.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "histories/edn_forms.h"
#include "histories/line_reader.h"

namespace shardcheck::histories {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kLogger = "jepsen.util - ";

// What stands behind the logger's name; nothing where the line is that of another logger.
std::optional<std::string_view> message_of(std::string_view line) {
  const std::size_t at = line.find(kLogger);
  if (at != std::string_view::npos) {
    return line.substr(at + kLogger.size());
  }
  const bool has_level = line.starts_with("INFO") || line.starts_with("WARN") || line.starts_with("ERROR") ||
                         line.starts_with("DEBUG") || line.starts_with("TRACE");
  return has_level ? std::nullopt : std::optional(line);
}

// A history in which nobody but the nemesis did anything is one of Jepsen's all the same.
Result<History> taken(HistoryAssembler& assembler, const std::string& place) {
  if (!assembler.has_operations() && !assembler.has_nemesis()) {
    return fail(place, "the history ends without a single operation");
  }
  return assembler.take();
}

}  // namespace

Result<History> read_edn(std::unique_ptr<ByteSource> source, const std::string& name, EdnCustom custom,
                         ReadingRules rules, ReadBudget* budget) {
  EdnForms forms(std::move(source), name, budget);
  EdnEventParser parser(custom);
  HistoryAssembler assembler(std::move(rules), budget);
  while (true) {
    const Result<std::optional<std::span<const std::string_view>>> items = forms.next();
    if (!items) {
      return std::unexpected(items.error());
    }
    if (!*items) {
      return taken(assembler, forms.place());
    }
    if (const Result<void> added = assembler.add(parser.parse(**items, assembler.values()), forms); !added) {
      return std::unexpected(added.error());
    }
  }
}

Result<History> read_jepsen_log(std::unique_ptr<ByteSource> source, const std::string& name, EdnCustom custom,
                                ReadingRules rules, ReadBudget* budget) {
  LineReader lines(std::move(source), name, budget);
  EdnEventParser parser(custom);
  HistoryAssembler assembler(std::move(rules), budget);
  while (true) {
    const Result<std::optional<std::string_view>> line = lines.next();
    if (!line) {
      return std::unexpected(line.error());
    }
    if (!*line) {
      return taken(assembler, lines.place());
    }
    const std::optional<std::string_view> message = message_of(**line);
    if (!message || message->find_first_not_of(kBlanks) == std::string_view::npos) {
      continue;
    }
    const Result<void> added = assembler.add(parser.parse_log_line(*message, assembler.values()), lines);
    if (!added) {
      return std::unexpected(added.error());
    }
  }
}

bool is_jepsen_log_line(std::string_view line) {
  if (line.find(kLogger) != std::string_view::npos) {
    return true;
  }
  const std::size_t start = line.find_first_not_of(kBlanks);
  const bool starts_with_process =
      start != std::string_view::npos && (line[start] == ':' || (line[start] >= '0' && line[start] <= '9'));
  return starts_with_process &&
         (line.find(":invoke") != std::string_view::npos || line.find(":info") != std::string_view::npos);
}

}  // namespace shardcheck::histories
