// The general search for an order of effects: Wing and Gong's (1993) with Lowe's cache (2017), as in Porcupine.
//
// Invocations and returns stand in a linked list. Whatever was invoked before the first return in it may take effect
// next; its two entries are then lifted out of the list, and put back when the attempt fails. A configuration (which
// operations have taken effect, and the value then) that has failed once is remembered and not tried again.
//
// What is done differently, and why it is sound, stands in search.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "histories/failed_configurations.h"
#include "histories/flat_map.h"
#include "histories/key_history.h"
#include "histories/reductions.h"
#include "histories/search_values.h"
#include "histories/verdict.h"

namespace shardcheck::histories {

struct SearchLimits {
  std::uint64_t steps_max = 0;
  std::uint64_t memory_bytes_max = 0;
  const std::function<bool()>* is_out_of_time = nullptr;  // asked now and then; null: never
};

struct SearchResult {
  Verdict verdict = Verdict::undecided;
  std::uint64_t steps = 0;
};

// Reusable; allocates only while its buffers grow.
class Search {
 public:
  // `structure` must be that of `history`.
  SearchResult run(const KeyHistory& history, Structure structure, const SearchLimits& limits);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Step {
    OperationKind kind;
    ValueId argument;
    ValueId expected;
    ValueId observed;
    bool saw_other;
    std::uint32_t value_needed;    // index into uses_ of the value that must be there before; kNone
    std::uint32_t value_produced;  // index into uses_; kNone when nobody may count on it
    std::uint32_t rank;            // the order in which candidates are tried
  };

  // Operations that never returned and ask the same: interchangeable but for the time of their invocation.
  struct PendingClass {
    std::uint32_t first;  // into pending_
    std::uint32_t size;
    std::uint32_t used;
  };

  struct Use {
    std::uint32_t needed_by = 0;    // operations that have to take effect yet and need this value before
    std::uint32_t produced_by = 0;  // operations that may take effect yet and leave this value
  };

  struct Frame {
    ValueId value;
    std::uint32_t trail_size;
    std::uint32_t last_tried;  // rank of the candidate tried last; kNone: none yet
  };

  void set_up(const KeyHistory& history);
  void link_entries();
  void set_up_classes();
  void rank_steps();
  void set_up_chain(const KeyHistory& history);
  void add_step(const KeyOperation& operation);
  std::uint32_t use_index(ValueId value);
  std::uint32_t value_needed(const KeyOperation& operation);
  bool needs_a_value_nobody_makes() const;

  bool enter(ValueId value);
  void take_matching_reads(ValueId value);
  std::uint32_t next_candidate(std::uint32_t last_tried) const;
  bool try_candidate(std::uint32_t rank);
  bool is_hopeless(ValueId before, ValueId after) const;
  void lift(std::uint32_t step);
  void undo_to(std::uint32_t trail_size);
  std::uint64_t describe_configuration(ValueId value);
  std::uint32_t first_return_entry() const;
  bool is_over_budget();

  // Entry 2i is the invocation of operation i, 2i + 1 its return; the list runs from and to the entry `end_`.
  const KeyHistory* history_ = nullptr;
  Structure structure_ = Structure::mixed;
  SearchLimits limits_;
  SearchValues values_;
  std::vector<KeyOperation> returned_;  // in the order of invocation
  std::vector<KeyOperation> pending_;   // by class, in each in the order of invocation
  std::vector<PendingClass> classes_;
  std::vector<Step> steps_;  // of returned_, then one for each class
  std::vector<std::uint32_t> step_of_rank_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::uint32_t end_ = 0;

  FlatMap index_of_value_;
  std::vector<Use> uses_;
  std::uint64_t needs_left_ = 0;
  std::vector<std::uint64_t> chain_hashes_;  // of a log: hashes of the beginnings of the longest value read
  ValueId chain_;

  std::vector<std::uint32_t> trail_;  // steps in the order in which they were lifted
  std::vector<Frame> frames_;
  std::uint64_t taken_hash_ = 0;
  FailedConfigurations failed_;
  std::vector<std::uint32_t> description_;
  std::uint64_t step_count_ = 0;
  std::vector<std::uint32_t> order_;  // scratch
};

}  // namespace shardcheck::histories
