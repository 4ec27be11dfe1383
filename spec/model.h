// A sequential model of one's own: what an object does when it is asked one thing after another. A history of any
// object that has one can be judged (histories/model_search.h).
//
// Required of a model M:
//   M::State      a value: copied, compared with ==. Equal states must behave alike.
//   M::Operation  what was asked together with what was answered.
//   initial()     the state at first.
//   step(state, operation, answer, emit)
//                 calls emit(next) for every state in which the object may be after the operation took effect in
//                 `state`: not at all when it cannot have been answered so there, more than once when the object is
//                 free to choose. Answer::unknown: it never returned, so nothing is to be read in `operation` that is
//                 an answer, and all that could have happened is to be emitted.
//   hash(state)   equal for equal states. Only speed depends on how well it spreads.
//
// The members are called on a copy of the model for each partition, by one thread, so a model may keep tables of its
// own, as of interned values; but what a call gives must depend on its arguments alone.
//
// Optional, each with a promise on which the verdict depends:
//   partition(operation)      an ordered value. Operations of different partitions have nothing to do with each other:
//                             each partition is judged by itself, from initial() on. By far the best help there is.
//   is_read_only(operation)   it changes no state: step emits the state that it was given, or nothing.
//   commute(left, right)      in every state both orders of the two lead to the same states (or both to none),
//                             whether their answers are known or not. Symmetric.
//   memory_bytes(state)       what a state holds beyond its own size. No promise; without it a budget of memory counts
//                             sizeof(State).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace shardcheck {

enum class Answer : std::uint8_t { known, unknown };

namespace detail {

// Stands for any receiver of states.
struct IgnoreState {
  template <class State>
  void operator()(const State&) const {}
};

}  // namespace detail

template <class M>
concept SequentialModel =
    std::copy_constructible<M> && std::regular<typename M::State> && std::copyable<typename M::Operation> &&
    requires(M& model, const typename M::State& state, const typename M::Operation& operation, Answer answer) {
      { model.initial() } -> std::convertible_to<typename M::State>;
      model.step(state, operation, answer, detail::IgnoreState{});
      { model.hash(state) } -> std::convertible_to<std::uint64_t>;
    };

template <class M>
concept HasPartitions = SequentialModel<M> && requires(M& model, const typename M::Operation& operation) {
  { model.partition(operation) } -> std::totally_ordered;
};

template <class M>
concept KnowsReadOnly = SequentialModel<M> && requires(M& model, const typename M::Operation& operation) {
  { model.is_read_only(operation) } -> std::convertible_to<bool>;
};

template <class M>
concept KnowsCommuting = SequentialModel<M> && requires(M& model, const typename M::Operation& operation) {
  { model.commute(operation, operation) } -> std::convertible_to<bool>;
};

template <class M>
concept CountsMemory = SequentialModel<M> && requires(M& model, const typename M::State& state) {
  { model.memory_bytes(state) } -> std::convertible_to<std::size_t>;
};

}  // namespace shardcheck
