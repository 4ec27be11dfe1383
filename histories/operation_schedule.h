// Which operations may take effect next, while a search takes them one by one and puts them back: a linked list of
// invocations and returns, in the order of time, from which those that have taken effect are lifted (Wing and Gong).
//
// Operations are numbered anew: those that returned in the order of their invocations, then those that never did, in
// the same order. Candidates are what was invoked before the first return that is left, or at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "spec/types.h"

namespace shardcheck::histories {

class OperationSchedule {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Interval {
    std::uint32_t index;  // what the caller calls the operation; no two have the same
    TrueTime invoked_at;
    std::optional<TrueTime> returned_at;
  };

  explicit OperationSchedule(std::vector<Interval> intervals);

  std::uint32_t size() const { return static_cast<std::uint32_t>(intervals_.size()); }
  std::uint32_t index_of(std::uint32_t number) const { return intervals_[number].index; }
  bool has_returned(std::uint32_t number) const { return number < returned_; }
  // The first number of those that never returned.
  std::uint32_t first_pending() const { return returned_; }

  // Says that the two pending operations are the same but for their invocations: `later` is then a candidate only
  // after `earlier` has been taken. Set once for a number, before any is taken.
  void set_twin(std::uint32_t later, std::uint32_t earlier) { twin_[later - returned_] = earlier; }

  // Of those that returned: how many are left.
  std::uint32_t left() const { return left_; }
  // The candidate whose return is the first. Some must be left, here and below.
  std::uint32_t most_urgent() const;
  // All candidates: the most urgent first, those that never returned last.
  void candidates(std::vector<std::uint32_t>& out) const;
  // Calls take(number) for the candidates that returned, in the order of invocations, and lifts those for which it is
  // true. What becomes a candidate by that is visited too.
  template <class Take>
  void lift_where(Take take) {
    std::uint32_t entry = next_[end_];
    while (entry != end_ && is_invocation(entry)) {
      if (take(entry / 2)) {
        lift(entry / 2);  // which leaves next_[entry] pointing at what is still in the list
      }
      entry = next_[entry];
    }
  }

  void lift(std::uint32_t number);
  // Puts back the one that was lifted last of all that are lifted.
  void put_back(std::uint32_t number);

  // Names the set of operations that are lifted, by exact description (the same words for the same set only) and by an
  // incremental hash. Appends; linear in the candidates and in what is taken of those that never returned. Some must
  // be left.
  void describe(std::vector<std::uint32_t>& out) const;
  std::uint64_t hash() const { return hash_; }

  std::uint64_t memory_bytes() const;

 private:
  // Entry 2i is the invocation of number i, 2i + 1 its return; the list runs from and to `end_`.
  static bool is_invocation(std::uint32_t entry) { return entry % 2 == 0; }
  bool is_candidate_pending(std::uint32_t number, TrueTime first_return) const;
  void unlink(std::uint32_t entry);
  void relink(std::uint32_t entry);
  void link_entries();

  std::vector<Interval> intervals_;
  std::uint32_t returned_ = 0;
  std::uint32_t left_ = 0;
  std::uint32_t end_ = 0;
  std::uint64_t hash_ = 0;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> twin_;           // of those that never returned: kNone or the number to be taken before
  std::vector<bool> is_pending_taken_;        // the same
  std::vector<std::uint32_t> pending_taken_;  // their numbers, in order
};

}  // namespace shardcheck::histories
