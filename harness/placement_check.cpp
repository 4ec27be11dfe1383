#include "harness/placement_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/golden_ring.h"
#include "harness/placement_draw.h"
#include "harness/placement_shrink.h"
#include "impl/placement/jump.h"
#include "impl/placement/naive_ring.h"
#include "impl/placement/ring.h"
#include "impl/placement/schemes.h"
#include "spec/assert.h"
#include "spec/placement_claim.h"

namespace shardcheck {
namespace {

// A clause is not judged any more after so many failing cases; the smallest of them, once shrunk, is reported.
constexpr std::size_t kFailuresKeptMax = 4;

// Of the seeded bugs of placement in the catalogue, whichever scheme they are in.
constexpr std::string_view kMutantComponent = "ring";

struct Failure {
  PlacementCase input;
  std::uint64_t case_number;
};

// One clause over the cases of a run.
class RowJudge {
 public:
  RowJudge(ClauseId clause, const PlacementFactory& factory)
      : factory_(factory), row_{.clause = clause, .promise = promise_of(factory.make({})->promises(), clause)} {}

  void judge(const PlacementCase& input, std::uint64_t case_number) {
    if (failures_.size() >= kFailuresKeptMax) {
      return;
    }
    const LawResult result = check_law(row_.clause, factory_, input);
    row_.checks += result.checks;
    if (result.violation) {
      failures_.push_back({input, case_number});
    }
  }

  PlacementRow row() {
    for (const Failure& failure : failures_) {
      PlacementCase smallest = shrink_placement_case(failure.input, [&](const PlacementCase& candidate) {
        return check_law(row_.clause, factory_, candidate).violation.has_value();
      });
      if (!row_.finding || steps_of(smallest) < steps_of(row_.finding->smallest)) {
        const LawResult again = check_law(row_.clause, factory_, smallest);
        SHARDCHECK_ASSERT(again.violation.has_value());
        row_.finding = PlacementFinding{*again.violation, std::move(smallest), failures_.front().case_number};
      }
    }
    return row_;
  }

 private:
  const PlacementFactory& factory_;
  PlacementRow row_;
  std::vector<Failure> failures_;
};

// The word after `keyword` when the text begins with such a line, which is then taken off.
std::optional<std::string> take_line(std::string_view& text, std::string_view keyword) {
  if (!text.starts_with(keyword) || text.size() <= keyword.size() || text[keyword.size()] != ' ') {
    return std::nullopt;
  }
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string word(text.substr(keyword.size() + 1, end - keyword.size() - 1));
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

const PlacementRow& PlacementReport::row(ClauseId clause) const {
  const auto found = std::ranges::find(rows, clause, &PlacementRow::clause);
  SHARDCHECK_ASSERT(found != rows.end());
  return *found;
}

bool PlacementReport::is_violated() const {
  return std::ranges::any_of(rows, [](const PlacementRow& row) { return row.finding.has_value(); });
}

PlacementReport check_placement(const PlacementFactory& factory, std::uint64_t seed, std::uint64_t cases) {
  PlacementReport report{.placement = factory.name, .seed = seed, .cases = cases, .rows = {}};
  for (const ClauseId clause : placement_clauses()) {
    RowJudge row(clause, factory);
    if (clause == ClauseId::P8) {
      std::uint64_t number = 0;
      for (const GoldenCase& golden : golden_ring_cases()) {
        row.judge(golden.input, ++number);
      }
    } else {
      for (std::uint64_t number = 1; number <= cases; ++number) {
        // Each case has a seed of its own, so that the n-th case is the same whatever the ones before it drew.
        const PlacementDraws seeds = seeded_draws(seed ^ (number << 32));
        row.judge(draw_placement_case(seeded_draws(seeds.below(~std::uint64_t{0}))), number);
      }
    }
    report.rows.push_back(row.row());
  }
  return report;
}

std::string to_text(const PlacementReplay& replay) {
  return fmt::format("placement {}\nclause {}\n{}", replay.placement, clause(replay.clause).text_id,
                     to_text(replay.input));
}

Result<PlacementReplay> parse_placement_replay(std::string_view text) {
  std::size_t above = 0;  // lines that say what the file is about
  for (; text.starts_with('#') || text.starts_with('\n'); ++above) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  const std::optional<std::string> placement = take_line(text, "placement");
  if (!placement) {
    return fail(fmt::format("line {}", above + 1), "expected 'placement NAME'");
  }
  const std::optional<std::string> clause_text = take_line(text, "clause");
  const std::optional<ClauseId> clause_id = clause_text ? clause_by_text_id(*clause_text) : std::nullopt;
  const std::span<const ClauseId> known = placement_clauses();
  if (!clause_id || std::ranges::find(known, *clause_id) == known.end()) {
    return fail(fmt::format("line {}", above + 2), "expected 'clause' and one of P1 to P9");
  }
  // Blank lines stand for those that were taken, so that an error names the line of the whole file.
  Result<PlacementCase> input = parse_placement_case(std::string(above + 2, '\n').append(text));
  if (!input) {
    return std::unexpected<Error>(input.error());
  }
  return PlacementReplay{*placement, *clause_id, *std::move(input)};
}

Result<LawResult> replay(const PlacementReplay& replay) {
  const std::optional<PlacementFactory> factory = placement_by_name(replay.placement);
  if (!factory) {
    return fail("line 1", fmt::format("there is no placement '{}'", replay.placement));
  }
  return check_law(replay.clause, *factory, replay.input);
}

PlacementFactory mutant_factory(impl::Mutant mutant) {
  SHARDCHECK_ASSERT(impl::row_of(mutant).component == kMutantComponent);
  if (mutant == impl::Mutant::ring_jump_middle_removal) {
    return impl::jump_factory(mutant);
  }
  return impl::is_in_naive_ring(mutant) ? impl::naive_ring_factory(mutant) : impl::ring_factory(mutant);
}

std::optional<PlacementFactory> placement_by_name(std::string_view name) {
  const std::size_t plus = name.find('+');
  const std::optional<PlacementFactory> scheme = impl::scheme_by_name(name.substr(0, plus));
  if (plus == std::string_view::npos || !scheme) {
    return scheme;
  }
  std::string_view variant = name.substr(plus + 1);
  if (const std::optional<impl::Mutant> mutant = impl::mutant_by_name(variant)) {
    const bool is_of_placement = impl::row_of(*mutant).component == kMutantComponent;
    const bool is_known = is_of_placement && (scheme->name == "ring" || mutant_factory(*mutant).name == name);
    return is_known ? std::optional(mutant_factory(*mutant)) : std::nullopt;
  }
  constexpr std::string_view kHeldTo = "exactly_";
  if (!variant.starts_with(kHeldTo)) {
    return std::nullopt;
  }
  variant.remove_prefix(kHeldTo.size());
  const std::optional<ClauseId> clause_id = clause_by_text_id(variant);
  const bool has_level = clause_id && level_of(*clause_id) != nullptr;
  return has_level ? std::optional(held_to(*scheme, *clause_id)) : std::nullopt;
}

bool PlacementKill::is_killed_as_declared() const {
  return std::ranges::all_of(impl::row_of(mutant).clauses,
                             [&](ClauseId clause) { return report.row(clause).finding.has_value(); });
}

std::vector<PlacementKill> kill_placement_mutants(std::uint64_t seed, std::uint64_t cases) {
  std::vector<PlacementKill> kills;
  for (const impl::MutantRow& row : impl::mutants()) {
    if (row.component == kMutantComponent) {
      kills.push_back({row.mutant, check_placement(mutant_factory(row.mutant), seed, cases)});
    }
  }
  return kills;
}

}  // namespace shardcheck
