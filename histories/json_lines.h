// Histories as JSON lines, one object a line (README.md beside this file has the format): reading.
//
// A reader either gives back the whole history or an error with "file:line"; it never skips what it does not
// understand, because a history read half could be judged linearizable.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "histories/byte_source.h"
#include "histories/history.h"
#include "histories/history_assembler.h"
#include "histories/line_reader.h"
#include "spec/error.h"

namespace shardcheck::histories {

// Plain or gzip, told by content.
Result<History> read_json_lines(const std::filesystem::path& file);
// The same from memory; `name` stands for the file in errors.
Result<History> parse_json_lines(std::string_view text, const std::string& name);
Result<History> read_json_lines(std::unique_ptr<ByteSource> source, const std::string& name, ReadingRules rules,
                                ReadBudget* budget);

// Adds line after line to `assembler`, up to the last one, or until `goes_on`, asked before each, says no; it may be
// null.
Result<void> add_json_lines(LineReader& lines, HistoryAssembler& assembler, const std::function<bool()>& goes_on);

}  // namespace shardcheck::histories
