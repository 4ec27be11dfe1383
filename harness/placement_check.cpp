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
// A case in which it breaks down costs a new process or a whole time-out, so it is made smaller by so many at most.
constexpr int kBreakdownsToShrinkMax = 12;

// Of the seeded bugs of placement in the catalogue, whichever scheme they are in.
constexpr std::string_view kMutantComponent = "ring";

struct Failure {
  PlacementCase input;
  Violation violation;
  std::uint64_t case_number;
};

// What a scheme does not take at all is taken out of a case.
PlacementCase within(const PlacementAbilities& abilities, PlacementCase input) {
  if (!abilities.has_weights) {
    std::erase_if(input.edits, [](const PlacementEdit& edit) { return edit.kind == EditKind::set_weight; });
  }
  const auto restrict = [&](Member& member) {
    member.weight = abilities.has_weights ? member.weight : 1;
    member.rack = abilities.has_racks ? member.rack : "";
  };
  std::ranges::for_each(input.members, restrict);
  std::ranges::for_each(input.edits, restrict, &PlacementEdit::member);
  return input;
}

bool is_judged(ClauseId clause, const PlacementFactory& factory) {
  return clause != ClauseId::P6 || factory.abilities.has_lists;
}

// One law on one case, and whether the placement broke down or the time was up on the way; then the law has no verdict.
struct Judged {
  LawResult result;
  std::optional<std::string> breakdown;
  bool is_out_of_time = false;
};
Judged judge_law(ClauseId clause, const PlacementFactory& factory, const PlacementCase& input,
                 const PlacementProgress& goes_on, std::uint64_t case_number) {
  if (goes_on && !goes_on(clause, case_number)) {
    return {.is_out_of_time = true};
  }
  Judged judged{.result = check_law(clause, factory, input), .breakdown = {}};
  if (factory.take_breakdown) {
    judged.breakdown = factory.take_breakdown();
  }
  judged.is_out_of_time = goes_on && !goes_on(clause, case_number);
  if (judged.breakdown || judged.is_out_of_time) {
    judged.result = {};
  }
  return judged;
}

// The smallest case and what it shows. The placement may answer differently each time (a program with a salted hash
// does), so the last violation seen is kept, and never asked for again.
PlacementFinding smallest_of(ClauseId clause, const PlacementFactory& factory, const Failure& failure,
                             const PlacementProgress& goes_on) {
  PlacementFinding finding{failure.violation, failure.input, failure.case_number};
  finding.smallest = shrink_placement_case(failure.input, [&](const PlacementCase& candidate) {
    const LawResult result = judge_law(clause, factory, candidate, goes_on, failure.case_number).result;
    finding.violation = result.violation.value_or(finding.violation);
    return result.violation.has_value();
  });
  return finding;
}

PlacementFinding smallest_breakdown(const PlacementFactory& factory, const Failure& failure,
                                    const PlacementProgress& goes_on) {
  PlacementFinding finding{failure.violation, failure.input, failure.case_number};
  int breakdowns = 0;
  finding.smallest = shrink_placement_case(failure.input, [&](const PlacementCase& candidate) {
    if (breakdowns >= kBreakdownsToShrinkMax) {
      return false;
    }
    const Judged judged = judge_law(failure.violation.clause, factory, candidate, goes_on, failure.case_number);
    breakdowns += judged.breakdown ? 1 : 0;
    finding.violation.message = judged.breakdown.value_or(finding.violation.message);
    return judged.breakdown.has_value();
  });
  return finding;
}

// One clause over the cases of a run.
class RowJudge {
 public:
  RowJudge(ClauseId clause, const PlacementFactory& factory, PlacementReport& report, const PlacementProgress& goes_on)
      : factory_(factory),
        report_(report),
        goes_on_(goes_on),
        row_{.clause = clause, .promise = promise_of(factory.make({})->promises(), clause)} {}

  void judge(const PlacementCase& input, std::uint64_t case_number) {
    if (failures_.size() >= kFailuresKeptMax || report_.is_cut_short || report_.is_out_of_time) {
      return;
    }
    const Judged judged = judge_law(row_.clause, factory_, input, goes_on_, case_number);
    report_.is_out_of_time = judged.is_out_of_time;
    row_.checks += judged.result.checks;
    if (judged.result.violation) {
      failures_.push_back({input, *judged.result.violation, case_number});
    }
    if (judged.breakdown) {
      note_breakdown({input, {.clause = row_.clause, .at = TrueTime{0}, .message = *judged.breakdown}, case_number});
    }
  }

  // What was violated, shrunk if wanted.
  PlacementRow row(bool is_shrunk) {
    for (const Failure& failure : failures_) {
      PlacementFinding finding = is_shrunk ? smallest_of(row_.clause, factory_, failure, goes_on_)
                                           : PlacementFinding{failure.violation, failure.input, failure.case_number};
      if (!row_.finding || steps_of(finding.smallest) < steps_of(row_.finding->smallest)) {
        finding.cases_until = failures_.front().case_number;
        row_.finding = std::move(finding);
      }
    }
    return row_;
  }

 private:
  void note_breakdown(const Failure& failure) {
    ++report_.breakdowns;
    report_.is_cut_short = report_.breakdowns >= kBreakdownsMax;
    if (!report_.breakdown) {
      report_.breakdown = smallest_breakdown(factory_, failure, goes_on_);
    }
  }

  const PlacementFactory& factory_;
  PlacementReport& report_;
  PlacementProgress goes_on_;
  PlacementRow row_;
  std::vector<Failure> failures_;
};

void judge_golden(RowJudge& row) {
  std::uint64_t number = 0;
  for (const GoldenCase& golden : golden_ring_cases()) {
    row.judge(golden.input, ++number);
  }
}

PlacementCase nth_case(std::uint64_t seed, std::uint64_t number) {
  // Each case has a seed of its own, so that the n-th case is the same whatever the ones before it drew.
  const PlacementDraws seeds = seeded_draws(seed ^ (number << 32));
  return draw_placement_case(seeded_draws(seeds.below(~std::uint64_t{0})));
}

// The word after `keyword` when the text begins with such a line, which is then taken off.
std::optional<std::string> take_line(std::string_view& text, std::string_view keyword) {
  if (!text.starts_with(keyword) || text.size() <= keyword.size() || text[keyword.size()] != ' ') {
    return std::nullopt;
  }
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string word(text.substr(keyword.size() + 1, end - keyword.size() - 1));
  if (word.ends_with('\r')) {
    word.pop_back();
  }
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

bool is_within(const PlacementAbilities& abilities, const PlacementCase& input) {
  return within(abilities, input) == input;
}

const PlacementRow& PlacementReport::row(ClauseId clause) const {
  const auto found = std::ranges::find(rows, clause, &PlacementRow::clause);
  SHARDCHECK_ASSERT(found != rows.end());
  return *found;
}

bool PlacementReport::is_violated() const {
  return breakdown || std::ranges::any_of(rows, [](const PlacementRow& row) { return row.finding.has_value(); });
}

PlacementReport check_placement(const PlacementFactory& factory, std::uint64_t seed, std::uint64_t cases,
                                const PlacementProgress& progress) {
  PlacementReport report{.placement = factory.name, .seed = seed, .cases = cases};
  for (const ClauseId clause : placement_clauses()) {
    RowJudge row(clause, factory, report, progress);
    if (clause == ClauseId::P8) {
      judge_golden(row);
    } else if (is_judged(clause, factory)) {
      for (std::uint64_t number = 1; number <= cases && !report.is_cut_short && !report.is_out_of_time; ++number) {
        row.judge(within(factory.abilities, nth_case(seed, number)), number);
      }
    }
    report.rows.push_back(row.row(true));
  }
  return report;
}

PlacementReport check_placement_case(const PlacementFactory& factory, const PlacementCase& input,
                                     std::optional<ClauseId> only, const PlacementProgress& progress) {
  PlacementReport report{.placement = factory.name, .seed = 0, .cases = 1};
  for (const ClauseId clause : placement_clauses()) {
    RowJudge row(clause, factory, report, progress);
    if (is_judged(clause, factory) && (!only || *only == clause)) {
      row.judge(input, 1);
    }
    report.rows.push_back(row.row(false));
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

}  // namespace shardcheck
