#include "histories/stale_reads.h"

#include <algorithm>

namespace shardcheck::histories {

std::size_t StaleWitnesses::leaf_of(std::int64_t position) const {
  return earliest_.size() - 1 - static_cast<std::size_t>(std::max<std::int64_t>(position, 0));
}

void StaleWitnesses::take_those_before(Position invoked) {
  for (; !waiting_.empty() && waiting_.top().end < invoked; waiting_.pop()) {
    const auto index = static_cast<std::uint32_t>(taken_.size());
    taken_.push_back(waiting_.top());
    for (std::size_t at = leaf_of(taken_.back().not_before); at < earliest_.size(); at += at & (~at + 1)) {
      Earliest& earliest = earliest_[at];
      if (earliest.first == kNone) {
        earliest.first = index;
      } else if (earliest.first_other == kNone && taken_[earliest.first].value != taken_.back().value) {
        earliest.first_other = index;
      }
    }
  }
}

std::optional<StaleWitness> StaleWitnesses::against(ValueId value, std::int64_t arrived_by, Position invoked) {
  take_those_before(invoked);
  if (arrived_by + 1 >= static_cast<std::int64_t>(earliest_.size()) - 1) {
    return std::nullopt;
  }
  std::uint32_t best = kNone;
  for (std::size_t at = leaf_of(arrived_by + 1); at > 0; at &= at - 1) {
    for (const std::uint32_t index : {earliest_[at].first, earliest_[at].first_other}) {
      if (index != kNone && taken_[index].value != value) {
        best = std::min(best, index);
      }
    }
  }
  return best == kNone ? std::nullopt : std::optional(taken_[best]);
}

}  // namespace shardcheck::histories
