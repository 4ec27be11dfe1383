// Which keys are asked for most, in memory for so many counters: Space-Saving (Metwally, Agrawal and El Abbadi, ICDT
// 2005). A key without a counter takes over the least one, its count included, and remembers that as its possible
// error.
//
// Guarantees, for N = total() and m = capacity, however the keys come:
// - count - error <= true count <= count, for every key that has a counter;
// - a key that has none was offered at most least() times, and least() <= N / m;
// - so every key that was offered more than N / m times has a counter, and error <= N / m.
//
// Equal counters: the first name goes. O(log m) for each offer; memory for m keys.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shardcheck::impl {

struct HeavyHitter {
  std::string key;
  std::uint64_t count = 0;
  std::uint64_t error = 0;

  std::uint64_t count_min() const { return count - error; }
  friend bool operator==(const HeavyHitter&, const HeavyHitter&) = default;
};

class HeavyHitters {
 public:
  // At least 1.
  explicit HeavyHitters(std::size_t capacity);
  HeavyHitters(HeavyHitters&&) = default;
  HeavyHitters& operator=(HeavyHitters&&) = default;

  void offer(std::string_view key, std::uint32_t times = 1);

  std::uint64_t total() const { return total_; }
  // The least count: 0 while there are counters left.
  std::uint64_t least() const;
  // What is known of a key: 0 to least() for one without a counter.
  HeavyHitter estimate(std::string_view key) const;

  // Those that were surely offered more often than permille thousandths of the total, heaviest first. Complete when
  // capacity > 2000 / permille: errors are then below half of that share, and whoever has 1.5 times of it is found.
  std::vector<HeavyHitter> surely_above(std::uint32_t permille) const;

 private:
  struct Counter {
    std::uint64_t count;
    std::uint64_t error;
  };
  using Counters = std::map<std::string, Counter, std::less<>>;

  std::size_t capacity_;
  std::uint64_t total_ = 0;
  Counters counters_;
  std::set<std::pair<std::uint64_t, std::string_view>> by_count_;  // the views are keys of counters_
};

}  // namespace shardcheck::impl
