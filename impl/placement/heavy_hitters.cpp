#include "impl/placement/heavy_hitters.h"

#include <algorithm>

#include "spec/assert.h"

namespace shardcheck::impl {

HeavyHitters::HeavyHitters(std::size_t capacity) : capacity_(capacity) { SHARDCHECK_ASSERT(capacity >= 1); }

void HeavyHitters::offer(std::string_view key, std::uint32_t times) {
  if (times == 0) {
    return;
  }
  total_ += times;
  auto known = counters_.find(key);
  Counter counter{.count = times, .error = 0};
  if (known != counters_.end()) {
    by_count_.erase({known->second.count, known->first});
    counter = {.count = known->second.count + times, .error = known->second.error};
  } else if (counters_.size() == capacity_) {
    const auto [least, replaced] = *by_count_.begin();
    by_count_.erase(by_count_.begin());
    counters_.erase(counters_.find(replaced));
    counter = {.count = least + times, .error = least};
  }
  if (known == counters_.end()) {
    known = counters_.emplace(std::string(key), counter).first;
  }
  known->second = counter;
  by_count_.emplace(counter.count, known->first);
}

std::uint64_t HeavyHitters::least() const { return counters_.size() < capacity_ ? 0 : by_count_.begin()->first; }

HeavyHitter HeavyHitters::estimate(std::string_view key) const {
  const auto known = counters_.find(key);
  return known == counters_.end()
             ? HeavyHitter{.key = std::string(key), .count = least(), .error = least()}
             : HeavyHitter{.key = known->first, .count = known->second.count, .error = known->second.error};
}

std::vector<HeavyHitter> HeavyHitters::surely_above(std::uint32_t permille) const {
  std::vector<HeavyHitter> found;
  for (const auto& [count, key] : by_count_) {
    HeavyHitter hitter = estimate(key);
    // Split, because the product could overflow.
    if (hitter.count_min() > total_ / 1'000 * permille + total_ % 1'000 * permille / 1'000) {
      found.push_back(std::move(hitter));
    }
  }
  std::ranges::sort(found, [](const HeavyHitter& one, const HeavyHitter& other) {
    return one.count != other.count ? one.count > other.count : one.key < other.key;
  });
  return found;
}

}  // namespace shardcheck::impl
