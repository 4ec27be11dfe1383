// `shardcheck replay FILE --history OUT --html PAGE`: what a run leaves for people and for `check`.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_fixture.h"

namespace shardcheck::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class ReplayOutputs : public Commands {};

TEST_F(ReplayOutputs, a_run_that_holds_leaves_its_history_and_its_picture) {
  const std::string scenario = write("sound.scenario", kSoundScenario);

  const CommandOutcome outcome =
      command({"replay", scenario, "--history", path("new/run.jsonl"), "--html", path("run.html")});

  EXPECT_EQ(outcome.exit, ExitCode::held) << outcome.errors;
  EXPECT_THAT(outcome.out, HasSubstr("\nhistory: " + path("new/run.jsonl") + "\npicture: " + path("run.html") + "\n"));
  const std::string history = read(path("new/run.jsonl"));
  EXPECT_THAT(history, HasSubstr(R"({"process":"nemesis","type":"info","f":"step: an operator moves range 0 to)"));
  EXPECT_THAT(history, HasSubstr(R"("f":"begin move )"));
  EXPECT_THAT(history, HasSubstr(R"("type":"invoke","f":"write","key":0,"value":7)"));
  const std::string page = read(path("run.html"));
  EXPECT_THAT(page, HasSubstr(R"("title":"sound.scenario")"));
  EXPECT_THAT(page, HasSubstr(R"("verdict":"linearizable")"));
  EXPECT_THAT(page, HasSubstr("begin move "));
  EXPECT_EQ(command({"check", path("new/run.jsonl")}).exit, ExitCode::held);
}

TEST_F(ReplayOutputs, a_run_that_fails_leaves_the_broken_promise_and_where_that_was_seen) {
  const std::string scenario = write("broken.scenario", kBrokenScenario);

  const CommandOutcome outcome =
      command({"replay", scenario, "--history", path("run.jsonl"), "--html", path("run.html"), "--json"});

  EXPECT_EQ(outcome.exit, ExitCode::violated) << outcome.errors;
  const nlohmann::json document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["history"], path("run.jsonl"));
  EXPECT_EQ(document["picture"], path("run.html"));
  EXPECT_THAT(read(path("run.jsonl")), HasSubstr(R"("f":"violated M5 CutoverContentEqual: )"));
  EXPECT_THAT(read(path("run.html")), HasSubstr(R"("title":"broken.scenario: M5 )"));
}

TEST_F(ReplayOutputs, what_cannot_be_written_is_refused_before_the_run) {
  const std::string scenario = write("sound.scenario", kSoundScenario);
  const std::string plain = write("plain", "");

  for (const char* flag : {"--history", "--html"}) {
    for (const std::string& file : {path(""), plain + "/in", std::string(), scenario}) {
      SCOPED_TRACE(std::string(flag) + " " + file);
      const CommandOutcome outcome = command({"replay", scenario, flag, file});
      EXPECT_EQ(outcome.exit, ExitCode::bad_input);
      EXPECT_EQ(outcome.out, "");
      EXPECT_NE(outcome.errors, "");
    }
  }
  EXPECT_EQ(read(scenario), kSoundScenario);
  const CommandOutcome same = command({"replay", scenario, "--history", path("x"), "--html", path("x")});
  EXPECT_EQ(same.exit, ExitCode::bad_input);
  EXPECT_THAT(same.errors, HasSubstr("cannot be the same file"));
}

TEST_F(ReplayOutputs, a_case_of_a_placement_has_no_picture) {
  const CommandOutcome found =
      command({"verify", "--mutant", "ring_no_wrap", "--scenarios", "40", "--out", path("findings")});
  ASSERT_EQ(found.exit, ExitCode::violated);
  EXPECT_THAT(found.out, Not(HasSubstr("picture:  ")));
  const auto kept = std::filesystem::directory_iterator(path("findings"));
  ASSERT_NE(kept, std::filesystem::directory_iterator());

  const CommandOutcome outcome = command({"replay", kept->path().string(), "--html", path("run.html")});

  EXPECT_EQ(outcome.exit, ExitCode::bad_input);
  EXPECT_THAT(outcome.errors, HasSubstr("it has no clients"));
  EXPECT_FALSE(std::filesystem::exists(path("run.html")));
}

TEST_F(ReplayOutputs, verify_prints_the_command_that_draws_what_it_found) {
  const CommandOutcome found =
      command({"verify", "--mutant", "move_no_tombstones", "--scenarios", "400", "--out", path("my findings")});
  const std::string before = "  picture:  ";
  const std::size_t begin = found.out.find(before);
  ASSERT_NE(begin, std::string::npos) << found.out;
  const std::size_t arguments = found.out.find(" replay ", begin);
  const std::string line = found.out.substr(arguments, found.out.find('\n', begin) - arguments);

  EXPECT_EQ(shell(SHARDCHECK_PROGRAM + line + " > " + path("out")), 1) << line << errors_of_shell();

  const std::string page = line.substr(line.find("--html '") + 8);
  EXPECT_THAT(read(page.substr(0, page.size() - 1)), HasSubstr(" violated: "));
}

}  // namespace
}  // namespace shardcheck::cli
