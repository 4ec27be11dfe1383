#include "histories/json_line_parser.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "histories/json_quick_line.h"

namespace shardcheck::histories {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr int kListDepthMax = 16;

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

Result<ValueId> value_of(const element& value, ValueTable& values, int depth) {
  switch (value.type()) {
    case element_type::NULL_VALUE: return kAbsent;
    case element_type::INT64: return values.number(value.get_int64().value_unsafe());
    case element_type::STRING: return values.string(value.get_string().value_unsafe());
    case element_type::ARRAY: {
      if (depth == kListDepthMax) {
        return fail("", fmt::format("\"value\" has lists nested deeper than {}", kListDepthMax));
      }
      std::vector<ValueId> items;
      const simdjson::dom::array array = value.get_array().value_unsafe();
      for (const element item : array) {
        const Result<ValueId> id = value_of(item, values, depth + 1);
        if (!id) {
          return id;
        }
        items.push_back(*id);
      }
      return values.list(items);
    }
    case element_type::UINT64: return fail("", "a number does not fit 64 bits with a sign");
    case element_type::DOUBLE:
    case element_type::BOOL:
    case element_type::OBJECT: break;
  }
  return fail("", "\"value\" is not a whole number, a string, a list of these, or null");
}

// A name of a process or a key.
Result<ValueId> name_of(const element& name, std::string_view what, ValueTable& values) {
  if (name.type() != element_type::INT64 && name.type() != element_type::STRING) {
    return fail("", fmt::format("\"{}\" is neither a whole number nor a string", what));
  }
  return value_of(name, values, 0);
}

Result<void> set_value(const element& value, ValueTable& values, EventLine& event) {
  if (event.kind != OperationKind::compare_and_set) {
    const Result<ValueId> id = value_of(value, values, 0);
    if (!id) {
      return std::unexpected(id.error());
    }
    event.has_value = true;
    event.value = *id;
    return {};
  }
  if (event.type == LineType::ok && value.type() == element_type::NULL_VALUE) {
    return {};
  }
  simdjson::dom::array pair;
  if (value.get_array().get(pair) != simdjson::SUCCESS || pair.size() != 2) {
    return fail("", "a cas needs a \"value\" of the form [from, to]");
  }
  const Result<ValueId> from = value_of(pair.at(0).value_unsafe(), values, 1);
  const Result<ValueId> to = value_of(pair.at(1).value_unsafe(), values, 1);
  if (!from || !to) {
    return std::unexpected(from ? to.error() : from.error());
  }
  event.has_value = true;
  event.expected = *from;
  event.value = *to;
  return {};
}

Result<void> set_type_and_kind(const RawFields& raw, EventLine& event) {
  if (!raw.type || !is_string(*raw.type)) {
    return fail("", "\"type\" is missing or not a string");
  }
  const std::optional<LineType> type = line_type_named(text_of(*raw.type));
  if (!type) {
    return std::unexpected(unknown_line_type(text_of(*raw.type)));
  }
  event.type = *type;
  if (!raw.f || !is_string(*raw.f)) {
    return fail("", "\"f\" is missing or not a string");
  }
  const std::optional<OperationKind> kind = operation_kind_named(text_of(*raw.f));
  if (!kind) {
    return std::unexpected(unknown_operation_kind(text_of(*raw.f)));
  }
  event.kind = *kind;
  return {};
}

Result<void> set_names(const RawFields& raw, ValueTable& values, EventLine& event) {
  if (!raw.key) {
    return fail("", "\"key\" is missing");
  }
  const Result<ValueId> process = name_of(*raw.process, "process", values);
  if (!process) {
    return std::unexpected(process.error());
  }
  const Result<ValueId> key = name_of(*raw.key, "key", values);
  if (!key) {
    return std::unexpected(key.error());
  }
  event.process = *process;
  event.key = *key;
  return {};
}

Result<EventLine> event_of(const RawFields& raw, std::string_view line, ValueTable& values) {
  const Result<std::optional<std::int64_t>> time = time_of(raw);
  if (!time) {
    return std::unexpected(time.error());
  }
  EventLine event{.time = *time};
  if (!raw.process) {
    return fail("", "\"process\" is missing");
  }
  if (is_string(*raw.process) && text_of(*raw.process) == "nemesis") {
    event.is_nemesis = true;
    event.f = raw.f && is_string(*raw.f) ? text_of(*raw.f) : std::string_view();
    event.text = line;
    return event;
  }
  if (const Result<void> set = set_type_and_kind(raw, event); !set) {
    return std::unexpected(set.error());
  }
  if (const Result<void> set = set_names(raw, values, event); !set) {
    return std::unexpected(set.error());
  }
  // What failed or may have happened says nothing with its value, which may be an error of any form.
  if (raw.value && (event.type == LineType::invoke || event.type == LineType::ok)) {
    if (const Result<void> set = set_value(*raw.value, values, event); !set) {
      return std::unexpected(set.error());
    }
  }
  return event;
}

}  // namespace

Result<EventLine> JsonLineParser::parse(std::string_view line, ValueTable& values) {
  if (const std::optional<EventLine> event = parse_quickly(line, values)) {
    return *event;
  }
  return parse_slowly(line, values);
}

Result<EventLine> JsonLineParser::parse_slowly(std::string_view line, ValueTable& values) {
  element root;
  if (const auto error = parser_.parse(line.data(), line.size(), false).get(root); error != simdjson::SUCCESS) {
    return fail("", fmt::format("not JSON: {}", simdjson::error_message(error)));
  }
  const Result<RawFields> raw = raw_fields(root);
  if (!raw) {
    return std::unexpected(raw.error());
  }
  return event_of(*raw, line, values);
}

}  // namespace shardcheck::histories
