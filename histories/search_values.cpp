#include "histories/search_values.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "spec/assert.h"

namespace shardcheck::histories {

void SearchValues::reset(const ValueTable& base) {
  base_ = &base;
  arisen_.clear();
  appended_.clear();
  first_in_chain_.clear();
}

bool SearchValues::can_append(ValueId value, ValueId item) const {
  const StoredKind item_kind = kind(item);
  return (item_kind == StoredKind::string || item_kind == StoredKind::list) &&
         (value == kAbsent || kind(value) == item_kind);
}

ValueId SearchValues::append(ValueId value, ValueId item) const {
  SHARDCHECK_ASSERT(can_append(value, item));
  if (value == kAbsent) {
    return item;
  }
  std::uint32_t& known = appended_.find_or_insert((std::uint64_t{value.value} << 32U) | item.value, 0);
  if (known == 0) {
    const std::uint64_t item_length = base_->length_of(item);
    known = find_or_add({.kind = base_->kind(item),
                         .left = value,
                         .right = item,
                         .next_in_chain = 0,
                         .length = length_of(value) + item_length,
                         .hash = hash_of(value).followed_by(base_->hash_of(item), item_length)})
                .value;
  }
  return ValueId{known};
}

bool SearchValues::can_increment(ValueId value) const {
  if (value == kAbsent || ValueTable::is_small_number(value)) {
    return true;
  }
  if (kind(value) != StoredKind::number) {
    return false;
  }
  const std::int64_t n = is_arisen(value) ? static_cast<std::int64_t>(arisen(value).length) : base_->number_of(value);
  return n != std::numeric_limits<std::int64_t>::max();
}

ValueId SearchValues::increment(ValueId value) const {
  SHARDCHECK_ASSERT(can_increment(value));
  std::int64_t n = 0;
  if (value != kAbsent) {
    n = is_arisen(value) ? static_cast<std::int64_t>(arisen(value).length) : base_->number_of(value);
  }
  ++n;
  if (const auto known = base_->find_number(n)) {
    return *known;
  }
  const auto bits = static_cast<std::uint64_t>(n);
  return find_or_add({.kind = StoredKind::number,
                      .left = kAbsent,
                      .right = kAbsent,
                      .next_in_chain = 0,
                      .length = bits,
                      .hash = SequenceHash{mixed(bits)}});
}

std::uint64_t SearchValues::length_of(ValueId value) const {
  return is_arisen(value) ? arisen(value).length : base_->length_of(value);
}

SequenceHash SearchValues::hash_of(ValueId value) const {
  return is_arisen(value) ? arisen(value).hash : base_->hash_of(value);
}

// The id of the wanted content: one of the base table, one that arose before, or a new one.
ValueId SearchValues::find_or_add(const Arisen& wanted) const {
  if (wanted.kind != StoredKind::number) {
    ValueId id = base_->next_with_hash(wanted.kind, wanted.hash, wanted.length, kAbsent);
    for (; id != kAbsent; id = base_->next_with_hash(wanted.kind, wanted.hash, wanted.length, id)) {
      if (is_same_sequence(wanted, id)) {
        return id;
      }
    }
  }
  std::uint32_t& first = first_in_chain_.find_or_insert(wanted.hash.digits ^ mixed(wanted.length), 0);
  for (std::uint32_t index = first; index != 0; index = arisen_[index - 1].next_in_chain) {
    const ValueId id{base_->size() + index - 1};
    const Arisen& other = arisen_[index - 1];
    if (other.kind == wanted.kind && other.length == wanted.length && other.hash == wanted.hash &&
        (wanted.kind == StoredKind::number || is_same_sequence(wanted, id))) {
      return id;
    }
  }
  arisen_.push_back(wanted);
  arisen_.back().next_in_chain = first;
  first = static_cast<std::uint32_t>(arisen_.size());
  const ValueId id{base_->size() + first - 1};
  SHARDCHECK_ASSERT(!ValueTable::is_small_number(id));
  return id;
}

namespace {

// The units of a sequence from its end to its front, a piece at a time.
struct BackwardPieces {
  ValueId rest;   // what is left of the current piece
  ValueId piece;  // a sequence of the base table
  std::uint64_t left_in_piece = 0;
};

template <class Units>
bool ends_equal(const Units& left, std::uint64_t left_end, const Units& right, std::uint64_t right_end,
                std::uint64_t count) {
  return std::equal(left.begin() + static_cast<std::ptrdiff_t>(left_end - count),
                    left.begin() + static_cast<std::ptrdiff_t>(left_end),
                    right.begin() + static_cast<std::ptrdiff_t>(right_end - count));
}

}  // namespace

// Compares content, both of equal length, from the end: the right part of every concatenation is a piece.
bool SearchValues::is_same_sequence(const Arisen& left, ValueId right) const {
  const auto advance = [this](BackwardPieces& at) {
    while (at.left_in_piece == 0 && at.rest != kAbsent) {
      const bool is_joint = is_arisen(at.rest);
      at.piece = is_joint ? arisen(at.rest).right : at.rest;
      at.rest = is_joint ? arisen(at.rest).left : kAbsent;
      at.left_in_piece = base_->length_of(at.piece);
    }
  };
  BackwardPieces a{.rest = left.left, .piece = left.right, .left_in_piece = base_->length_of(left.right)};
  BackwardPieces b{.rest = right, .piece = kAbsent, .left_in_piece = 0};
  while (true) {
    advance(a);
    advance(b);
    const std::uint64_t count = std::min(a.left_in_piece, b.left_in_piece);
    if (count == 0) {
      return a.left_in_piece == b.left_in_piece;
    }
    const bool is_equal =
        left.kind == StoredKind::string
            ? ends_equal(base_->string_of(a.piece), a.left_in_piece, base_->string_of(b.piece), b.left_in_piece, count)
            : ends_equal(base_->list_of(a.piece), a.left_in_piece, base_->list_of(b.piece), b.left_in_piece, count);
    if (!is_equal) {
      return false;
    }
    // Two states of one run usually share their beginning, which then needs no comparison.
    a.left_in_piece -= count;
    b.left_in_piece -= count;
    if (a.left_in_piece == 0 && b.left_in_piece == 0 && a.rest == b.rest) {
      return true;
    }
  }
}

}  // namespace shardcheck::histories
