// The general search for an order of effects: Wing and Gong's (1993) with Lowe's cache (2017), as in Porcupine.
//
// Invocations and returns stand in a linked list. Whatever was invoked before the first return in it may take effect
// next; its two entries are then lifted out of the list, and put back when the attempt fails. A configuration (which
// operations have taken effect, and the value then) that has failed once is remembered and not tried again.
//
// What is done differently, and why it is sound, stands in search.cpp.
//
// A long history is first searched as one. If that takes too much, it is cut into windows where few operations are
// outstanding, and all that can be the case at each cut is carried to the next window: then memory stays in the window.
// Where this is too much for one window, the rest is searched as one again. How, stands in search_windows.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "histories/failed_configurations.h"
#include "histories/flat_map.h"
#include "histories/key_history.h"
#include "histories/reductions.h"
#include "histories/search_values.h"
#include "histories/verdict.h"

namespace shardcheck::histories {

// When and where a long history is cut. Decides nothing; tests make it small.
struct Cutting {
  std::uint32_t operations_in_one = 512;       // so few are searched as one only
  std::uint64_t steps_for_each_operation = 8;  // of the first attempt, as one
  std::uint32_t window_operations = 64;        // new ones of a window, at least; at most four times as many
  std::uint64_t steps_in_a_window = 5'000'000;
  std::size_t cases_max = 4096;  // at a cut
};

struct SearchLimits {
  std::uint64_t steps_max = 0;
  std::uint64_t memory_bytes_max = 0;
  const std::function<bool()>* is_out_of_time = nullptr;  // asked now and then; null: never
  Cutting cutting{};
};

struct SearchResult {
  Verdict verdict = Verdict::undecided;
  std::uint64_t steps = 0;
  Shortage shortage = Shortage::none;
  bool is_by_windows = false;  // no search as one had a part in it
  // Not linearizable: the history up to just after `suspect` is not (kNever: the whole), that up to `sound_until` is.
  Position suspect = kNever;
  Position sound_until = 0;
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

  // What can be the case at a cut.
  struct CutState {
    ValueId value;
    std::vector<std::uint32_t> left;  // of the operations outstanding at the cut: those that have not taken effect
    std::vector<std::uint32_t> used;  // of each class
  };

  enum class Goal : std::uint8_t { first_end, all_ends };
  enum class Ending : std::uint8_t { found, exhausted, ran_short };

  void set_up(const KeyHistory& history);
  void link_entries();
  void set_up_classes();
  void rank_steps();

  CutState initial_state() const;
  void open_window(std::uint32_t next, std::uint32_t end);
  void close_window();
  Ending explore(const CutState& start, Goal goal);
  bool start_from(const CutState& start);
  void record_end();
  void keep_least_ends();
  void set_up_outstanding();
  std::uint32_t choose_cut(std::uint32_t next) const;
  SearchResult run_to_the_end(std::span<const CutState> starts, std::uint32_t next);
  SearchResult run_windows();
  SearchResult result(Verdict verdict) const {
    return {.verdict = verdict, .steps = step_count_, .shortage = lacking_};
  }
  void allow(std::uint64_t more_steps, std::uint64_t memory_bytes);
  bool is_really_short() const;
  std::uint64_t cases_at_most() const;
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
  bool is_wanted_now(ValueId value) const;
  void lift(std::uint32_t step);
  void undo_to(std::uint32_t trail_size);
  std::uint64_t describe_configuration(ValueId value);
  Shortage shortage();
  std::uint64_t memory_of_setup() const;
  std::uint64_t memory_bytes() const;

  // Entry 2i is the invocation of operation i, 2i + 1 its return; the list runs from and to the entry `end_`. It has
  // the operations of the window, and the returns of those that are due in it.
  const KeyHistory* history_ = nullptr;
  Structure structure_ = Structure::mixed;
  SearchLimits limits_;
  std::uint64_t steps_max_ = 0;         // of the present attempt, at most that of limits_
  std::uint64_t memory_bytes_max_ = 0;  // the same
  std::uint64_t cases_max_ = 0;         // at a cut
  std::uint64_t next_look_ = 0;         // at the time: when so many steps are made
  Shortage lacking_ = Shortage::none;
  SearchValues values_;
  std::vector<KeyOperation> returned_;  // in the order of invocation
  std::vector<KeyOperation> pending_;   // by class, in each in the order of invocation
  std::vector<PendingClass> classes_;
  std::vector<Step> steps_;  // of returned_, then one for each class
  std::vector<std::uint32_t> step_of_rank_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::uint32_t end_ = 0;
  std::vector<std::uint32_t> window_;       // operations, in the order of invocation
  std::vector<std::uint32_t> carried_;      // those of them that were outstanding at the cut before
  Position cut_ = kNever;                   // what returned before it is due in the window
  std::uint32_t due_left_ = 0;              // and has not taken effect yet
  std::vector<Position> deadlines_;         // scratch of rank_steps(); kNever everywhere in between
  std::vector<std::uint32_t> outstanding_;  // at the invocation of each operation, so many others
  std::vector<CutState> ends_;

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
  std::uint64_t setup_bytes_ = 0;  // of what grows with the history and not with the steps
  std::uint64_t ends_bytes_ = 0;
  std::vector<std::uint32_t> order_;  // scratch
};

}  // namespace shardcheck::histories
