// What a contradiction of a counter is called.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "histories/contradiction_words.h"

namespace shardcheck::histories {
namespace {

using Case = ContradictionCase;

// Nothing when it is no number.
std::optional<std::int64_t> count_seen(const Case& found, const KeyOperation& operation) {
  if (operation.observed == kAbsent) {
    return 0;
  }
  const ValueTable& values = *found.known.values;
  return values.kind(operation.observed) == StoredKind::number ? std::optional(values.number_of(operation.observed))
                                                               : std::nullopt;
}

std::optional<std::string> about_too_many(const Case& found, std::int64_t seen) {
  const std::int64_t asked = std::ranges::count(found.known.operations, OperationKind::increment, &KeyOperation::kind);
  if (seen <= asked) {
    return std::nullopt;
  }
  return asked == 0 ? fmt::format("{}, but nobody had asked for an increment by then", found.subject(found.last))
                    : fmt::format("{}, but an increment had been asked for only {} by then: one took effect twice",
                                  found.subject(found.last), times(asked));
}

std::optional<std::string> about_the_same_number(const Case& found, std::int64_t seen) {
  for (const KeyOperation& other : found.operations) {
    if (other.kind == OperationKind::increment && found.last.kind == OperationKind::increment &&
        !found.is_last(other) && other.has_returned() && count_seen(found, other) == seen) {
      return fmt::format("{}, and so did the increment ({}): one of the two is lost", found.subject(found.last),
                         found.place(other));
    }
  }
  return std::nullopt;
}

std::optional<std::string> about_a_larger_number(const Case& found, std::int64_t seen) {
  // Behind whatever saw a number, an increment returns a larger one.
  const std::int64_t least = found.last.kind == OperationKind::increment ? seen : seen + 1;
  for (const KeyOperation& other : found.operations) {
    if (!found.is_last(other) && Case::precedes(other, found.last) && count_seen(found, other) >= least) {
      return fmt::format("{}, but {} before it began", found.subject(found.last), found.event(other));
    }
  }
  return std::nullopt;
}

std::optional<std::string> about_lost_increments(const Case& found, std::int64_t seen) {
  const std::int64_t acknowledged = std::ranges::count_if(found.operations, [&](const KeyOperation& operation) {
    return operation.kind == OperationKind::increment && Case::precedes(operation, found.last);
  });
  if (acknowledged <= seen - (found.last.kind == OperationKind::increment ? 1 : 0)) {
    return std::nullopt;
  }
  return fmt::format("{}, but an increment had been acknowledged {} before it began", found.subject(found.last),
                     times(acknowledged));
}

}  // namespace

std::optional<std::string> sentence_about_counter(const ContradictionCase& found) {
  const std::optional<std::int64_t> seen = count_seen(found, found.last);
  if (!seen) {
    return std::nullopt;
  }
  for (const auto about : {about_too_many, about_the_same_number, about_a_larger_number, about_lost_increments}) {
    if (std::optional<std::string> sentence = about(found, *seen)) {
      return sentence;
    }
  }
  return std::nullopt;
}

}  // namespace shardcheck::histories
