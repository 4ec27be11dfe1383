#include "cli/run.h"

#include <fmt/core.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/refusal.h"

namespace shardcheck::cli {
namespace {

const std::string kExitCodes =
    "Exit codes: 0 all was judged and held, 1 something is violated, 2 something is undecided, 3 wrong usage or input.";

// A verdict that could not be printed is none: a full disk or a closed pipe must never look like "held".
bool is_all_printed() {
  std::cout.flush();
  const bool is_flushed = std::fflush(stdout) == 0;
  const int why = errno;
  if (is_flushed && std::ferror(stdout) == 0 && std::cout.good()) {
    return true;
  }
  // Standard error may be what failed too, so this must not throw.
  std::fputs((std::string("shardcheck: standard output: cannot write: ") + std::strerror(why) + "\n").c_str(), stderr);
  return false;
}

bool wants_json(int argc, const char* const* argv) {
  for (const char* argument : std::span(argv, static_cast<std::size_t>(argc))) {
    if (std::string_view(argument) == "--json") {
      return true;
    }
  }
  return false;
}

}  // namespace

int run(int argc, const char* const* argv, const Extensions& extensions) {
  CLI::App app{"Judges sharding implementations: rings, clusters, recorded histories.", "shardcheck"};
  app.require_subcommand(1);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of that write
  ExitCode exit = ExitCode::held;
  add_verify(app, exit, extensions.clusters);
  add_check(app, exit);
  add_convert(app, exit);
  add_generate_history(app, exit);
  add_placement(app, exit);
  add_replay(app, exit, extensions.clusters);
  add_shrink(app, exit);
  add_mutants(app, exit);
  add_digest(app, exit);
  add_list(app, exit, extensions.clusters);
  for (const AddCommand add_command : extensions.commands) {
    add_command(app, exit);
  }
  app.footer(kExitCodes);
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_footer().empty()) {  // others say what the codes mean there
      command->footer(kExitCodes);
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool is_help = app.exit(error) == 0;
    exit = is_help ? ExitCode::held : ExitCode::bad_input;
    if (!is_help && wants_json(argc, argv)) {
      print_error_document({"usage", error.what()});
    }
  } catch (const std::exception& problem) {
    // Standard error itself may be what failed, so this must not throw again.
    std::fputs((std::string("shardcheck: ") + problem.what() + "\n").c_str(), stderr);
    return static_cast<int>(ExitCode::bad_input);
  }
  return static_cast<int>(is_all_printed() ? exit : ExitCode::bad_input);
}

}  // namespace shardcheck::cli
