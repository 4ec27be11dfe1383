// Texts of a recorded history, put where they can do no harm: into a script element of an HTML page, as JSON. Histories
// come from anywhere, so their bytes are not trusted to be UTF-8, short, or free of markup.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "histories/value_table.h"

namespace shardcheck::histories {

// Appends a JSON string of printable ASCII alone. What could end a script element or begin markup (<, > and &), every
// control character and everything beyond ASCII is escaped; a byte that is no UTF-8 becomes U+FFFD. Of a
// character that would reorder or hide what stands beside it, the page shows the number.
void append_script_string(std::string_view bytes, std::string& out);

// The text if it has at most `bytes_max` bytes, else its beginning, cut between two characters, and its length.
std::string beginning_of(std::string_view text, std::size_t bytes_max);

// A value as JSON, as far as a reader wants to see it: of a long string and of a long list the end, which is where a
// log says something, and the length. About `bytes_max` bytes, and made in that time, however long the value is.
std::string short_text(const ValueTable& values, ValueId value, std::size_t bytes_max);

}  // namespace shardcheck::histories
