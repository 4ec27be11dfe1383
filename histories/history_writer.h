// Histories as text. What is written is read again as the same history; lines of the nemesis keep what they say.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "histories/history.h"

namespace shardcheck::histories {

// Is given the text piece by piece, in order; what one piece is, is valid during the call.
using TextSink = std::function<void(std::string_view)>;

// Append the lines of a history, in the order of their line numbers. Times before zero, which only what was there at
// first has, are moved up together with all others.
void write_json_lines(const History& history, std::string& out);
// A map a line, of Format::edn.
void write_edn(const History& history, std::string& out);
// The same without ever having the whole text in memory.
void write_json_lines(const History& history, const TextSink& sink);
void write_edn(const History& history, const TextSink& sink);

}  // namespace shardcheck::histories
