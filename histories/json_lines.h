// Histories as JSON lines, one object a line (README.md beside this file has the format): reading and writing.
//
// A reader either gives back the whole history or an error with "file:line"; it never skips what it does not
// understand, because a history read half could be judged linearizable.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "histories/history.h"
#include "spec/error.h"

namespace shardcheck::histories {

// Plain or gzip, told by content.
Result<History> read_json_lines(const std::filesystem::path& file);
// The same from memory; `name` stands for the file in errors.
Result<History> parse_json_lines(std::string_view text, const std::string& name);

// Appends the lines of a history, in the order of their line numbers.
void write_json_lines(const History& history, std::string& out);

}  // namespace shardcheck::histories
