// What a search needs before its first step: the list of entries, the classes of operations that never returned, who
// needs and who makes which value, and the order in which candidates are tried.
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>

#include "histories/search.h"
#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

bool asks_the_same(const KeyOperation& left, const KeyOperation& right) {
  return left.kind == right.kind && left.argument == right.argument && left.expected == right.expected;
}

}  // namespace

void Search::set_up(const KeyHistory& history) {
  history_ = &history;
  values_.reset(*history.values);
  returned_.clear();
  pending_.clear();
  steps_.clear();
  index_of_value_.clear();
  uses_.clear();
  needs_left_ = 0;
  trail_.clear();
  frames_.clear();
  taken_hash_ = 0;
  failed_.clear();
  // What another history has left of it must not count against this one.
  if (failed_.memory_bytes() > limits_.memory_bytes_max / 4) {
    failed_ = {};
  }
  step_count_ = 0;
  next_look_ = 0;
  ends_.clear();
  ends_bytes_ = 0;
  for (const KeyOperation& operation : history.operations) {
    (operation.has_returned() ? returned_ : pending_).push_back(operation);
  }
  for (const KeyOperation& operation : returned_) {
    add_step(operation);
  }
  set_up_classes();
  deadlines_.assign(uses_.size(), kNever);
  const auto count = static_cast<std::uint32_t>(returned_.size());
  end_ = count * 2;
  next_.resize(end_ + 1);
  previous_.resize(end_ + 1);
  carried_.clear();
  set_up_chain(history);
  setup_bytes_ = memory_of_setup();
}

void Search::add_step(const KeyOperation& operation) {
  Step step{.kind = operation.kind,
            .argument = operation.argument,
            .expected = operation.expected,
            .observed = operation.observed,
            .saw_other = operation.saw_other,
            .value_needed = operation.has_returned() ? value_needed(operation) : kNone,
            .value_produced = kNone,
            .rank = kNone};
  if (structure_ == Structure::registers && operation.kind != OperationKind::read) {
    step.value_produced = use_index(product_of(operation));
  }
  if (step.value_needed != kNone) {
    ++uses_[step.value_needed].needed_by;
    ++needs_left_;
  }
  if (step.value_produced != kNone) {
    ++uses_[step.value_produced].produced_by;
  }
  steps_.push_back(step);
}

std::uint32_t Search::use_index(ValueId value) {
  const auto next = static_cast<std::uint32_t>(uses_.size());
  const std::uint32_t index = index_of_value_.find_or_insert(value.value, next);
  if (index == next) {
    uses_.push_back(Use{});
  }
  return index;
}

std::uint32_t Search::value_needed(const KeyOperation& operation) {
  switch (operation.kind) {
    case OperationKind::read: return operation.saw_other ? kNone : use_index(operation.observed);
    case OperationKind::compare_and_set: return use_index(operation.expected);
    case OperationKind::increment: {
      if (structure_ != Structure::counter) {
        return kNone;
      }
      const std::int64_t sum = history_->values->number_of(operation.observed);
      if (sum == 1) {
        return use_index(kAbsent);
      }
      const std::optional<ValueId> before = sum > 1 ? history_->values->find_number(sum - 1) : std::nullopt;
      return before ? use_index(*before) : kNone;
    }
    case OperationKind::write:
    case OperationKind::remove:
    case OperationKind::append:
    case OperationKind::scan: return kNone;
  }
  return kNone;
}

void Search::set_up_classes() {
  classes_.clear();
  std::ranges::sort(pending_, {}, [](const KeyOperation& operation) {
    return std::tuple(operation.kind, operation.argument, operation.expected, operation.invoked);
  });
  for (std::uint32_t i = 0; i < pending_.size(); ++i) {
    if (i == 0 || !asks_the_same(pending_[i - 1], pending_[i])) {
      classes_.push_back({.first = i, .size = 0, .used = 0});
      add_step(pending_[i]);
    } else if (steps_.back().value_produced != kNone) {
      ++uses_[steps_.back().value_produced].produced_by;
    }
    ++classes_.back().size;
  }
}

void Search::link_entries() {
  order_.clear();
  for (const std::uint32_t i : window_) {
    if (returned_[i].returned < cut_) {
      order_.push_back(i);
    } else {
      // Lifting and putting back an entry that is linked to itself changes nothing.
      next_[i * 2 + 1] = previous_[i * 2 + 1] = i * 2 + 1;
    }
  }
  due_left_ = static_cast<std::uint32_t>(order_.size());
  std::ranges::sort(order_, {}, [this](std::uint32_t i) { return std::tuple(returned_[i].returned, i); });
  std::uint32_t last = end_;
  const auto append_entry = [&](std::uint32_t entry) {
    next_[last] = entry;
    previous_[entry] = last;
    last = entry;
  };
  auto invocation = window_.begin();
  for (const std::uint32_t i : order_) {
    for (; invocation != window_.end() && returned_[*invocation].invoked < returned_[i].returned; ++invocation) {
      append_entry(*invocation * 2);
    }
    append_entry(i * 2 + 1);
  }
  for (; invocation != window_.end(); ++invocation) {
    append_entry(*invocation * 2);
  }
  append_entry(end_);
}

void Search::rank_steps() {
  // Of each value, the earliest return of an operation of the window that needs it.
  for (const std::uint32_t i : window_) {
    if (steps_[i].value_needed != kNone) {
      Position& deadline = deadlines_[steps_[i].value_needed];
      deadline = std::min(deadline, returned_[i].returned);
    }
  }
  const auto deadline_of = [&](std::uint32_t i) {
    const std::uint32_t produced = steps_[i].value_produced;
    const bool is_only_producer = produced != kNone && uses_[produced].produced_by == 1;
    return is_only_producer ? std::min(returned_[i].returned, deadlines_[produced]) : returned_[i].returned;
  };
  step_of_rank_ = window_;
  std::ranges::sort(step_of_rank_, {}, [&](std::uint32_t i) { return std::tuple(deadline_of(i), i); });
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    step_of_rank_.push_back(static_cast<std::uint32_t>(returned_.size()) + i);
  }
  for (std::uint32_t rank = 0; rank < step_of_rank_.size(); ++rank) {
    steps_[step_of_rank_[rank]].rank = rank;
  }
  for (const std::uint32_t i : window_) {
    if (steps_[i].value_needed != kNone) {
      deadlines_[steps_[i].value_needed] = kNever;
    }
  }
}

void Search::set_up_chain(const KeyHistory& history) {
  chain_ = kAbsent;
  chain_hashes_.clear();
  if (structure_ != Structure::log) {
    return;
  }
  const ValueTable& values = *history.values;
  for (const KeyOperation& operation : returned_) {
    if (operation.kind == OperationKind::read && values.length_of(operation.observed) >= values.length_of(chain_)) {
      chain_ = operation.observed;
    }
  }
  SequenceHash hash;
  chain_hashes_.push_back(hash.digits);
  if (values.kind(chain_) == StoredKind::string) {
    for (const char c : values.string_of(chain_)) {
      hash.add(static_cast<unsigned char>(c));
      chain_hashes_.push_back(hash.digits);
    }
  } else if (values.kind(chain_) == StoredKind::list) {
    for (const ValueId item : values.list_of(chain_)) {
      hash.add(item.value);
      chain_hashes_.push_back(hash.digits);
    }
  }
}

}  // namespace shardcheck::histories
