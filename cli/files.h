// Files that the commands read and write, with errors that name the place.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "spec/error.h"

namespace shardcheck::cli {

// The whole file; at most 64 MiB.
Result<std::string> read_text_file(const std::string& path);
// Writes through a temporary file beside it, so that a full disk leaves no half file; makes the folder if need be. Of a
// symbolic link, the file that it points to is written. An error names the file that was asked for.
Result<std::string> write_text_file(const std::string& folder, const std::string& name, std::string_view text);
// The same of a text that comes in pieces: `pieces` calls what it is given for each.
using TextPieces = std::function<void(const std::function<void(std::string_view)>&)>;
Result<std::string> write_text_file(const std::string& folder, const std::string& name, const TextPieces& pieces);
// Whether it could write into this folder now: asked before work whose result would be lost. Leaves nothing behind.
Result<void> check_writable(const std::string& folder);
// The same of one file, which must not be a folder; what it holds stays.
Result<void> check_writable_file(const std::string& path);

}  // namespace shardcheck::cli
