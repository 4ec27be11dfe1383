#include "app/commands.h"
#include "cli/run.h"

int main(int argc, char** argv) {
  return shardcheck::cli::run(argc, argv, {.commands = {shardcheck::app::add_bench, shardcheck::app::add_compare}});
}
