// Checks histories as a library: one that a program records while it talks to its store, and, when a file is named, one
// that was recorded elsewhere. Exit code 0: all linearizable; 1: one is not; 2: undecided; 3: unreadable.
#include <fmt/core.h>

#include "histories/checker.h"
#include "histories/json_lines.h"

using namespace shardcheck;
using histories::HistoryBuilder;

// Two clients and one register: `read` is what the second one is told after the first one's write of 2 was answered.
static histories::History record(std::int64_t read) {
  HistoryBuilder builder;
  auto& values = builder.values();
  const auto key = values.string("cart/17");
  const auto at = [](std::int64_t microseconds_now) { return TrueTime{microseconds(microseconds_now).value}; };

  const auto first = builder.invoke(at(0), {values.string("alice"), key, OperationKind::write, values.number(1)});
  builder.ok(at(10), first);
  const auto second = builder.invoke(at(20), {values.string("alice"), key, OperationKind::write, values.number(2)});
  const auto given_up = builder.invoke(at(25), {values.string("carol"), key, OperationKind::write, values.number(3)});
  builder.ok(at(30), second);
  builder.unknown(at(35), given_up);  // it timed out: perhaps it happened, perhaps it will
  const auto third = builder.invoke(at(40), {values.string("bob"), key, OperationKind::read});
  builder.ok(at(50), third, values.number(read));
  return builder.history();
}

static int judge(const char* name, const histories::History& history) {
  const histories::CheckReport report = histories::check(history);
  fmt::print("{}: {} ({} operations)\n", name, name_of(report.verdict), report.operations);
  for (const histories::KeyVerdict& key : report.keys) {
    if (key.explanation) {
      fmt::print("  {}: {}\n", history.values.to_text(key.key), key.explanation->sentence);
    }
  }
  switch (report.verdict) {
    case histories::Verdict::linearizable: return 0;
    case histories::Verdict::not_linearizable: return 1;
    case histories::Verdict::undecided: return 2;
  }
  return 2;
}

int main(int argc, char** argv) {
  if (argc == 1) {
    return judge("own", record(/*read=*/3));
  }
  if (std::string_view(argv[1]) == "--stale") {
    return judge("own", record(/*read=*/1));
  }
  const Result<histories::History> history = histories::read_json_lines(argv[1]);
  if (!history) {
    fmt::print(stderr, "my_history: {}\n", to_string(history.error()));
    return 3;
  }
  return judge(argv[1], *history);
}
