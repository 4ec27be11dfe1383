// The ring under its laws: the input is the tape of choices from which a placement case is drawn, one byte each.
// The golden vectors (P8) are left out, they do not depend on the input.
#include <fmt/core.h>

#include <cstdint>
#include <cstdlib>

#include "harness/placement_check.h"
#include "harness/placement_draw.h"
#include "impl/placement/ring.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shardcheck;
  const PlacementFactory factory = impl::ring_factory();
  const PlacementCase input = draw_placement_case(tape_draws({data, size}));
  for (const ClauseId clause_id : placement_clauses()) {
    const LawResult result = check_law(clause_id, factory, input);
    if (result.violation) {
      const Clause& row = clause(clause_id);
      fmt::print(stderr, "violated {} {}\n  happened: {}\n{}", row.text_id, row.name, result.violation->message,
                 to_text(PlacementReplay{factory.name, clause_id, input}));
      std::abort();
    }
  }
  return 0;
}
