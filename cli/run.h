// The whole command. A user's own main() is one call to run(), after which their systems and placements stand beside
// the built-in ones.
#pragma once

#include <vector>

namespace CLI {
class App;
}

namespace shardcheck::cli {

enum class ExitCode : int;

// Describes one sub-command to the parser and stores, when it was given, what it ended with in `exit`.
using AddCommand = void (*)(CLI::App& app, ExitCode& exit);

// What a program adds to the built-in commands.
struct Extensions {
  std::vector<AddCommand> commands;
};

// Parses the command line, runs the sub-command, prints, and returns the process's exit code (exit_code.h).
int run(int argc, const char* const* argv, const Extensions& extensions = {});

}  // namespace shardcheck::cli
