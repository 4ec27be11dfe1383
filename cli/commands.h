// The sub-commands, one a file. Each add_* describes its flags to the parser and stores, when its sub-command was
// given, what it ended with in `exit`.
#pragma once

#include <CLI/CLI.hpp>

#include <vector>

#include "cli/exit_code.h"
#include "cli/run.h"

namespace shardcheck::cli {

void add_check(CLI::App& app, ExitCode& exit);
void add_convert(CLI::App& app, ExitCode& exit);
void add_generate_history(CLI::App& app, ExitCode& exit);
void add_placement(CLI::App& app, ExitCode& exit);
// `clusters` must outlive the parsing.
void add_list(CLI::App& app, ExitCode& exit, const std::vector<UserCluster>& clusters);
void add_verify(CLI::App& app, ExitCode& exit, const std::vector<UserCluster>& clusters);
void add_replay(CLI::App& app, ExitCode& exit, const std::vector<UserCluster>& clusters);
void add_shrink(CLI::App& app, ExitCode& exit);
void add_mutants(CLI::App& app, ExitCode& exit);
void add_digest(CLI::App& app, ExitCode& exit);

}  // namespace shardcheck::cli
