#include "histories/json_line_fields.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

namespace shardcheck::histories {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

struct RawFields {
  std::optional<element> process, type, f, key, value, time;
};

// The field of that name, or null for a field we do not know.
std::optional<element>* field_named(RawFields& fields, std::string_view name) {
  if (name == "process") return &fields.process;
  if (name == "type") return &fields.type;
  if (name == "f") return &fields.f;
  if (name == "key") return &fields.key;
  if (name == "value") return &fields.value;
  if (name == "time") return &fields.time;
  return nullptr;
}

bool is_string(const element& e) { return e.type() == element_type::STRING; }

std::string_view text_of(const element& e) { return e.get_string().value_unsafe(); }

Result<RawFields> raw_fields(const element& root) {
  simdjson::dom::object object;
  if (root.get_object().get(object) != simdjson::SUCCESS) {
    return fail("", "the line is not a JSON object");
  }
  RawFields fields;
  for (const auto field : object) {
    std::optional<element>* place = field_named(fields, field.key);
    if (place == nullptr) {
      continue;
    }
    if (*place) {
      return fail("", fmt::format("\"{}\" is given twice", field.key));
    }
    *place = field.value;
  }
  return fields;
}

std::optional<LineType> type_named(std::string_view name) {
  if (name == "invoke") return LineType::invoke;
  if (name == "ok") return LineType::ok;
  if (name == "fail") return LineType::fail;
  if (name == "info") return LineType::info;
  return std::nullopt;
}

std::optional<OperationKind> kind_named(std::string_view name) {
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

Result<std::optional<std::int64_t>> time_of(const RawFields& fields) {
  if (!fields.time) {
    return std::nullopt;
  }
  if (fields.time->type() == element_type::UINT64) {
    return fail("", "\"time\" is too large: nanoseconds have to fit 63 bits");
  }
  if (fields.time->type() != element_type::INT64) {
    return fail("", "\"time\" is not a whole number of nanoseconds");
  }
  const std::int64_t time = fields.time->get_int64().value_unsafe();
  if (time < 0) {
    return fail("", fmt::format("\"time\" is negative: {}", time));
  }
  return time;
}

}  // namespace

Result<JsonLineFields> JsonLineParser::parse(std::string_view line) {
  element root;
  if (const auto error = parser_.parse(line.data(), line.size(), false).get(root); error != simdjson::SUCCESS) {
    return fail("", fmt::format("not JSON: {}", simdjson::error_message(error)));
  }
  const Result<RawFields> raw = raw_fields(root);
  if (!raw) {
    return std::unexpected(raw.error());
  }
  const Result<std::optional<std::int64_t>> time = time_of(*raw);
  if (!time) {
    return std::unexpected(time.error());
  }
  JsonLineFields fields{.line = line, .value = raw->value, .time = *time};
  if (!raw->process) {
    return fail("", "\"process\" is missing");
  }
  fields.process = *raw->process;
  fields.is_nemesis = is_string(*raw->process) && text_of(*raw->process) == "nemesis";
  if (fields.is_nemesis) {
    fields.f = raw->f && is_string(*raw->f) ? text_of(*raw->f) : std::string_view();
    return fields;
  }
  if (!raw->type || !is_string(*raw->type)) {
    return fail("", "\"type\" is missing or not a string");
  }
  const std::optional<LineType> type = type_named(text_of(*raw->type));
  if (!type) {
    return fail("", fmt::format("\"type\" is \"{}\", not one of invoke, ok, fail, info", text_of(*raw->type)));
  }
  fields.type = *type;
  if (!raw->f || !is_string(*raw->f)) {
    return fail("", "\"f\" is missing or not a string");
  }
  fields.f = text_of(*raw->f);
  const std::optional<OperationKind> kind = kind_named(fields.f);
  if (!kind) {
    return fail("", fmt::format("\"f\" is \"{}\", not one of read, write, append, incr, del, cas", fields.f));
  }
  fields.kind = *kind;
  if (!raw->key) {
    return fail("", "\"key\" is missing");
  }
  fields.key = *raw->key;
  return fields;
}

}  // namespace shardcheck::histories
