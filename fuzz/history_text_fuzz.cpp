// Any bytes as a history. What parses is written back and must come back the same. What is small enough is judged by
// brute force too, and the verdicts must agree; what is larger is judged with a small budget and must not crash.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "histories/checker.h"
#include "histories/json_lines.h"
#include "histories/oracle.h"
#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

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
  const shardcheck::Result<histories::History> history = histories::parse_json_lines(text, "input");
  if (history) {
    histories::check_round_trip(*history);
    histories::check_verdict(*history);
  }
  return 0;
}
