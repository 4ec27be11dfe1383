#include "histories/event_line.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace shardcheck::histories {

std::optional<LineType> line_type_named(std::string_view name) {
  if (name == "invoke") return LineType::invoke;
  if (name == "ok") return LineType::ok;
  if (name == "fail") return LineType::fail;
  if (name == "info") return LineType::info;
  return std::nullopt;
}

std::optional<OperationKind> operation_kind_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, OperationKind>, 8> kNames{{
      {"read", OperationKind::read},
      {"get", OperationKind::read},
      {"write", OperationKind::write},
      {"put", OperationKind::write},
      {"append", OperationKind::append},
      {"incr", OperationKind::increment},
      {"del", OperationKind::remove},
      {"cas", OperationKind::compare_and_set},
  }};
  for (const auto& [known, kind] : kNames) {
    if (known == name) {
      return kind;
    }
  }
  return std::nullopt;
}

Error unknown_line_type(std::string_view name) {
  return {"", fmt::format("\"type\" is \"{}\", not one of invoke, ok, fail, info", name)};
}

Error unknown_operation_kind(std::string_view name) {
  return {"", fmt::format("\"f\" is \"{}\", not one of read, write, append, incr, del, cas", name)};
}

}  // namespace shardcheck::histories
