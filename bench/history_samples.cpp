#include "bench/history_samples.h"

#include "histories/history_generator.h"
#include "spec/assert.h"

namespace shardcheck::bench {
namespace {

using histories::RecordedOperation;
using histories::ValueId;

// Leaves so many different values.
void repeat_values(histories::History& history, std::uint64_t count) {
  const auto folded = [&](ValueId value) {
    return value == histories::kAbsent
               ? value
               : history.values.number(history.values.number_of(value) % static_cast<std::int64_t>(count));
  };
  for (RecordedOperation& operation : history.operations) {
    operation.argument = folded(operation.argument);
    operation.observed = folded(operation.observed);
  }
}

}  // namespace

histories::History make_history(const HistorySample& sample) {
  histories::HistoryBuilder builder;
  const Result<void> made = generate_history({.operations = sample.operations,
                                              .clients = sample.clients,
                                              .keys = sample.keys,
                                              .pending = {sample.pending_in_1000 * 1'000},
                                              .is_bad = sample.has_stale_read},
                                             builder);
  SHARDCHECK_ASSERT(made.has_value());
  histories::History history = builder.history();
  if (sample.values != 0) {
    repeat_values(history, sample.values);
  }
  return history;
}

}  // namespace shardcheck::bench
