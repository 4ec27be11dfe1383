// What a contradiction of a register is called.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "histories/contradiction.h"
#include "histories/contradiction_words.h"
#include "histories/reductions.h"

namespace shardcheck::histories {
namespace {

using Case = ContradictionCase;

bool produces(const KeyOperation& operation, ValueId value) {
  return operation.kind != OperationKind::read && product_of(operation) == value;
}

// How often the value can have come to be there, as far as is known; the beginning counts for the absent one.
std::int64_t arrivals_of(const KeyHistory& known, ValueId value, const KeyOperation* but = nullptr) {
  return (value == kAbsent ? 1 : 0) + std::ranges::count_if(known.operations, [&](const KeyOperation& operation) {
           return produces(operation, value) && (but == nullptr || operation.source != but->source);
         });
}

std::vector<KeyOperation> producers_in(const Case& found, ValueId value) {
  std::vector<KeyOperation> producers;
  for (const KeyOperation& operation : found.operations) {
    if (!found.is_last(operation) && produces(operation, value)) {
      producers.push_back(operation);
    }
  }
  return producers;
}

// "but its write was refused (line 2)", of the first that asked for the value and was refused; empty: none was.
std::string refused_writing(const Case& found, ValueId value) {
  const std::vector<RecordedOperation>& operations = found.history.operations;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const RecordedOperation& operation = operations[i];
    const bool writes = operation.kind == OperationKind::write || operation.kind == OperationKind::compare_and_set ||
                        operation.kind == OperationKind::append;
    if (operation.key == found.known.key && writes && operation.argument == value &&
        operation.outcome == OutcomeKind::refused) {
      return fmt::format("but its {} was refused ({})", name_of(operation.kind),
                         found.name_or_line(i, operation.return_line));
    }
  }
  return "";
}

std::string why_never_written(const Case& found, ValueId value) {
  const std::string refused = refused_writing(found, value);
  return refused.empty() ? fmt::format("but nobody had written {}{}", found.text(value), found.since()) : refused;
}

// A value that was not written, or not yet.
std::optional<std::string> about_origin(const Case& found, ValueId value) {
  if (value == kAbsent) {
    return std::nullopt;
  }
  const KeyOperation* first = nullptr;
  for (const KeyOperation& operation : found.whole.operations) {
    if (produces(operation, value) && operation.source != found.last.source) {
      first = &operation;
      break;
    }
  }
  if (first == nullptr) {
    return fmt::format("{}, {}", found.subject(found.last), why_never_written(found, value));
  }
  if (first->invoked < found.last.returned) {
    return std::nullopt;
  }
  const std::string place = found.name_or_line(first->source, found.history.operations[first->source].invoke_line);
  const std::string refused = refused_writing(found, value);
  if (!refused.empty()) {
    return fmt::format("{}, {}, and it was asked for again only afterwards ({})", found.subject(found.last), refused,
                       place);
  }
  return fmt::format("{}, but nobody had asked to {} {} before ({} was the first to)", found.subject(found.last),
                     first->kind == OperationKind::append ? "append" : "write", found.text(value), place);
}

// Two that succeeded on one and the same value.
std::optional<std::string> about_two_updates(const Case& found, ValueId value) {
  if (found.last.kind != OperationKind::compare_and_set || arrivals_of(found.known, value) != 1 ||
      found.last.argument == value) {
    return std::nullopt;
  }
  for (const KeyOperation& other : found.operations) {
    if (other.kind == OperationKind::compare_and_set && other.expected == value && other.argument != value &&
        !found.is_last(other) && other.has_returned()) {
      return fmt::format("{}, but so did the cas from {} to {} ({}), and {} was there only once: one update is lost",
                         found.subject(found.last), found.text(value), found.text(other.argument), found.place(other),
                         found.text(value));
    }
  }
  return std::nullopt;
}

// Something newer had been seen or acknowledged before the last operation began.
std::optional<std::string> about_stale(const Case& found, ValueId value) {
  const std::vector<KeyOperation> older = producers_in(found, value);
  const auto arrivals = static_cast<std::size_t>(arrivals_of(found.known, value, &found.last));
  if (older.size() + (value == kAbsent ? 1 : 0) != arrivals) {
    return std::nullopt;
  }
  for (const KeyOperation& newer : found.operations) {
    const bool is_newer =
        !found.is_last(newer) && !produces(newer, value) && Case::precedes(newer, found.last) &&
        std::ranges::all_of(older, [&](const KeyOperation& operation) { return Case::precedes(operation, newer); }) &&
        (newer.kind != OperationKind::read || newer.observed != value);
    if (!is_newer) {
      continue;
    }
    const std::string beginning =
        fmt::format("{}, but {} before it began", found.subject(found.last), found.acknowledged(newer));
    if (older.empty()) {
      return beginning + ", and nothing was deleted";
    }
    const std::string_view did = value == kAbsent ? "deleted" : "written";
    const std::string what = value == kAbsent ? std::string("the key") : found.text(value);
    if (older.size() == 1) {
      return fmt::format("{}, and {} was {} before that ({})", beginning, what, did, found.place(older.back()));
    }
    return fmt::format("{}, and {} was {} {}, each time before that ({})", beginning, what, did,
                       times(static_cast<std::int64_t>(older.size())), found.places(older));
  }
  return std::nullopt;
}

// Seen, gone, and back.
std::optional<std::string> about_return_of_a_value(const Case& found, ValueId value) {
  if (arrivals_of(found.known, value, &found.last) != 1) {
    return std::nullopt;
  }
  for (const KeyOperation& earlier : found.operations) {
    if (needed_value(earlier) != value || found.is_last(earlier)) {
      continue;
    }
    for (const KeyOperation& between : found.operations) {
      const bool shows_another =
          between.kind == OperationKind::read ? between.observed != value : product_of(between) != value;
      if (shows_another && !found.is_last(between) && Case::precedes(earlier, between) &&
          Case::precedes(between, found.last)) {
        return fmt::format("{}, but {} after {}, and {} came only once", found.subject(found.last),
                           found.event(between), found.event(earlier),
                           value == kAbsent ? std::string("the absence of a value") : found.text(value));
      }
    }
  }
  return std::nullopt;
}

struct Sighting {
  ValueId value;
  const KeyOperation* operation;
};

// Two values, each there only once, of which either seems to be the older one.
std::optional<std::string> about_order_of_values(const Case& found) {
  std::vector<Sighting> sightings;
  for (const KeyOperation& operation : found.operations) {
    if (operation.kind == OperationKind::compare_and_set) {
      return std::nullopt;
    }
    sightings.push_back(
        {operation.kind == OperationKind::read ? operation.observed : product_of(operation), &operation});
  }
  const auto first_pair = [&](ValueId before, ValueId after) -> std::optional<std::string> {
    for (const Sighting& first : sightings) {
      for (const Sighting& second : sightings) {
        if (first.value == before && second.value == after && Case::precedes(*first.operation, *second.operation)) {
          return fmt::format("{} before {}", found.event(*first.operation), found.event(*second.operation));
        }
      }
    }
    return std::nullopt;
  };
  const ValueId value = sightings.back().value;
  for (const Sighting& other : sightings) {
    if (other.value == value || arrivals_of(found.known, value) != 1 || arrivals_of(found.known, other.value) != 1) {
      continue;
    }
    const std::optional<std::string> one = first_pair(other.value, value);
    const std::optional<std::string> another = first_pair(value, other.value);
    if (one && another) {
      return fmt::format("{}, but {}, and each came only once", *one, *another);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> sentence_about_register(const ContradictionCase& found) {
  const std::optional<ValueId> value = needed_value(found.last);
  if (!value) {
    return std::nullopt;
  }
  for (const auto about : {about_origin, about_two_updates, about_stale, about_return_of_a_value}) {
    if (std::optional<std::string> sentence = about(found, *value)) {
      return sentence;
    }
  }
  return about_order_of_values(found);
}

}  // namespace shardcheck::histories
