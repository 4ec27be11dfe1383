// What every command makes of wrong usage, of files that are none, and of places that cannot be written to: exit code
// 3, a message, and never a verdict.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_fixture.h"

namespace shardcheck::cli {
namespace {

using testing::HasSubstr;

std::string joined(const std::vector<std::string>& words) {
  std::string line = "shardcheck";
  for (const std::string& word : words) {
    line += " " + word;
  }
  return line;
}

TEST_F(Commands, say_what_a_number_may_be_in_words_that_fit_a_line) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"verify", "--budget", "-1"},
                                             {"verify", "--budget", "1e400s"},
                                             {"check", "--budget", "-1", "x"},
                                             {"check", "--steps", "-1", "x"},
                                             {"check", "--memory", "-1", "x"}}) {
    SCOPED_TRACE(joined(arguments));

    const CommandOutcome outcome = command(arguments);

    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_THAT(outcome.errors, HasSubstr("must be a "));
    EXPECT_LT(outcome.errors.size(), 150U);
  }
}

TEST_F(Commands, refuse_wrong_usage) {
  const std::string file = write("sound.scenario", kSoundScenario);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"nonsense"},
                                             {"verify", "--no-such-flag"},
                                             {"verify", "--system", "etcd"},
                                             {"verify", "--mutant", "no_such"},
                                             {"verify", "--seed", "-1"},
                                             {"verify", "--seed", "99999999999999999999"},
                                             {"verify", "--scenarios", "-1"},
                                             {"verify", "--scenarios", "0"},
                                             {"verify", "--scenarios", "1e3"},
                                             {"verify", "--scenarios", "99999999999999999999"},
                                             {"verify", "--budget", "-1s"},
                                             {"verify", "--budget", "0s"},
                                             {"verify", "--budget", "soon"},
                                             {"verify", "--budget", "nan"},
                                             {"verify", "--system", ""},
                                             {"verify", "--mutant", ""},
                                             {"verify", "--junit", ""},
                                             {"verify", "--out", ""},
                                             {"verify", "--corpus", ""},
                                             {"verify", "--short", "--corpus", path("no_such_folder")},
                                             {"verify", "--mutant", "move_no_tombstones", "--corpus", path("no_such")},
                                             {"mutants", "--only", ""},
                                             {"mutants", "--out", ""},
                                             {"mutants", "--only", "no_such"},
                                             {"mutants", "--seed", "-1"},
                                             {"mutants", "--seconds", "0"},
                                             {"mutants", "--seconds", "-5"},
                                             {"mutants", "--seconds", "nan"},
                                             {"mutants", "--seconds", "inf"},
                                             {"replay"},
                                             {"replay", file, file},
                                             {"replay", file, "--no-such-flag"},
                                             {"shrink"},
                                             {"shrink", file, "--runs", "-1"},
                                             {"shrink", file, "--out", ""},
                                             {"digest", "--seed", "-1"},
                                             {"digest", "--scenarios", "-1"},
                                             {"digest", "--scenarios", "0"},
                                             {"placement", "--seed", "-1"},
                                             {"placement", "--cases", "-1"},
                                             {"placement", "--cases", "0"},
                                             {"placement", "--mutant", "move_no_tombstones"},
                                             {"placement", "--mutant", ""},
                                             {"list"},
                                             {"list", "nothing"},
                                             {"list", "clauses", "--no-such-flag"}}) {
    SCOPED_TRACE(joined(arguments));

    const CommandOutcome outcome = command(arguments);

    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.errors, "");
  }
}

// Whoever reads JSON finds a document, whatever went wrong.
TEST_F(Commands, print_an_error_as_json_where_json_was_asked_for) {
  const std::string nothing = write("empty", "");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"verify", "--json", "--no-such-flag"},
                                             {"verify", "--json", "--mutant", "no_such"},
                                             {"verify", "--json", "--system", "etcd"},
                                             {"verify", "--json", "--out", nothing + "/findings"},
                                             {"mutants", "--json", "--only", "no_such"},
                                             {"mutants", "--json", "--out", nothing + "/findings"},
                                             {"placement", "--json", "--mutant", "no_such"},
                                             {"replay", "--json", nothing},
                                             {"replay", "--json", path("missing")},
                                             {"shrink", "--json", nothing},
                                             {"digest", "--json", "--scenarios", "0"},
                                             {"list", "nothing", "--json"}}) {
    SCOPED_TRACE(joined(arguments));

    const CommandOutcome outcome = command(arguments);

    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_NE(outcome.errors, "");
    const nlohmann::json document = nlohmann::json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(document.is_object()) << outcome.out;
    EXPECT_NE(document["error"]["what"].get<std::string>(), "");
  }
}

TEST_F(Commands, name_what_is_wrong_with_a_flag) {
  EXPECT_EQ(command({"verify", "--system", "etcd"}).errors,
            "shardcheck: --system: there is no system 'etcd'; 'shardcheck list systems' names them\n");
  EXPECT_EQ(command({"verify", "--mutant", "no_such"}).errors,
            "shardcheck: --mutant: there is no mutant 'no_such'; 'shardcheck list mutants' names them\n");
  EXPECT_EQ(command({"mutants", "--only", "no_such"}).errors,
            "shardcheck: --only: there is no mutant 'no_such'; 'shardcheck list mutants' names them\n");
  EXPECT_THAT(command({"verify", "--scenarios", "-1"}).errors,
              HasSubstr("--scenarios: '-1' must be a whole number from 1 on"));
}

TEST_F(Commands, replay_and_shrink_refuse_what_is_no_scenario) {
  struct Case {
    std::string file;
    std::string error;
  };
  const std::string truncated = kSoundScenario.substr(0, kSoundScenario.size() - 3);
  for (const Case& each :
       {Case{path("missing"), ": No such file or directory"}, Case{folder_.string(), ": this is a folder, not a file"},
        Case{write("empty", ""), ": this is no whole scenario"},
        Case{write("zeros", std::string(4'096, '\0')), ":1: this is no scenario"},
        Case{write("binary",
                   "\x7f"
                   "ELF\x02\x01\x01\xff\xfe\n\n\x80"),
             ":1: this is no scenario"},
        Case{write("line", std::string(1'000'000, 'a')), ":1: this is no scenario"},
        Case{write("truncated", truncated), ":4: the line ends where a value should be"},
        Case{"/dev/zero", ": the file is larger than 64 MiB"}}) {
    for (const char* verb : {"replay", "shrink"}) {
      SCOPED_TRACE(verb + (" " + each.file));

      const CommandOutcome outcome = command({verb, each.file});

      EXPECT_EQ(outcome.exit, ExitCode::bad_input);
      EXPECT_THAT(outcome.errors, testing::StartsWith("shardcheck: " + each.file + each.error));
      EXPECT_EQ(outcome.out, "");
    }
  }
}

TEST_F(Commands, replay_refuses_broken_cases_of_a_placement) {
  struct Case {
    std::string text;
    std::string error;
  };
  for (const Case& each : {Case{"placement \nclause P2\n", "there is no placement ''"},
                           Case{"# about\n\nplacement ring\n", " line 4: expected 'clause' and one of P1 to P9"},
                           Case{"placement ring\nclause M1\n", " line 2: expected 'clause' and one of P1 to P9"},
                           Case{"placement other\nclause P2\n", "there is no placement 'other'"},
                           Case{"# about\nplacement ring\nclause P2\nnonsense\n", " line 4: "}}) {
    SCOPED_TRACE(each.text);

    const CommandOutcome outcome = command({"replay", write("case", each.text)});

    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_THAT(outcome.errors, HasSubstr(each.error));
  }
}

// Refused before any work is done, so that none is lost.
TEST_F(Commands, refuse_a_folder_that_cannot_be_written_to) {
  const std::string out = write("file", "") + "/findings";

  for (const char* verb : {"verify", "mutants"}) {
    SCOPED_TRACE(verb);
    const CommandOutcome outcome = command({verb, "--out", out});
    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_THAT(outcome.errors, testing::StartsWith("shardcheck: " + out + ": cannot make this folder"));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(Commands, shrink_prints_what_it_cannot_write) {
  const std::string file = write("broken.scenario", kBrokenScenario);

  const CommandOutcome outcome = command({"shrink", file, "--out", path("no/such/folder")});

  EXPECT_EQ(outcome.exit, ExitCode::bad_input);
  EXPECT_THAT(outcome.errors, HasSubstr("No such file or directory"));
  EXPECT_THAT(outcome.out, testing::StartsWith("scenario 1\n"));
  EXPECT_EQ(read(file), kBrokenScenario);
}

// A device is written to and stays what it is.
TEST_F(Commands, a_full_device_is_an_error) {
  const std::string file = write("broken.scenario", kBrokenScenario);

  const CommandOutcome junit =
      command({"verify", "--short", "--scenarios", "2", "--out", path("findings"), "--junit", "/dev/full"});
  const CommandOutcome shrunk = command({"shrink", file, "--out", "/dev/full"});

  EXPECT_EQ(junit.exit, ExitCode::bad_input);
  EXPECT_EQ(junit.errors, "shardcheck: /dev/full: cannot write: No space left on device\n");
  EXPECT_THAT(junit.out, HasSubstr("verdict: "));
  EXPECT_EQ(shrunk.exit, ExitCode::bad_input);
  EXPECT_EQ(shrunk.errors, "shardcheck: /dev/full: cannot write: No space left on device\n");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_FALSE(std::filesystem::exists("/dev/full.partial"));
}

TEST_F(Commands, every_help_says_what_the_exit_codes_mean) {
  for (const char* name : {"verify", "check", "placement", "replay", "shrink", "mutants", "list"}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(command({name, "--help"}).out, HasSubstr("Exit codes: 0 all was judged and held, 1 "));
  }
  EXPECT_THAT(command({"--help"}).out, HasSubstr("Exit codes: 0 "));
}

// A verdict that nobody could read is none: neither a full disk nor a closed descriptor looks like "held".
TEST_F(Commands, an_output_that_cannot_be_written_is_an_error) {
  const std::string file = write("sound.scenario", kSoundScenario);
  for (const std::string& arguments :
       {std::string("--help"), std::string("verify --help"), std::string("list clauses"),
        std::string("list mutants --json"), "replay " + file, "replay --json " + file, "replay --trace " + file,
        "shrink " + file, std::string("digest --scenarios 2"), std::string("placement --cases 2"),
        "verify --short --scenarios 2 --out " + path("findings")}) {
    for (const char* to : {" > /dev/full", " >&-"}) {
      SCOPED_TRACE(arguments + to);
      EXPECT_EQ(shell(SHARDCHECK_PROGRAM " " + arguments + to), 3);
      EXPECT_THAT(errors_of_shell(), HasSubstr("cannot write"));
    }
  }
  EXPECT_EQ(shell("(" SHARDCHECK_PROGRAM " replay " + file + " >&- 2>&-)"), 3);  // nowhere to say so
  EXPECT_EQ(shell(SHARDCHECK_PROGRAM " replay " + file + " > " + path("out")), 0);
}

}  // namespace
}  // namespace shardcheck::cli
