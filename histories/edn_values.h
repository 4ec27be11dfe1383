// What forms of EDN say, as values of a history: nil, whole numbers, strings, keywords (as strings with their colon),
// vectors and lists of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "histories/edn_cursor.h"
#include "histories/value_table.h"
#include "spec/error.h"

namespace shardcheck::histories {

// `form` is the text of one whole form that EdnCursor accepts. Errors have no place; a form that is no value is one.
Result<ValueId> edn_value(std::string_view form, ValueTable& values);

// The texts of the forms in a vector or a list; false when the form is none. `items` is overwritten.
bool edn_items(std::string_view form, std::vector<std::string_view>& items);
// Of a map: its keys and values in turn.
bool edn_map_items(std::string_view form, std::vector<std::string_view>& items);

bool is_edn_nil(std::string_view form);
// The name of a keyword without its colon, or what a string without escapes says.
std::optional<std::string_view> edn_name(std::string_view form);
// What a string says, with its escapes undone; false when the form is none, or its bytes are no text. `out` is
// overwritten.
bool read_edn_string(std::string_view form, std::string& out);
// A whole number that fits 64 bits.
std::optional<std::int64_t> edn_number(std::string_view form);
// A number that is written as a whole one, whether it fits or not.
bool is_edn_whole_number(std::string_view form);

// Appends a value as EDN.
void append_edn(const ValueTable& values, ValueId value, std::string& out);
void append_edn_string(std::string_view bytes, std::string& out);

}  // namespace shardcheck::histories
