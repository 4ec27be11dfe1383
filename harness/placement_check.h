// Puts a placement under all of its laws (P1-P9): golden vectors and drawn cases, the failures shrunk. What `verify`,
// `placement` and `mutants` call. A run depends on the factory, the seed and the number of cases alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "impl/mutant.h"
#include "spec/placement_laws.h"

namespace shardcheck {

struct PlacementFinding {
  Violation violation;        // that of the shrunk case
  PlacementCase smallest;     // the smallest of the first few failing cases, each of them shrunk
  std::uint64_t cases_until;  // it was found by this case, counted from 1 (for P8 by this golden vector)

  friend bool operator==(const PlacementFinding&, const PlacementFinding&) = default;
};

struct PlacementRow {
  ClauseId clause;
  Promise promise = Promise::exactly;  // what the scheme says of the clause
  std::uint64_t checks = 0;
  std::optional<PlacementFinding> finding = std::nullopt;

  // Never held without a check: then the scheme does not promise the clause, or shows nothing to judge it by.
  bool is_held() const { return checks > 0 && !finding; }
};

struct PlacementReport {
  std::string placement;
  std::uint64_t seed;
  std::uint64_t cases;
  std::vector<PlacementRow> rows = {};  // P1-P9, in this order

  // The placement stopped answering (PlacementFactory::take_breakdown), first while the clause in it was judged; the
  // message says how. A case in which it broke down counts for no row.
  std::optional<PlacementFinding> breakdown = std::nullopt;
  std::uint64_t breakdowns = 0;
  bool is_cut_short = false;    // kBreakdownsMax: what was not judged until then never was
  bool is_out_of_time = false;  // the same, because PlacementProgress said so

  const PlacementRow& row(ClauseId clause) const;
  // Whether a clause was violated or it broke down.
  bool is_violated() const;
};

inline constexpr std::uint64_t kBreakdownsMax = 8;

// Called before and after each case is judged, and each that is tried to make one smaller. False ends the run; a case
// after which it does so has no verdict (placement_budget.h says why).
using PlacementProgress = std::function<bool(ClauseId clause, std::uint64_t case_number)>;

PlacementReport check_placement(const PlacementFactory& factory, std::uint64_t seed, std::uint64_t cases,
                                const PlacementProgress& progress = {});
// The clause of `only`, or all of them, on this one case, which is not shrunk.
PlacementReport check_placement_case(const PlacementFactory& factory, const PlacementCase& input,
                                     std::optional<ClauseId> only = std::nullopt,
                                     const PlacementProgress& progress = {});

// Whether the case asks for nothing that a scheme of these abilities does not take.
bool is_within(const PlacementAbilities& abilities, const PlacementCase& input);

// A case with the law and the placement that it breaks, as a file: "placement ring", "clause P7", then the case.
struct PlacementReplay {
  std::string placement;
  ClauseId clause;
  PlacementCase input;

  friend bool operator==(const PlacementReplay&, const PlacementReplay&) = default;
};
std::string to_text(const PlacementReplay& replay);
// Comments ('#') and empty lines may stand above it. Fails with "line N"; the file's name is the caller's to add.
Result<PlacementReplay> parse_placement_replay(std::string_view text);

// Judges the case again. Fails when the placement is not one of ours (placement_by_name).
Result<LawResult> replay(const PlacementReplay& replay);

// A scheme of impl/placement/schemes.h by its name; "NAME+MUTANT", a scheme with this seeded bug ("ring+" will do for
// each of them); "NAME+exactly_P3", a scheme judged as if it promised P1, P3, P4 or P5 exactly.
std::optional<PlacementFactory> placement_by_name(std::string_view name);

// The scheme that a seeded bug of placement is in, with the bug. `mutant` must be one of these (component "ring").
PlacementFactory mutant_factory(impl::Mutant mutant);

struct PlacementKill {
  impl::Mutant mutant;
  PlacementReport report;

  // Whether all clauses that the catalogue names for the mutant were violated.
  bool is_killed_as_declared() const;
};

}  // namespace shardcheck
