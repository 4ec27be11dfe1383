// Forgetting operations without handing those to the decider that cannot matter. Each way's argument stands with it.
#include <algorithm>

#include "histories/contradiction.h"
#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

// The number that an increment or a read of a counter saw just before it took effect; nothing when it is no number that
// a counter can have.
std::optional<std::int64_t> count_before(const ValueTable& values, const KeyOperation& operation) {
  const bool is_increment = operation.kind == OperationKind::increment;
  if (operation.observed == kAbsent && !is_increment) {
    return 0;
  }
  if (!ValueTable::is_small_number(operation.observed)) {
    return std::nullopt;
  }
  const std::int64_t count = values.number_of(operation.observed) - (is_increment ? 1 : 0);
  return count < 0 || (count == 0 && !is_increment) ? std::nullopt : std::optional(count);
}

}  // namespace

void ContradictionFinder::forget_others(std::span<const std::uint32_t> kept) {
  ++trial_;
  for (const std::uint32_t i : kept) {
    mark_[i] = trial_;
  }
  tried_.key = known_.key;
  tried_.values = known_.values;
  tried_.operations.clear();
  chosen_.clear();
  switch (structure_) {
    case Structure::registers: choose_for_register(kept); break;
    case Structure::log: choose_for_log(kept); break;
    case Structure::mixed: choose_all(); break;
    case Structure::counter:
      if (forget_others_of_counter(kept)) {
        return;
      }
      choose_all();
      break;
  }
  const auto shift = static_cast<Position>(chosen_.size());
  for (Position position = 0; position < shift; ++position) {
    tried_.operations.push_back(forgotten(known_.operations[chosen_[position]], position));
  }
  for (const std::uint32_t i : kept) {
    KeyOperation operation = known_.operations[i];
    operation.invoked += shift;
    operation.returned += operation.has_returned() ? shift : 0;
    tried_.operations.push_back(operation);
  }
}

void ContradictionFinder::choose_all() {
  for (std::uint32_t i = 0; i < known_.operations.size(); ++i) {
    if (mark_[i] != trial_ && known_.operations[i].kind != OperationKind::read) {
      chosen_.push_back(i);
    }
  }
}

void ContradictionFinder::want(ValueId value) {
  std::uint32_t& observers = wanted_.find_or_insert(value.value, 0);
  if (++observers == 1) {
    wanted_in_order_.push_back(value);
  }
}

// Only forgotten operations that leave a value behind which a kept or a chosen operation needs: where such an operation
// takes effect in an order, the last change before it is then itself kept or chosen, so all the others can be taken out
// of the order. And without forgotten compare-and-sets, of those that leave the same value no more than need it.
void ContradictionFinder::choose_for_register(std::span<const std::uint32_t> kept) {
  wanted_.clear();
  wanted_in_order_.clear();
  for (const std::uint32_t i : kept) {
    if (const std::optional<ValueId> value = needed_value(known_.operations[i])) {
      want(*value);
    }
  }
  for (std::size_t next = 0; next < wanted_in_order_.size(); ++next) {
    const ValueId value = wanted_in_order_[next];
    const std::uint32_t* const product = index_of_product_.find(value.value);
    if (product == nullptr) {
      continue;
    }
    const Range range = producers_of_product_[*product];
    std::uint32_t room = has_compare_and_set_ ? kNone : *wanted_.find(value.value);
    for (std::uint32_t i = range.begin; i < range.end && room > 0; ++i) {
      const std::uint32_t producer = producers_[i];
      if (mark_[producer] == trial_) {
        continue;
      }
      mark_[producer] = trial_;
      chosen_.push_back(producer);
      --room;
      if (known_.operations[producer].kind == OperationKind::compare_and_set) {
        want(known_.operations[producer].expected);
      }
    }
  }
}

// Of a log of single items, only the appends of items that a kept read saw: if an order contains another one, all kept
// reads stand before it, and the appends behind it work on any value.
void ContradictionFinder::choose_for_log(std::span<const std::uint32_t> kept) {
  wanted_.clear();
  wanted_in_order_.clear();
  const ValueTable& values = *known_.values;
  for (const std::uint32_t i : kept) {
    const ValueId seen = known_.operations[i].observed;
    if (known_.operations[i].kind == OperationKind::read && values.kind(seen) == StoredKind::list) {
      for (const ValueId item : values.list_of(seen)) {
        want(item);
      }
    }
  }
  for (const ValueId item : wanted_in_order_) {
    const std::uint32_t* const product = index_of_product_.find(item.value);
    const Range range = product == nullptr ? Range{} : producers_of_product_[*product];
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      if (mark_[producers_[i]] != trial_) {
        chosen_.push_back(producers_[i]);
      }
    }
  }
  for (const std::uint32_t i : always_chosen_) {
    if (mark_[i] != trial_) {
      chosen_.push_back(i);
    }
  }
}

// No kept operation sees the counter below some number `least`, so the increments up to there are made by operations of
// which no answer is kept; as all such are alike but for the time from which on they may take effect, they can be the
// forgotten ones, of which nobody knows a time. All but one of them are left out, and the numbers seen made smaller by
// as many. (One is left because a counter that was never incremented is absent, not 0.) And no more forgotten
// increments than the largest number seen can matter: what takes effect behind the last kept answer is not needed.
bool ContradictionFinder::forget_others_of_counter(std::span<const std::uint32_t> kept) {
  std::int64_t least = std::int64_t{kNever};
  std::int64_t largest = 0;
  std::int64_t forgotten_count = increments_;
  for (const std::uint32_t i : kept) {
    const KeyOperation& operation = known_.operations[i];
    const bool is_increment = operation.kind == OperationKind::increment;
    forgotten_count -= is_increment ? 1 : 0;
    if (!operation.has_returned()) {
      continue;
    }
    const std::optional<std::int64_t> before = count_before(*known_.values, operation);
    if (!before) {
      return false;
    }
    least = std::min(least, *before);
    largest = std::max(largest, *before + (is_increment ? 1 : 0));
  }
  const std::int64_t left_out = largest == 0 ? 0 : std::max<std::int64_t>(least - 1, 0);
  if (forgotten_count < left_out) {
    return false;
  }
  const auto count = static_cast<Position>(std::min(forgotten_count, largest) - left_out);
  for (Position position = 0; position < count; ++position) {
    tried_.operations.push_back({.kind = OperationKind::increment, .invoked = position});
  }
  for (const std::uint32_t i : kept) {
    KeyOperation operation = known_.operations[i];
    operation.invoked += count;
    if (operation.has_returned()) {
      operation.returned += count;
      if (operation.observed != kAbsent) {
        const std::int64_t seen = known_.values->number_of(operation.observed);
        operation.observed = ValueTable::small_number(seen - left_out);
      }
    }
    tried_.operations.push_back(operation);
  }
  return true;
}

}  // namespace shardcheck::histories
