// The search for an order of effects that a user's model allows, of one partition: Wing and Gong's (1993) with Lowe's
// cache (2017). model_search.h is the way in.
//
// A configuration is a set of operations that have taken effect, and the state then. One from which no way on was found
// is remembered, by exact description: sets and states are compared, hashes only say where to look, so no collision can
// make a verdict. Operations are lifted out of a list and put back; nothing is copied a step, nothing recurses.
//
// What is done beyond the published algorithm, and why it is sound. Let C be a configuration, R the operation whose
// return is the first of those that are left, and w any order in which the rest can follow from C. R is in w, and
// whatever stands in w before R was invoked before R returned, so it is a candidate at C already.
//
// - The candidates are tried by their returns, the first one first: a guess that is often right.
// - What is read-only and possible now is taken at once, and nothing else is tried instead. It leaves the state as it
//   is where it stands in w, so w without it is as possible; and it is possible at C, and changes nothing there. So it
//   may stand first. If it never returned, it is left out altogether.
// - If the model says what commutes: let T be R and, again and again, the candidates that do not commute with one that
//   is in T. Only T is tried. For let t be the first of w that is in T (R is, so there is one). All before it are
//   candidates outside T, hence commute with t, one by one; so t may stand first. (A persistent set: Godefroid 1996.)
// - Of equal operations that never returned, the one that was invoked first is taken first: in w the two may change
//   places. So the later one is no candidate; where it stands before t in w, the earlier one stands before it, is
//   outside T, and so both commute with t.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "histories/failed_configurations.h"
#include "histories/operation_schedule.h"
#include "histories/state_table.h"
#include "histories/timed_operation.h"
#include "spec/assert.h"
#include "spec/model.h"

namespace shardcheck::histories {

// A search is for one use.
template <SequentialModel Model>
class PartitionSearch {
 public:
  using Operation = typename Model::Operation;

  // `history` must outlive the search; `members` are the indices into it that are judged. `is_unwanted`: asked now and
  // then; the result is undecided once it says true.
  PartitionSearch(Model model, std::span<const Timed<Operation>> history, std::span<const std::uint32_t> members,
                  const ModelBudget& budget, const std::function<bool()>& is_unwanted)
      : model_(std::move(model)),
        history_(history),
        budget_(budget),
        is_unwanted_(is_unwanted),
        schedule_(intervals(members)) {
    operations_ = members.size();
    set_twins();
  }

  PartitionVerdict run() {
    PartitionVerdict verdict{.verdict = explore(), .operations = operations_, .steps = steps_};
    if (verdict.verdict == Verdict::undecided) {
      verdict.shortage = shortage_;
    }
    keep_longest();
    verdict.memory_bytes = memory_bytes();
    verdict.longest_prefix = std::move(longest_);
    for (std::uint32_t& number : verdict.longest_prefix) {
      number = schedule_.index_of(number);
    }
    return verdict;
  }

 private:
  enum class Stage : std::uint8_t { fresh, most_urgent_tried, all_listed };

  struct Frame {
    std::uint32_t state;
    std::uint32_t trail_before;  // what the trail had before this configuration
    std::uint32_t choices_before;
    std::uint32_t branches_before;
    std::uint32_t operation;  // tried last
    Stage stage;
  };

  static constexpr std::uint32_t kTwinsLookedAtMax = 64;
  static constexpr std::uint64_t kTurnsBetweenLooks = 64;
  static constexpr std::uint64_t kStateHashes = std::uint64_t{1} << 40U;  // apart from those of operations

  std::vector<OperationSchedule::Interval> intervals(std::span<const std::uint32_t> members) {
    std::vector<OperationSchedule::Interval> result;
    result.reserve(members.size());
    for (const std::uint32_t index : members) {
      const Timed<Operation>& timed = history_[index];
      if (timed.returned_at.has_value() || !is_read_only(timed.operation)) {
        result.push_back({index, timed.invoked_at, timed.returned_at});
      }
    }
    return result;
  }

  const Operation& operation(std::uint32_t number) const { return history_[schedule_.index_of(number)].operation; }

  bool is_read_only(const Operation& operation) {
    if constexpr (KnowsReadOnly<Model>) {
      return model_.is_read_only(operation);
    } else {
      return false;
    }
  }

  bool commute(const Operation& left, const Operation& right) {
    if constexpr (KnowsCommuting<Model>) {
      return (is_read_only(left) && is_read_only(right)) || model_.commute(left, right);
    } else {
      return false;
    }
  }

  // Looks at the last few different ones only, so that many different ones do not cost their square.
  void set_twins() {
    if constexpr (std::equality_comparable<Operation>) {
      std::vector<std::uint32_t> last_of_kind;
      for (std::uint32_t number = schedule_.first_pending(); number < schedule_.size(); ++number) {
        const auto twin = std::ranges::find_if(
            last_of_kind, [&](std::uint32_t earlier) { return operation(earlier) == operation(number); });
        if (twin != last_of_kind.end()) {
          schedule_.set_twin(number, *twin);
          *twin = number;
        } else if (last_of_kind.size() < kTwinsLookedAtMax) {
          last_of_kind.push_back(number);
        } else {
          last_of_kind[number % kTwinsLookedAtMax] = number;
        }
      }
    }
  }

  Verdict explore() {
    enter(states_.number_of(model_, model_.initial()), 0);
    while (schedule_.left() != 0) {
      if (is_short()) {
        return Verdict::undecided;
      }
      if (turn()) {
        continue;
      }
      give_up();
      if (frames_.empty()) {
        return Verdict::not_linearizable;
      }
    }
    return Verdict::linearizable;
  }

  // One thing more tried from the last configuration. False: there is nothing more to try.
  bool turn() {
    Frame& frame = frames_.back();
    if (branches_.size() != frame.branches_before) {
      const std::uint32_t state = branches_.back();
      branches_.pop_back();
      attempt(frame.operation, state);
      return true;
    }
    if (!choose(frame)) {
      return false;
    }
    step(frame.state, frame.operation,
         [&](const typename Model::State& next) { branches_.push_back(states_.number_of(model_, next)); });
    std::reverse(branches_.begin() + frame.branches_before, branches_.end());
    return true;
  }

  template <class Emit>
  void step(std::uint32_t state, std::uint32_t number, Emit emit) {
    ++steps_;
    model_.step(states_.at(state), operation(number), schedule_.has_returned(number) ? Answer::known : Answer::unknown,
                emit);
  }

  // The others are only listed once the most urgent one did not do: mostly it does.
  bool choose(Frame& frame) {
    switch (frame.stage) {
      case Stage::fresh:
        frame.operation = schedule_.most_urgent();
        frame.stage = Stage::most_urgent_tried;
        return true;
      case Stage::most_urgent_tried:
        list_choices();
        frame.stage = Stage::all_listed;
        [[fallthrough]];
      case Stage::all_listed: break;
    }
    if (choices_.size() == frame.choices_before) {
      return false;
    }
    frame.operation = choices_.back();
    choices_.pop_back();
    return true;
  }

  void list_choices() {
    schedule_.candidates(candidates_);
    if constexpr (KnowsCommuting<Model>) {
      keep_dependent();
    }
    choices_.insert(choices_.end(), candidates_.rbegin(), candidates_.rend() - 1);
  }

  // Of candidates_: T, in the same order.
  void keep_dependent() {
    is_dependent_.assign(candidates_.size(), false);
    is_dependent_[0] = true;
    members_.assign(1, 0);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Operation& member = operation(candidates_[members_[i]]);
      for (std::uint32_t other = 1; other < candidates_.size(); ++other) {
        if (!is_dependent_[other] && !commute(member, operation(candidates_[other]))) {
          is_dependent_[other] = true;
          members_.push_back(other);
        }
      }
    }
    std::ranges::sort(members_);
    std::ranges::transform(members_, members_.begin(), [this](std::uint32_t place) { return candidates_[place]; });
    candidates_.swap(members_);
  }

  void attempt(std::uint32_t number, std::uint32_t state) {
    const auto trail_before = static_cast<std::uint32_t>(trail_.size());
    lift(number);
    enter(state, trail_before);
  }

  void lift(std::uint32_t number) {
    schedule_.lift(number);
    trail_.push_back(number);
  }

  // Goes on from here, unless this is known to be in vain.
  void enter(std::uint32_t state, std::uint32_t trail_before) {
    take_reads(state);
    if (schedule_.left() != 0 && !failed_.is_empty() && failed_.contains(describe(state), description_)) {
      undo_to(trail_before);
      return;
    }
    frames_.push_back({.state = state,
                       .trail_before = trail_before,
                       .choices_before = static_cast<std::uint32_t>(choices_.size()),
                       .branches_before = static_cast<std::uint32_t>(branches_.size()),
                       .operation = 0,
                       .stage = Stage::fresh});
  }

  void take_reads(std::uint32_t state) {
    if constexpr (KnowsReadOnly<Model>) {
      schedule_.lift_where([&](std::uint32_t number) {
        if (!is_read_only(operation(number))) {
          return false;
        }
        bool is_possible = false;
        step(state, number, [&](const typename Model::State& next) {
          SHARDCHECK_ASSERT(&next == &states_.at(state) || next == states_.at(state));
          is_possible = true;
        });
        if (is_possible) {
          trail_.push_back(number);
        }
        return is_possible;
      });
    }
  }

  void give_up() {
    const Frame& frame = frames_.back();
    failed_.insert(describe(frame.state), description_);
    keep_longest();
    undo_to(frame.trail_before);
    frames_.pop_back();
  }

  void undo_to(std::uint32_t size) {
    while (trail_.size() > size) {
      schedule_.put_back(trail_.back());
      trail_.pop_back();
    }
    in_longest_ = std::min(in_longest_, trail_.size());
  }

  // Copies only what changed since the last time.
  void keep_longest() {
    if (longest_.empty() || schedule_.left() < left_of_longest_) {
      left_of_longest_ = schedule_.left();
      longest_.resize(in_longest_);
      longest_.insert(longest_.end(), trail_.begin() + static_cast<std::ptrdiff_t>(in_longest_), trail_.end());
      in_longest_ = trail_.size();
    }
  }

  std::uint64_t describe(std::uint32_t state) {
    description_.assign(1, state);
    schedule_.describe(description_);
    return schedule_.hash() ^ mixed(kStateHashes + state);
  }

  bool is_short() {
    if (steps_ > budget_.steps_max) {
      shortage_ = Shortage::steps;
    } else if (++turns_ % kTurnsBetweenLooks == 1) {
      if (memory_bytes() > budget_.memory_bytes_max) {
        shortage_ = Shortage::memory;
      } else if ((budget_.is_out_of_time && budget_.is_out_of_time()) || is_unwanted_()) {
        shortage_ = Shortage::time;
      }
    }
    return shortage_ != Shortage::none;
  }

  std::uint64_t memory_bytes() const {
    const std::size_t numbers = trail_.capacity() + longest_.capacity() + choices_.capacity() + branches_.capacity();
    return schedule_.memory_bytes() + states_.memory_bytes() + failed_.memory_bytes() +
           frames_.capacity() * sizeof(Frame) + numbers * sizeof(std::uint32_t);
  }

  Model model_;
  std::span<const Timed<Operation>> history_;
  const ModelBudget& budget_;
  const std::function<bool()>& is_unwanted_;
  OperationSchedule schedule_;
  StateTable<Model> states_;
  FailedConfigurations failed_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> trail_;     // in the order in which they have taken effect
  std::vector<std::uint32_t> choices_;   // of all frames: what is to be tried yet, the next one last
  std::vector<std::uint32_t> branches_;  // the same of the states after the operation tried last
  std::vector<std::uint32_t> longest_;   // the trail when the fewest were left
  std::size_t in_longest_ = 0;           // so many of trail_ and longest_ are surely the same
  std::uint32_t left_of_longest_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t turns_ = 0;
  Shortage shortage_ = Shortage::none;
  std::vector<std::uint32_t> description_;  // scratch, as are those below
  std::vector<std::uint32_t> candidates_;
  std::vector<std::uint32_t> members_;
  std::vector<bool> is_dependent_;
};

}  // namespace shardcheck::histories
