#include "cli/placement_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/flags.h"
#include "cli/markup_text.h"
#include "spec/clauses.h"

namespace shardcheck::cli {
namespace {

std::string replay_text(const PlacementReport& report, ClauseId clause_id, const PlacementFinding& finding) {
  return to_text(PlacementReplay{report.placement, clause_id, finding.smallest});
}

// The members of the case before and after its edits, in words.
std::string members_text(const PlacementCase& input) {
  Membership membership;
  for (const Member& member : input.members) {
    membership.apply({EditKind::add, member});
  }
  if (input.edits.empty()) {
    return fmt::format("  With:   {}\n", to_words(membership));
  }
  std::string text = fmt::format("  Before: {}\n", to_words(membership));
  for (const PlacementEdit& edit : input.edits) {
    const bool is_valid = membership.apply(edit);
    text += fmt::format("  Then:   {}{}\n", to_words(edit), is_valid ? "" : ", which has to be refused");
  }
  return text + fmt::format("  After:  {}\n", to_words(membership));
}

std::string case_text(const PlacementReport& report, ClauseId clause_id, const PlacementFinding& finding) {
  return fmt::format("{}  Smallest case, {}:\n{}", members_text(finding.smallest),
                     counted(steps_of(finding.smallest), "step"), replay_text(report, clause_id, finding));
}

std::string breakdown_text(const PlacementReport& report) {
  const PlacementFinding& finding = *report.breakdown;
  return fmt::format(
      "\nIt stopped answering (first in case {} of {}{}).\n  Found: {}\n{}", finding.cases_until,
      clause(finding.violation.clause).text_id,
      report.is_cut_short ? fmt::format("; after {} times nothing more was judged", report.breakdowns) : "",
      finding.violation.message, case_text(report, finding.violation.clause, finding));
}

nlohmann::json to_json(const PlacementReport& report, ClauseId clause_id, const PlacementFinding& finding) {
  return {{"violation", finding.violation.message},
          {"cases_until", finding.cases_until},
          {"steps", steps_of(finding.smallest)},
          {"replay", replay_text(report, clause_id, finding)}};
}

}  // namespace

ExitCode SchemeReport::verdict() const {
  if (laws.is_violated()) {
    return ExitCode::violated;
  }
  const bool is_anything_judged =
      std::ranges::any_of(laws.rows, [](const PlacementRow& row) { return row.checks > 0; });
  // Figures that were asked for and could not be had are no "held" either.
  return is_anything_judged && !laws.is_out_of_time && why_no_figures.empty() ? ExitCode::held : ExitCode::undecided;
}

std::string_view outcome_word(const PlacementReport& report, const PlacementRow& row) {
  if (row.finding) {
    return "violated";
  }
  if (row.is_held()) {
    return "held";
  }
  if (row.promise == Promise::none) {
    return "not promised";
  }
  return report.is_cut_short || report.is_out_of_time ? "not judged" : "not observable";
}

namespace {

// Whoever writes a program of their own must know that what it does not state is not judged.
std::string not_promised_text(const PlacementReport& report) {
  std::string rows;
  for (const PlacementRow& row : report.rows) {
    if (outcome_word(report, row) == "not promised") {
      rows += fmt::format("{}{}", rows.empty() ? "" : ", ", clause(row.clause).text_id);
    }
  }
  if (rows.empty() || !report.placement.starts_with("exec ")) {
    return "";
  }
  return fmt::format(
      "\nNot judged, because the program's answer to `hello` does not promise it: {}. `balance=bound` and "
      "`movement_share=bound` have loads and shares judged (examples/my_ring_any_language/README.md).\n",
      rows);
}

}  // namespace

std::string to_text(const SchemeReport& scheme) {
  const PlacementReport& report = scheme.laws;
  std::string text = fmt::format("placement {}, {}\n\n", report.placement, scheme.which_cases);
  for (const PlacementRow& row : report.rows) {
    const Clause& named = clause(row.clause);
    text += fmt::format("{:<4}{:<22}{:<16}{:>12} checks\n", named.text_id, named.name, outcome_word(report, row),
                        row.checks);
  }
  text += not_promised_text(report);
  if (report.is_out_of_time) {
    text += "\nThe time was up before all cases were judged; --budget gives more, fewer --cases need less.\n";
  }
  if (report.breakdown) {
    text += breakdown_text(report);
  }
  for (const PlacementRow& row : report.rows) {
    if (!row.finding) {
      continue;
    }
    const Clause& named = clause(row.clause);
    text += fmt::format("\n{} {} is violated (first by case {}).\n  Promise: {}\n  Found: {}\n{}", named.text_id,
                        named.name, row.finding->cases_until, named.sentence, row.finding->violation.message,
                        case_text(report, row.clause, *row.finding));
  }
  if (scheme.figures) {
    text += "\n" + to_text(*scheme.figures);
  } else if (!scheme.why_no_figures.empty()) {
    text += fmt::format("\nfigures: not measured: {}\n", scheme.why_no_figures);
  }
  if (report.is_violated()) {
    text += fmt::format("\nAgain: {}\n", scheme.again);
    if (!scheme.again_one_case.empty()) {
      text +=
          fmt::format("One case alone: its lines, from \"placement\" on, in a FILE; then {}\n", scheme.again_one_case);
    }
  }
  return text;
}

nlohmann::json to_json(const SchemeReport& scheme) {
  const PlacementReport& report = scheme.laws;
  nlohmann::json rows = nlohmann::json::array();
  for (const PlacementRow& row : report.rows) {
    nlohmann::json entry{
        {"clause", clause(row.clause).text_id}, {"outcome", outcome_word(report, row)}, {"checks", row.checks}};
    if (row.finding) {
      entry.update(to_json(report, row.clause, *row.finding));
    }
    rows.push_back(std::move(entry));
  }
  nlohmann::json document{{"placement", report.placement},
                          {"seed", report.seed},
                          {"cases", report.cases},
                          {"rows", std::move(rows)},
                          {"breakdown", nullptr},
                          {"breakdowns", report.breakdowns},
                          {"is_out_of_time", report.is_out_of_time},
                          {"figures", nullptr},
                          {"verdict", name_of(scheme.verdict())},
                          {"exit_code", static_cast<int>(scheme.verdict())}};
  if (report.breakdown) {
    document["breakdown"] = to_json(report, report.breakdown->violation.clause, *report.breakdown);
  }
  if (scheme.figures) {
    document["figures"] = to_json(*scheme.figures);
  }
  return document;
}

std::string to_junit(const std::vector<SchemeReport>& reports) {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t skipped = 0;
  std::string cases;
  const auto add = [&](const SchemeReport& report, std::string_view name, const PlacementFinding* finding,
                       bool is_skipped) {
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\">", markup_escaped(report.laws.placement),
                         markup_escaped(name));
    if (finding != nullptr) {
      cases += fmt::format("<failure message=\"{}\"/>", markup_escaped(finding->violation.message));
      ++failures;
    } else if (is_skipped) {
      cases += "<skipped message=\"not observable in this run\"/>";
      ++skipped;
    }
    cases += "</testcase>\n";
    ++tests;
  };
  for (const SchemeReport& report : reports) {
    for (const PlacementRow& row : report.laws.rows) {
      add(report, fmt::format("{} {}", clause(row.clause).text_id, clause(row.clause).name),
          row.finding ? &*row.finding : nullptr, row.checks == 0);
    }
    add(report, "answers to the end", report.laws.breakdown ? &*report.laws.breakdown : nullptr, false);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"shardcheck placement\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n{}</testsuite>\n",
      tests, failures, skipped, cases);
}

}  // namespace shardcheck::cli
