#include "histories/key_history.h"

#include <algorithm>

#include "spec/assert.h"

namespace shardcheck::histories {

std::uint32_t Partition::cut(const History& history) {
  SHARDCHECK_ASSERT(history.operations.size() < kNever / 2);
  history_ = &history;
  number_of_key_.clear();
  key_of_operation_.clear();
  starts_.assign(1, 0);
  for (const RecordedOperation& operation : history.operations) {
    const auto next_number = static_cast<std::uint32_t>(starts_.size() - 1);
    const std::uint32_t number = number_of_key_.find_or_insert(operation.key.value, next_number);
    if (number == next_number) {
      starts_.push_back(0);
    }
    ++starts_[number + 1];
    key_of_operation_.push_back(number);
  }
  for (std::size_t key = 1; key < starts_.size(); ++key) {
    starts_[key] += starts_[key - 1];
  }
  by_key_.resize(history.operations.size());
  for (std::uint32_t i = 0; i < by_key_.size(); ++i) {
    by_key_[starts_[key_of_operation_[i]]++] = i;
  }
  // Filling moved every start to the next key's; move them back.
  std::shift_right(starts_.begin(), starts_.end(), 1);
  starts_.front() = 0;
  return static_cast<std::uint32_t>(starts_.size() - 1);
}

void Partition::key_history(std::uint32_t key_number, KeyHistory& out) {
  out.values = &history_->values;
  out.operations.clear();
  events_.clear();
  for (std::uint32_t i = starts_[key_number]; i < starts_[key_number + 1]; ++i) {
    const RecordedOperation& recorded = history_->operations[by_key_[i]];
    out.key = recorded.key;
    const bool is_refused = recorded.outcome == OutcomeKind::refused;
    if (is_refused && !recorded.is_refusal_observed) {
      continue;
    }
    const auto index = static_cast<std::uint32_t>(out.operations.size());
    if (is_refused) {
      out.operations.push_back(
          {.kind = OperationKind::read, .observed = recorded.expected, .saw_other = true, .source = by_key_[i]});
    } else {
      out.operations.push_back({.kind = recorded.kind,
                                .argument = recorded.argument,
                                .expected = recorded.expected,
                                .observed = recorded.observed,
                                .source = by_key_[i]});
    }
    events_.push_back({recorded.invoked_at, false, recorded.invoke_line, index});
    if (recorded.outcome != OutcomeKind::unknown) {
      events_.push_back({recorded.returned_at, true, recorded.return_line, index});
    }
  }
  std::ranges::sort(events_);
  for (Position position = 0; position < events_.size(); ++position) {
    KeyOperation& operation = out.operations[events_[position].index];
    (events_[position].is_return ? operation.returned : operation.invoked) = position;
  }
  std::ranges::sort(out.operations, {}, &KeyOperation::invoked);
}

void cut_after(const KeyHistory& whole, Position last, KeyHistory& out) {
  out.key = whole.key;
  out.values = whole.values;
  out.operations.clear();
  for (KeyOperation operation : whole.operations) {
    if (operation.invoked > last) {
      break;
    }
    if (operation.has_returned() && operation.returned > last) {
      operation.returned = kNever;
      operation.observed = kAbsent;
    }
    out.operations.push_back(operation);
  }
}

}  // namespace shardcheck::histories
