// For tests of the search with a user's model: models, small random histories of them, and an oracle that tries every
// order of effects. The oracle shares nothing with the search but the models.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "histories/flat_map.h"
#include "histories/random_numbers.h"
#include "histories/timed_operation.h"
#include "spec/model.h"

namespace shardcheck::histories {

// What any of the models below is asked.
struct SmallOperation {
  enum class Kind : std::uint8_t { read, write, compare_and_set, enqueue, dequeue, add, pop };
  Kind kind = Kind::read;
  std::uint32_t key = 0;
  std::uint32_t argument = 0;
  std::uint32_t expected = 0;  // compare_and_set
  std::uint32_t answer = 0;    // read, dequeue, pop: what, 0 for nothing; compare_and_set: 1 if it was there

  friend bool operator==(const SmallOperation&, const SmallOperation&) = default;
};

struct RegisterModel {
  using State = std::uint32_t;
  using Operation = SmallOperation;

  State initial() const { return 0; }
  std::uint64_t hash(State state) const { return state; }
  void step(State state, const Operation& operation, Answer answer, auto emit) const {
    const bool is_known = answer == Answer::known;
    if (operation.kind == Operation::Kind::read) {
      if (!is_known || operation.answer == state) {
        emit(state);
      }
    } else if (operation.kind == Operation::Kind::write) {
      emit(operation.argument);
    } else if (const bool is_there = operation.expected == state; !is_known || is_there == (operation.answer == 1)) {
      emit(is_there ? operation.argument : state);
    }
  }
};

struct HelpedRegisterModel : RegisterModel {
  bool is_read_only(const SmallOperation& operation) const { return operation.kind == SmallOperation::Kind::read; }
};

// Two registers as one state.
struct TwoRegistersModel {
  using State = std::array<std::uint32_t, 2>;
  using Operation = SmallOperation;

  State initial() const { return {}; }
  std::uint64_t hash(const State& state) const { return state[0] * 16 + state[1]; }
  void step(const State& state, const Operation& operation, Answer answer, auto emit) const {
    RegisterModel{}.step(state[operation.key], operation, answer, [&](std::uint32_t next) {
      State after = state;
      after[operation.key] = next;
      emit(after);
    });
  }
};

struct CommutingRegistersModel : TwoRegistersModel {
  bool is_read_only(const SmallOperation& operation) const { return operation.kind == SmallOperation::Kind::read; }
  bool commute(const SmallOperation& left, const SmallOperation& right) const { return left.key != right.key; }
};

struct PartitionedRegistersModel : HelpedRegisterModel {
  std::uint32_t partition(const SmallOperation& operation) const { return operation.key; }
};

struct QueueModel {
  using State = std::vector<std::uint32_t>;
  using Operation = SmallOperation;

  State initial() const { return {}; }
  std::uint64_t hash(const State& state) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t item : state) {
      hash = mixed(hash ^ item);
    }
    return hash;
  }
  void step(const State& state, const Operation& operation, Answer answer, auto emit) const {
    State after = state;
    if (operation.kind == Operation::Kind::enqueue) {
      after.push_back(operation.argument);
      emit(after);
    } else if (answer == Answer::unknown || operation.answer == (state.empty() ? 0 : state.front())) {
      if (!after.empty()) {
        after.erase(after.begin());
      }
      emit(after);
    }
  }
};

// A set of which pop takes any element, and which may lose what is added. All states hash alike, if so wanted.
struct LossySetModel {
  using State = std::uint32_t;  // a bit for each element
  using Operation = SmallOperation;

  std::uint64_t hash_mask = ~std::uint64_t{0};

  State initial() const { return 0; }
  std::uint64_t hash(State state) const { return state & hash_mask; }
  void step(State state, const Operation& operation, Answer answer, auto emit) const {
    if (operation.kind == Operation::Kind::add) {
      emit(state | 1U << operation.argument);
      emit(state);
      return;
    }
    if (state == 0 && (answer == Answer::unknown || operation.answer == 0)) {
      emit(state);
    }
    for (std::uint32_t element = 1; element < 32; ++element) {
      const bool is_answer = answer == Answer::unknown || operation.answer == element;
      if (is_answer && (state >> element & 1U) != 0) {
        emit(state & ~(1U << element));
      }
    }
  }
};

using SmallHistory = std::vector<Timed<SmallOperation>>;

// At most `operations`, of these kinds; times so few that many are equal, some never returned.
inline SmallHistory random_small_history(RandomNumbers& random, std::uint64_t operations,
                                         const std::vector<SmallOperation::Kind>& kinds) {
  SmallHistory history(1 + random.below(operations));
  const std::uint64_t values = 2 + random.below(2);
  const auto length_max = static_cast<std::int64_t>(random.below(8));
  for (Timed<SmallOperation>& timed : history) {
    timed.operation.kind = kinds[random.below(kinds.size())];
    timed.operation.key = static_cast<std::uint32_t>(random.below(2));
    timed.operation.argument = static_cast<std::uint32_t>(1 + random.below(values));
    timed.operation.expected = static_cast<std::uint32_t>(random.below(values));
    timed.operation.answer = static_cast<std::uint32_t>(random.below(values));
    timed.invoked_at = TrueTime{static_cast<std::int64_t>(random.below(12))};
    const std::uint64_t length = random.below(static_cast<std::uint64_t>(length_max) + 1);
    if (!random.one_in(6)) {
      timed.returned_at = TrueTime{timed.invoked_at.value + static_cast<std::int64_t>(length)};
    }
  }
  return history;
}

// The most operations that returned which any order of effects has.
template <SequentialModel Model>
class PermutationOracle {
 public:
  PermutationOracle(Model model, const SmallHistory& history) : model_(model), history_(history) {
    try_all(model_.initial(), 0, 0);
  }

  std::uint64_t most() const { return most_; }
  bool is_linearizable() const {
    return most_ == static_cast<std::uint64_t>(std::ranges::count_if(
                        history_, [](const auto& timed) { return timed.returned_at.has_value(); }));
  }

 private:
  bool may_be_next(std::uint32_t taken, std::size_t index) const {
    if ((taken >> index & 1U) != 0) {
      return false;
    }
    for (std::size_t other = 0; other < history_.size(); ++other) {
      if ((taken >> other & 1U) == 0 && history_[other].returned_at.has_value() &&
          *history_[other].returned_at < history_[index].invoked_at) {
        return false;
      }
    }
    return true;
  }

  void try_all(typename Model::State state, std::uint32_t taken, std::uint64_t returned) {
    most_ = std::max(most_, returned);
    for (std::size_t index = 0; index < history_.size(); ++index) {
      if (may_be_next(taken, index)) {
        const bool has_returned = history_[index].returned_at.has_value();
        model_.step(state, history_[index].operation, has_returned ? Answer::known : Answer::unknown,
                    [&](const typename Model::State& next) {
                      try_all(next, taken | 1U << index, returned + (has_returned ? 1U : 0U));
                    });
      }
    }
  }

  Model model_;
  const SmallHistory& history_;
  std::uint64_t most_ = 0;
};

// Whether `order` is one of effects that the model allows, and the times do: what is missing returned not earlier than
// anything in it was invoked.
template <SequentialModel Model>
bool is_order_of_effects(Model model, const SmallHistory& history, const std::vector<std::uint32_t>& order) {
  std::vector<typename Model::State> states{model.initial()};
  std::vector<bool> is_taken(history.size(), false);
  for (const std::uint32_t index : order) {
    if (is_taken[index]) {
      return false;
    }
    for (std::size_t other = 0; other < history.size(); ++other) {
      if (!is_taken[other] && history[other].returned_at.has_value() &&
          *history[other].returned_at < history[index].invoked_at) {
        return false;
      }
    }
    is_taken[index] = true;
    std::vector<typename Model::State> after;
    for (const auto& state : states) {
      model.step(state, history[index].operation,
                 history[index].returned_at.has_value() ? Answer::known : Answer::unknown,
                 [&](const typename Model::State& next) { after.push_back(next); });
    }
    states = after;
  }
  return !states.empty();
}

}  // namespace shardcheck::histories
