// One map of a history in EDN as a line of the history (event_line.h), by one of two customs:
//
// - keyed: `:key` names the key, and processes may have names; what write_edn writes.
// - Jepsen's and Knossos': the file is about one register, or one mutex (`:acquire`, `:release`), or, when asked for,
//   about many keys by values that are `[key value]`. A process that is no number is the nemesis.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "histories/event_line.h"
#include "histories/value_table.h"
#include "spec/error.h"

namespace shardcheck::histories {

struct EdnCustom {
  bool is_keyed = false;
  bool is_independent = false;  // values are `[key value]`
};

class EdnEventParser {
 public:
  explicit EdnEventParser(EdnCustom custom) : custom_(custom) {}

  // `items` is what EdnForms gives. Errors have no place. A return's key is absent where the map does not say it.
  Result<EventLine> parse(std::span<const std::string_view> items, ValueTable& values);
  // The same of a line of Jepsen's log: process, type, f and value, without names.
  Result<EventLine> parse_log_line(std::string_view line, ValueTable& values);

 private:
  struct Fields {
    std::optional<std::string_view> process, type, f, key, value, time, json;
  };

  static std::optional<std::string_view>* field_named(Fields& fields, std::string_view name);
  static Result<Fields> fields_of(std::span<const std::string_view> items);
  Result<EventLine> event_of(Fields fields, ValueTable& values);
  Result<void> set_time(const Fields& fields, EventLine& event);
  bool is_nemesis(ValueId process, const ValueTable& values) const;
  void set_nemesis(const Fields& fields, EventLine& event);
  Result<void> set_type(const Fields& fields, EventLine& event);
  Result<void> set_kind(const Fields& fields, ValueTable& values, EventLine& event);
  Result<void> set_key(Fields& fields, ValueTable& values, EventLine& event);
  Result<void> set_value(const Fields& fields, ValueTable& values, EventLine& event);
  Result<void> refuse_transaction(const Fields& fields);
  Result<void> set_steps(const Fields& fields, ValueTable& values, EventLine& event);

  // Whether the form is a string of one JSON line about the nemesis, which `line` then is.
  static bool was_json_line(std::string_view form, std::string& line);

  EdnCustom custom_;
  std::vector<std::string_view> forms_;  // scratch
  std::string f_, text_;                 // of a nemesis event
  bool is_mutex_ = false;                // the present line is about one
};

}  // namespace shardcheck::histories
