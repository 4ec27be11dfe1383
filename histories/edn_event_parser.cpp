#include "histories/edn_event_parser.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <iterator>
#include <utility>

#include "histories/edn_values.h"

namespace shardcheck::histories {
namespace {

constexpr std::string_view kRegister = "register";  // the one key of a file that names none
constexpr std::string_view kMutex = "mutex";
constexpr std::string_view kHeld = "held";  // a mutex that is free holds nothing

}  // namespace

std::optional<std::string_view>* EdnEventParser::field_named(Fields& fields, std::string_view name) {
  if (name == ":process") return &fields.process;
  if (name == ":type") return &fields.type;
  if (name == ":f") return &fields.f;
  if (name == ":key") return &fields.key;
  if (name == ":value") return &fields.value;
  if (name == ":time") return &fields.time;
  if (name == ":json") return &fields.json;
  return nullptr;
}

Result<EdnEventParser::Fields> EdnEventParser::fields_of(std::span<const std::string_view> items) {
  Fields fields;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    std::optional<std::string_view>* const place = field_named(fields, items[i]);
    if (place == nullptr) {
      continue;
    }
    if (*place) {
      return fail("", fmt::format("{} is given twice", items[i]));
    }
    *place = items[i + 1];
  }
  return fields;
}

Result<EventLine> EdnEventParser::parse(std::span<const std::string_view> items, ValueTable& values) {
  const Result<Fields> fields = fields_of(items);
  if (!fields) {
    return std::unexpected(fields.error());
  }
  if (const Result<void> refused = refuse_transaction(*fields); !refused) {
    return std::unexpected(refused.error());
  }
  return event_of(*fields, values);
}

Result<EventLine> EdnEventParser::parse_log_line(std::string_view line, ValueTable& values) {
  Fields fields;
  EdnCursor cursor(line, true);
  for (const auto field : {&Fields::process, &Fields::type, &Fields::f, &Fields::value}) {
    if (!cursor.skip_blanks()) {
      return fail("", cursor.problem());
    }
    // What failed or may have happened may go on with words of any kind.
    const bool is_told_in_words = fields.f && (*fields.type == ":fail" || *fields.type == ":info");
    if (cursor.is_at_end() || is_told_in_words) {
      break;
    }
    const std::size_t start = cursor.offset();
    if (!cursor.skip_form()) {
      return fail("", cursor.problem());
    }
    fields.*field = cursor.since(start);
  }
  const bool is_told_in_words = fields.type && (*fields.type == ":fail" || *fields.type == ":info");
  if (!is_told_in_words && (!cursor.skip_blanks() || !cursor.is_at_end())) {
    return fail("", "something follows the value of the operation");
  }
  return event_of(fields, values);
}

Result<EventLine> EdnEventParser::event_of(Fields fields, ValueTable& values) {
  EventLine event;
  if (const Result<void> set = set_time(fields, event); !set) {
    return std::unexpected(set.error());
  }
  if (!fields.process) {
    return fail("", ":process is missing");
  }
  const Result<ValueId> process = edn_value(*fields.process, values);
  if (!process) {
    return fail("", ":process is neither a whole number nor a string");
  }
  event.process = *process;
  if (is_nemesis(event.process, values)) {
    set_nemesis(fields, event);
    return event;
  }
  if (const Result<void> set = set_type(fields, event); !set) {
    return std::unexpected(set.error());
  }
  if (!custom_.is_keyed && fields.f && *fields.f == ":txn") {
    const Result<void> set = set_steps(fields, values, event);
    return set ? Result<EventLine>(std::move(event)) : std::unexpected(set.error());
  }
  if (const Result<void> set = set_kind(fields, values, event); !set) {
    return std::unexpected(set.error());
  }
  if (const Result<void> set = set_key(fields, values, event); !set) {
    return std::unexpected(set.error());
  }
  if (const Result<void> set = set_value(fields, values, event); !set) {
    return std::unexpected(set.error());
  }
  return event;
}

// Elle's transactions of appends to lists and reads of them need another kind of checker, and judged as anything else
// they would come out wrong. They are known by their values, vectors of steps: [[:append 7 1] [:r 8 nil]]. Knossos' of
// reads and writes of registers, [[:read :x nil] [:write :y 2]], are judged.
Result<void> EdnEventParser::refuse_transaction(const Fields& fields) {
  const bool may_be_one = !fields.f || *fields.f == ":txn";
  if (!may_be_one || !fields.value || !edn_items(*fields.value, forms_)) {
    return {};
  }
  for (const std::string_view step : forms_) {
    std::vector<std::string_view> parts;
    if (edn_items(step, parts) && !parts.empty() && parts[0].starts_with(':') && parts[0] != ":read" &&
        parts[0] != ":write") {
      return fail("",
                  "this is a transaction history, of lists or of registers as Elle judges them; here only single "
                  "operations are judged, and transactions of steps :read and :write");
    }
  }
  return {};
}

Result<void> EdnEventParser::set_steps(const Fields& fields, ValueTable& values, EventLine& event) {
  if (!fields.value || !edn_items(*fields.value, forms_) || forms_.empty()) {
    return fail("", "a transaction needs a \"value\" of the form [[:read key nil] [:write key value]]");
  }
  std::vector<std::string_view> parts;
  for (const std::string_view step : forms_) {
    if (!edn_items(step, parts) || parts.size() != 3 || (parts[0] != ":read" && parts[0] != ":write")) {
      return fail("", "a step of a transaction is neither [:read key value] nor [:write key value]");
    }
    const Result<ValueId> key = edn_value(parts[1], values);
    const Result<ValueId> value = edn_value(parts[2], values);
    if (!key || !value) {
      return std::unexpected(key ? value.error() : key.error());
    }
    event.steps.push_back({.key = *key, .value = *value, .is_write = parts[0] == ":write"});
  }
  return {};
}

Result<void> EdnEventParser::set_time(const Fields& fields, EventLine& event) {
  if (!fields.time || is_edn_nil(*fields.time)) {
    return {};
  }
  event.time = edn_number(*fields.time);
  if (event.time && *event.time >= 0) {
    return {};
  }
  if (event.time) {
    return fail("", fmt::format(":time is negative: {}", *event.time));
  }
  return fail("", is_edn_whole_number(*fields.time) ? ":time is too large: nanoseconds have to fit 63 bits"
                                                    : ":time is not a whole number of nanoseconds");
}

bool EdnEventParser::is_nemesis(ValueId process, const ValueTable& values) const {
  if (values.kind(process) != StoredKind::string) {
    return false;
  }
  const std::string_view name = values.string_of(process);
  return name == "nemesis" || name == ":nemesis" || (!custom_.is_keyed && name.starts_with(':'));
}

void EdnEventParser::set_nemesis(const Fields& fields, EventLine& event) {
  event.is_nemesis = true;
  const auto is_text = [](std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); };
  event.process = kAbsent;
  event.f = "";
  if (fields.f && read_edn_string(*fields.f, f_)) {
    event.f = f_;
  } else if (fields.f && is_text(*fields.f)) {
    event.f = edn_name(*fields.f).value_or("");
  }
  text_ = R"({"process":"nemesis","type":"info","f":)";
  append_quoted(event.f, text_);
  text_ += R"(,"key":null,"value":)";
  std::string said;
  if (!fields.value || is_edn_nil(*fields.value) || !is_text(*fields.value)) {
    text_ += "null";
  } else if (read_edn_string(*fields.value, said)) {
    append_quoted(said, text_);
  } else {
    append_quoted(*fields.value, text_);
  }
  if (event.time) {
    fmt::format_to(std::back_inserter(text_), R"(,"time":{})", *event.time);
  }
  text_ += '}';
  if (std::string line; fields.json && was_json_line(*fields.json, line)) {
    text_ = std::move(line);
  }
  event.text = text_;
}

// What is no such line is not kept: it would be written among lines that are read again.
bool EdnEventParser::was_json_line(std::string_view form, std::string& line) {
  if (!read_edn_string(form, line) || line.find_first_of("\r\n") != std::string::npos) {
    return false;
  }
  simdjson::dom::parser parser;
  std::string_view process;
  return parser.parse(line)["process"].get(process) == simdjson::SUCCESS && process == "nemesis";
}

Result<void> EdnEventParser::set_type(const Fields& fields, EventLine& event) {
  const std::optional<std::string_view> name = fields.type ? edn_name(*fields.type) : std::nullopt;
  if (!name) {
    return fail("", ":type is missing or not a keyword");
  }
  const std::optional<LineType> type = line_type_named(*name);
  if (!type) {
    return std::unexpected(unknown_line_type(*name));
  }
  event.type = *type;
  return {};
}

Result<void> EdnEventParser::set_kind(const Fields& fields, ValueTable& values, EventLine& event) {
  const std::optional<std::string_view> name = fields.f ? edn_name(*fields.f) : std::nullopt;
  if (!name) {
    return fail("", ":f is missing or not a keyword");
  }
  is_mutex_ = !custom_.is_keyed && (*name == "acquire" || *name == "release");
  if (is_mutex_) {
    event.kind = OperationKind::compare_and_set;
    const ValueId held = values.string(kHeld);
    event.has_value = true;
    event.expected = *name == "acquire" ? kAbsent : held;
    event.value = *name == "acquire" ? held : kAbsent;
    return {};
  }
  const std::optional<OperationKind> kind = operation_kind_named(*name);
  if (!kind) {
    return std::unexpected(unknown_operation_kind(*name));
  }
  event.kind = *kind;
  return {};
}

// Takes the key out of the value where it is in there.
Result<void> EdnEventParser::set_key(Fields& fields, ValueTable& values, EventLine& event) {
  if (custom_.is_keyed != fields.key.has_value()) {
    return fail("", custom_.is_keyed ? ":key is missing" : ":key is given, which Jepsen's histories have none of");
  }
  if (!custom_.is_keyed && !custom_.is_independent) {
    event.key = values.string(is_mutex_ ? kMutex : kRegister);
    return {};
  }
  std::string_view key;
  if (custom_.is_keyed) {
    key = *fields.key;
  } else {
    const bool is_pair = fields.value && edn_items(*fields.value, forms_) && forms_.size() == 2;
    if (!is_pair && (event.type == LineType::fail || event.type == LineType::info)) {
      return {};
    }
    if (!is_pair) {
      return fail("", ":value is not of the form [key value], which independent keys need");
    }
    key = forms_[0];
    fields.value = forms_[1];
  }
  const Result<ValueId> id = edn_value(key, values);
  if (!id || *id == kAbsent || values.kind(*id) == StoredKind::list) {
    return fail("", "the key is neither a string, a keyword nor a whole number");
  }
  event.key = *id;
  return {};
}

// What failed or may have happened says nothing with its value, which may be an error of any form.
Result<void> EdnEventParser::set_value(const Fields& fields, ValueTable& values, EventLine& event) {
  if (is_mutex_ || !fields.value || event.type == LineType::fail || event.type == LineType::info) {
    return {};
  }
  if (event.kind == OperationKind::read && event.type == LineType::invoke) {
    const bool is_pair = !custom_.is_keyed && !custom_.is_independent && edn_items(*fields.value, forms_);
    return is_pair ? fail("",
                          "a read is invoked with a vector as :value; if these are [key value], read the history "
                          "as one of independent keys (--independent)")
                   : Result<void>();
  }
  if (event.kind == OperationKind::compare_and_set) {
    if (event.type == LineType::ok && is_edn_nil(*fields.value)) {
      return {};
    }
    if (!edn_items(*fields.value, forms_) || forms_.size() != 2) {
      return fail("", "a cas needs a \"value\" of the form [from to]");
    }
    const std::string_view to = forms_[1];
    const Result<ValueId> from_id = edn_value(forms_[0], values);
    const Result<ValueId> to_id = edn_value(to, values);
    if (!from_id || !to_id) {
      return std::unexpected(from_id ? to_id.error() : from_id.error());
    }
    event.expected = *from_id;
    event.value = *to_id;
  } else {
    const Result<ValueId> id = edn_value(*fields.value, values);
    if (!id) {
      return std::unexpected(id.error());
    }
    event.value = *id;
  }
  event.has_value = true;
  return {};
}

}  // namespace shardcheck::histories
