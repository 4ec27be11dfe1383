// The sub-commands about speed. They stand beside those of cli/ in the shipped program (main.cpp), because cli/ may not
// see bench/; a user's own main() may pass them to cli::run too.
#pragma once

#include "cli/run.h"

namespace shardcheck::app {

void add_bench(CLI::App& app, cli::ExitCode& exit);
void add_compare(CLI::App& app, cli::ExitCode& exit);

}  // namespace shardcheck::app
