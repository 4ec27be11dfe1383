#include "cli/verify_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardcheck::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

VerifyReport sound_report() {
  VerifyReport report;
  report.system = "reference";
  report.campaign.scenarios = 10;
  report.campaign.checks[static_cast<std::size_t>(ClauseId::M1)] = 5;
  report.campaign.checks[static_cast<std::size_t>(ClauseId::C1)] = 5;
  report.campaign_seconds = 1;
  return report;
}

harness::Failure failure(ClauseId id) { return {{id, TrueTime{}, "it broke"}, {}, 1, 1, {id}}; }

KilledMutant killed(bool is_killed) {
  KilledMutant row;
  row.kill.mutant = impl::Mutant::move_no_tombstones;
  row.kill.is_killed = is_killed;
  row.kill.violation = {ClauseId::M5, TrueTime{}, "it broke"};
  return row;
}

TEST(VerifyReport, a_row_that_was_never_checked_is_not_held) {
  const VerifyReport report = sound_report();

  EXPECT_EQ(report.status_of(ClauseId::M1), RowStatus::held);
  EXPECT_EQ(report.status_of(ClauseId::S1), RowStatus::not_observable);
  EXPECT_EQ(report.verdict(), ExitCode::held);
}

TEST(VerifyReport, a_campaign_without_a_run_holds_nothing) {
  VerifyReport report = sound_report();
  report.campaign.scenarios = 0;

  EXPECT_EQ(report.verdict(), ExitCode::undecided);
  EXPECT_THAT(to_text(report),
              HasSubstr("\nverdict: undecided (no scenario was run; give it more time with --budget)\n"));
  EXPECT_EQ(to_json(report)["reason"], "no scenario was run; give it more time with --budget");
}

TEST(VerifyReport, an_undecided_run_is_no_pass) {
  VerifyReport report = sound_report();
  report.campaign.undecided = 1;

  EXPECT_EQ(report.status_of(ClauseId::C1), RowStatus::undecided);
  EXPECT_EQ(report.verdict(), ExitCode::undecided);
  EXPECT_EQ(to_json(report)["exit_code"], 2);
  EXPECT_THAT(to_junit(report), HasSubstr("failures=\"1\""));
}

TEST(VerifyReport, a_violation_outweighs_what_is_undecided) {
  VerifyReport report = sound_report();
  report.campaign.undecided = 1;
  report.campaign.failures = {failure(ClauseId::M1)};

  EXPECT_EQ(report.status_of(ClauseId::M1), RowStatus::violated);
  EXPECT_EQ(report.verdict(), ExitCode::violated);
}

// "It must be found by a promise that it was declared to break": a campaign may end before.
TEST(VerifyReport, says_when_no_row_that_a_seeded_bug_names_was_violated) {
  VerifyReport report = sound_report();
  report.mutant = impl::Mutant::move_no_tombstones;
  report.campaign.failures = {failure(ClauseId::R1)};
  const std::string early = to_text(report);
  report.campaign.failures.push_back(failure(ClauseId::M5));

  EXPECT_THAT(early, HasSubstr("until it is: shardcheck mutants --only move_no_tombstones\n"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("until it is")));
}

TEST(VerifyReport, a_seeded_bug_that_survives_is_a_violation) {
  VerifyReport report = sound_report();
  report.mutants = {{killed(true)}};
  const ExitCode all_killed = report.verdict();
  report.mutants->push_back(killed(false));

  EXPECT_EQ(all_killed, ExitCode::held);
  EXPECT_EQ(report.verdict(), ExitCode::violated);
  EXPECT_THAT(to_text(report), HasSubstr("SURVIVED"));
  EXPECT_THAT(to_text(report), HasSubstr("1 of 2 seeded bugs caught by a row that they name"));
}

TEST(VerifyReport, a_recording_that_is_judged_otherwise_than_labelled_is_a_violation) {
  VerifyReport report = sound_report();
  histories::CorpusRow row;
  row.label.expected = histories::Verdict::linearizable;
  row.verdict = histories::Verdict::undecided;
  report.corpus = {row};

  EXPECT_EQ(report.verdict(), ExitCode::violated);
  EXPECT_THAT(to_text(report), HasSubstr("NOT AS LABELLED"));
}

TEST(VerifyReport, junit_escapes_what_xml_would_take_for_its_own) {
  VerifyReport report = sound_report();
  report.campaign.failures = {failure(ClauseId::M1)};
  Finding finding;
  finding.violation = {ClauseId::M1, TrueTime{}, "key \"1\" < 2 & 3 > 2"};
  report.findings = {{finding, "f"}};

  EXPECT_THAT(to_junit(report), HasSubstr("<failure message=\"key &quot;1&quot; &lt; 2 &amp; 3 &gt; 2\"/>"));
}

TEST(VerifyReport, a_run_that_breaks_two_clauses_is_shown_once) {
  VerifyReport report = sound_report();
  Finding lost;
  lost.violation = {ClauseId::M1, TrueTime{}, "it was lost"};
  lost.replay = "scenario 1\nthe one run\n";
  lost.steps = 1;
  Finding stale = lost;
  stale.violation = {ClauseId::C1, TrueTime{}, "it was stale"};
  Finding other = lost;
  other.violation = {ClauseId::L1, TrueTime{}, "there were two"};
  other.replay = "scenario 1\nthe other run\n";
  report.findings = {{lost, "m1"}, {stale, "c1"}, {other, "l1"}};

  const std::string text = to_text(report);

  EXPECT_THAT(text, HasSubstr("happened: it was lost\n  smallest run, 1 step:\n    scenario 1\n    the one run\n"));
  EXPECT_THAT(text, HasSubstr("happened: it was stale\n  smallest run, 1 step: the same as of M1 above\n  again:    "
                              "shardcheck replay c1\n"));
  EXPECT_THAT(text,
              HasSubstr("happened: there were two\n  smallest run, 1 step:\n    scenario 1\n    the other run\n"));
}

TEST(Finding, that_was_not_kept_says_how_to_keep_it) {
  Finding finding;
  finding.violation = {ClauseId::M1, TrueTime{}, "it broke"};
  finding.replay = "scenario 1\n";

  EXPECT_THAT(to_text(finding, ""),
              HasSubstr("again:    keep the smallest run as a file; then shardcheck replay FILE"));
  EXPECT_THAT(to_text(finding, "a b's"), HasSubstr("again:    shardcheck replay 'a b'\\''s'\n"));
}

TEST(Finding, says_once_when_it_happened) {
  Finding said, unsaid;
  said.violation = {ClauseId::M1, TrueTime{80'001'700}, "node 1 served key 0 at 80.001 ms"};
  unsaid.violation = {ClauseId::M1, TrueTime{80'001'700}, "node 1 served key 0"};

  EXPECT_THAT(to_text(said, ""), HasSubstr("happened: node 1 served key 0 at 80.001 ms\n"));
  EXPECT_THAT(to_text(unsaid, ""), HasSubstr("happened: node 1 served key 0 (at 80.001 ms)\n"));
}

}  // namespace
}  // namespace shardcheck::cli
