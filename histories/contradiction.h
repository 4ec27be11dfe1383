// Finds the operations of a key that contradict one another.
//
// *Forgetting* an operation means that nothing is known of it any more but what was asked: a read is dropped; whatever
// may have changed the value may have taken effect once, at any time, or never. A set of operations is *contradictory*
// if the history in which all others are forgotten is not linearizable, and *minimal* if forgetting any one of it as
// well makes it linearizable. Deleting the others would be the wrong notion: without the write of 1, every read of 1
// would be a contradiction all by itself ("nobody wrote it").
//
// What is considered is what was known when the first answer that cannot be explained was given. Operations invoked
// later can have had no effect on it and are left out, but for one: the only write of a value that was read too early.
// Of it the time of its invocation is known, and it is the other half of the contradiction.
//
// Forgetting more allows more orders, so whatever holds a contradictory set is contradictory. Therefore the set is
// found by progression: in a sequence of candidates, the shortest beginning that is contradictory with what is known to
// be needed ends with an operation that is needed; take it, cut the sequence before it, and go on. That takes about k *
// log(n) verdicts for a set of k out of n, each about as large as the beginning it asks about, because forgotten
// operations that nobody can have seen are not even handed to the decider. Candidates that have to do with the values
// of the last answer come first, then those nearest to it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "histories/flat_map.h"
#include "histories/key_history.h"
#include "histories/reductions.h"
#include "histories/verdict.h"

namespace shardcheck::histories {

// Whether a key's history is linearizable; may change the history it is given.
using Decide = std::function<Verdict(KeyHistory&)>;

struct Contradiction {
  std::vector<std::uint32_t> operations;  // indexes into KeyHistory::operations, in order; contradictory
  // False: some verdict was undecided, or the work was up; the set may then be larger than needed, even be everything.
  bool is_minimal = false;
};

// What is known just after `last` returned, with the later write, if one belongs to it (see above), behind all others.
void known_after(const KeyHistory& whole, const KeyOperation& last, KeyHistory& out);

// The value that must have been there when the operation of a register took effect; nothing when any would do.
std::optional<ValueId> needed_value(const KeyOperation& operation);

KeyOperation forgotten(KeyOperation operation, Position invoked);

// `known` with all operations forgotten but those `kept` (indexes in rising order). Overwrites `out`, which holds the
// forgotten ones first; their `source` tells them apart.
void forget_all_but(const KeyHistory& known, std::span<const std::uint32_t> kept, KeyHistory& out);

class ContradictionFinder {
 public:
  // `known` must outlive the finder. `work_max`: operations handed to `decide`, all together.
  ContradictionFinder(const KeyHistory& known, Decide decide, std::uint64_t work_max);

  // `known` must not be linearizable, but linearizable once the operation with index `last` is forgotten.
  Contradiction find(std::uint32_t last);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  void index_producers();
  std::vector<std::uint32_t> candidates(std::uint32_t last) const;
  // Of `sequence`, which must be contradictory; also tells how long its first contradictory beginning is.
  Contradiction progress(std::vector<std::uint32_t> sequence, std::size_t& first_window);
  std::size_t shortest_contradictory(const std::vector<std::uint32_t>& needed,
                                     const std::vector<std::uint32_t>& sequence);
  // False also when it is undecided; `is_sure_` is false from then on.
  bool is_contradictory(std::span<const std::uint32_t> needed, std::span<const std::uint32_t> beginning);

  // Fills `tried_`, leaving out forgotten operations without which the verdict is the same.
  void forget_others(std::span<const std::uint32_t> kept);
  void choose_for_register(std::span<const std::uint32_t> kept);
  void choose_for_log(std::span<const std::uint32_t> kept);
  void want(ValueId value);
  void choose_all();
  // False when the counter cannot be shortened.
  bool forget_others_of_counter(std::span<const std::uint32_t> kept);

  const KeyHistory& known_;
  Decide decide_;
  std::uint64_t work_left_;
  Structure structure_;
  bool has_compare_and_set_ = false;
  std::int64_t increments_ = 0;
  bool is_sure_ = true;

  // By the value that a register operation leaves behind or, of a log of single items, by the item appended.
  FlatMap index_of_product_;
  std::vector<Range> producers_of_product_;  // into producers_
  std::vector<std::uint32_t> producers_;     // indexes of operations
  std::vector<std::uint32_t> always_chosen_;

  KeyHistory tried_;
  std::vector<std::uint32_t> kept_;
  std::vector<std::uint32_t> chosen_;  // forgotten operations that matter
  std::vector<std::uint32_t> mark_;    // of each operation: the number of the trial in which it was kept or chosen
  std::uint32_t trial_ = 0;
  FlatMap wanted_;  // value -> how many observe it
  std::vector<ValueId> wanted_in_order_;
};

}  // namespace shardcheck::histories
