// The whole command with a cluster of one's own in it: `my_cluster verify --system my_cluster` puts it under every
// promise that it lets be observed. Exit code 0: all held; 1: something was violated, as it is after `my_cluster
// --bug`.
#include <string_view>

#include "cli/run.h"
#include "examples/my_cluster/my_cluster.h"

int main(int argc, char** argv) {
  const bool has_bug = argc > 1 && std::string_view(argv[1]) == "--bug";
  const int taken = has_bug ? 1 : 0;
  return cli::run(argc - taken, argv + taken,
                  {.clusters = {{"my_cluster", [=] { return std::make_unique<MyCluster>(has_bug); }}}});
}
