// The whole command with a cluster of one's own in it: `my_cluster verify --system my_cluster` puts it under every
// promise that it lets be observed. Exit code 0: all held; 1: something was violated, as it is after `my_cluster
// --bug` and `my_cluster --bug-torn`.
#include <string_view>

#include "cli/run.h"
#include "examples/my_cluster/my_cluster.h"

int main(int argc, char** argv) {
  const std::string_view flag = argc > 1 ? argv[1] : "";
  const Bug bug = flag == "--bug" ? Bug::answers_early : flag == "--bug-torn" ? Bug::trusts_disk : Bug::none;
  const int taken = bug == Bug::none ? 0 : 1;
  return cli::run(argc - taken, argv + taken,
                  {.clusters = {{"my_cluster", [=] { return std::make_unique<MyCluster>(bug); }}}});
}
