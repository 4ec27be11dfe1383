// What every sub-command's exit code means.
#pragma once

#include <string_view>

namespace shardcheck::cli {

enum class ExitCode : int {
  held = 0,       // all that was asked was judged and nothing was violated
  violated = 1,   // something was violated, or a promise fell short
  undecided = 2,  // something could not be decided within its budget, and nothing was violated
  bad_input = 3,  // wrong usage, or an input that cannot be read
};

constexpr std::string_view name_of(ExitCode exit) {
  switch (exit) {
    case ExitCode::held: return "held";
    case ExitCode::violated: return "violated";
    case ExitCode::undecided: return "undecided";
    case ExitCode::bad_input: return "not judged";
  }
  return "";
}

}  // namespace shardcheck::cli
