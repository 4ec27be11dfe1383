// The log only grows. So everything read is a beginning of the longest value read, and as no piece is the beginning of
// another, that value is made of pieces in one way only: these appends happened, in this order, each before the reads
// that see it and behind those that do not. An append whose piece is not in it stands behind all reads; if it never
// returned, it can as well be left out. So the order is settled, and fits the time or does not.
//
// What was read is compared by hash: unequal hashes prove unequal values, and where equal ones should deceive, the
// replay of the order notices.
#include "histories/logs.h"

#include <algorithm>

#include "histories/piece_order.h"

namespace shardcheck::histories {
MaybeDecision Logs::decide(const KeyHistory& history) {
  suspect_ = kNever;
  if (!collect(history) ||
      !(kind_ == StoredKind::string ? sort_pieces(history, pieces_, kBytes) : sort_pieces(history, pieces_, kItems))) {
    return std::nullopt;
  }
  const bool is_made_of_pieces = longest_ == kNone || (kind_ == StoredKind::string ? parse_longest(history, kBytes)
                                                                                   : parse_longest(history, kItems));
  if (!is_made_of_pieces || !place_reads(history) || !is_in_time(history)) {
    return refuted(suspect_);
  }
  if (!witness_.explains(history, witness(history))) {
    return std::nullopt;
  }
  return Decision{.verdict = Verdict::linearizable};
}

// False when not all pieces are of one kind that can be appended.
bool Logs::collect(const KeyHistory& history) {
  const ValueTable& values = *history.values;
  kind_ = StoredKind::absent;
  longest_ = kNone;
  pieces_.clear();
  is_seen_.assign(history.operations.size(), false);
  lengths_.assign(1, Length{});
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const KeyOperation& operation = history.operations[i];
    if (operation.kind == OperationKind::append) {
      const StoredKind kind = values.kind(operation.argument);
      if ((kind != StoredKind::string && kind != StoredKind::list) || (kind_ != StoredKind::absent && kind_ != kind)) {
        return false;
      }
      kind_ = kind;
      pieces_.push_back(i);
    } else if (operation.observed != kAbsent &&
               (longest_ == kNone ||
                values.length_of(operation.observed) > values.length_of(history.operations[longest_].observed))) {
      longest_ = i;
    }
  }
  return true;
}

// False when the longest value read is not made of pieces, each used once.
template <class Units>
bool Logs::parse_longest(const KeyHistory& history, Units units) {
  const ValueTable& values = *history.values;
  suspect_ = history.operations[longest_].returned;
  if (values.kind(history.operations[longest_].observed) != kind_) {
    return false;
  }
  auto rest = units(values, history.operations[longest_].observed);
  while (!rest.empty()) {
    const std::uint32_t append = first_piece_of(history, pieces_, units, rest);
    if (append == kNoPiece || is_seen_[append]) {
      return false;
    }
    const ValueId piece = history.operations[append].argument;
    const std::uint64_t length = values.length_of(piece);
    is_seen_[append] = true;
    lengths_.push_back({.units = lengths_.back().units + length,
                        .hash = lengths_.back().hash.followed_by(values.hash_of(piece), length),
                        .append = append});
    rest = rest.subspan(length);
  }
  return true;
}

// Null when what was read is no beginning of the longest value that ends with a piece.
Logs::Length* Logs::length_seen_by(const KeyHistory& history, const KeyOperation& read) {
  if (read.observed == kAbsent) {
    return &lengths_.front();
  }
  const ValueTable& values = *history.values;
  if (values.kind(read.observed) != kind_) {
    return nullptr;
  }
  const auto found = std::ranges::lower_bound(lengths_, values.length_of(read.observed), {}, &Length::units);
  // A value of length 0 is not the absence, and no append leaves it behind.
  const bool is_one = found != lengths_.begin() && found != lengths_.end() &&
                      found->units == values.length_of(read.observed) && found->hash == values.hash_of(read.observed);
  return is_one ? &*found : nullptr;
}

bool Logs::place_reads(const KeyHistory& history) {
  for (const KeyOperation& operation : history.operations) {
    if (operation.kind == OperationKind::read) {
      Length* length = length_seen_by(history, operation);
      if (length == nullptr) {
        suspect_ = longest_ == kNone ? operation.returned
                                     : std::max(operation.returned, history.operations[longest_].returned);
        return false;
      }
      ++length->reads;
      length->reads_first_return = std::min(length->reads_first_return, operation.returned);
      length->reads_last_invocation = operation.invoked;
    }
  }
  return true;
}

bool Logs::put(const KeyHistory& history, TimeCheck& time, Position first_return, Position last_invocation) {
  const Position last_before = time.last_invocation();
  if (time.put(first_return, last_invocation)) {
    return true;
  }
  suspect_ = std::max(first_return, return_of_invocation(history, last_before));
  return false;
}

bool Logs::is_in_time(const KeyHistory& history) {
  TimeCheck time;
  for (const Length& length : lengths_) {
    if (length.append != kNone) {
      const KeyOperation& append = history.operations[length.append];
      if (!put(history, time, append.returned, append.invoked)) {
        return false;
      }
    }
    if (!put(history, time, length.reads_first_return, length.reads_last_invocation)) {
      return false;
    }
  }
  // Behind all that: what nobody saw.
  return std::ranges::all_of(pieces_, [&](std::uint32_t append) {
    return is_seen_[append] || put(history, time, history.operations[append].returned, time.last_invocation());
  });
}

const std::vector<std::uint32_t>& Logs::witness(const KeyHistory& history) {
  std::uint32_t end = 0;
  for (Length& length : lengths_) {
    length.reads_begin = end;
    end += length.reads;
    length.reads = 0;
  }
  reads_.resize(end);
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    if (history.operations[i].kind == OperationKind::read) {
      Length& length = *length_seen_by(history, history.operations[i]);
      reads_[length.reads_begin + length.reads++] = i;
    }
  }
  order_.clear();
  for (const Length& length : lengths_) {
    if (length.append != kNone) {
      order_.push_back(length.append);
    }
    const auto begin = reads_.begin() + length.reads_begin;
    order_.insert(order_.end(), begin, begin + length.reads);
  }
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const KeyOperation& operation = history.operations[i];
    if (operation.kind == OperationKind::append && operation.has_returned() && !is_seen_[i]) {
      order_.push_back(i);
    }
  }
  return order_;
}

}  // namespace shardcheck::histories
