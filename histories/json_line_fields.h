// One line of a history as JSON: which fields it has, each of the right type. What they mean together is the business
// of history_recorder.h.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "spec/error.h"
#include "spec/operation.h"

namespace shardcheck::histories {

enum class LineType : std::uint8_t { invoke, ok, fail, info };

// Views into the line and the parser: valid until the next line is parsed.
struct JsonLineFields {
  std::string_view line{};
  bool is_nemesis = false;
  std::string_view f{};  // a nemesis line may have any

  // The rest is only there when it is no line of the nemesis.
  simdjson::dom::element process{};
  LineType type = LineType::invoke;
  OperationKind kind = OperationKind::read;
  simdjson::dom::element key{};
  std::optional<simdjson::dom::element> value{};

  std::optional<std::int64_t> time{};
};

class JsonLineParser {
 public:
  // `line` must be followed by SIMDJSON_PADDING readable bytes. Errors have no place.
  Result<JsonLineFields> parse(std::string_view line);

 private:
  simdjson::dom::parser parser_;
};

}  // namespace shardcheck::histories
