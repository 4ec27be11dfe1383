#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace shardcheck::cli {

Progress::Progress() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(const std::string& line) {
  if (is_terminal_) {
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    is_visible_ = true;
  }
}

void Progress::clear() {
  if (is_visible_) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    is_visible_ = false;
  }
}

}  // namespace shardcheck::cli
