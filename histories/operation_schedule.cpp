#include "histories/operation_schedule.h"

#include <algorithm>
#include <tuple>

#include "histories/flat_map.h"
#include "spec/assert.h"

namespace shardcheck::histories {

OperationSchedule::OperationSchedule(std::vector<Interval> intervals) : intervals_(std::move(intervals)) {
  SHARDCHECK_ASSERT(intervals_.size() < (std::uint32_t{1} << 30U));
  std::ranges::sort(intervals_, {}, [](const Interval& interval) {
    return std::tuple(!interval.returned_at.has_value(), interval.invoked_at, interval.index);
  });
  const auto first_pending =
      std::ranges::find_if(intervals_, [](const Interval& interval) { return !interval.returned_at.has_value(); });
  returned_ = static_cast<std::uint32_t>(first_pending - intervals_.begin());
  left_ = returned_;
  end_ = 2 * returned_;
  twin_.assign(size() - returned_, kNone);
  is_pending_taken_.assign(size() - returned_, false);
  link_entries();
}

void OperationSchedule::link_entries() {
  std::vector<std::uint32_t> by_return(returned_);
  for (std::uint32_t number = 0; number < returned_; ++number) {
    SHARDCHECK_ASSERT(*intervals_[number].returned_at >= intervals_[number].invoked_at);
    by_return[number] = number;
  }
  std::ranges::sort(by_return, {},
                    [this](std::uint32_t number) { return std::tuple(*intervals_[number].returned_at, number); });
  next_.resize(end_ + 1);
  previous_.resize(end_ + 1);
  std::uint32_t last = end_;
  const auto append = [&](std::uint32_t entry) {
    next_[last] = entry;
    previous_[entry] = last;
    last = entry;
  };
  std::uint32_t invoked = 0;
  for (const std::uint32_t number : by_return) {
    // At equal times invocations come first: what touches is concurrent.
    for (; invoked < returned_ && intervals_[invoked].invoked_at <= *intervals_[number].returned_at; ++invoked) {
      append(2 * invoked);
    }
    append(2 * number + 1);
  }
  append(end_);
}

std::uint32_t OperationSchedule::most_urgent() const {
  std::uint32_t entry = next_[end_];
  while (is_invocation(entry)) {
    entry = next_[entry];
  }
  return entry / 2;
}

bool OperationSchedule::is_candidate_pending(std::uint32_t number, TrueTime first_return) const {
  const std::uint32_t twin = twin_[number - returned_];
  return intervals_[number].invoked_at <= first_return && !is_pending_taken_[number - returned_] &&
         (twin == kNone || is_pending_taken_[twin - returned_]);
}

void OperationSchedule::candidates(std::vector<std::uint32_t>& out) const {
  out.clear();
  std::uint32_t entry = next_[end_];
  for (; is_invocation(entry); entry = next_[entry]) {
    out.push_back(entry / 2);
  }
  const TrueTime first_return = *intervals_[entry / 2].returned_at;
  std::ranges::sort(out, {}, [&](std::uint32_t number) {
    return std::tuple(number != entry / 2, *intervals_[number].returned_at, number);
  });
  for (std::uint32_t number = returned_; number < size() && intervals_[number].invoked_at <= first_return; ++number) {
    if (is_candidate_pending(number, first_return)) {
      out.push_back(number);
    }
  }
}

void OperationSchedule::unlink(std::uint32_t entry) {
  next_[previous_[entry]] = next_[entry];
  previous_[next_[entry]] = previous_[entry];
}

void OperationSchedule::relink(std::uint32_t entry) {
  next_[previous_[entry]] = entry;
  previous_[next_[entry]] = entry;
}

void OperationSchedule::lift(std::uint32_t number) {
  hash_ ^= mixed(number);
  if (!has_returned(number)) {
    is_pending_taken_[number - returned_] = true;
    pending_taken_.insert(std::ranges::lower_bound(pending_taken_, number), number);
    return;
  }
  unlink(2 * number + 1);  // first, so that the invocation does not point at it when it is taken out itself
  unlink(2 * number);
  --left_;
}

void OperationSchedule::put_back(std::uint32_t number) {
  hash_ ^= mixed(number);
  if (!has_returned(number)) {
    is_pending_taken_[number - returned_] = false;
    pending_taken_.erase(std::ranges::lower_bound(pending_taken_, number));
    return;
  }
  relink(2 * number);
  relink(2 * number + 1);
  ++left_;
}

// Of those that returned, the candidates say it all: what is taken was invoked before the first return that is left,
// as otherwise that one would have had to be taken first; and what was invoked before it and is no candidate is taken.
// The first return itself belongs to a candidate. So the candidates are named: the first one, and then either a bit for
// each number from it to the last one, or their numbers, whichever is shorter.
void OperationSchedule::describe(std::vector<std::uint32_t>& out) const {
  if (size() != returned_) {
    out.push_back(static_cast<std::uint32_t>(pending_taken_.size()));
    out.insert(out.end(), pending_taken_.begin(), pending_taken_.end());
  }
  std::uint32_t entry = next_[end_];
  const std::uint32_t first = entry / 2;
  std::uint32_t last = first;
  std::uint32_t count = 0;
  for (; is_invocation(entry); entry = next_[entry]) {
    last = entry / 2;
    ++count;
  }
  const std::uint32_t words = (last - first) / 32 + 1;
  const bool are_bits = words <= count;
  out.push_back(2 * first + (are_bits ? 1U : 0U));
  const std::size_t start = out.size();
  out.resize(start + (are_bits ? words : count));
  std::uint32_t position = 0;
  for (entry = next_[end_]; is_invocation(entry); entry = next_[entry], ++position) {
    const std::uint32_t number = entry / 2;
    if (are_bits) {
      out[start + (number - first) / 32] |= 1U << (number - first) % 32;
    } else {
      out[start + position] = number;
    }
  }
}

std::uint64_t OperationSchedule::memory_bytes() const {
  return intervals_.capacity() * sizeof(Interval) +
         (next_.capacity() + previous_.capacity() + twin_.capacity() + pending_taken_.capacity()) *
             sizeof(std::uint32_t) +
         is_pending_taken_.capacity() / 8;
}

}  // namespace shardcheck::histories
