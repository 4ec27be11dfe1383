// The counter only grows, by one. So in any order of effects, what sees n stands behind the increment to n and before
// that to n + 1: the order is settled but for which of the increments that never returned made the numbers that no
// other made, up to the largest number seen. All of those must have been made, each by an increment of its own that was
// invoked before the first return among what sees that number or a larger one. As these moments only get later with the
// number, giving the earliest invocations to the smallest numbers succeeds if anything does. Increments that are then
// left over can be left out: they stand behind all reads.
#include "histories/counters.h"

#include <algorithm>
#include <optional>

namespace shardcheck::histories {
namespace {

// How many increments an answer counts; nothing when no counter can give it.
std::optional<std::uint64_t> count_of(const KeyHistory& history, const KeyOperation& operation) {
  if (operation.observed == kAbsent && operation.kind == OperationKind::read) {
    return 0;
  }
  if (history.values->kind(operation.observed) != StoredKind::number) {
    return std::nullopt;
  }
  const std::int64_t number = history.values->number_of(operation.observed);
  return number > 0 ? std::optional(static_cast<std::uint64_t>(number)) : std::nullopt;
}

}  // namespace

MaybeDecision Counters::decide(const KeyHistory& history) {
  suspect_ = kNever;
  if (!collect(history) || !fill_gaps() || !is_in_time(history)) {
    return refuted(suspect_);
  }
  if (!witness_.explains(history, witness(history))) {
    return std::nullopt;
  }
  return Decision{.verdict = Verdict::linearizable};
}

// False when an answer counts more increments than there are, or the same as another's.
bool Counters::collect(const KeyHistory& history) {
  const auto is_increment = [](const KeyOperation& operation) { return operation.kind == OperationKind::increment; };
  const auto increments = static_cast<std::uint64_t>(std::ranges::count_if(history.operations, is_increment));
  counts_.assign(1, Count{});
  pending_.clear();
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const KeyOperation& operation = history.operations[i];
    if (!operation.has_returned()) {
      pending_.push_back(i);
      continue;
    }
    suspect_ = operation.returned;
    const std::optional<std::uint64_t> seen = count_of(history, operation);
    if (!seen || *seen > increments) {
      return false;
    }
    counts_.resize(std::max<std::size_t>(counts_.size(), *seen + 1));
    Count& count = counts_[*seen];
    count.first_return = std::min(count.first_return, operation.returned);
    if (!is_increment(operation)) {
      ++count.reads;
      count.last_read_invocation = operation.invoked;
    } else if (count.increment != kNone) {
      suspect_ = std::max(suspect_, history.operations[count.increment].returned);
      return false;
    } else {
      count.increment = i;
    }
  }
  return true;
}

// False when too few increments are left for the numbers that no answer names.
bool Counters::fill_gaps() {
  std::size_t used = 0;
  for (std::size_t n = 1; n < counts_.size(); ++n) {
    if (counts_[n].increment == kNone) {
      if (used == pending_.size()) {
        for (; n < counts_.size() && counts_[n].first_return == kNever; ++n) {
        }
        suspect_ = counts_[n].first_return;
        return false;
      }
      counts_[n].increment = pending_[used++];
    }
  }
  return true;
}

bool Counters::is_in_time(const KeyHistory& history) {
  TimeCheck time;
  for (const Count& count : counts_) {
    const Position last_before = time.last_invocation();
    const bool has_increment = count.increment != kNone;
    const KeyOperation* increment = has_increment ? &history.operations[count.increment] : nullptr;
    if ((has_increment && !time.put(increment->returned, increment->invoked)) ||
        !time.put(count.first_return, count.last_read_invocation)) {
      suspect_ = std::max(count.first_return, return_of_invocation(history, last_before));
      return false;
    }
  }
  return true;
}

const std::vector<std::uint32_t>& Counters::witness(const KeyHistory& history) {
  std::uint32_t end = 0;
  for (Count& count : counts_) {
    count.reads_begin = end;
    end += count.reads;
    count.reads = 0;
  }
  reads_.resize(end);
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    if (history.operations[i].kind == OperationKind::read) {
      Count& count = counts_[*count_of(history, history.operations[i])];
      reads_[count.reads_begin + count.reads++] = i;
    }
  }
  order_.clear();
  for (const Count& count : counts_) {
    if (count.increment != kNone) {
      order_.push_back(count.increment);
    }
    const auto begin = reads_.begin() + count.reads_begin;
    order_.insert(order_.end(), begin, begin + count.reads);
  }
  return order_;
}

}  // namespace shardcheck::histories
