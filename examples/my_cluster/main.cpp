// Puts MyCluster under every promise that it lets be observed. Exit code 0: all held; 1: something was violated, as it
// is with --bug.
#include <fmt/core.h>

#include <string_view>

#include "examples/my_cluster/my_cluster.h"
#include "harness/adapters/verify_cluster.h"

int main(int argc, char** argv) {
  const MyCluster cluster(/*has_bug=*/argc > 1 && std::string_view(argv[1]) == "--bug");

  const auto report = harness::verify_cluster(cluster, "my_cluster", {.seed = 1, .scenarios = 2'000});

  fmt::print("{}", to_text(report));
  return exit_code_of(report);
}
