// Records what two threads ask of a store and what they are told, and has it judged. With an argument (--stale) the
// store answers reads with the value before the last. Exit code 0: linearizable; 1: it is not.
#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "histories/checker.h"
#include "histories/recorder.h"

using namespace shardcheck;

int main(int argc, char**) {
  std::atomic<std::int64_t> value = 0, value_before = 0;  // the store
  histories::Recorder recorder([] { return TrueTime{std::chrono::steady_clock::now().time_since_epoch().count()}; });
  const auto client = [&](std::int64_t id) {
    for (std::int64_t i = 1; i <= 1'000; ++i) {
      const auto write = recorder.begin(id, "cart/17", OperationKind::write, id * 10'000 + i);
      value_before = value.exchange(id * 10'000 + i);
      recorder.ok(write);  // or refused(), when it surely did not happen, or unknown()
      const auto read = recorder.begin(id, "cart/17", OperationKind::read);
      recorder.ok(read, argc > 1 ? value_before.load() : value.load());
    }
  };
  {
    std::jthread first(client, 1), second(client, 2);
  }

  const histories::History history = recorder.history();
  const histories::CheckReport report = histories::check(history);
  fmt::print("{} ({} operations)\n", name_of(report.verdict), report.operations);
  if (report.keys[0].explanation) fmt::print("{}\n", report.keys[0].explanation->sentence);
  return report.verdict == histories::Verdict::linearizable ? 0 : 1;
}
