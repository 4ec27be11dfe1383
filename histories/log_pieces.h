// Values of a log as what was appended one after the other: of a list its items; of a string
// - the pieces that all end in one byte which is nowhere else in them ("1.2."); or else
// - the pieces of which none is the beginning of another ("ab", "c"): then at most one of them stands at any place.
// What
//   follows the last of them that fits ("x" in "abx") counts as one piece that nobody appended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "histories/flat_map.h"
#include "histories/key_history.h"

namespace shardcheck::histories {

class LogPieces {
 public:
  // Whether values can be taken apart at all: every append is of one such piece. O(n log n).
  static std::optional<LogPieces> of(const KeyHistory& history);

  // Numbers that are equal exactly when the pieces are; valid with the same LogPieces only. Nothing when the value is
  // not made of pieces (of another kind, or with an end missing).
  std::optional<std::vector<std::uint64_t>> take_apart(ValueId value);
  // Of the argument of an append.
  std::uint64_t number_of_append(ValueId piece) { return take_apart(piece)->front(); }

  std::string text_of(std::uint64_t number) const;

 private:
  explicit LogPieces(const ValueTable& values) : values_(values) {}

  // How much of the text its first piece has; 0 when it has no end.
  std::size_t length_of_first(std::string_view text) const;
  std::uint64_t number_of_string(std::string_view piece);

  const ValueTable& values_;  // must not grow meanwhile
  StoredKind kind_ = StoredKind::absent;
  char end_ = 0;
  std::vector<std::string_view> sorted_;  // pieces, each once, none the beginning of another; empty where `end_` counts
  // Of strings: the pieces known so far, by hash, and which have the same hash.
  std::vector<std::string_view> strings_;
  std::vector<std::uint32_t> next_with_hash_;
  FlatMap first_with_hash_;
};

struct LastRead {
  const KeyOperation* operation = nullptr;
  std::vector<std::uint64_t> seen;
};

// Of the reads that were answered and can be taken apart, the one that began last; with `before`, an operation of the
// history, of those that began before it. `history` must outlive it.
std::optional<LastRead> last_read(const KeyHistory& history, LogPieces& pieces, const KeyOperation* before = nullptr);

}  // namespace shardcheck::histories
