// What a contradiction of a log is called.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "histories/contradiction_words.h"
#include "histories/log_pieces.h"

namespace shardcheck::histories {
namespace {

using Case = ContradictionCase;
using Numbers = std::vector<std::uint64_t>;

// The read whose value is blamed, taken apart.
struct Blamed {
  const Case& found;
  LogPieces& pieces;
  const Numbers& seen;
};

std::int64_t count_appends(const KeyHistory& known, LogPieces& pieces, std::uint64_t number) {
  return std::ranges::count_if(known.operations, [&](const KeyOperation& operation) {
    return operation.kind == OperationKind::append && pieces.number_of_append(operation.argument) == number;
  });
}

const KeyOperation* first_append(const KeyHistory& history, LogPieces& pieces, std::uint64_t number) {
  for (const KeyOperation& operation : history.operations) {
    if (operation.kind == OperationKind::append && pieces.number_of_append(operation.argument) == number) {
      return &operation;
    }
  }
  return nullptr;
}

std::string line_of_invocation(const Case& found, const KeyOperation& operation) {
  return found.name_or_line(operation.source, found.history.operations[operation.source].invoke_line);
}

// "but the append of 1 was refused (line 2)"; empty: none was.
std::string refused_append(const Blamed& blamed, std::uint64_t number) {
  const std::string text = blamed.pieces.text_of(number);
  const std::vector<RecordedOperation>& operations = blamed.found.history.operations;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const RecordedOperation& operation = operations[i];
    if (operation.key == blamed.found.known.key && operation.kind == OperationKind::append &&
        operation.outcome == OutcomeKind::refused && blamed.pieces.take_apart(operation.argument) == Numbers{number}) {
      return fmt::format("but the append of {} was refused ({})", text,
                         blamed.found.name_or_line(i, operation.return_line));
    }
  }
  return "";
}

std::string why_never_appended(const Blamed& blamed, std::uint64_t number) {
  const std::string refused = refused_append(blamed, number);
  return refused.empty()
             ? fmt::format("but nobody had appended {}{}", blamed.pieces.text_of(number), blamed.found.since())
             : refused;
}

// More of a piece than was appended, or of one that never was.
std::optional<std::string> about_origin(const Blamed& blamed) {
  const Case& found = blamed.found;
  Numbers sorted = blamed.seen;
  std::ranges::sort(sorted);
  for (const std::uint64_t number : blamed.seen) {
    const auto shown = static_cast<std::int64_t>(std::ranges::equal_range(sorted, number).size());
    const std::int64_t appended = count_appends(found.known, blamed.pieces, number);
    if (shown <= appended) {
      continue;
    }
    const std::string text = blamed.pieces.text_of(number);
    if (appended != 0) {
      return fmt::format("{}, where {} stands {}, but it had been appended only {} ({})", found.subject(found.last),
                         text, times(shown), times(appended),
                         line_of_invocation(found, *first_append(found.known, blamed.pieces, number)));
    }
    const KeyOperation* const later = first_append(found.whole, blamed.pieces, number);
    if (const std::string refused = refused_append(blamed, number); later != nullptr && !refused.empty()) {
      return fmt::format("{}, {}, and it was asked for again only afterwards ({})", found.subject(found.last), refused,
                         line_of_invocation(found, *later));
    }
    if (later != nullptr) {
      return fmt::format("{}, but nobody had asked to append {} before ({} was the first to)",
                         found.subject(found.last), text, line_of_invocation(found, *later));
    }
    return fmt::format("{}, {}", found.subject(found.last), why_never_appended(blamed, number));
  }
  return std::nullopt;
}

// Of what the read saw, the first append that was asked for only after `missing` had been acknowledged.
const KeyOperation* later_one_seen(const Blamed& blamed, const KeyOperation& missing) {
  const auto& operations = blamed.found.known.operations;
  const auto later = std::ranges::find_if(operations, [&](const KeyOperation& operation) {
    return operation.kind == OperationKind::append && Case::precedes(missing, operation) &&
           std::ranges::find(blamed.seen, blamed.pieces.number_of_append(operation.argument)) != blamed.seen.end();
  });
  return later == operations.end() ? nullptr : &*later;
}

// Whether an append that a read misses came back. Of a history that is told by names of its own the end is not known.
std::string what_became_of(const Blamed& blamed, const KeyOperation& missing) {
  const Case& found = blamed.found;
  const std::uint64_t number = blamed.pieces.number_of_append(missing.argument);
  if (const KeyOperation* const later = later_one_seen(blamed, missing)) {
    return fmt::format("the append is lost, as {}, which was asked for later, is there", found.text(later->argument));
  }
  const std::optional<LastRead> last = last_read(found.whole, blamed.pieces);
  if (!last || found.is_last(*last->operation)) {
    return found.telling.names ? "the append is lost, or the read is stale"
                               : "the append is lost, or the read is stale: nothing was read later";
  }
  const std::string place = found.place(*last->operation);
  if (std::ranges::find(last->seen, number) != last->seen.end()) {
    return fmt::format("the read is stale, as the last read ({}) shows it", place);
  }
  return fmt::format("the append is lost, as the last read ({}) does not show it either", place);
}

// An append that was acknowledged before the read began.
std::optional<std::string> about_lost_append(const Blamed& blamed) {
  const Case& found = blamed.found;
  for (const KeyOperation& operation : found.operations) {
    if (operation.kind != OperationKind::append || !Case::precedes(operation, found.last)) {
      continue;
    }
    const std::uint64_t number = blamed.pieces.number_of_append(operation.argument);
    if (std::ranges::find(blamed.seen, number) == blamed.seen.end()) {
      return fmt::format("{}, but the append of {} was acknowledged ({}) before it began: {}",
                         found.subject(found.last), found.text(operation.argument), found.place(operation),
                         what_became_of(blamed, operation));
    }
  }
  return std::nullopt;
}

std::optional<std::string> about_order_of_appends(const Blamed& blamed) {
  const Case& found = blamed.found;
  const auto place_of = [&](const KeyOperation& operation) {
    return std::ranges::find(blamed.seen, blamed.pieces.number_of_append(operation.argument));
  };
  for (const KeyOperation& first : found.operations) {
    for (const KeyOperation& second : found.operations) {
      const bool are_appends = first.kind == OperationKind::append && second.kind == OperationKind::append;
      if (are_appends && Case::precedes(first, second) && place_of(second) < place_of(first)) {
        return fmt::format("{}, but the append of {} was acknowledged ({}) before that of {} began ({})",
                           found.subject(found.last), found.text(first.argument), found.place(first),
                           found.text(second.argument), found.place(second));
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> about_two_reads(const Blamed& blamed) {
  const Case& found = blamed.found;
  for (const KeyOperation& other : found.operations) {
    if (other.kind != OperationKind::read || found.is_last(other)) {
      continue;
    }
    const std::optional<Numbers> shown = blamed.pieces.take_apart(other.observed);
    if (!shown) {
      continue;
    }
    const auto [in_shown, in_seen] = std::ranges::mismatch(*shown, blamed.seen);
    if (in_shown != shown->end() && in_seen != blamed.seen.end()) {
      return fmt::format("{}, but {}: the two show appends in different orders", found.subject(found.last),
                         found.event(other));
    }
    if (in_shown != shown->end() && Case::precedes(other, found.last)) {
      return fmt::format("{}, but {} had already been shown ({}) before it began", found.subject(found.last),
                         blamed.pieces.text_of(*in_shown), found.place(other));
    }
  }
  return std::nullopt;
}

// Of pieces that cannot be told apart: one that is nowhere in the value.
std::optional<std::string> about_missing_piece(const Case& found) {
  const ValueTable& values = *found.known.values;
  const ValueId seen = found.last.observed;
  for (const KeyOperation& operation : found.operations) {
    const ValueId piece = operation.argument;
    if (operation.kind != OperationKind::append || !Case::precedes(operation, found.last) ||
        values.length_of(piece) == 0) {
      continue;
    }
    const bool is_same_kind = values.kind(seen) == values.kind(piece);
    const bool is_in_it =
        is_same_kind && (values.kind(piece) == StoredKind::string
                             ? values.string_of(seen).find(values.string_of(piece)) != std::string_view::npos
                             : !std::ranges::search(values.list_of(seen), values.list_of(piece)).empty());
    if (!is_in_it) {
      return fmt::format("{}, but the append of {}, which is nowhere in it, was acknowledged ({}) before it began",
                         found.subject(found.last), found.text(piece), found.place(operation));
    }
  }
  return std::nullopt;
}

// The same where all that was appended is longer than the value.
std::optional<std::string> about_length(const Case& found) {
  const ValueTable& values = *found.known.values;
  std::vector<KeyOperation> appends;
  std::uint64_t length = 0;
  for (const KeyOperation& operation : found.operations) {
    if (operation.kind == OperationKind::append && Case::precedes(operation, found.last)) {
      appends.push_back(operation);
      length += values.length_of(operation.argument);
    }
  }
  if (length <= values.length_of(found.last.observed)) {
    return std::nullopt;
  }
  return fmt::format("{}, which is shorter than what had been appended and acknowledged before it began ({})",
                     found.subject(found.last), found.places(appends));
}

}  // namespace

std::optional<std::string> sentence_about_log(const ContradictionCase& found) {
  if (found.last.kind != OperationKind::read) {
    return std::nullopt;
  }
  std::optional<LogPieces> pieces = LogPieces::of(found.whole);
  if (!pieces) {
    std::optional<std::string> sentence = about_missing_piece(found);
    return sentence ? sentence : about_length(found);
  }
  const std::optional<Numbers> seen = pieces->take_apart(found.last.observed);
  if (!seen) {
    return std::nullopt;
  }
  const Blamed blamed{found, *pieces, *seen};
  for (const auto about : {about_lost_append, about_order_of_appends, about_two_reads, about_origin}) {
    if (std::optional<std::string> sentence = about(blamed)) {
      return sentence;
    }
  }
  return std::nullopt;
}

}  // namespace shardcheck::histories
