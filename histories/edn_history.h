// Histories in EDN and in Jepsen's logs: reading. What the formats mean is said in formats.h, by which most users read.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "histories/byte_source.h"
#include "histories/edn_event_parser.h"
#include "histories/history.h"
#include "histories/history_assembler.h"
#include "spec/error.h"

namespace shardcheck::histories {

// Maps, one after another or in one vector. `name` stands for the file in errors.
Result<History> read_edn(std::unique_ptr<ByteSource> source, const std::string& name, EdnCustom custom,
                         ReadingRules rules, ReadBudget* budget);

// Lines of Jepsen's logger, "INFO  jepsen.util - 0 :invoke :read nil", or the same without what stands before the
// process, as in its history.txt. Lines of other loggers are no operations.
Result<History> read_jepsen_log(std::unique_ptr<ByteSource> source, const std::string& name, EdnCustom custom,
                                ReadingRules rules, ReadBudget* budget);

// Whether a line can be one of such a log.
bool is_jepsen_log_line(std::string_view line);

}  // namespace shardcheck::histories
