#include "histories/contradiction_words.h"

#include <fmt/format.h>

#include <string_view>

#include "histories/reductions.h"

namespace shardcheck::histories {
namespace {

constexpr std::size_t kNamedMax = 8;

std::string general_sentence(const ContradictionCase& found) {
  std::string sentence = found.subject(found.last);
  if (found.operations.size() == 1) {
    return sentence + ", which no order of effects explains";
  }
  if (found.operations.size() > kNamedMax) {
    return sentence + "; no order of effects explains that together with all answers before";
  }
  sentence += "; no order of effects explains that together with these: ";
  bool is_first = true;
  for (const KeyOperation& operation : found.operations) {
    if (!found.is_last(operation)) {
      sentence += (is_first ? "" : ", ") + found.event(operation);
      is_first = false;
    }
  }
  return sentence;
}

}  // namespace

std::string ContradictionCase::place(const KeyOperation& operation) const {
  if (names) {
    return names(operation.source);
  }
  const RecordedOperation& recorded = history.operations[operation.source];
  if (recorded.is_initial()) {
    return "before the first line";
  }
  return fmt::format("line {}", operation.has_returned() ? recorded.return_line : recorded.invoke_line);
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
  const std::string at = names ? fmt::format(" ({})", place(operation)) : " at " + place(operation);
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

std::string ContradictionCase::event(const KeyOperation& operation) const {
  const std::string at = place(operation);
  const std::string_view was = operation.has_returned() ? "was" : "was perhaps";
  if (operation.saw_other) {
    return fmt::format("a cas did not find {} ({})", text(operation.observed), at);
  }
  switch (operation.kind) {
    case OperationKind::read: return fmt::format("{} was read ({})", text(operation.observed), at);
    case OperationKind::increment:
      return operation.has_returned() ? fmt::format("an increment returned {} ({})", text(operation.observed), at)
                                      : fmt::format("the value was perhaps incremented ({})", at);
    case OperationKind::compare_and_set:
      return fmt::format("{} {} replaced by {} ({})", text(operation.expected), was, text(operation.argument), at);
    case OperationKind::write: return fmt::format("{} {} written ({})", text(operation.argument), was, at);
    case OperationKind::append: return fmt::format("{} {} appended ({})", text(operation.argument), was, at);
    case OperationKind::remove: return fmt::format("the value {} deleted ({})", was, at);
    case OperationKind::scan: return "";  // never recorded
  }
  return "";
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
  switch (structure_of(found.known)) {
    case Structure::registers: sentence = sentence_about_register(found); break;
    case Structure::log: sentence = sentence_about_log(found); break;
    case Structure::counter: sentence = sentence_about_counter(found); break;
    case Structure::mixed: break;
  }
  return sentence ? *std::move(sentence) : general_sentence(found);
}

}  // namespace shardcheck::histories
