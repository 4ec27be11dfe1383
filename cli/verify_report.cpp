#include "cli/verify_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/figures_json.h"
#include "cli/files.h"
#include "cli/markup_text.h"
#include "spec/clauses.h"

namespace shardcheck::cli {
namespace {

const PlacementRow* placement_row(const VerifyReport& report, ClauseId id) {
  const auto found = std::ranges::find(report.placement.rows, id, &PlacementRow::clause);
  return found == report.placement.rows.end() ? nullptr : &*found;
}

std::size_t wrongly_judged(const VerifyReport& report) {
  if (!report.corpus) {
    return 0;
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(*report.corpus, [](const auto& row) { return !row.is_as_labelled(); }));
}

std::string rows_text(const VerifyReport& report) {
  std::string text = fmt::format("{:<4}{:<24}{:<16}{:>14}\n", "row", "promise", "verdict", "times checked");
  for (const Clause& row : clauses()) {
    text += fmt::format("{:<4}{:<24}{:<16}{:>14}\n", row.text_id, row.name, name_of(report.status_of(row.id)),
                        report.checks_of(row.id));
  }
  return text;
}

// How many of the participants of a move a fault struck, of those it can strike.
std::string reach_text(const harness::CampaignReport& campaign) {
  std::string text = fmt::format(
      "reached: {} of {} cells of a move's phase, a fault and whom it struck, {} of 3 signals\n"
      "(whom: the directory, source, target, a bystander, a router, the mover)\n",
      campaign.reached.count(), harness::reachable_cells(), campaign.signals.count());
  text += fmt::format("{:<14}", "");
  for (int fault = 0; fault < kFaultKinds; ++fault) {
    text += fmt::format(" {}", name_of(static_cast<FaultKind>(fault)));
  }
  text += "\n";
  for (std::size_t i = 0; i < kMovePhases; ++i) {
    const auto phase = static_cast<MovePhase>(i);
    text += fmt::format("{:<14}", name_of(phase));
    for (int j = 0; j < kFaultKinds; ++j) {
      const auto fault = static_cast<FaultKind>(j);
      const std::string cell = fmt::format("{}/{}", campaign.reached.participants(phase, fault),
                                           harness::reachable_participants(phase, fault));
      text += fmt::format(" {:>{}}", cell, name_of(fault).size());
    }
    text += "\n";
  }
  return text;
}

std::string corpus_text(const std::vector<histories::CorpusRow>& corpus) {
  std::string text = "recorded histories of real systems:\n";
  for (const histories::CorpusRow& row : corpus) {
    text += fmt::format("  {:<44}{:<18}{:>8} operations  {}\n", row.label.file, name_of(row.verdict), row.operations,
                        row.is_as_labelled() ? "as labelled" : "NOT AS LABELLED");
  }
  return text;
}

// One bug often breaks several clauses in the same smallest run, which is then shown once.
std::string findings_text(const VerifyReport& report) {
  std::string text;
  for (auto kept = report.findings.begin(); kept != report.findings.end(); ++kept) {
    const auto first = std::find_if(report.findings.begin(), kept, [&](const KeptFinding& earlier) {
      return earlier.finding.replay == kept->finding.replay;
    });
    const bool is_shown = first != kept && !kept->finding.replay.empty();
    text += "\n" + to_text(kept->finding, kept->path, report.program,
                           is_shown ? clause(first->finding.violation.clause).text_id : std::string_view());
  }
  return text;
}

}  // namespace

std::string_view name_of(RowStatus status) {
  switch (status) {
    case RowStatus::held: return "held";
    case RowStatus::violated: return "violated";
    case RowStatus::undecided: return "undecided";
    case RowStatus::not_observable: return "not observable";
  }
  return "";
}

std::uint64_t VerifyReport::checks_of(ClauseId id) const {
  const PlacementRow* row = placement_row(*this, id);
  return row != nullptr ? row->checks : campaign.checked(id);
}

namespace {

// A campaign ends when enough is violated, which need not be what the seeded bug was made to break.
std::string declared_text(const VerifyReport& report) {
  if (report.mutant == impl::Mutant::none) {
    return "";
  }
  const impl::MutantRow& row = impl::row_of(report.mutant);
  std::string names;
  for (const ClauseId id : row.clauses) {
    if (report.status_of(id) == RowStatus::violated) {
      return "";
    }
    names += fmt::format("{}{}", names.empty() ? "" : " or ", clause(id).text_id);
  }
  return fmt::format(
      "\nThis bug is known to break {} as well, which was not seen in so few scenarios; until it is: {} mutants --only "
      "{}\n",
      names, report.program, row.name);
}

}  // namespace

RowStatus VerifyReport::status_of(ClauseId id) const {
  const PlacementRow* row = placement_row(*this, id);
  if ((row != nullptr && row->finding) || campaign.failure_of(id) != nullptr) {
    return RowStatus::violated;
  }
  if (id == ClauseId::C1 && campaign.undecided > 0) {
    return RowStatus::undecided;
  }
  return checks_of(id) == 0 ? RowStatus::not_observable : RowStatus::held;
}

ExitCode VerifyReport::verdict() const {
  const bool is_survived = mutants && survivors(*mutants) > 0;
  if (placement.is_violated() || campaign.is_violated() || wrongly_judged(*this) > 0 || is_survived) {
    return ExitCode::violated;
  }
  return campaign.undecided > 0 || campaign.scenarios == 0 ? ExitCode::undecided : ExitCode::held;
}

std::string VerifyReport::reason() const {
  if (verdict() != ExitCode::undecided) {
    return "";
  }
  if (campaign.scenarios == 0) {
    return "no scenario was run; give it more time with --budget";
  }
  return fmt::format(
      "in {} of {} scenarios the history was not judged or the run was cut short; another --seed draws others",
      campaign.undecided, campaign.scenarios);
}

std::string to_text(const VerifyReport& report) {
  const harness::CampaignReport& campaign = report.campaign;
  std::string text =
      fmt::format("system {}, seed {}: {} scenarios, {} operations, {} events in {:.1f} s ({:.2f} million a second)\n",
                  report.system, report.seed, campaign.scenarios, campaign.operations, campaign.events,
                  report.campaign_seconds, static_cast<double>(campaign.events) / 1e6 / report.campaign_seconds);
  if (!report.placement.rows.empty()) {
    text += fmt::format("placement {}: {} cases in {:.1f} s\n", report.placement.placement, report.placement.cases,
                        report.placement_seconds);
  }
  text += '\n';
  if (const std::string figures = to_text(campaign.figures); !figures.empty()) {
    text += fmt::format("figures: {}\n\n", figures);
  }
  if (report.mutant != impl::Mutant::none) {
    text += fmt::format("seeded bug: {}\n\n", impl::row_of(report.mutant).what);
  }
  if (campaign.is_violated()) {
    text +=
        fmt::format("A campaign ends when enough is violated: rows that held were checked in {} of its scenarios.\n\n",
                    campaign.scenarios);
  }
  text += rows_text(report);
  if (report.tells_reach) {
    text += "\n" + reach_text(campaign);
  }
  text += findings_text(report);
  text += declared_text(report);
  if (report.corpus) {
    text += "\n" + corpus_text(*report.corpus);
  }
  if (report.mutants) {
    text += "\n" + to_text(*report.mutants);
  }
  text += "\nverdict: ";
  switch (report.verdict()) {
    case ExitCode::held: return text + "held\n";
    case ExitCode::violated: return text + "violated\n";
    case ExitCode::undecided: return text + "undecided (" + report.reason() + ")\n";
    case ExitCode::bad_input: break;
  }
  return text;
}

nlohmann::json to_json(const VerifyReport& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Clause& row : clauses()) {
    rows.push_back({{"id", row.text_id},
                    {"name", row.name},
                    {"verdict", name_of(report.status_of(row.id))},
                    {"checks", report.checks_of(row.id)}});
  }
  nlohmann::json findings = nlohmann::json::array();
  for (const KeptFinding& kept : report.findings) {
    findings.push_back({{"clause", clause(kept.finding.violation.clause).text_id},
                        {"message", kept.finding.violation.message},
                        {"steps", kept.finding.steps},
                        {"lead_up", kept.finding.lead_up},
                        {"replay", kept.path}});
  }
  nlohmann::json document{{"system", report.system},
                          {"seed", report.seed},
                          {"scenarios", report.campaign.scenarios},
                          {"operations", report.campaign.operations},
                          {"events", report.campaign.events},
                          {"seconds", report.campaign_seconds},
                          {"undecided", report.campaign.undecided},
                          {"verdict", name_of(report.verdict())},
                          {"reason", report.reason()},
                          {"digest", fmt::format("{:016x}", report.campaign.digest)},
                          {"reached", report.campaign.reached.count()},
                          {"reachable", harness::reachable_cells()},
                          {"figures", to_json(report.campaign.figures)},
                          {"rows", rows},
                          {"findings", findings},
                          {"exit_code", static_cast<int>(report.verdict())}};
  if (report.corpus) {
    nlohmann::json corpus = nlohmann::json::array();
    for (const histories::CorpusRow& row : *report.corpus) {
      corpus.push_back({{"file", row.label.file},
                        {"verdict", name_of(row.verdict)},
                        {"operations", row.operations},
                        {"as_labelled", row.is_as_labelled()}});
    }
    document["corpus"] = corpus;
  }
  if (report.mutants) {
    document["mutants"] = to_json(*report.mutants);
  }
  return document;
}

std::string to_junit(const VerifyReport& report) {
  std::size_t failures = 0;
  std::size_t skipped = 0;
  std::string cases;
  const auto add = [&](std::string_view group, std::string_view name, RowStatus status, std::string_view message) {
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\">", markup_escaped(group), markup_escaped(name));
    if (status == RowStatus::violated || status == RowStatus::undecided) {
      cases += fmt::format("<failure message=\"{}\"/>", markup_escaped(message));
      ++failures;
    } else if (status == RowStatus::not_observable) {
      cases += "<skipped message=\"not observable in this run\"/>";
      ++skipped;
    }
    cases += "</testcase>\n";
  };
  std::size_t tests = clauses().size();
  for (const Clause& row : clauses()) {
    const auto found = std::ranges::find_if(
        report.findings, [&](const KeptFinding& kept) { return kept.finding.violation.clause == row.id; });
    add("clauses", fmt::format("{} {}", row.text_id, row.name), report.status_of(row.id),
        found == report.findings.end() ? name_of(report.status_of(row.id)) : found->finding.violation.message);
  }
  for (const auto& row : report.corpus.value_or(std::vector<histories::CorpusRow>{})) {
    add("corpus", row.label.file, row.is_as_labelled() ? RowStatus::held : RowStatus::violated, "not as labelled");
    ++tests;
  }
  for (const auto& row : report.mutants.value_or(std::vector<KilledMutant>{})) {
    add("mutants", impl::row_of(row.kill.mutant).name, row.kill.is_killed ? RowStatus::held : RowStatus::violated,
        "survived");
    ++tests;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"shardcheck verify\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n{}</testsuite>\n",
      tests, failures, skipped, cases);
}

Result<void> write_junit(const VerifyReport& report, const std::string& path) {
  const std::filesystem::path file(path);
  const auto written = write_text_file(file.has_parent_path() ? file.parent_path().string() : ".",
                                       file.filename().string(), to_junit(report));
  return written ? Result<void>{} : std::unexpected(written.error());
}

}  // namespace shardcheck::cli
