// Any bytes as a history in EDN or in Jepsen's log, read by every custom. Each reads it whole or refuses it with a
// place. What is read comes back the same when it is written as EDN and as JSON lines.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "histories/formats.h"
#include "histories/history_writer.h"
#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

// Lines of the nemesis keep what they say, in other words.
History without_nemesis(const History& history) {
  History rest = history;
  rest.nemesis.clear();
  return rest;
}

void check_comes_back(const History& history, const std::string& text, const ReadOptions& options) {
  const Result<History> again = parse_history(text, "again", options);
  SHARDCHECK_ASSERT(again.has_value());
  SHARDCHECK_ASSERT(again->nemesis.size() == history.nemesis.size());
  SHARDCHECK_ASSERT(is_same(without_nemesis(history), without_nemesis(*again), false));
}

void check(std::string_view text, const ReadOptions& options) {
  const Result<History> history = parse_history(text, "input", options);
  if (!history) {
    SHARDCHECK_ASSERT(history.error().where == "input" || history.error().where.starts_with("input:"));
    return;
  }
  // Where the nemesis was alone, which only Jepsen's formats allow, nothing is written that the others read; and what
  // was there at first moves all times.
  if (history->operations.empty() || options.initial.has_value()) {
    return;
  }
  const std::optional<bool> observes = options.format == Format::jepsen_log;
  std::string edn;
  write_edn(*history, edn);
  check_comes_back(*history, edn, {.format = Format::edn, .failed_cas_observes = observes});
  std::string lines;
  write_json_lines(*history, lines);
  check_comes_back(*history, lines, {.format = Format::json_lines, .failed_cas_observes = observes});
}

}  // namespace
}  // namespace shardcheck::histories

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shardcheck::histories;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Format format : {Format::edn, Format::jepsen, Format::kv_log, Format::jepsen_log}) {
    check(text, {.format = format});
  }
  check(text, {.format = Format::jepsen, .has_independent_keys = true, .initial = "0"});
  return 0;
}
