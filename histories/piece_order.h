// What was appended or written to a log, in an order by which it can be found again at the beginning of what was read:
// strings by their bytes, lists by their items.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "histories/key_history.h"

namespace shardcheck::histories {

// The units of a string or of a list.
inline constexpr auto kBytes = [](const ValueTable& values, ValueId id) {
  return std::span<const char>(values.string_of(id));
};
inline constexpr auto kItems = [](const ValueTable& values, ValueId id) { return values.list_of(id); };

inline constexpr std::uint32_t kNoPiece = 0xffffffff;

namespace piece_order {

inline constexpr auto kIsBefore = [](const auto& left, const auto& right) {
  return std::ranges::lexicographical_compare(left, right);
};

template <class Sequence>
bool begins_with(const Sequence& whole, const Sequence& piece) {
  return piece.size() <= whole.size() && std::equal(piece.begin(), piece.end(), whole.begin());
}

}  // namespace piece_order

// Sorts operations by their arguments. False when one of those is empty or the beginning of another, or equal to it: in
// order, it would then be the beginning of the next one too.
template <class Units>
bool sort_pieces(const KeyHistory& history, std::vector<std::uint32_t>& operations, Units units) {
  const auto piece_of = [&](std::uint32_t i) { return units(*history.values, history.operations[i].argument); };
  std::ranges::sort(operations, piece_order::kIsBefore, piece_of);
  const auto is_beginning = [&](std::uint32_t left, std::uint32_t right) {
    return piece_order::begins_with(piece_of(right), piece_of(left));
  };
  return std::ranges::adjacent_find(operations, is_beginning) == operations.end() &&
         (operations.empty() || !piece_of(operations.front()).empty());
}

// Of operations that are sorted so, the one whose argument `rest` begins with; kNoPiece if there is none.
template <class Units, class Sequence>
std::uint32_t first_piece_of(const KeyHistory& history, const std::vector<std::uint32_t>& operations, Units units,
                             const Sequence& rest) {
  const auto piece_of = [&](std::uint32_t i) { return units(*history.values, history.operations[i].argument); };
  // The last piece that is not behind the rest: the only one that can be its beginning.
  const auto behind = std::ranges::upper_bound(operations, rest, piece_order::kIsBefore, piece_of);
  const bool is_one = behind != operations.begin() && piece_order::begins_with(rest, piece_of(*std::prev(behind)));
  return is_one ? *std::prev(behind) : kNoPiece;
}

}  // namespace shardcheck::histories
