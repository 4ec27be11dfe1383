// Any bytes as a history in JSON lines. A line that is read the quick way says what the parser of all of JSON says it
// says. What parses is written back and must come back the same. What is small enough is judged by
// brute force too, and the verdicts must agree; what is larger is judged with a small budget and must not crash.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "histories/checker.h"
#include "histories/history_writer.h"
#include "histories/json_line_parser.h"
#include "histories/json_lines.h"
#include "histories/json_quick_line.h"
#include "histories/oracle.h"
#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

void check_quick_way(std::string_view text) {
  JsonLineParser parser;
  ValueTable values;
  while (!text.empty()) {
    std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.reserve(line.size() + simdjson::SIMDJSON_PADDING);
    if (const std::optional<EventLine> quick = parse_quickly(line, values)) {
      const Result<EventLine> slow = parser.parse_slowly(line, values);
      SHARDCHECK_ASSERT(slow.has_value());
      SHARDCHECK_ASSERT(*quick == *slow);
    }
  }
}

void check_round_trip(const History& history) {
  std::string text;
  write_json_lines(history, text);
  const Result<History> again = parse_json_lines(text, "again");
  SHARDCHECK_ASSERT(again.has_value());
  SHARDCHECK_ASSERT(is_same(history, *again, false));
}

void check_verdict(const History& history) {
  if (history.operations.size() > kOracleOperationsMax) {
    const CheckReport report = check(history, {.steps_max = 2'000, .memory_bytes_max = std::uint64_t{1} << 20U});
    SHARDCHECK_ASSERT(report.operations == history.operations.size());
    return;
  }
  const CheckReport report = check(history);
  const bool is_linearizable = is_linearizable_by_brute_force(history);
  SHARDCHECK_ASSERT(report.verdict == (is_linearizable ? Verdict::linearizable : Verdict::not_linearizable));
  for (const KeyVerdict& key : report.keys) {
    SHARDCHECK_ASSERT(key.explanation.has_value() == (key.verdict == Verdict::not_linearizable));
  }
}

}  // namespace
}  // namespace shardcheck::histories

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace histories = shardcheck::histories;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  histories::check_quick_way(text);
  const shardcheck::Result<histories::History> history = histories::parse_json_lines(text, "input");
  if (history) {
    histories::check_round_trip(*history);
    histories::check_verdict(*history);
  }
  return 0;
}
