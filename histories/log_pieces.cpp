#include "histories/log_pieces.h"

#include <algorithm>

namespace shardcheck::histories {
namespace {

bool is_any_beginning_of_next(const std::vector<std::string_view>& sorted) {
  const auto is_beginning = [](std::string_view piece, std::string_view next) { return next.starts_with(piece); };
  return std::ranges::adjacent_find(sorted, is_beginning) != sorted.end();
}

}  // namespace

std::optional<LogPieces> LogPieces::of(const KeyHistory& history) {
  LogPieces pieces(*history.values);
  bool has_one_end = true;
  for (const KeyOperation& operation : history.operations) {
    if (operation.kind != OperationKind::append) {
      continue;
    }
    const StoredKind kind = history.values->kind(operation.argument);
    const bool is_first = pieces.kind_ == StoredKind::absent;
    if (!is_first && pieces.kind_ != kind) {
      return std::nullopt;
    }
    pieces.kind_ = kind;
    if (kind == StoredKind::list) {
      if (history.values->length_of(operation.argument) != 1) {
        return std::nullopt;
      }
      continue;
    }
    const std::string_view piece =
        kind == StoredKind::string ? history.values->string_of(operation.argument) : std::string_view();
    if (piece.empty()) {
      return std::nullopt;
    }
    pieces.end_ = is_first ? piece.back() : pieces.end_;
    has_one_end &= piece.find(pieces.end_) == piece.size() - 1;
    pieces.sorted_.push_back(piece);
  }
  if (has_one_end) {
    pieces.sorted_.clear();
    return pieces;
  }
  std::ranges::sort(pieces.sorted_);
  const auto repeated = std::ranges::unique(pieces.sorted_);
  pieces.sorted_.erase(repeated.begin(), repeated.end());
  // Behind a beginning of others, in this order, these follow at once.
  return is_any_beginning_of_next(pieces.sorted_) ? std::nullopt : std::optional(std::move(pieces));
}

std::optional<std::vector<std::uint64_t>> LogPieces::take_apart(ValueId value) {
  std::vector<std::uint64_t> numbers;
  if (value == kAbsent) {
    return numbers;
  }
  if (values_.kind(value) != kind_) {
    return std::nullopt;
  }
  if (kind_ == StoredKind::list) {
    for (const ValueId item : values_.list_of(value)) {
      numbers.push_back(item.value);
    }
    return numbers;
  }
  std::string_view rest = values_.string_of(value);
  while (!rest.empty()) {
    const std::size_t length = length_of_first(rest);
    if (length == 0) {
      return std::nullopt;
    }
    numbers.push_back(number_of_string(rest.substr(0, length)));
    rest.remove_prefix(length);
  }
  return numbers;
}

std::size_t LogPieces::length_of_first(std::string_view text) const {
  if (sorted_.empty()) {
    return text.find(end_) + 1;
  }
  // Whatever stands between a piece and a text that begins with it begins with the piece too, and so is no piece.
  const auto behind = std::ranges::upper_bound(sorted_, text);
  const bool is_known = behind != sorted_.begin() && text.starts_with(*std::prev(behind));
  return is_known ? std::prev(behind)->size() : text.size();
}

std::uint64_t LogPieces::number_of_string(std::string_view piece) {
  constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t& first = first_with_hash_.find_or_insert(hash_of_bytes(piece).digits, kNone);
  for (std::uint32_t i = first; i != kNone; i = next_with_hash_[i]) {
    if (strings_[i] == piece) {
      return i;
    }
  }
  strings_.push_back(piece);
  next_with_hash_.push_back(first);
  first = static_cast<std::uint32_t>(strings_.size() - 1);
  return first;
}

std::optional<LastRead> last_read(const KeyHistory& history, LogPieces& pieces, const KeyOperation* before) {
  const std::size_t end =
      before == nullptr ? history.operations.size() : static_cast<std::size_t>(before - history.operations.data());
  for (std::size_t i = end; i-- > 0;) {
    const KeyOperation& operation = history.operations[i];
    if (operation.kind == OperationKind::read && operation.has_returned()) {
      if (std::optional<std::vector<std::uint64_t>> seen = pieces.take_apart(operation.observed)) {
        return LastRead{.operation = &operation, .seen = *std::move(seen)};
      }
    }
  }
  return std::nullopt;
}

std::string LogPieces::text_of(std::uint64_t number) const {
  if (kind_ == StoredKind::list) {
    return values_.to_text(ValueId{static_cast<std::uint32_t>(number)});
  }
  std::string text;
  append_quoted(strings_[number], text);
  return text;
}

}  // namespace shardcheck::histories
