#include "histories/key_history.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

// Sorts what is nearly sorted; gives up, and returns false, when it is not.
template <class Entry>
bool insert_into_place(std::vector<Entry>& entries) {
  std::size_t moves_left = entries.size() * 8;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const Entry entry = entries[i];
    std::size_t at = i;
    for (; at > 0 && entry < entries[at - 1]; --at) {
      if (moves_left-- == 0) {
        entries[at] = entry;
        return false;
      }
      entries[at] = entries[at - 1];
    }
    entries[at] = entry;
  }
  return true;
}

}  // namespace

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
  out.operations.reserve(operations_of(key_number));
  returns_.clear();
  returns_.reserve(operations_of(key_number));
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
          {.kind = OperationKind::read, .saw_other = true, .observed = recorded.expected, .source = by_key_[i]});
    } else {
      out.operations.push_back({.kind = recorded.kind,
                                .argument = recorded.argument,
                                .expected = recorded.expected,
                                .observed = recorded.observed,
                                .source = by_key_[i]});
    }
    if (recorded.outcome != OutcomeKind::unknown) {
      returns_.push_back({recorded.returned_at, recorded.return_line, index});
    }
  }
  sort_returns();
  give_positions(out);
}

// By time, and where times are equal by line. As a rule lines are in the order of time, and in each stretch of them an
// operation returned soon after it was invoked: then one pass over buckets of lines leaves nearly nothing to do.
void Partition::sort_returns() {
  constexpr std::size_t kSmall = 256;
  if (returns_.size() > kSmall) {
    const auto [first, last] = std::ranges::minmax(returns_, {}, &Return::line);
    const std::uint64_t span = std::uint64_t{last.line} - first.line + 1;
    const std::uint64_t bucket_count = returns_.size() / 4;
    const auto bucket_of = [&](const Return& entry) { return (entry.line - first.line) * bucket_count / span; };
    bucket_ends_.assign(bucket_count + 1, 0);
    for (const Return& entry : returns_) {
      ++bucket_ends_[bucket_of(entry) + 1];
    }
    std::partial_sum(bucket_ends_.begin(), bucket_ends_.end(), bucket_ends_.begin());
    sorted_.resize(returns_.size());
    for (const Return& entry : returns_) {
      sorted_[bucket_ends_[bucket_of(entry)]++] = entry;
    }
    returns_.swap(sorted_);
  }
  if (returns_.size() <= kSmall || !insert_into_place(returns_)) {
    std::ranges::sort(returns_);
  }
}

// Numbers invocations and returns in the order of time, where times are equal the invocations first.
void Partition::give_positions(KeyHistory& out) const {
  const auto invoked_at = [this](const KeyOperation& operation) {
    const RecordedOperation& recorded = history_->operations[operation.source];
    return std::pair(recorded.invoked_at, recorded.invoke_line);
  };
  SHARDCHECK_ASSERT(std::ranges::is_sorted(out.operations, {}, invoked_at));
  Position position = 0;
  auto next_return = returns_.begin();
  for (KeyOperation& operation : out.operations) {
    for (; next_return != returns_.end() && next_return->at < invoked_at(operation).first; ++next_return) {
      out.operations[next_return->index].returned = position++;
    }
    operation.invoked = position++;
  }
  for (; next_return != returns_.end(); ++next_return) {
    out.operations[next_return->index].returned = position++;
  }
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
