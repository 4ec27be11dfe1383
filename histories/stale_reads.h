// Whether a read is certainly stale: at some time behind the last moment at which its value can have come to be there,
// and before the read began, somebody saw that another one was there.
//
// That somebody is a change that was acknowledged, or a read. Let e be such that everything that wrote the value had
// taken effect by e, if it was to be seen by the read at all. Then whoever saw another value behind e proves that the
// read's had been replaced, and for good.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "histories/key_history.h"

namespace shardcheck::histories {

// The value was there at some time behind `not_before` and before `end`.
struct StaleWitness {
  std::int64_t not_before = 0;
  Position end = 0;
  ValueId value{};
  std::uint32_t source = 0;  // index into History::operations
};

class StaleWitnesses {
 public:
  // Positions are smaller than `positions`.
  explicit StaleWitnesses(Position positions) : earliest_(positions + 1) {}

  void add(const StaleWitness& witness) { waiting_.push(witness); }

  // The one that ended first, of those that saw another value behind `arrived_by` and ended before `invoked`, which
  // must not get smaller from one call to the next. O(log n) but for what add() has left to do.
  std::optional<StaleWitness> against(ValueId value, std::int64_t arrived_by, Position invoked);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct EndsLater {
    bool operator()(const StaleWitness& left, const StaleWitness& right) const { return left.end > right.end; }
  };
  // The first of all witnesses, and the first with another value than that one.
  struct Earliest {
    std::uint32_t first = kNone;
    std::uint32_t first_other = kNone;
  };

  void take_those_before(Position invoked);
  // The number of the tree's leaf: the later a witness began, the smaller.
  std::size_t leaf_of(std::int64_t position) const;

  std::priority_queue<StaleWitness, std::vector<StaleWitness>, EndsLater> waiting_;
  std::vector<StaleWitness> taken_;  // in the order of their ends
  std::vector<Earliest> earliest_;   // a Fenwick tree over leaves, from 1
};

}  // namespace shardcheck::histories
