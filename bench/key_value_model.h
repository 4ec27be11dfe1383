// Models of a key-value store for the search with a user's model: one key, and the whole map as one state.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "histories/flat_map.h"
#include "histories/history.h"
#include "histories/search_values.h"
#include "histories/timed_operation.h"
#include "spec/key_model.h"
#include "spec/model.h"

namespace shardcheck::bench {

struct KeyValueOperation {
  OperationKind kind = OperationKind::read;
  std::uint32_t key = 0;  // from 0
  histories::ValueId argument;
  histories::ValueId expected;
  histories::ValueId observed;

  friend bool operator==(const KeyValueOperation&, const KeyValueOperation&) = default;
};

// Of a history without refused operations. `keys` becomes how many there are.
std::vector<histories::Timed<KeyValueOperation>> key_value_operations(const histories::History& history,
                                                                      std::uint32_t& keys);

// One key; its values are interned, so states are numbers.
class KeyModelOfOne {
 public:
  using State = histories::ValueId;
  using Operation = KeyValueOperation;

  // `values` must outlive the model.
  explicit KeyModelOfOne(const histories::ValueTable& values) { values_.reset(values); }

  State initial() const { return histories::kAbsent; }
  std::uint64_t hash(State state) const { return state.value; }
  std::uint32_t partition(const Operation& operation) const { return operation.key; }
  bool is_read_only(const Operation& operation) const { return operation.kind == OperationKind::read; }
  void step(State state, const Operation& operation, Answer answer, auto emit) {
    const auto step = shardcheck::KeyModel<histories::SearchValues>::apply(values_, operation.kind, state,
                                                                           operation.argument, operation.expected);
    const bool answers = operation.kind == OperationKind::read || operation.kind == OperationKind::increment;
    const bool is_wrong =
        answer == Answer::known && (step.outcome != OutcomeKind::ok || (answers && step.answer != operation.observed));
    if (!is_wrong) {
      emit(step.after);
    }
  }

 private:
  histories::SearchValues values_;
};

// All keys as one state, at most kKeysMax. Says nothing of its structure but what is read-only.
class WholeMapModel {
 public:
  static constexpr std::uint32_t kKeysMax = 16;
  struct State {
    std::array<histories::ValueId, kKeysMax> values{};
    std::uint64_t hash = 0;  // xor over the keys

    friend bool operator==(const State&, const State&) = default;
  };
  using Operation = KeyValueOperation;

  explicit WholeMapModel(const histories::ValueTable& values) : one_(values) {}

  State initial() const { return {}; }
  std::uint64_t hash(const State& state) const { return state.hash; }
  bool is_read_only(const Operation& operation) const { return operation.kind == OperationKind::read; }
  void step(const State& state, const Operation& operation, Answer answer, auto emit) {
    one_.step(state.values[operation.key], operation, answer, [&](histories::ValueId next) {
      const histories::ValueId before = state.values[operation.key];
      if (next == before) {
        emit(state);
        return;
      }
      State after = state;
      after.values[operation.key] = next;
      after.hash ^= hash_of(operation.key, before) ^ hash_of(operation.key, next);
      emit(after);
    });
  }

 private:
  static std::uint64_t hash_of(std::uint32_t key, histories::ValueId value) {
    return histories::mixed((std::uint64_t{key} << 32U) + value.value);
  }

  KeyModelOfOne one_;
};

// The same, and it says that operations on different keys commute.
struct CommutingMapModel : WholeMapModel {
  using WholeMapModel::WholeMapModel;
  bool commute(const Operation& left, const Operation& right) const { return left.key != right.key; }
};

}  // namespace shardcheck::bench
