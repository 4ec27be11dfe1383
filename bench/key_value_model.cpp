#include "bench/key_value_model.h"

#include "spec/assert.h"

namespace shardcheck::bench {

std::vector<histories::Timed<KeyValueOperation>> key_value_operations(const histories::History& history,
                                                                      std::uint32_t& keys) {
  histories::FlatMap number_of_key;
  std::vector<histories::Timed<KeyValueOperation>> result;
  for (const histories::RecordedOperation& operation : history.operations) {
    SHARDCHECK_ASSERT(operation.outcome != OutcomeKind::refused);
    const auto number =
        number_of_key.find_or_insert(operation.key.value, static_cast<std::uint32_t>(number_of_key.size()));
    // These logs are ordered by their lines.
    result.push_back({.process = operation.process.value,
                      .invoked_at = TrueTime{operation.invoke_line},
                      .returned_at = {},
                      .operation = {.kind = operation.kind,
                                    .key = number,
                                    .argument = operation.argument,
                                    .expected = operation.expected,
                                    .observed = operation.observed}});
    if (operation.outcome == OutcomeKind::ok) {
      result.back().returned_at = TrueTime{operation.return_line};
    }
  }
  keys = static_cast<std::uint32_t>(number_of_key.size());
  return result;
}

}  // namespace shardcheck::bench
