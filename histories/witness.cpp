#include "histories/witness.h"

#include <algorithm>

#include "spec/key_model.h"

namespace shardcheck::histories {

bool Witness::explains(const KeyHistory& history, std::span<const std::uint32_t> order) {
  values_.reset(*history.values);
  is_taken_.assign(history.operations.size(), false);
  TimeCheck time;
  ValueId value = kAbsent;
  std::uint64_t returned = 0;
  for (const std::uint32_t index : order) {
    if (index >= is_taken_.size() || is_taken_[index]) {
      return false;
    }
    is_taken_[index] = true;
    const KeyOperation& operation = history.operations[index];
    const auto step =
        KeyModel<SearchValues>::apply(values_, operation.kind, value, operation.argument, operation.expected);
    const bool has_answer = operation.has_returned() &&
                            (operation.kind == OperationKind::read || operation.kind == OperationKind::increment);
    if (step.outcome != OutcomeKind::ok || !time.put(operation.returned, operation.invoked) ||
        (has_answer && (step.answer == operation.observed) == operation.saw_other)) {
      return false;
    }
    value = step.after;
    returned += operation.has_returned() ? 1U : 0U;
  }
  return returned == static_cast<std::uint64_t>(std::ranges::count_if(history.operations, &KeyOperation::has_returned));
}

}  // namespace shardcheck::histories
