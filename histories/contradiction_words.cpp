#include "histories/contradiction_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "histories/reductions.h"

namespace shardcheck::histories {
namespace {

constexpr std::size_t kPlacesMax = 16;
constexpr std::size_t kHappeningsMax = 8;

// Operations of which the same is told.
struct Happening {
  std::string words;
  std::vector<KeyOperation> operations;
};

std::vector<Happening> happenings_of(const ContradictionCase& found) {
  std::vector<Happening> happenings;
  for (const KeyOperation& operation : found.operations) {
    if (found.is_last(operation)) {
      continue;
    }
    std::string words = found.happening(operation);
    const auto same = std::ranges::find(happenings, words, &Happening::words);
    if (same != happenings.end()) {
      same->operations.push_back(operation);
    } else {
      happenings.push_back({.words = std::move(words), .operations = {operation}});
    }
  }
  return happenings;
}

std::string general_sentence(const ContradictionCase& found) {
  std::string sentence = found.subject(found.last);
  if (found.operations.size() == 1) {
    return sentence + ", which no order of effects explains";
  }
  sentence += "; no order of effects explains that together with these: ";
  const std::vector<Happening> happenings = happenings_of(found);
  const std::size_t told = std::min(happenings.size(), kHappeningsMax);
  std::size_t operations_told = 1;  // the last one
  for (std::size_t i = 0; i < told; ++i) {
    sentence +=
        fmt::format("{}{} ({})", i == 0 ? "" : ", ", happenings[i].words, found.places(happenings[i].operations));
    operations_told += happenings[i].operations.size();
  }
  const std::size_t more = found.operations.size() - operations_told;
  return more == 0 ? sentence : fmt::format("{}, and {} more", sentence, more);
}

}  // namespace

std::string ContradictionCase::place(const KeyOperation& operation) const {
  if (telling.names) {
    return telling.names(operation.source);
  }
  const RecordedOperation& recorded = history.operations[operation.source];
  if (recorded.is_initial()) {
    return "before the first line";
  }
  return fmt::format("line {}", operation.has_returned() ? recorded.return_line : recorded.invoke_line);
}

std::string ContradictionCase::name_or_line(std::uint32_t index, std::uint32_t line) const {
  return telling.names ? telling.names(index) : fmt::format("line {}", line);
}

std::string ContradictionCase::places(std::span<const KeyOperation> of) const {
  const std::size_t told = std::min(of.size(), kPlacesMax);
  std::string all;
  for (std::size_t i = 0; i < told; ++i) {
    const std::string one = place(of[i]);
    const bool is_line = one.starts_with("line ");
    const bool is_next_line = is_line && i > 0 && place(of[i - 1]).starts_with("line ");
    const bool is_one_of_many = is_line && i + 1 < of.size();
    all += i == 0 ? "" : i + 1 < of.size() ? ", " : " and ";
    all += is_next_line ? one.substr(5) : is_one_of_many ? "lines " + one.substr(5) : one;
  }
  return told == of.size() ? all : fmt::format("{} and {} more", all, of.size() - told);
}

std::string ContradictionCase::text(ValueId value) const {
  constexpr std::size_t kLengthMax = 60;
  if (value == kAbsent) {
    return "nothing";
  }
  const std::string text = history.values.to_text(value);
  return text.size() <= kLengthMax
             ? text
             : fmt::format("...{} ({} bytes)", text.substr(text.size() - kLengthMax), text.size());
}

std::string ContradictionCase::subject(const KeyOperation& operation) const {
  const std::string at = telling.names ? fmt::format(" ({})", place(operation)) : " at " + place(operation);
  if (operation.saw_other) {
    return fmt::format("the cas{} did not find {}", at, text(operation.observed));
  }
  switch (operation.kind) {
    case OperationKind::read: return fmt::format("the read{} returned {}", at, text(operation.observed));
    case OperationKind::increment: return fmt::format("the increment{} returned {}", at, text(operation.observed));
    case OperationKind::compare_and_set:
      return fmt::format("the cas{} from {} to {} succeeded", at, text(operation.expected), text(operation.argument));
    case OperationKind::write:
    case OperationKind::append:
      return fmt::format("the {} of {}{} was acknowledged", name_of(operation.kind), text(operation.argument), at);
    case OperationKind::remove: return fmt::format("the delete{} was acknowledged", at);
    case OperationKind::scan: return "";  // never recorded
  }
  return "";
}

std::string ContradictionCase::happening(const KeyOperation& operation) const {
  const std::string_view was = operation.has_returned() ? "was" : "was perhaps";
  if (operation.saw_other) {
    return fmt::format("a cas did not find {}", text(operation.observed));
  }
  switch (operation.kind) {
    case OperationKind::read: return fmt::format("{} was read", text(operation.observed));
    case OperationKind::increment:
      return operation.has_returned() ? fmt::format("an increment returned {}", text(operation.observed))
                                      : "the value was perhaps incremented";
    case OperationKind::compare_and_set:
      return fmt::format("{} {} replaced by {}", text(operation.expected), was, text(operation.argument));
    case OperationKind::write: return fmt::format("{} {} written", text(operation.argument), was);
    case OperationKind::append: return fmt::format("{} {} appended", text(operation.argument), was);
    case OperationKind::remove: return fmt::format("the value {} deleted", was);
    case OperationKind::scan: return "";  // never recorded
  }
  return "";
}

std::string ContradictionCase::event(const KeyOperation& operation) const {
  return fmt::format("{} ({})", happening(operation), place(operation));
}

std::string ContradictionCase::acknowledged(const KeyOperation& operation) const {
  const std::string at = place(operation);
  switch (operation.kind) {
    case OperationKind::write: return fmt::format("{} was acknowledged ({})", text(operation.argument), at);
    case OperationKind::remove: return fmt::format("a delete was acknowledged ({})", at);
    case OperationKind::compare_and_set:
      return fmt::format("a cas from {} to {} was acknowledged ({})", text(operation.expected),
                         text(operation.argument), at);
    case OperationKind::append:
      return fmt::format("the append of {} was acknowledged ({})", text(operation.argument), at);
    case OperationKind::read:
    case OperationKind::increment:
    case OperationKind::scan: return event(operation);
  }
  return "";
}

std::string times(std::int64_t count) {
  if (count == 1) {
    return "once";
  }
  return count == 2 ? "twice" : fmt::format("{} times", count);
}

std::string sentence_of(const ContradictionCase& found) {
  std::optional<std::string> sentence;
  switch (found.telling.is_counter ? Structure::counter : structure_of(found.known)) {
    case Structure::registers: sentence = sentence_about_register(found); break;
    case Structure::log: sentence = sentence_about_log(found); break;
    case Structure::counter: sentence = sentence_about_counter(found); break;
    case Structure::mixed: break;
  }
  return sentence ? *std::move(sentence) : general_sentence(found);
}

}  // namespace shardcheck::histories
