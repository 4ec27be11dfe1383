// What bad input (a file, a flag, a child process) gives back: what is wrong, and where. Never used for an outcome of
// the protocol nor for a broken guarantee. Functions that can meet bad input return Result<T>.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace shardcheck {

struct Error {
  std::string where;  // "file:line", "--flag", "child process 'cmd'"; may be empty when the caller has to add it
  std::string what;   // one sentence, no full stop, says what is wrong and, where known, what would be right

  friend bool operator==(const Error&, const Error&) = default;
};

// "where: what", the form in which every command prints an error.
inline std::string to_string(const Error& error) {
  return error.where.empty() ? error.what : error.where + ": " + error.what;
}

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string where, std::string what) {
  return std::unexpected<Error>(Error{.where = std::move(where), .what = std::move(what)});
}

}  // namespace shardcheck
