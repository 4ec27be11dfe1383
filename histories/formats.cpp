#include "histories/formats.h"

#include <memory>
#include <utility>
#include <vector>

#include "histories/byte_source.h"
#include "histories/edn_cursor.h"
#include "histories/edn_history.h"
#include "histories/edn_values.h"
#include "histories/history_assembler.h"
#include "histories/json_lines.h"

namespace shardcheck::histories {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10U;

ReadingRules rules_of(Format format) {
  switch (format) {
    case Format::json_lines:
    case Format::edn: return {};
    case Format::jepsen: return {.nil_read_tells_nothing = true, .are_lines_in_order = true};
    case Format::kv_log: return {.empty_is_absent = true, .are_lines_in_order = true};
    case Format::jepsen_log: return {.failed_cas_observes = true, .are_lines_in_order = true};
  }
  return {};
}

Result<History> read_from(Result<std::unique_ptr<ByteSource>> source, const std::string& name,
                          const ReadOptions& options) {
  if (!source) {
    return std::unexpected(std::move(source.error()));
  }
  const Format format = options.format ? *options.format : detect_format((*source)->look_ahead(kHead));
  ReadingRules rules = rules_of(format);
  rules.initial = options.initial;
  rules.nil_read_tells_nothing = options.nil_read_tells_nothing.value_or(rules.nil_read_tells_nothing);
  rules.failed_cas_observes = options.failed_cas_observes.value_or(rules.failed_cas_observes);
  const bool may_have_tuples = format == Format::jepsen || format == Format::jepsen_log;
  if (options.has_independent_keys && !may_have_tuples) {
    return fail(name, "only Jepsen's formats have independent keys as [key value]; this file names its keys");
  }
  const EdnCustom custom{.is_keyed = !may_have_tuples, .is_independent = options.has_independent_keys};
  switch (format) {
    case Format::json_lines: return read_json_lines(*std::move(source), name, std::move(rules), options.budget);
    case Format::edn:
    case Format::jepsen:
    case Format::kv_log: return read_edn(*std::move(source), name, custom, std::move(rules), options.budget);
    case Format::jepsen_log: return read_jepsen_log(*std::move(source), name, custom, std::move(rules), options.budget);
  }
  return fail(name, "has no format");
}

// The first map of what is certainly EDN tells by whose custom it is.
Format detect_edn(std::string_view head) {
  EdnCursor cursor(head, false);
  std::string_view tag;
  if (cursor.skip_blanks() && (cursor.take('[') || cursor.take('('))) {
    cursor.skip_blanks();
  }
  if (!cursor.is_at_end() && cursor.peek() == '#') {
    cursor.take_token(tag);
  }
  const std::size_t start = cursor.offset();
  std::vector<std::string_view> items;
  if (cursor.is_at_end() || !cursor.skip_form() || !edn_map_items(cursor.since(start), items)) {
    return Format::jepsen;
  }
  bool has_key = false;
  bool has_time = false;
  for (std::size_t i = 0; i < items.size(); i += 2) {
    has_key |= items[i] == ":key";
    has_time |= items[i] == ":time";
  }
  if (!has_key) {
    return Format::jepsen;
  }
  return has_time ? Format::edn : Format::kv_log;
}

// JSON lines are none; their reader says so.
bool is_json_array(std::string_view text) {
  const std::size_t inside = text.find_first_not_of(" \t\r\n[{", 1);
  return inside == std::string_view::npos || text[inside] == '"';
}

}  // namespace

std::string_view name_of(Format format) {
  switch (format) {
    case Format::json_lines: return "jsonl";
    case Format::edn: return "edn";
    case Format::jepsen: return "jepsen";
    case Format::kv_log: return "kv";
    case Format::jepsen_log: return "jepsen-log";
  }
  return "";
}

std::optional<Format> format_named(std::string_view name) {
  for (const Format format : kFormats) {
    if (name_of(format) == name) {
      return format;
    }
  }
  return std::nullopt;
}

Format detect_format(std::string_view head) {
  constexpr std::string_view kBlanks = " \t\r\n,";
  std::size_t start = head.find_first_not_of(kBlanks);
  while (start != std::string_view::npos && head[start] == ';') {
    const std::size_t line_end = head.find('\n', start);
    start = line_end == std::string_view::npos ? line_end : head.find_first_not_of(kBlanks, line_end);
  }
  if (start == std::string_view::npos) {
    return Format::json_lines;
  }
  const std::string_view text = head.substr(start);
  if (is_jepsen_log_line(text.substr(0, text.find('\n')))) {
    return Format::jepsen_log;
  }
  // In EDN a name is a keyword; in JSON it is a string. A collection or a tag in front is EDN's.
  const std::size_t second = text.find_first_not_of(kBlanks, 1);
  const char next = second == std::string_view::npos ? '\0' : text[second];
  switch (text.front()) {
    case '{': return next == ':' || next == ';' || next == '#' ? detect_edn(text) : Format::json_lines;
    case '[': return is_json_array(text) ? Format::json_lines : detect_edn(text);
    case '(':
    case '#': return detect_edn(text);
    default: return Format::json_lines;
  }
}

Result<History> read_history(const std::filesystem::path& file, const ReadOptions& options) {
  const bool is_standard_input = file == "-";
  return read_from(ByteSource::of_file(is_standard_input ? "/dev/stdin" : file), file.string(), options);
}

Result<History> parse_history(std::string_view text, const std::string& name, const ReadOptions& options) {
  return read_from(ByteSource::of_text(text), name, options);
}

}  // namespace shardcheck::histories
