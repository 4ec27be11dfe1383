// Cutting. A window has the operations that were outstanding at the cut before and those invoked up to its own cut.
// From everything that could be the case at the cut before, all orders are tried in which what returned before the cut
// takes effect, and whatever else does only where that needs it: an operation still outstanding can as well wait for
// the next window. What is then the case (the value, what is left of the outstanding operations, how many of each class
// of operations that never returned were used) is all that the rest depends on. So nothing is lost by forgetting how it
// came about; and when nothing is left, the history up to this cut is not linearizable.
//
// Of two cases that differ in nothing but that one used more operations that never returned, that one is dropped: what
// is used less may still be left unused.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "histories/search.h"
#include "spec/assert.h"

namespace shardcheck::histories {

Search::CutState Search::initial_state() const {
  return {.value = kAbsent, .left = {}, .used = std::vector<std::uint32_t>(classes_.size(), 0)};
}

// Puts what was carried and the operations from `next` to before `end` into the list.
void Search::open_window(std::uint32_t next, std::uint32_t end) {
  window_ = carried_;
  for (std::uint32_t i = next; i < end; ++i) {
    window_.push_back(i);
  }
  cut_ = end < returned_.size() ? returned_[end].invoked : kNever;
  taken_hash_ = 0;
  failed_.clear();
  link_entries();
  rank_steps();
}

// What was due has taken effect, in every case.
void Search::close_window() {
  carried_.clear();
  for (const std::uint32_t i : window_) {
    if (returned_[i].returned >= cut_) {
      carried_.push_back(i);
    } else {
      lift(i);
    }
  }
  trail_.clear();
}

// False when it is known that nothing comes of it.
bool Search::start_from(const CutState& start) {
  auto left = start.left.begin();
  for (const std::uint32_t i : carried_) {
    if (left != start.left.end() && *left == i) {
      ++left;
    } else {
      lift(i);
    }
  }
  for (std::uint32_t i = 0; i < start.used.size(); ++i) {
    for (std::uint32_t n = 0; n < start.used[i]; ++n) {
      lift(static_cast<std::uint32_t>(returned_.size()) + i);
    }
  }
  return enter(start.value);
}

// The case that the present configuration is at the cut: no return is left in the list.
void Search::record_end() {
  CutState end{.value = frames_.back().value, .left = {}, .used = {}};
  for (std::uint32_t entry = next_[end_]; entry != end_; entry = next_[entry]) {
    end.left.push_back(entry / 2);
  }
  for (const PendingClass& pending : classes_) {
    end.used.push_back(pending.used);
  }
  ends_bytes_ += sizeof(CutState) + (end.left.capacity() + end.used.capacity()) * sizeof(std::uint32_t);
  ends_.push_back(std::move(end));
}

void Search::keep_least_ends() {
  constexpr std::uint64_t kComparisonsMax = std::uint64_t{1} << 31U;
  const auto what_is_left = [](const CutState& end) { return std::tie(end.value, end.left); };
  if (classes_.empty()) {
    return;
  }
  std::ranges::sort(ends_, {}, what_is_left);
  std::uint64_t comparisons = 0;
  std::vector<CutState> least;
  for (auto begin = ends_.begin(); begin != ends_.end();) {
    const auto end = std::find_if(begin, ends_.end(),
                                  [&](const CutState& one) { return what_is_left(one) != what_is_left(*begin); });
    const auto count = static_cast<std::uint64_t>(end - begin);
    comparisons += count * count * classes_.size();
    for (auto one = begin; one != end; ++one) {
      const auto uses_less = [&](const CutState& other) {
        return other.used != one->used && std::ranges::equal(other.used, one->used, std::ranges::less_equal());
      };
      if (comparisons > kComparisonsMax || std::none_of(begin, end, uses_less)) {
        least.push_back(*one);
      }
    }
    begin = end;
  }
  ends_ = std::move(least);
}

// The index of the operation before whose invocation the window ends.
std::uint32_t Search::choose_cut(std::uint32_t next) const {
  const auto count = static_cast<std::uint32_t>(returned_.size());
  const std::uint32_t least = limits_.cutting.window_operations;
  if (count - next <= 4 * least) {
    return count;
  }
  const auto begin = outstanding_.begin() + next + least;
  return static_cast<std::uint32_t>(std::min_element(begin, begin + 3 * least) - outstanding_.begin());
}

void Search::allow(std::uint64_t more_steps, std::uint64_t memory_bytes) {
  steps_max_ = std::min(limits_.steps_max, step_count_ + std::min(more_steps, limits_.steps_max));
  memory_bytes_max_ = memory_bytes;
}

// Whether the limits themselves are reached, and not just those of an attempt.
bool Search::is_really_short() const {
  switch (lacking_) {
    case Shortage::none: return false;
    case Shortage::steps: return step_count_ > limits_.steps_max;
    case Shortage::memory: return memory_bytes() > limits_.memory_bytes_max;
    case Shortage::time: return true;
  }
  return true;
}

// At a cut. All of them take at most a quarter of the memory, and so do those at the cut before.
std::uint64_t Search::cases_at_most() const {
  const std::uint64_t operations = 8 * limits_.cutting.window_operations + classes_.size();
  const std::uint64_t bytes_of_case = sizeof(CutState) + operations * sizeof(std::uint32_t);
  return std::min(std::uint64_t{limits_.cutting.cases_max}, limits_.memory_bytes_max / 4 / bytes_of_case);
}

// All that is left as one window, from one of several cases.
SearchResult Search::run_to_the_end(std::span<const CutState> starts, std::uint32_t next) {
  open_window(next, static_cast<std::uint32_t>(returned_.size()));
  for (const CutState& start : starts) {
    switch (explore(start, Goal::first_end)) {
      case Ending::found: return result(Verdict::linearizable);
      case Ending::ran_short: return result(Verdict::undecided);
      case Ending::exhausted: break;
    }
  }
  return result(Verdict::not_linearizable);
}

SearchResult Search::run_windows() {
  const auto count = static_cast<std::uint32_t>(returned_.size());
  set_up_outstanding();
  cases_max_ = cases_at_most();
  std::vector<CutState> starts{initial_state()};
  Position sound_until = 0;
  for (std::uint32_t next = 0; next < count || !carried_.empty();) {
    const std::uint32_t end = choose_cut(next);
    open_window(next, end);
    ends_.clear();
    ends_bytes_ = 0;
    bool is_too_much = false;
    allow(limits_.cutting.steps_in_a_window, limits_.memory_bytes_max);
    for (const CutState& start : starts) {
      is_too_much = explore(start, Goal::all_ends) == Ending::ran_short;
      if (is_too_much) {
        break;
      }
    }
    if (is_too_much) {
      if (is_really_short()) {
        return result(Verdict::undecided);
      }
      ends_.clear();
      allow(limits_.steps_max, limits_.memory_bytes_max);
      SearchResult rest = run_to_the_end(starts, next);
      rest.sound_until = sound_until;
      return rest;
    }
    if (ends_.empty()) {
      SearchResult refuted = result(Verdict::not_linearizable);
      refuted.is_by_windows = true;
      refuted.suspect = cut_ == kNever ? kNever : cut_ - 1;
      refuted.sound_until = sound_until;
      return refuted;
    }
    sound_until = cut_;
    keep_least_ends();
    starts.swap(ends_);
    close_window();
    next = end;
  }
  SearchResult accepted = result(Verdict::linearizable);
  accepted.is_by_windows = true;
  return accepted;
}

// Of each operation, how many that were invoked before it have not returned before it is invoked.
void Search::set_up_outstanding() {
  std::vector<Position> returns;
  for (const KeyOperation& operation : returned_) {
    returns.push_back(operation.returned);
  }
  std::ranges::sort(returns);
  outstanding_.clear();
  std::uint32_t done = 0;
  for (std::uint32_t i = 0; i < returned_.size(); ++i) {
    for (; done < returns.size() && returns[done] < returned_[i].invoked; ++done) {
    }
    outstanding_.push_back(i - done);
  }
}

}  // namespace shardcheck::histories
