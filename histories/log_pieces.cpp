#include "histories/log_pieces.h"

namespace shardcheck::histories {

std::optional<LogPieces> LogPieces::of(const KeyHistory& history) {
  LogPieces pieces(*history.values);
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
    if (piece.find(pieces.end_) != piece.size() - 1) {
      return std::nullopt;
    }
  }
  return pieces;
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
    const std::size_t length = rest.find(end_) + 1;  // 0 when there is no end
    if (length == 0) {
      return std::nullopt;
    }
    numbers.push_back(number_of_string(rest.substr(0, length)));
    rest.remove_prefix(length);
  }
  return numbers;
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

std::string LogPieces::text_of(std::uint64_t number) const {
  if (kind_ == StoredKind::list) {
    return values_.to_text(ValueId{static_cast<std::uint32_t>(number)});
  }
  std::string text;
  append_quoted(strings_[number], text);
  return text;
}

}  // namespace shardcheck::histories
