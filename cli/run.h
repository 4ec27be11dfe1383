// The whole command. A user's own main() is one call to run(), after which their systems and placements stand beside
// the built-in ones.
#pragma once

namespace shardcheck::cli {

// Parses the command line, runs the sub-command, prints, and returns the process's exit code (exit_code.h).
int run(int argc, const char* const* argv);

}  // namespace shardcheck::cli
