// Sequential consistency: a search over how far each process has come. What never returned stands apart from its
// process: it may take effect at any time behind what its process had done before, or never.
#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "histories/classify.h"
#include "histories/failed_configurations.h"
#include "histories/flat_map.h"
#include "histories/reductions.h"
#include "histories/search_values.h"
#include "spec/key_model.h"

namespace shardcheck::histories {
namespace {

class SequentialSearch {
 public:
  SequentialSearch(const History& history, const KeyHistory& whole) : structure_(structure_of(whole)) {
    values_.reset(*whole.values);
    FlatMap number_of_process;
    for (const KeyOperation& operation : whole.operations) {
      const ValueId process = history.operations[operation.source].process;
      const auto next = static_cast<std::uint32_t>(processes_.size());
      const std::uint32_t number = number_of_process.find_or_insert(process.value, next);
      if (number == next) {
        processes_.emplace_back();
      }
      saw_other_ |= operation.saw_other;
      if (operation.has_returned()) {
        processes_[number].operations.push_back(&operation);
        ++left_;
      } else if (operation.kind != OperationKind::read) {
        pending_.push_back({&operation, number, processes_[number].operations.size(), false});
      }
      count_uses(operation);
    }
    leave_out_unseen();
    std::ranges::sort(pending_, {}, [](const Pending& pending) {
      return std::tuple(pending.operation->kind, pending.operation->argument, pending.operation->expected,
                        pending.operation->source);
    });
  }

  Holds run(std::uint64_t steps_max, std::uint64_t memory_bytes_max) {
    if (saw_other_ || pending_.size() > kPendingMax || processes_.size() > kProcessesMax) {
      return Holds::undecided;
    }
    take_matching_reads();
    frames_.push_back({.value = value_, .trail = trail_.size()});
    while (left_ != 0) {
      // A table grows to twice its size while the old one is still there.
      if (steps_max-- == 0 || failed_.memory_bytes() > memory_bytes_max / 3) {
        return Holds::undecided;
      }
      if (go_on()) {
        continue;
      }
      describe();
      failed_.insert(hash_, description_);
      frames_.pop_back();
      if (frames_.empty()) {
        return Holds::no;
      }
      undo_to(frames_.back());
    }
    return Holds::yes;
  }

 private:
  // Each step looks at all of them.
  static constexpr std::size_t kPendingMax = 64;
  static constexpr std::size_t kProcessesMax = 256;

  struct Process {
    std::vector<const KeyOperation*> operations;
    std::size_t done = 0;
  };
  struct Pending {
    const KeyOperation* operation;
    std::uint32_t process;
    std::size_t behind;  // so many of its process come before it
    bool is_done;
  };
  struct Use {
    std::int64_t needed_by = 0;
    std::int64_t produced_by = 0;
  };
  struct Frame {
    ValueId value;
    std::size_t trail;
    std::size_t next_candidate = 0;
  };
  // A process's next operation, or that of pending_[number - processes_.size()].
  using Candidate = std::uint32_t;

  static ValueId needed(const KeyOperation& operation) {
    return operation.kind == OperationKind::read ? operation.observed : operation.expected;
  }
  static bool needs(const KeyOperation& operation) {
    return operation.has_returned() &&
           (operation.kind == OperationKind::read || operation.kind == OperationKind::compare_and_set);
  }
  Use& use_of(ValueId value) {
    const auto next = static_cast<std::uint32_t>(uses_.size());
    const std::uint32_t index = index_of_value_.find_or_insert(value.value, next);
    if (index == next) {
      uses_.emplace_back();
    }
    return uses_[index];
  }
  void count_uses(const KeyOperation& operation, std::int64_t by = 1) {
    if (structure_ != Structure::registers) {
      return;
    }
    if (needs(operation)) {
      use_of(needed(operation)).needed_by += by;
    }
    if (operation.kind != OperationKind::read) {
      use_of(product_of(operation)).produced_by += by;
    }
  }

  // Of a register, what never returned and left a value that nobody needs.
  void leave_out_unseen() {
    if (structure_ != Structure::registers) {
      return;
    }
    FlatMap expected;
    for (const Pending& pending : pending_) {
      if (pending.operation->kind == OperationKind::compare_and_set) {
        expected.find_or_insert(pending.operation->expected.value, 1);
      }
    }
    std::erase_if(pending_, [&](const Pending& pending) {
      const ValueId product = product_of(*pending.operation);
      return use_of(product).needed_by == 0 && expected.find(product.value) == nullptr;
    });
  }

  const KeyOperation& operation_of(Candidate candidate) const {
    return candidate < processes_.size() ? *processes_[candidate].operations[processes_[candidate].done]
                                         : *pending_[candidate - processes_.size()].operation;
  }

  // In the order of returns, because the history was nearly right; what never returned last, of equals only one.
  void find_candidates() {
    candidates_.clear();
    for (std::uint32_t i = 0; i < processes_.size(); ++i) {
      if (processes_[i].done < processes_[i].operations.size()) {
        candidates_.push_back(i);
      }
    }
    std::ranges::sort(candidates_, {}, [this](Candidate candidate) { return operation_of(candidate).returned; });
    const KeyOperation* last = nullptr;
    for (std::uint32_t i = 0; i < pending_.size(); ++i) {
      const Pending& pending = pending_[i];
      const KeyOperation& operation = *pending.operation;
      const bool is_like_last = last != nullptr && last->kind == operation.kind &&
                                last->argument == operation.argument && last->expected == operation.expected;
      if (!pending.is_done && !is_like_last && processes_[pending.process].done >= pending.behind) {
        candidates_.push_back(static_cast<std::uint32_t>(processes_.size()) + i);
        last = &operation;
      }
    }
  }

  bool go_on() {
    find_candidates();
    while (frames_.back().next_candidate < candidates_.size()) {
      const Candidate candidate = candidates_[frames_.back().next_candidate++];
      if (!apply(candidate)) {
        continue;
      }
      take_matching_reads();
      describe();
      if (!failed_.contains(hash_, description_)) {
        frames_.push_back({.value = value_, .trail = trail_.size()});
        return true;
      }
      undo_to(frames_.back());
    }
    return false;
  }

  bool apply(Candidate candidate) {
    const KeyOperation& operation = operation_of(candidate);
    const auto step =
        KeyModel<SearchValues>::apply(values_, operation.kind, value_, operation.argument, operation.expected);
    const bool answers = operation.kind == OperationKind::read || operation.kind == OperationKind::increment;
    if (step.outcome != OutcomeKind::ok || (operation.has_returned() && answers && step.answer != operation.observed)) {
      return false;
    }
    const ValueId before = value_;
    take(candidate, step.after);
    if (structure_ == Structure::registers && before != value_) {
      const Use& use = use_of(before);
      if (use.needed_by > 0 && use.produced_by == 0) {
        undo_to(frames_.back());
        return false;
      }
    }
    return true;
  }

  void take(Candidate candidate, ValueId after) {
    count_uses(operation_of(candidate), -1);
    if (candidate < processes_.size()) {
      ++processes_[candidate].done;
      --left_;
    } else {
      pending_[candidate - processes_.size()].is_done = true;
    }
    value_ = after;
    trail_.push_back(candidate);
  }

  // A read of what is there can always be taken at once: it is in nobody's way.
  void take_matching_reads() {
    bool has_taken = true;
    while (has_taken) {
      has_taken = false;
      for (std::uint32_t i = 0; i < processes_.size(); ++i) {
        const Process& process = processes_[i];
        while (process.done < process.operations.size() &&
               process.operations[process.done]->kind == OperationKind::read &&
               process.operations[process.done]->observed == value_) {
          take(i, value_);
        }
      }
    }
  }

  void undo_to(const Frame& frame) {
    while (trail_.size() > frame.trail) {
      const Candidate candidate = trail_.back();
      trail_.pop_back();
      if (candidate < processes_.size()) {
        --processes_[candidate].done;
        ++left_;
      } else {
        pending_[candidate - processes_.size()].is_done = false;
      }
      count_uses(operation_of(candidate));
    }
    value_ = frame.value;
  }

  void describe() {
    description_.clear();
    description_.push_back(value_.value);
    for (const Process& process : processes_) {
      description_.push_back(static_cast<std::uint32_t>(process.done));
    }
    for (std::uint32_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i].is_done) {
        description_.push_back(i);
      }
    }
    hash_ = 0;
    for (const std::uint32_t word : description_) {
      hash_ = mixed(hash_ ^ word);
    }
  }

  Structure structure_;
  bool saw_other_ = false;  // some read did, which this search knows nothing of
  SearchValues values_;
  std::vector<Process> processes_;
  std::vector<Pending> pending_;
  FlatMap index_of_value_;
  std::vector<Use> uses_;
  std::size_t left_ = 0;  // operations that returned and have not taken effect

  ValueId value_;
  std::vector<Candidate> trail_;
  std::vector<Frame> frames_;
  std::vector<Candidate> candidates_;
  FailedConfigurations failed_;
  std::vector<std::uint32_t> description_;
  std::uint64_t hash_ = 0;
};

}  // namespace

Holds is_sequentially_consistent(const History& history, const KeyHistory& whole, std::uint64_t steps_max,
                                 std::uint64_t memory_bytes_max) {
  return SequentialSearch(history, whole).run(steps_max, memory_bytes_max);
}

}  // namespace shardcheck::histories
