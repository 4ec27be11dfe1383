// The quick way to read a line of JSON of the form in which recorders write it: no escapes, no fractions, no objects
// inside. Several times faster than a parser of all of JSON, which a line as short as these costs more to set up than
// to read.
#pragma once

#include <optional>
#include <string_view>

#include "histories/event_line.h"
#include "histories/value_table.h"

namespace shardcheck::histories {

// Nothing when the line is unusual or wrong: then JsonLineParser says which. What it gives back is what
// JsonLineParser::parse_slowly gives back.
std::optional<EventLine> parse_quickly(std::string_view line, ValueTable& values);

}  // namespace shardcheck::histories
