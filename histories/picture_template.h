// The page of a picture without its data: histories/picture/ holds its parts, and picture_template.cmake puts them
// together and into the program.
#pragma once

#include <string_view>

namespace shardcheck::histories {

// What stands before and behind the JSON of the data.
std::string_view picture_template_head();
std::string_view picture_template_tail();

}  // namespace shardcheck::histories
