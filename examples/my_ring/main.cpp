// Puts MyRing under the laws of placement. Exit code 0: every promise that it makes held, and something was judged.
#include <fmt/core.h>

#include "examples/my_ring/my_ring.h"
#include "harness/placement_check.h"

int main() {
  const shardcheck::PlacementFactory factory{
      "my_ring", [](shardcheck::PlacementParameters) { return std::make_unique<MyRing>(); }};

  const shardcheck::PlacementReport report = shardcheck::check_placement(factory, /*seed=*/1, /*cases=*/300);

  std::uint64_t checks = 0;
  for (const shardcheck::PlacementRow& row : report.rows) {
    const char* outcome = row.finding ? "violated" : row.is_held() ? "held" : "not observable";
    fmt::print("{} {:<20} {:<15} {:>8} checks\n", clause(row.clause).text_id, clause(row.clause).name, outcome,
               row.checks);
    if (row.finding) {
      fmt::print("   {}\n{}", row.finding->violation.message, to_text(row.finding->smallest));
    }
    checks += row.checks;
  }
  return report.is_violated() || checks == 0 ? 1 : 0;
}
