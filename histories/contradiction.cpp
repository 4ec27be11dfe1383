#include "histories/contradiction.h"

#include <algorithm>
#include <utility>

#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

bool has_to_do_with(const KeyOperation& operation, ValueId value) {
  return needed_value(operation) == value || (operation.kind != OperationKind::read && product_of(operation) == value);
}

}  // namespace

KeyOperation forgotten(KeyOperation operation, Position invoked) {
  operation.invoked = invoked;
  operation.returned = kNever;
  operation.observed = kAbsent;
  return operation;
}

std::optional<ValueId> needed_value(const KeyOperation& operation) {
  if (operation.kind == OperationKind::read) {
    return operation.has_returned() && !operation.saw_other ? std::optional(operation.observed) : std::nullopt;
  }
  return operation.kind == OperationKind::compare_and_set ? std::optional(operation.expected) : std::nullopt;
}

void known_after(const KeyHistory& whole, const KeyOperation& last, KeyHistory& out) {
  cut_after(whole, last.returned, out);
  const std::optional<ValueId> needed = needed_value(last);
  if (structure_of(whole) != Structure::registers || !needed || *needed == kAbsent) {
    return;
  }
  const KeyOperation* write = nullptr;
  for (const KeyOperation& operation : whole.operations) {
    if (operation.kind == OperationKind::read || product_of(operation) != *needed || operation.source == last.source) {
      continue;
    }
    if (write != nullptr || operation.invoked <= last.returned) {
      return;  // there are several, or it was not too early
    }
    write = &operation;
  }
  if (write != nullptr) {
    out.operations.push_back(forgotten(*write, write->invoked));
  }
}

void forget_all_but(const KeyHistory& known, std::span<const std::uint32_t> kept, KeyHistory& out) {
  SHARDCHECK_ASSERT(std::ranges::is_sorted(kept));
  out.key = known.key;
  out.values = known.values;
  out.operations.clear();
  for (std::uint32_t i = 0; i < known.operations.size(); ++i) {
    if (known.operations[i].kind != OperationKind::read && !std::ranges::binary_search(kept, i)) {
      out.operations.push_back(forgotten(known.operations[i], static_cast<Position>(out.operations.size())));
    }
  }
  const auto shift = static_cast<Position>(out.operations.size());
  for (const std::uint32_t i : kept) {
    KeyOperation operation = known.operations[i];
    operation.invoked += shift;
    operation.returned += operation.has_returned() ? shift : 0;
    out.operations.push_back(operation);
  }
}

ContradictionFinder::ContradictionFinder(const KeyHistory& known, Decide decide, std::uint64_t work_max)
    : known_(known), decide_(std::move(decide)), work_left_(work_max), structure_(structure_of(known)) {
  SHARDCHECK_ASSERT(known.operations.size() < kNever / 4);  // so that positions can be shifted by that many
  for (const KeyOperation& operation : known.operations) {
    has_compare_and_set_ |= operation.kind == OperationKind::compare_and_set;
    increments_ += operation.kind == OperationKind::increment ? 1 : 0;
  }
  mark_.resize(known.operations.size());
  index_producers();
}

void ContradictionFinder::index_producers() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> product_and_operation;
  for (std::uint32_t i = 0; i < known_.operations.size(); ++i) {
    const KeyOperation& operation = known_.operations[i];
    if (operation.kind == OperationKind::read) {
      continue;
    }
    if (structure_ == Structure::registers) {
      product_and_operation.emplace_back(product_of(operation).value, i);
    } else if (structure_ == Structure::log && known_.values->kind(operation.argument) == StoredKind::list &&
               known_.values->length_of(operation.argument) == 1) {
      product_and_operation.emplace_back(known_.values->list_of(operation.argument)[0].value, i);
    } else {
      always_chosen_.push_back(i);
    }
  }
  std::ranges::sort(product_and_operation);
  for (std::uint32_t i = 0; i < product_and_operation.size(); ++i) {
    const auto [product, operation] = product_and_operation[i];
    if (i == 0 || product_and_operation[i - 1].first != product) {
      index_of_product_.find_or_insert(product, static_cast<std::uint32_t>(producers_of_product_.size()));
      producers_of_product_.push_back({.begin = i, .end = i});
    }
    ++producers_of_product_.back().end;
    producers_.push_back(operation);
  }
}

Contradiction ContradictionFinder::find(std::uint32_t last) {
  std::vector<std::uint32_t> sequence = candidates(last);
  std::size_t window = 0;
  Contradiction found = progress(sequence, window);
  const auto others_read = std::ranges::count_if(
      found.operations, [&](std::uint32_t i) { return i != last && known_.operations[i].kind == OperationKind::read; });
  if (!found.is_minimal || (found.operations.size() <= 2 && others_read == 0)) {
    return found;
  }
  // A second try in the neighbourhood, changes before reads: often smaller, and easier to understand.
  sequence.resize(std::min(sequence.size(), 2 * window + 8));
  std::vector<std::uint32_t> reordered{last};
  for (const bool are_reads : {false, true}) {
    for (std::size_t i = 1; i < sequence.size(); ++i) {
      if ((known_.operations[sequence[i]].kind == OperationKind::read) == are_reads) {
        reordered.push_back(sequence[i]);
      }
    }
  }
  const Contradiction other = progress(std::move(reordered), window);
  return other.is_minimal && other.operations.size() <= found.operations.size() ? other : found;
}

std::vector<std::uint32_t> ContradictionFinder::candidates(std::uint32_t last) const {
  const KeyOperation& answer = known_.operations[last];
  const auto is_related = [&](const KeyOperation& operation) {
    if (structure_ != Structure::registers) {
      return false;
    }
    const std::optional<ValueId> needed = needed_value(answer);
    return (needed && has_to_do_with(operation, *needed)) ||
           (answer.kind != OperationKind::read && has_to_do_with(operation, product_of(answer)));
  };
  std::vector<std::uint32_t> sequence{last};
  std::vector<std::uint32_t> others;
  for (auto i = static_cast<std::uint32_t>(known_.operations.size()); i-- > 0;) {
    if (i != last) {
      (is_related(known_.operations[i]) ? sequence : others).push_back(i);
    }
  }
  sequence.insert(sequence.end(), others.begin(), others.end());
  return sequence;
}

Contradiction ContradictionFinder::progress(std::vector<std::uint32_t> sequence, std::size_t& first_window) {
  is_sure_ = true;
  first_window = 0;
  std::vector<std::uint32_t> needed;
  while (!sequence.empty() && (needed.empty() || !is_contradictory(needed, {}))) {
    const std::size_t length = shortest_contradictory(needed, sequence);
    first_window = std::max(first_window, length);
    if (work_left_ == 0) {
      sequence.resize(length);
      needed.insert(needed.end(), sequence.begin(), sequence.end());
      break;
    }
    needed.push_back(sequence[length - 1]);
    sequence.resize(length - 1);
  }
  std::ranges::sort(needed);
  return {.operations = std::move(needed), .is_minimal = is_sure_};
}

// First a beginning that is contradictory, by doubling, then the shortest one, by bisection: so that no verdict is
// about much more than what matters.
std::size_t ContradictionFinder::shortest_contradictory(const std::vector<std::uint32_t>& needed,
                                                        const std::vector<std::uint32_t>& sequence) {
  const auto is_enough = [&](std::size_t length) {
    return is_contradictory(needed, std::span(sequence).first(length));
  };
  std::size_t low = 0;  // not known to be contradictory
  std::size_t high = std::min<std::size_t>(1, sequence.size());
  while (high < sequence.size() && !is_enough(high)) {
    low = high;
    high = std::min(high * 2, sequence.size());
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

bool ContradictionFinder::is_contradictory(std::span<const std::uint32_t> needed,
                                           std::span<const std::uint32_t> beginning) {
  kept_.assign(needed.begin(), needed.end());
  kept_.insert(kept_.end(), beginning.begin(), beginning.end());
  if (work_left_ < kept_.size()) {
    work_left_ = 0;
    is_sure_ = false;
    return false;
  }
  std::ranges::sort(kept_);
  forget_others(kept_);
  // Beginning with a key has a price too.
  constexpr std::uint64_t kWorkOfAnyVerdict = 16;
  work_left_ -= std::min<std::uint64_t>(work_left_, tried_.operations.size() + kWorkOfAnyVerdict);
  const Verdict verdict = decide_(tried_);
  is_sure_ &= verdict != Verdict::undecided;
  return verdict == Verdict::not_linearizable;
}

}  // namespace shardcheck::histories
