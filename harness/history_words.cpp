#include "harness/history_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "spec/wording.h"

namespace shardcheck::harness {
namespace {

constexpr std::size_t kShown = 8;

std::string asked_for(const histories::History& history, const histories::RecordedOperation& operation) {
  const auto value = [&](histories::ValueId id) {
    return id == histories::kAbsent ? std::string("nothing") : history.values.to_text(id);
  };
  switch (operation.kind) {
    case OperationKind::write:
    case OperationKind::append: return fmt::format("{} {}", name_of(operation.kind), value(operation.argument));
    case OperationKind::compare_and_set:
      return fmt::format("cas {} to {}", value(operation.expected), value(operation.argument));
    case OperationKind::read:
    case OperationKind::increment:
      return operation.outcome == OutcomeKind::ok
                 ? fmt::format("{} gave {}", name_of(operation.kind), value(operation.observed))
                 : std::string(name_of(operation.kind));
    case OperationKind::remove:
    case OperationKind::scan: return std::string(name_of(operation.kind));
  }
  return "";
}

}  // namespace

std::string operations_up_to(const histories::History& history, std::uint32_t last,
                             const histories::CheckOptions& options) {
  const histories::RecordedOperation& unexplained = history.operations[last];
  std::vector<std::uint32_t> shown;
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const histories::RecordedOperation& operation = history.operations[i];
    if (operation.key == unexplained.key && operation.invoked_at < unexplained.returned_at) {
      shown.push_back(i);
    }
  }
  const auto begun = [&](std::uint32_t i) { return history.operations[i].invoked_at; };
  std::ranges::sort(shown, {}, begun);
  std::string text = shown.size() > kShown ? "..., " : "";
  shown.erase(shown.begin(), shown.end() - static_cast<std::ptrdiff_t>(std::min(shown.size(), kShown)));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const histories::RecordedOperation& operation = history.operations[shown[i]];
    text += fmt::format("{}{}: {}, {} ({} to {})", i == 0 ? "" : ", ", options.telling.names(shown[i]),
                        asked_for(history, operation), name_of(operation.outcome), words(operation.invoked_at),
                        operation.has_returned() ? words(operation.returned_at) : "the end");
  }
  return text;
}

}  // namespace shardcheck::harness
