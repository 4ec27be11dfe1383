#include "cli/run.h"

#include "cli/commands.h"

namespace shardcheck::cli {

int run(int argc, const char* const* argv, const Extensions& extensions) {
  CLI::App app{"Judges sharding implementations: rings, clusters, recorded histories.", "shardcheck"};
  app.require_subcommand(1);
  ExitCode exit = ExitCode::held;
  add_verify(app, exit, extensions.clusters);
  add_check(app, exit);
  add_placement(app, exit);
  add_replay(app, exit, extensions.clusters);
  add_shrink(app, exit);
  add_mutants(app, exit);
  add_digest(app, exit);
  add_list(app, exit);
  for (const AddCommand add_command : extensions.commands) {
    add_command(app, exit);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool is_help = app.exit(error) == 0;
    return static_cast<int>(is_help ? ExitCode::held : ExitCode::bad_input);
  }
  return static_cast<int>(exit);
}

}  // namespace shardcheck::cli
