// The whole command. A user's own main() is one call to run(), after which their systems and placements stand beside
// the built-in ones.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "spec/cluster.h"

namespace CLI {
class App;
}

namespace shardcheck::cli {

enum class ExitCode : int;

// Describes one sub-command to the parser and stores, when it was given, what it ended with in `exit`.
using AddCommand = void (*)(CLI::App& app, ExitCode& exit);

// A cluster of the user's, by the name that --system takes. `make` is called once for each command that needs it.
struct UserCluster {
  std::string name;
  std::function<std::unique_ptr<Cluster>()> make;
};

// What a program adds to the built-in commands and to the system "reference".
struct Extensions {
  std::vector<AddCommand> commands{};
  std::vector<UserCluster> clusters{};
};

// Parses the command line, runs the sub-command, prints, and returns the process's exit code (exit_code.h).
int run(int argc, const char* const* argv, const Extensions& extensions = {});

}  // namespace shardcheck::cli
