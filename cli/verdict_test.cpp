// What the commands say of systems, seeded bugs and counterexamples: exit codes, words for people, JSON, files.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_fixture.h"
#include "impl/mutant.h"

namespace shardcheck::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// The command behind "again:", with the name of the program taken off.
std::string again_of(const std::string& out) {
  const std::string before = "  again:    ";
  const std::size_t begin = out.find(before);
  const std::size_t command = out.find(" replay ", begin);
  if (begin == std::string::npos || command == std::string::npos) {
    return "";
  }
  return out.substr(command + 1, out.find('\n', begin) - command - 1);
}

TEST_F(Commands, verify_holds_for_the_reference) {
  const CommandOutcome outcome =
      command({"verify", "--short", "--scenarios", "40", "--seed", "3", "--out", path("findings"), "--json"});

  EXPECT_EQ(outcome.exit, ExitCode::held) << outcome.errors;
  const json document = json::parse(outcome.out);
  EXPECT_EQ(document["system"], "reference");
  EXPECT_EQ(document["seed"], 3);
  EXPECT_EQ(document["scenarios"], 40);
  EXPECT_EQ(document["exit_code"], 0);
  EXPECT_EQ(document["undecided"], 0);
  EXPECT_EQ(document["digest"].get<std::string>().size(), 16U);
  EXPECT_GT(document["events"].get<std::uint64_t>(), 1'000U);
  EXPECT_TRUE(document["findings"].empty());
  ASSERT_EQ(document["rows"].size(), 50U);
  for (const json& row : document["rows"]) {
    SCOPED_TRACE(row["id"].get<std::string>());
    EXPECT_EQ(row["verdict"], row["checks"].get<std::uint64_t>() > 0 ? "held" : "not observable");
  }
  EXPECT_FALSE(std::filesystem::exists(path("findings")));  // nothing was found, nothing is kept
}

TEST_F(Commands, verify_prints_a_command_that_shows_the_violation_again) {
  for (const char* mutant : {"move_no_tombstones", "ring_no_wrap"}) {
    SCOPED_TRACE(mutant);
    const CommandOutcome outcome =
        command({"verify", "--mutant", mutant, "--scenarios", "400", "--out", path("my findings")});

    EXPECT_EQ(outcome.exit, ExitCode::violated);
    EXPECT_THAT(outcome.out, HasSubstr("VIOLATED "));
    EXPECT_THAT(outcome.out, HasSubstr(std::string(" by the reference with the seeded bug ") + mutant));
    EXPECT_THAT(outcome.out, HasSubstr("\nverdict: violated\n"));
    const std::string again = again_of(outcome.out);
    ASSERT_NE(again, "");
    EXPECT_EQ(shell(SHARDCHECK_PROGRAM " " + again + " > " + path("out")), 1) << again << errors_of_shell();
    EXPECT_THAT(read(path("out")), HasSubstr("VIOLATED "));
  }
}

// The part of a report from "how it came to that" to the breach.
std::string lead_up_in(const std::string& text) {
  const std::size_t begin = text.find("  how it came to that:\n");
  const std::size_t end = text.find(" is broken\n", begin);
  return begin == std::string::npos || end == std::string::npos ? "" : text.substr(begin, end - begin);
}

TEST_F(Commands, verify_and_replay_tell_how_it_came_to_that) {
  const CommandOutcome found =
      command({"verify", "--mutant", "move_no_tombstones", "--scenarios", "400", "--out", path("findings")});

  const std::string told = lead_up_in(found.out);
  EXPECT_THAT(told, HasSubstr(" asks for del of key "));
  EXPECT_THAT(told, HasSubstr(" has the delete of key "));
  EXPECT_THAT(told, HasSubstr(" is switched"));
  EXPECT_THAT(told, HasSubstr(" ms  M5 CutoverContentEqual"));
  ASSERT_EQ(shell(SHARDCHECK_PROGRAM " " + again_of(found.out) + " > " + path("out")), 1) << errors_of_shell();
  EXPECT_EQ(lead_up_in(read(path("out"))), told);
}

TEST_F(Commands, verify_judges_the_directory_alone) {
  const CommandOutcome holds = command(
      {"verify", "--system", "directory", "--scenarios", "40", "--seed", "3", "--out", path("findings"), "--json"});

  EXPECT_EQ(holds.exit, ExitCode::held) << holds.errors;
  const json document = json::parse(holds.out);
  EXPECT_EQ(document["system"], "directory");
  for (const json& row : document["rows"]) {
    SCOPED_TRACE(row["id"].get<std::string>());
    const bool is_checked = row["checks"].get<std::uint64_t>() > 0;
    EXPECT_EQ(row["verdict"], is_checked ? "held" : "not observable");
    if (row["id"] == "C1") {
      EXPECT_TRUE(is_checked);
    }
  }

  const CommandOutcome broken =
      command({"verify", "--system", "directory", "--mutant", "dir_grant_not_majority", "--out", path("findings")});

  EXPECT_EQ(broken.exit, ExitCode::violated);
  EXPECT_THAT(broken.out, HasSubstr("VIOLATED C1 "));
  EXPECT_THAT(broken.out, Not(HasSubstr("cells of a move's phase")));
  const std::string again = again_of(broken.out);
  ASSERT_NE(again, "");
  EXPECT_EQ(shell(SHARDCHECK_PROGRAM " " + again + " > " + path("out")), 1) << again << errors_of_shell();
  EXPECT_THAT(read(path("out")), HasSubstr("alone directory"));
}

TEST_F(Commands, verify_refuses_a_report_that_it_could_not_write_before_it_works) {
  const CommandOutcome outcome =
      command({"verify", "--scenarios", "1000000000", "--out", path("findings"), "--junit", path("")});

  EXPECT_EQ(outcome.exit, ExitCode::bad_input);
  EXPECT_THAT(outcome.errors, HasSubstr("this is a folder, not a file"));
}

TEST_F(Commands, verify_writes_junit_xml) {
  const std::string junit = path("new/report.xml");

  const CommandOutcome outcome =
      command({"verify", "--mutant", "move_no_tombstones", "--scenarios", "400", "--out", path("f"), "--junit", junit});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  const std::string xml = read(junit);
  const auto count = [&xml](std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = xml.find(what); at != std::string::npos; at = xml.find(what, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("<testcase "), 50U);
  EXPECT_EQ(count("</testcase>"), 50U);
  EXPECT_GE(count("<failure "), 1U);
  EXPECT_THAT(xml, testing::StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name="));
  EXPECT_THAT(xml, testing::EndsWith("</testsuite>\n"));
  EXPECT_THAT(xml, HasSubstr("tests=\"50\" failures=\"" + std::to_string(count("<failure ")) + "\" skipped=\"" +
                             std::to_string(count("<skipped ")) + "\""));
  EXPECT_EQ(count("&"), count("&amp;") + count("&lt;") + count("&gt;") + count("&quot;"));
}

TEST_F(Commands, mutants_says_what_caught_a_seeded_bug) {
  const CommandOutcome outcome =
      command({"mutants", "--only", "cleanup_wrong_bounds", "--out", path("findings"), "--json"});

  EXPECT_EQ(outcome.exit, ExitCode::held) << outcome.errors;
  const json rows = json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["name"], "cleanup_wrong_bounds");
  EXPECT_EQ(rows[0]["component"], "move");
  EXPECT_EQ(rows[0]["killed"], true);
  EXPECT_EQ(rows[0]["clause"], "M10");
  EXPECT_GE(rows[0]["runs"].get<int>(), 1);
  EXPECT_TRUE(rows[0]["seconds"].is_number());
  EXPECT_GE(rows[0]["steps_after_shrink"].get<int>(), 1);
  EXPECT_LE(rows[0]["steps_after_shrink"].get<int>(), 15);
  EXPECT_EQ(rows[0]["replay"], path("findings/mutant-cleanup_wrong_bounds.scenario"));
  EXPECT_EQ(command({"replay", path("findings/mutant-cleanup_wrong_bounds.scenario")}).exit, ExitCode::violated);
}

TEST_F(Commands, mutants_is_violated_when_a_seeded_bug_survives) {
  const CommandOutcome outcome =
      command({"mutants", "--only", "move_forward_early", "--seconds", "0.01", "--out", path("findings"), "--json"});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  const json rows = json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["name"], "move_forward_early");
  EXPECT_EQ(rows[0]["killed"], false);
  EXPECT_TRUE(rows[0]["clause"].is_null());
  EXPECT_EQ(rows[0]["steps_after_shrink"], 0);
}

TEST_F(Commands, replay_judges_a_scenario) {
  struct Case {
    const char* name;
    const std::string& text;
    ExitCode exit;
    const char* word;
  };
  for (const Case& each : {Case{"sound", kSoundScenario, ExitCode::held, "held: 2 steps, "},
                           Case{"broken", kBrokenScenario, ExitCode::violated, "\nviolated: 4 steps, "},
                           Case{"endless", kEndlessScenario, ExitCode::undecided,
                                "undecided (the run had more events than a run may have): 3 steps, "}}) {
    SCOPED_TRACE(each.name);

    const CommandOutcome outcome = command({"replay", write(each.name, each.text)});

    EXPECT_EQ(outcome.exit, each.exit);
    EXPECT_THAT(outcome.out, HasSubstr(each.word));
  }
}

TEST_F(Commands, replay_prints_json_and_the_same_each_time) {
  const std::string file = write("broken", kBrokenScenario);

  const CommandOutcome outcome = command({"replay", file, "--json"});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  const json document = json::parse(outcome.out);
  EXPECT_EQ(document["file"], file);
  EXPECT_EQ(document["verdict"], "violated");
  EXPECT_EQ(document["reason"], "");
  ASSERT_GE(document["violations"].size(), 1U);
  EXPECT_EQ(document["violations"][0]["clause"], "M5");
  EXPECT_GT(document["violations"][0]["at_ns"].get<std::int64_t>(), 15'000'000);
  EXPECT_NE(document["violations"][0]["message"], "");
  EXPECT_EQ(document["digest"].get<std::string>().size(), 16U);
  EXPECT_GT(document["events"].get<int>(), 100);
  EXPECT_EQ(command({"replay", file, "--json"}).out, outcome.out);
}

TEST_F(Commands, replay_prints_the_verdict_and_its_reason_as_json) {
  const json sound = json::parse(command({"replay", write("sound", kSoundScenario), "--json"}).out);
  const json endless = json::parse(command({"replay", write("endless", kEndlessScenario), "--json"}).out);

  EXPECT_EQ(sound["verdict"], "held");
  EXPECT_EQ(sound["reason"], "");
  EXPECT_EQ(endless["verdict"], "undecided");
  EXPECT_EQ(endless["reason"], "the run had more events than a run may have");
}

TEST_F(Commands, replay_counts_one_step_as_one) {
  const std::string one = kSoundScenario.substr(0, kSoundScenario.find("at 5.6ms"));

  EXPECT_THAT(command({"replay", write("one", one)}).out, HasSubstr("held: 1 step, "));
}

TEST_F(Commands, replay_says_which_steps_asked_for_nothing) {
  std::string text = kSoundScenario.substr(0, kSoundScenario.find("at 5.6ms"));
  text.insert(text.find("at 4.8ms"), "shards_max 9\n");

  const CommandOutcome outcome = command({"replay", write("missing", text + "at 900ms move range 8 to node 1\n")});

  EXPECT_THAT(
      outcome.out,
      HasSubstr("not applicable: at 900ms move range 8 to node 1: there was no such range when it was asked for\n"));
}

TEST_F(Commands, verify_and_replay_say_who_is_who_and_where_the_ranges_lie) {
  const CommandOutcome found =
      command({"verify", "--short", "--mutant", "move_no_tombstones", "--scenarios", "400", "--out", path("found")});
  const CommandOutcome again = command({"replay", path("found/M5-move_no_tombstones-1.scenario")});

  for (const CommandOutcome* outcome : {&found, &again}) {
    EXPECT_THAT(outcome->out, HasSubstr("    # processes: 0 the directory; 1-"));
    EXPECT_THAT(outcome->out, HasSubstr("    # at first: range 0, keys [0, "));
    EXPECT_THAT(outcome->out, HasSubstr("    # then, as at the end of every run, all faults end"));
  }
}

// Whichever comes first.
TEST_F(Commands, verify_keeps_to_the_number_of_scenarios_within_its_budget) {
  const CommandOutcome outcome =
      command({"verify", "--short", "--scenarios", "5", "--budget", "1h", "--out", path("findings"), "--json"});

  EXPECT_EQ(json::parse(outcome.out)["scenarios"], 5);
  EXPECT_EQ(json::parse(outcome.out)["verdict"], "held");
}

TEST_F(Commands, replay_traces_every_message) {
  const CommandOutcome outcome = command({"replay", "--trace", write("sound", kSoundScenario)});

  EXPECT_EQ(outcome.exit, ExitCode::held);
  EXPECT_THAT(outcome.out, HasSubstr(" ms  mover -> directory: "));
  EXPECT_GT(std::ranges::count(outcome.out, '\n'), 100);
}

// The case that verify keeps for a seeded bug of the ring has comments above it.
TEST_F(Commands, replay_judges_a_case_of_a_placement) {
  ASSERT_EQ(command({"mutants", "--only", "ring_no_wrap", "--out", folder_.string()}).exit, ExitCode::held);
  const std::string kept = read(path("mutant-ring_no_wrap.scenario"));
  ASSERT_THAT(kept, testing::StartsWith("# P"));
  std::string sound = kept;
  sound.replace(sound.find("ring+ring_no_wrap"), 17, "ring");

  const CommandOutcome broken = command({"replay", path("mutant-ring_no_wrap.scenario"), "--json"});
  const CommandOutcome held = command({"replay", write("sound", sound)});

  EXPECT_EQ(broken.exit, ExitCode::violated);
  EXPECT_EQ(json::parse(broken.out)["violations"].size(), 1U);
  EXPECT_EQ(held.exit, ExitCode::held);
  EXPECT_THAT(held.out, testing::StartsWith("held: P"));
  EXPECT_EQ(command({"shrink", path("sound")}).exit, ExitCode::bad_input);
}

TEST_F(Commands, shrink_takes_away_what_is_not_needed) {
  const std::string file = write("broken", kBrokenScenario);

  const CommandOutcome outcome = command({"shrink", file, "--json"});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  const json document = json::parse(outcome.out);
  EXPECT_EQ(document["clause"], "M5");
  EXPECT_EQ(document["steps_before"], 4);
  EXPECT_LE(document["steps_after"].get<int>(), 3);
  EXPECT_GT(document["runs"].get<int>(), 2);
  EXPECT_TRUE(std::filesystem::exists(file + ".shrunk"));
  EXPECT_EQ(command({"replay", file + ".shrunk"}).exit, ExitCode::violated);
}

TEST_F(Commands, shrink_finds_nothing_in_a_sound_or_an_endless_scenario) {
  const CommandOutcome sound = command({"shrink", write("sound", kSoundScenario)});
  const CommandOutcome endless = command({"shrink", write("endless", kEndlessScenario)});

  EXPECT_EQ(sound.exit, ExitCode::held);
  EXPECT_EQ(sound.out, "held: there is nothing to shrink\n");
  EXPECT_EQ(endless.exit, ExitCode::undecided);
  EXPECT_EQ(endless.out, "undecided (the run had more events than a run may have): there is nothing to shrink\n");
  EXPECT_FALSE(std::filesystem::exists(path("sound.shrunk")));
}

TEST_F(Commands, digest_is_one_number_for_one_seed) {
  const CommandOutcome first = command({"digest", "--scenarios", "20", "--json"});
  const CommandOutcome again = command({"digest", "--scenarios", "20", "--json"});
  const CommandOutcome other = command({"digest", "--scenarios", "20", "--seed", "2", "--json"});

  EXPECT_EQ(first.exit, ExitCode::held);
  EXPECT_EQ(again.out, first.out);
  EXPECT_NE(json::parse(other.out)["digest"], json::parse(first.out)["digest"]);
  EXPECT_EQ(json::parse(first.out)["scenarios"], 20);
}

TEST_F(Commands, list_names_the_catalogues) {
  const json clauses = json::parse(command({"list", "clauses", "--json"}).out);
  const json mutants = json::parse(command({"list", "mutants", "--json"}).out);
  const json systems = json::parse(command({"list", "systems", "--json"}).out);

  ASSERT_EQ(clauses.size(), 50U);
  EXPECT_EQ(clauses[0]["id"], "P1");
  EXPECT_NE(clauses[0]["sentence"], "");
  EXPECT_EQ(mutants.size(), impl::mutants().size());
  EXPECT_EQ(mutants[0]["name"], "ring_insertion_tiebreak");
  EXPECT_EQ(mutants[0]["clauses"], (json{"P7", "P1"}));
  ASSERT_GE(systems.size(), 1U);
  EXPECT_EQ(systems[0]["name"], "reference");
  EXPECT_THAT(command({"list", "clauses"}).out, HasSubstr("\nM1  NoLostWrite"));
}

}  // namespace
}  // namespace shardcheck::cli
