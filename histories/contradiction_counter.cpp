// What a contradiction of a counter is called.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "histories/contradiction_words.h"

namespace shardcheck::histories {
namespace {

using Case = ContradictionCase;

// What an operation saw, or, of the initial write, what had been counted before. Nothing when it is no number.
std::optional<std::int64_t> count_seen(const Case& found, const KeyOperation& operation) {
  const bool is_initial = operation.kind == OperationKind::write;
  const ValueId seen = is_initial ? operation.argument : operation.observed;
  if (seen == kAbsent) {
    return 0;
  }
  const ValueTable& values = *found.known.values;
  return values.kind(seen) == StoredKind::number ? std::optional(values.number_of(seen)) : std::nullopt;
}

std::int64_t counted_before(const Case& found) {
  const auto initial = std::ranges::find(found.known.operations, OperationKind::write, &KeyOperation::kind);
  return initial == found.known.operations.end() ? 0 : count_seen(found, *initial).value_or(0);
}

std::optional<std::string> about_what_was_counted_before(const Case& found, std::int64_t seen) {
  const std::int64_t before = counted_before(found);
  const bool is_too_small = seen - (found.last.kind == OperationKind::increment ? 1 : 0) < before;
  return is_too_small
             ? std::optional(fmt::format("{}, but {} had been counted before", found.subject(found.last), before))
             : std::nullopt;
}

std::optional<std::string> about_too_many(const Case& found, std::int64_t seen) {
  const std::int64_t asked = std::ranges::count(found.known.operations, OperationKind::increment, &KeyOperation::kind);
  if (seen - counted_before(found) <= asked) {
    return std::nullopt;
  }
  return asked == 0 ? fmt::format("{}, but nobody had asked for an increment{} by then", found.subject(found.last),
                                  found.since())
                    : fmt::format("{}, but an increment had been asked for only {}{} by then: one took effect twice",
                                  found.subject(found.last), times(asked), found.since());
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
  if (acknowledged <= seen - counted_before(found) - (found.last.kind == OperationKind::increment ? 1 : 0)) {
    return std::nullopt;
  }
  return fmt::format("{}, but an increment had been acknowledged {}{} before it began", found.subject(found.last),
                     times(acknowledged), found.since());
}

}  // namespace

std::optional<std::string> sentence_about_counter(const ContradictionCase& found) {
  const std::optional<std::int64_t> seen = count_seen(found, found.last);
  if (!seen) {
    return std::nullopt;
  }
  for (const auto about : {about_what_was_counted_before, about_too_many, about_the_same_number, about_a_larger_number,
                           about_lost_increments}) {
    if (std::optional<std::string> sentence = about(found, *seen)) {
      return sentence;
    }
  }
  return std::nullopt;
}

}  // namespace shardcheck::histories
