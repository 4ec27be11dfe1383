// One line of a history as JSON: which fields it has, each of the right type.
#pragma once

#include <simdjson.h>

#include <string_view>

#include "histories/event_line.h"
#include "histories/value_table.h"
#include "spec/error.h"

namespace shardcheck::histories {

class JsonLineParser {
 public:
  // `line` must be followed by SIMDJSON_PADDING readable bytes. Errors have no place. Reads lines of the usual form by
  // itself (json_quick_line.h) and leaves all others to simdjson.
  Result<EventLine> parse(std::string_view line, ValueTable& values);
  // The same without the quick way, for tests that compare the two.
  Result<EventLine> parse_slowly(std::string_view line, ValueTable& values);

 private:
  simdjson::dom::parser parser_;
};

}  // namespace shardcheck::histories
