// One line on a terminal's standard error that says how far long work is; nothing where standard error is no terminal.
#pragma once

#include <string>

namespace shardcheck::cli {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows the line in place of the one before.
  void show(const std::string& line);
  // Takes it away, before anything else is printed.
  void clear();

 private:
  bool is_terminal_;
  bool is_visible_ = false;
};

}  // namespace shardcheck::cli
