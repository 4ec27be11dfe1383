#include "histories/reductions.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>

#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

// An operation that never changes anything and never returned tells nothing: without it, every order stays possible.
// A compare-and-set from a value to the same value changes nothing either, and when it succeeded it is a read.
void reduce_idle_operations(KeyHistory& history) {
  for (KeyOperation& operation : history.operations) {
    if (operation.kind == OperationKind::compare_and_set && operation.expected == operation.argument) {
      operation.kind = OperationKind::read;
      operation.observed = operation.has_returned() ? operation.expected : kAbsent;
      operation.argument = kAbsent;
      operation.expected = kAbsent;
    }
  }
  std::erase_if(history.operations, [](const KeyOperation& operation) {
    return operation.kind == OperationKind::read && !operation.has_returned();
  });
}

// A value seen before its only producer was invoked contradicts every order anyway. The producer then keeps a return
// behind its invocation, as every operation has, and the search finds the contradiction.
Position not_before_invocation(Position returned, const KeyOperation& operation) {
  return std::max(returned, operation.invoked + 1);
}

// Appended pieces that can be told apart in what was read: strings that all end in one byte which is nowhere else in
// them, or lists of one item.
struct Pieces {
  StoredKind kind = StoredKind::absent;
  char end = 0;
  bool are_unambiguous = true;
};

Pieces pieces_of(const KeyHistory& history) {
  const ValueTable& values = *history.values;
  Pieces pieces;
  for (const KeyOperation& operation : history.operations) {
    if (operation.kind != OperationKind::append) {
      continue;
    }
    const StoredKind kind = values.kind(operation.argument);
    const bool is_first = pieces.kind == StoredKind::absent;
    pieces.are_unambiguous &= is_first || pieces.kind == kind;
    pieces.kind = kind;
    if (kind == StoredKind::list) {
      pieces.are_unambiguous &= values.length_of(operation.argument) == 1;
    } else if (kind == StoredKind::string) {
      const std::string_view piece = values.string_of(operation.argument);
      if (piece.empty()) {
        pieces.are_unambiguous = false;
        continue;
      }
      pieces.end = is_first ? piece.back() : pieces.end;
      pieces.are_unambiguous &= piece.find(pieces.end) == piece.size() - 1;
    }
  }
  return pieces;
}

// Whether the piece occurs in a value that was read; as a whole piece, when pieces are unambiguous.
bool contains_piece(const ValueTable& values, const Pieces& pieces, ValueId whole, ValueId piece) {
  if (values.kind(whole) != values.kind(piece)) {
    return false;
  }
  if (values.kind(piece) == StoredKind::list) {
    // An empty piece occurs everywhere, but what a search finds of it looks like nothing.
    const auto wanted = values.list_of(piece);
    return wanted.empty() || !std::ranges::search(values.list_of(whole), wanted).empty();
  }
  const std::string_view text = values.string_of(whole);
  const std::string_view wanted = values.string_of(piece);
  for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) {
    if (!pieces.are_unambiguous || at == 0 || text[at - 1] == pieces.end) {
      return true;
    }
  }
  return false;
}

// The earliest return of a read that saw the piece; kNever when none did.
Position first_sight(const KeyHistory& history, const Pieces& pieces, ValueId piece) {
  Position first = kNever;
  for (const KeyOperation& operation : history.operations) {
    if (operation.kind == OperationKind::read && operation.returned < first &&
        contains_piece(*history.values, pieces, operation.observed, piece)) {
      first = operation.returned;
    }
  }
  return first;
}

std::uint64_t length_of_reads(const KeyHistory& history) {
  std::uint64_t length = 0;
  for (const KeyOperation& operation : history.operations) {
    if (operation.kind == OperationKind::read) {
      length += history.values->length_of(operation.observed) + 1;
    }
  }
  return length;
}

// Of a log, an append that never returned, whose piece
// - no read saw: is left out. If an order contains it, every read stands before it (all that is behind contains the
//   piece), and the appends behind it work on any value; so the order without it is possible too.
// - a read saw, and which no other append could have left there: has happened, before the first return of such a read.
void reduce_log(KeyHistory& history) {
  constexpr std::uint64_t kComparedUnitsMax = std::uint64_t{1} << 30U;
  const auto is_pending = [](const KeyOperation& operation) {
    return operation.kind == OperationKind::append && !operation.has_returned();
  };
  const auto pending = static_cast<std::uint64_t>(std::ranges::count_if(history.operations, is_pending));
  if (pending == 0 || pending * length_of_reads(history) > kComparedUnitsMax) {
    return;
  }
  const Pieces pieces = pieces_of(history);
  FlatMap appends_of_piece;
  for (const KeyOperation& operation : history.operations) {
    if (operation.kind == OperationKind::append) {
      ++appends_of_piece.find_or_insert(operation.argument.value, 0);
    }
  }
  std::size_t kept = 0;
  for (KeyOperation operation : history.operations) {
    if (is_pending(operation)) {
      const Position seen = first_sight(history, pieces, operation.argument);
      if (seen == kNever) {
        continue;
      }
      if (pieces.are_unambiguous && *appends_of_piece.find(operation.argument.value) == 1) {
        operation.returned = not_before_invocation(seen, operation);
      }
    }
    history.operations[kept++] = operation;
  }
  history.operations.resize(kept);
}

}  // namespace

Structure structure_of(const KeyHistory& history) {
  bool has_register = false;
  bool has_append = false;
  bool has_increment = false;
  for (const KeyOperation& operation : history.operations) {
    if (operation.saw_other) {
      return Structure::mixed;
    }
    switch (operation.kind) {
      case OperationKind::read:
      case OperationKind::scan: break;  // a scan is never recorded
      case OperationKind::write:
      case OperationKind::remove:
      case OperationKind::compare_and_set: has_register = true; break;
      case OperationKind::append: has_append = true; break;
      case OperationKind::increment: has_increment = true; break;
    }
  }
  if (has_append && !has_register && !has_increment) {
    return Structure::log;
  }
  if (has_increment && !has_register && !has_append) {
    return Structure::counter;
  }
  return has_append || has_increment ? Structure::mixed : Structure::registers;
}

ValueId product_of(const KeyOperation& operation) {
  SHARDCHECK_ASSERT(operation.kind != OperationKind::read);
  return operation.kind == OperationKind::remove ? kAbsent : operation.argument;
}

Structure Reducer::leave_out_idle(KeyHistory& history) {
  reduce_idle_operations(history);
  return structure_of(history);
}

Structure Reducer::reduce_pending(KeyHistory& history, Structure structure) {
  if (structure == Structure::registers) {
    reduce_registers(history);
  } else if (structure == Structure::log) {
    reduce_log(history);
  } else {
    return structure;
  }
  return structure_of(history);
}

Reducer::ValueUse& Reducer::use_of(ValueId value) {
  const std::uint32_t index = index_of_value_.find_or_insert(value);
  if (index == uses_.size()) {
    uses_.push_back(ValueUse{});
  }
  return uses_[index];
}

void Reducer::count_uses(const KeyHistory& history) {
  index_of_value_.reset(history.operations.size());
  uses_.clear();
  pending_.clear();
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const KeyOperation& operation = history.operations[i];
    if (operation.kind != OperationKind::read) {
      ValueUse& use = use_of(product_of(operation));
      ++use.producers;
      if (!operation.has_returned()) {
        pending_.push_back({.operation = i, .next = use.first_pending});
        use.first_pending = static_cast<std::uint32_t>(pending_.size() - 1);
      }
    }
    if (operation.kind == OperationKind::read || operation.kind == OperationKind::compare_and_set) {
      ValueUse& use = use_of(operation.kind == OperationKind::read ? operation.observed : operation.expected);
      ++use.observers;
      use.first_return = std::min(use.first_return, operation.returned);
    }
  }
}

// One that is settled can make another one worthwhile: a compare-and-set left out observes no more, and one that turns
// out to have happened proves that its expected value was there.
void Reducer::reduce_registers(KeyHistory& history) {
  if (std::ranges::all_of(history.operations, &KeyOperation::has_returned)) {
    return;
  }
  count_uses(history);
  is_left_out_.assign(history.operations.size(), false);
  to_look_at_.resize(pending_.size());
  std::iota(to_look_at_.begin(), to_look_at_.end(), 0U);
  while (!to_look_at_.empty()) {
    const std::uint32_t pending = to_look_at_.back();
    to_look_at_.pop_back();
    settle(history, pending);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < history.operations.size(); ++i) {
    if (!is_left_out_[i]) {
      history.operations[kept++] = history.operations[i];
    }
  }
  history.operations.resize(kept);
}

// Of a register, an operation that never returned, whose product
// - nothing observes (no read, and no compare-and-set waits for it): is left out. If an order contains it, then what
//   follows it before the next change of the value depends on no value; so the order without it is possible too.
// - was certainly there (an operation that returned saw it), is not the initial absence, and no other operation
//   produces: has happened, before the first return of an operation that saw it.
void Reducer::settle(KeyHistory& history, std::uint32_t pending) {
  KeyOperation& operation = history.operations[pending_[pending].operation];
  ValueUse& made = use_of(product_of(operation));
  const bool is_unseen = made.observers == 0;
  const bool has_happened = product_of(operation) != kAbsent && made.producers == 1 && made.first_return != kNever;
  if (pending_[pending].is_settled || (!is_unseen && !has_happened)) {
    return;
  }
  pending_[pending].is_settled = true;
  if (is_unseen) {
    is_left_out_[pending_[pending].operation] = true;
    --made.producers;
  } else {
    operation.returned = not_before_invocation(made.first_return, operation);
  }
  if (operation.kind == OperationKind::compare_and_set) {
    ValueUse& expected = use_of(operation.expected);
    expected.observers -= is_unseen ? 1U : 0U;
    expected.first_return = std::min(expected.first_return, operation.returned);
    look_again_at_producers(expected);
  }
}

void Reducer::look_again_at_producers(const ValueUse& use) {
  const bool is_worthwhile = use.observers == 0 || (use.producers == 1 && use.first_return != kNever);
  for (std::uint32_t i = use.first_pending; is_worthwhile && i != kNone; i = pending_[i].next) {
    to_look_at_.push_back(i);
  }
}

}  // namespace shardcheck::histories
