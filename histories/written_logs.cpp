// No piece is the beginning of another, so what was read is made of pieces in one way only. Its first piece was
// written, or appended when nothing had been before; each that follows was appended at once behind the one before it:
// between them nothing changed the value. So whatever was seen forms stretches, each from a write (or from the
// beginning) over appends, which stand together in any order of effects, and in one sequence but for reads of one
// state. A stretch that contradicts the order of time, or another read, refutes the history. A write that nobody saw is
// a stretch by itself. So is an append that nobody saw: behind the end of any stretch it changes what no read shows, as
// the next one begins with a write. If these never returned, they can as well be left out: no answer depends on them.
//
// The stretch that begins with the absence stands before all others. Of the rest only the earliest return and the last
// invocation matter to what stands before and behind, as of the values of a register; register_sweep.cpp puts them in
// order.
#include "histories/written_logs.h"

#include <algorithm>

#include "histories/piece_order.h"

namespace shardcheck::histories {

MaybeDecision WrittenLogs::decide(const KeyHistory& history) {
  suspect_ = kNever;
  if (!collect(history) ||
      !(kind_ == StoredKind::string ? sort_pieces(history, pieces_, kBytes) : sort_pieces(history, pieces_, kItems))) {
    return std::nullopt;
  }
  const bool are_placed = kind_ == StoredKind::string ? place_reads(history, kBytes) : place_reads(history, kItems);
  if (!are_placed || !join_all(history)) {
    return refuted(suspect_);
  }
  if (!sweep_.run(items_, true)) {
    const auto [left, right] = sweep_.contradiction();
    return refuted(
        std::max({items_[left].deadline, items_[right].deadline, return_of_invocation(history, items_[left].arrival),
                  return_of_invocation(history, items_[right].arrival)}));
  }
  if (!witness_.explains(history, witness(history))) {
    return std::nullopt;  // a mistake of ours, and then the search's task
  }
  return Decision{.verdict = Verdict::linearizable};
}

// False when the history is not of the form that can be decided.
bool WrittenLogs::collect(const KeyHistory& history) {
  kind_ = StoredKind::absent;
  pieces_.clear();
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const KeyOperation& operation = history.operations[i];
    if (operation.kind == OperationKind::read && operation.has_returned() && !operation.saw_other) {
      continue;
    }
    if (operation.kind != OperationKind::write && operation.kind != OperationKind::append) {
      return false;
    }
    const StoredKind kind = history.values->kind(operation.argument);
    if ((kind != StoredKind::string && kind != StoredKind::list) || (kind_ != StoredKind::absent && kind_ != kind)) {
      return false;
    }
    kind_ = kind;
    pieces_.push_back(i);
  }
  states_.assign(history.operations.size() + 1, State{});
  return true;
}

// False when what was read cannot have been there, or not together with what another read showed.
template <class Units>
bool WrittenLogs::place_reads(const KeyHistory& history, Units units) {
  index_of_value_.reset(history.operations.size());
  state_of_value_.clear();
  for (const KeyOperation& operation : history.operations) {
    if (operation.kind != OperationKind::read) {
      continue;
    }
    const std::uint32_t index = index_of_value_.find_or_insert(operation.observed);
    if (index == state_of_value_.size()) {
      state_of_value_.push_back(state_of(history, operation.observed, units));
    }
    if (state_of_value_[index] == kNone) {
      suspect_ = operation.returned;
      return false;
    }
    State& state = states_[state_of_value_[index]];
    ++state.reads;
    state.reads_first_return = std::min(state.reads_first_return, operation.returned);
    state.reads_last_invocation = operation.invoked;
  }
  return true;
}

// The change that left the value behind, after it was linked with all that it shows; kNone when that is impossible.
template <class Units>
std::uint32_t WrittenLogs::state_of(const KeyHistory& history, ValueId value, Units units) {
  std::uint32_t state = at_first();
  if (value == kAbsent) {
    return state;
  }
  if (history.values->kind(value) != kind_) {
    return kNone;
  }
  auto rest = units(*history.values, value);
  if (rest.empty()) {
    return kNone;  // is not the absence, and no change leaves it behind
  }
  while (!rest.empty()) {
    const std::uint32_t change = first_piece_of(history, pieces_, units, rest);
    if (change == kNoPiece || !follows(history, state, change)) {
      return kNone;
    }
    rest = rest.subspan(history.values->length_of(history.operations[change].argument));
    state = change;
  }
  return state;
}

// Notes that the change was seen behind this state, with nothing between. False when something else was.
bool WrittenLogs::follows(const KeyHistory& history, std::uint32_t state, std::uint32_t change) {
  State& changed = states_[change];
  if (history.operations[change].kind == OperationKind::write) {
    changed.is_seen = true;
    return state == at_first();
  }
  const bool is_free = !changed.is_seen && states_[state].before == kNone;
  if (!is_free) {
    return changed.after == state && states_[state].before == change;
  }
  changed.is_seen = true;
  changed.after = state;
  states_[state].before = change;
  return true;
}

// Makes an item of each stretch but the first; false when one contradicts itself, or the first one cannot be that.
bool WrittenLogs::join_all(const KeyHistory& history) {
  items_.clear();
  heads_.clear();
  SweepItem first;
  if (!join(history, at_first(), first)) {
    return false;
  }
  for (const std::uint32_t change : pieces_) {
    const bool is_behind_another = states_[change].after != kNone;
    const bool has_happened = states_[change].is_seen || history.operations[change].has_returned();
    if (is_behind_another || !has_happened) {
      continue;
    }
    SweepItem item;
    if (!join(history, change, item)) {
      return false;
    }
    if (item.deadline < first.arrival) {
      suspect_ = std::max(item.deadline, return_of_invocation(history, first.arrival));
      return false;
    }
    items_.push_back(item);
    heads_.push_back(change);
  }
  return true;
}

bool WrittenLogs::join(const KeyHistory& history, std::uint32_t head, SweepItem& joined) {
  time_ = TimeCheck();
  for (std::uint32_t i = head; i != kNone; i = states_[i].before) {
    const State& state = states_[i];
    if (i != at_first()) {
      const KeyOperation& change = history.operations[i];
      if (!put(history, change.returned, change.invoked)) {
        return false;
      }
      joined.deadline = std::min(joined.deadline, change.returned);
    }
    if (state.reads != 0 && !put(history, state.reads_first_return, state.reads_last_invocation)) {
      return false;
    }
    joined.deadline = std::min(joined.deadline, state.reads_first_return);
  }
  joined.arrival = time_.last_invocation();
  return true;
}

bool WrittenLogs::put(const KeyHistory& history, Position first_return, Position last_invocation) {
  const Position last_before = time_.last_invocation();
  if (time_.put(first_return, last_invocation)) {
    return true;
  }
  suspect_ = std::max(first_return, return_of_invocation(history, last_before));
  return false;
}

void WrittenLogs::gather_reads(const KeyHistory& history) {
  std::uint32_t end = 0;
  for (State& state : states_) {
    state.reads_begin = end;
    end += state.reads;
    state.reads = 0;
  }
  reads_.resize(end);
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    if (history.operations[i].kind == OperationKind::read) {
      State& state = states_[state_of_value_[index_of_value_.find(history.operations[i].observed)]];
      reads_[state.reads_begin + state.reads++] = i;
    }
  }
}

void WrittenLogs::write_out(std::uint32_t head) {
  for (std::uint32_t i = head; i != kNone; i = states_[i].before) {
    if (i != at_first()) {
      order_.push_back(i);
    }
    const auto begin = reads_.begin() + states_[i].reads_begin;
    order_.insert(order_.end(), begin, begin + states_[i].reads);
  }
}

// The order of the sweep, written out.
const std::vector<std::uint32_t>& WrittenLogs::witness(const KeyHistory& history) {
  gather_reads(history);
  order_.clear();
  order_.reserve(history.operations.size());
  write_out(at_first());
  for (const std::uint32_t item : sweep_.order()) {
    write_out(heads_[item]);
  }
  return order_;
}

}  // namespace shardcheck::histories
