// Six things make this search faster than the textbook's. Each keeps every verdict:
//
// 1. A read that fits the present value is taken at once and never given back on its own. If some order goes on from
//    here, the same order with the read moved to the front goes on too: the read changes nothing, and as it may be
//    next, nothing that is left has to precede it.
// 2. Operations that never returned and ask the same are used in the order of their invocations. In any order of
//    effects that uses a later one and not an earlier one, the earlier one can stand in: it was invoked before, it has
//    no return to miss and no answer to give.
// 3. A step is refused when it changes the value away from one that some operation still has to see, and nothing left
//    could bring it back. In a counter or a log nothing ever brings a value back.
// 4. In a log, as long as any read is left, the value has to be a beginning of the longest value read. For let M be
//    that value: if its read is left, then the value only grows until it is M; if not, then the value already begins
//    with M, and a read that is left and no longer than M sees nothing but M itself.
// 5. A configuration is remembered only once it has failed: those on the way to it cannot come back, since more and
//    more operations have taken effect. So a history that is linearized straight away takes no memory for it.
// 6. In a register, an operation that never returned is used only where an operation that may be next needs its value.
//    If what stands behind it in an order does not, it changes the value again, whatever that was; so the order without
//    it is possible too.
//
// Candidates are tried in the order of deadlines: the earliest return among an operation and those that saw its value,
// if only it produced that value. This decides nothing, but is nearly always right.
#include "histories/search.h"

#include <algorithm>

#include "spec/assert.h"
#include "spec/key_model.h"

namespace shardcheck::histories {

SearchResult Search::run(const KeyHistory& history, Structure structure, const SearchLimits& limits) {
  structure_ = structure;
  limits_ = limits;
  lacking_ = Shortage::none;
  set_up(history);
  if (structure == Structure::registers && needs_a_value_nobody_makes()) {
    return result(Verdict::not_linearizable);
  }
  const auto count = static_cast<std::uint32_t>(returned_.size());
  const CutState beginning = initial_state();
  if (count <= limits.cutting.operations_in_one) {
    allow(limits.steps_max, limits.memory_bytes_max);
    return run_to_the_end(std::span(&beginning, 1), 0);
  }
  allow(limits.cutting.steps_for_each_operation * count, limits.memory_bytes_max / 4);
  const SearchResult straight = run_to_the_end(std::span(&beginning, 1), 0);
  return straight.verdict != Verdict::undecided || is_really_short() ? straight : run_windows();
}

// Tries all orders from the start on, in which everything that is due in the window takes effect.
Search::Ending Search::explore(const CutState& start, Goal goal) {
  Ending ending = start_from(start) ? Ending::ran_short : Ending::exhausted;
  while (!frames_.empty()) {
    lacking_ = shortage();
    if (lacking_ != Shortage::none) {
      ending = Ending::ran_short;
      break;
    }
    if (due_left_ == 0) {
      if (goal == Goal::first_end) {
        ending = Ending::found;
        break;
      }
      record_end();
    } else if (const std::uint32_t candidate = next_candidate(frames_.back().last_tried); candidate != kNone) {
      frames_.back().last_tried = candidate;
      try_candidate(candidate);
      continue;
    }
    const std::uint64_t hash = describe_configuration(frames_.back().value);
    failed_.insert(hash, description_);
    frames_.pop_back();
    undo_to(frames_.empty() ? 0 : frames_.back().trail_size);
    ending = Ending::exhausted;
  }
  frames_.clear();
  undo_to(0);
  return ending;
}

// Apart from the initial absence, a value that was seen has to come from somewhere.
bool Search::needs_a_value_nobody_makes() const {
  const std::uint32_t* absent = index_of_value_.find(kAbsent.value);
  for (std::uint32_t i = 0; i < uses_.size(); ++i) {
    if (uses_[i].needed_by != 0 && uses_[i].produced_by == 0 && (absent == nullptr || *absent != i)) {
      return true;
    }
  }
  return false;
}

// Makes the present configuration the one to go on from; false, and nothing changed but the trail, if it is known to
// have failed.
bool Search::enter(ValueId value) {
  take_matching_reads(value);
  if (!failed_.is_empty()) {
    const std::uint64_t hash = describe_configuration(value);
    if (failed_.contains(hash, description_)) {
      return false;
    }
  }
  frames_.push_back({.value = value, .trail_size = static_cast<std::uint32_t>(trail_.size()), .last_tried = kNone});
  return true;
}

void Search::take_matching_reads(ValueId value) {
  for (std::uint32_t entry = next_[end_]; entry != end_ && entry % 2 == 0;) {
    const Step& step = steps_[entry / 2];
    const bool is_taken = step.kind == OperationKind::read && (step.observed == value) != step.saw_other;
    // Lifting may take away the return that stood in the way, so that the walk goes on behind it.
    const std::uint32_t before = previous_[entry];
    if (is_taken) {
      lift(entry / 2);
      ++step_count_;
    }
    entry = is_taken ? next_[before] : next_[entry];
  }
}

// The rank that comes after `last_tried` among the operations that may take effect next.
std::uint32_t Search::next_candidate(std::uint32_t last_tried) const {
  const auto is_after = [last_tried](std::uint32_t rank) { return last_tried == kNone || rank > last_tried; };
  std::uint32_t best = kNone;
  std::uint32_t entry = next_[end_];
  for (; entry != end_ && entry % 2 == 0; entry = next_[entry]) {
    const Step& step = steps_[entry / 2];
    if (step.kind != OperationKind::read && is_after(step.rank)) {
      best = std::min(best, step.rank);
    }
  }
  if (best != kNone) {
    return best;
  }
  const auto count = static_cast<std::uint32_t>(window_.size());
  const Position first_return = entry == end_ ? kNever : returned_[entry / 2].returned;
  for (std::uint32_t i = last_tried == kNone || last_tried < count ? 0 : last_tried - count + 1; i < classes_.size();
       ++i) {
    const PendingClass& candidates = classes_[i];
    if (candidates.used < candidates.size && pending_[candidates.first + candidates.used].invoked < first_return) {
      return count + i;
    }
  }
  return kNone;
}

// Goes on to the configuration behind the candidate, if the model and the rules above let it.
bool Search::try_candidate(std::uint32_t rank) {
  ++step_count_;
  const std::uint32_t index = step_of_rank_[rank];
  const Step& step = steps_[index];
  const ValueId before = frames_.back().value;
  const auto result = KeyModel<SearchValues>::apply(values_, step.kind, before, step.argument, step.expected);
  const bool has_returned = index < returned_.size();
  if (result.outcome != OutcomeKind::ok ||
      (has_returned && step.kind == OperationKind::increment && result.answer != step.observed)) {
    return false;
  }
  if (!has_returned && structure_ == Structure::registers && !is_wanted_now(result.after)) {
    return false;
  }
  const std::uint32_t trail_size = frames_.back().trail_size;
  lift(index);
  if (is_hopeless(before, result.after) || !enter(result.after)) {
    undo_to(trail_size);
    return false;
  }
  return true;
}

bool Search::is_wanted_now(ValueId value) const {
  const auto wants = [value](const Step& step) {
    return (step.kind == OperationKind::read && (step.observed == value) != step.saw_other) ||
           (step.kind == OperationKind::compare_and_set && step.expected == value);
  };
  for (std::uint32_t entry = next_[end_]; entry != end_ && entry % 2 == 0; entry = next_[entry]) {
    if (wants(steps_[entry / 2])) {
      return true;
    }
  }
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].used < classes_[i].size && wants(steps_[returned_.size() + i])) {
      return true;
    }
  }
  return false;
}

bool Search::is_hopeless(ValueId before, ValueId after) const {
  if (before == after || structure_ == Structure::mixed) {
    return false;
  }
  const std::uint32_t* left_behind = index_of_value_.find(before.value);
  if (left_behind != nullptr && uses_[*left_behind].needed_by != 0 && uses_[*left_behind].produced_by == 0) {
    return true;
  }
  if (structure_ != Structure::log || needs_left_ == 0) {
    return false;
  }
  // Unequal hashes prove unequal beginnings; equal ones only fail to refuse the step.
  const std::uint64_t length = values_.length_of(after);
  return length >= chain_hashes_.size() || chain_hashes_[length] != values_.hash_of(after).digits;
}

void Search::lift(std::uint32_t index) {
  const Step& step = steps_[index];
  if (step.value_needed != kNone) {
    --uses_[step.value_needed].needed_by;
    --needs_left_;
  }
  if (step.value_produced != kNone) {
    --uses_[step.value_produced].produced_by;
  }
  trail_.push_back(index);
  const auto count = static_cast<std::uint32_t>(returned_.size());
  if (index >= count) {
    std::uint32_t& used = classes_[index - count].used;
    taken_hash_ ^= mixed((std::uint64_t{used} << 32U) | index);
    ++used;
    return;
  }
  taken_hash_ ^= mixed(index);
  due_left_ -= returned_[index].returned < cut_ ? 1U : 0U;
  for (const std::uint32_t entry : {index * 2, index * 2 + 1}) {
    next_[previous_[entry]] = next_[entry];
    previous_[next_[entry]] = previous_[entry];
  }
}

// Puts back what was lifted last, in reverse order, so that every entry finds its neighbours as it left them.
void Search::undo_to(std::uint32_t trail_size) {
  const auto count = static_cast<std::uint32_t>(returned_.size());
  for (; trail_.size() > trail_size; trail_.pop_back()) {
    const std::uint32_t index = trail_.back();
    const Step& step = steps_[index];
    if (step.value_needed != kNone) {
      ++uses_[step.value_needed].needed_by;
      ++needs_left_;
    }
    if (step.value_produced != kNone) {
      ++uses_[step.value_produced].produced_by;
    }
    if (index >= count) {
      std::uint32_t& used = classes_[index - count].used;
      --used;
      taken_hash_ ^= mixed((std::uint64_t{used} << 32U) | index);
      continue;
    }
    taken_hash_ ^= mixed(index);
    due_left_ += returned_[index].returned < cut_ ? 1U : 0U;
    for (const std::uint32_t entry : {index * 2 + 1, index * 2}) {
      next_[previous_[entry]] = entry;
      previous_[next_[entry]] = entry;
    }
  }
}

// Writes the present configuration to description_ and returns its hash. What has taken effect is everything invoked
// before the first return in the list, except what still stands in front of it; so a few words say it exactly, however
// long the history is.
std::uint64_t Search::describe_configuration(ValueId value) {
  description_.clear();
  description_.push_back(value.value);
  std::uint32_t entry = next_[end_];
  for (; entry != end_ && entry % 2 == 0; entry = next_[entry]) {
    description_.push_back(entry);
  }
  description_.push_back(entry);
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].used != 0) {
      description_.push_back(i);
      description_.push_back(classes_[i].used);
    }
  }
  return mixed(taken_hash_ ^ mixed(value.value));
}

// The beginnings that windows start from were the ends of the window before: both are counted as long as there are any.
std::uint64_t Search::memory_bytes() const {
  return setup_bytes_ + 2 * ends_bytes_ + failed_.memory_bytes() + values_.memory_bytes() +
         frames_.capacity() * sizeof(Frame);
}

std::uint64_t Search::memory_of_setup() const {
  const std::size_t numbers = next_.capacity() + previous_.capacity() + step_of_rank_.capacity() + window_.capacity() +
                              carried_.capacity() + deadlines_.capacity() + outstanding_.capacity() +
                              trail_.capacity() + order_.capacity();
  return (returned_.capacity() + pending_.capacity()) * sizeof(KeyOperation) + steps_.capacity() * sizeof(Step) +
         classes_.capacity() * sizeof(PendingClass) + uses_.capacity() * sizeof(Use) + index_of_value_.memory_bytes() +
         chain_hashes_.capacity() * sizeof(std::uint64_t) + numbers * sizeof(std::uint32_t);
}

Shortage Search::shortage() {
  constexpr std::uint64_t kStepsBetweenLooks = 4096;
  if (step_count_ > steps_max_ || ends_.size() > cases_max_) {
    return Shortage::steps;
  }
  if (memory_bytes() > memory_bytes_max_) {
    return Shortage::memory;
  }
  if (limits_.is_out_of_time == nullptr || step_count_ < next_look_) {
    return Shortage::none;
  }
  next_look_ = step_count_ + kStepsBetweenLooks;
  return (*limits_.is_out_of_time)() ? Shortage::time : Shortage::none;
}

}  // namespace shardcheck::histories
