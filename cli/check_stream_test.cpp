// shardcheck check --stream, and histories that come on the standard input.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/check_fixture.h"

namespace shardcheck::cli {
namespace {

class CheckStream : public Commands {};

TEST_F(CheckStream, is_judged_as_a_stream_when_asked) {
  const std::string file = write("stale.jsonl", std::string(kStale));

  const CommandOutcome outcome = check({file, "--stream"});
  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_NE(outcome.out.find(
                "  k: not_linearizable: what returned at line 6 cannot be explained: the read (line 6) returned 1, but "
                "2 was acknowledged (line 4) before it began, and 1 was written before that (line 2)\n"
                "  check it without --stream for all operations that contradict, what still holds, and a picture\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(check({kGood, "--stream"}).exit, ExitCode::held);
  EXPECT_EQ(nlohmann::json::parse(check({kGood, kBad, "--stream", "--json"}).out)[1]["verdict"], "not_linearizable");
  EXPECT_EQ(check({file, "--stream", "--budget", "0s"}).exit, ExitCode::undecided);
  EXPECT_EQ(check({kBroken, "--stream"}).exit, ExitCode::bad_input);
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--html", path("x.html")}, {"--clock-error", "1s"}, {"--initial", "0"}, {"--format", "edn"}}) {
    std::vector<std::string> arguments{file, "--stream"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(check(arguments).exit, ExitCode::bad_input) << more[0];
  }
}

TEST_F(CheckStream, read_as_a_stream_ends_at_the_first_violation_unless_told_to_read_on) {
  // What follows on the key lets it be cut, and so judged before the end.
  std::string text = std::string(kStale) +
                     R"({"process":1,"type":"invoke","f":"read","key":"k","value":null,"time":8000000}
{"process":1,"type":"ok","f":"read","key":"k","value":2,"time":8000000}
)";
  for (int i = 0; i < 70'000; ++i) {
    const std::string line =
        R"({"process":2,"f":"write","key":"later","value":)" + std::to_string(i) + R"(,"time":8000000,"type":)";
    text += line + "\"invoke\"}\n" + line + "\"ok\"}\n";
  }
  const std::string file = write("long.jsonl", text + "no JSON\n");

  const CommandOutcome outcome = check({file, "--stream"});
  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_NE(outcome.out.find("\n  1 of 2 keys was not judged: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\n  nothing behind line 131071 was read: --all reads to the end\n"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(nlohmann::json::parse(check({file, "--stream", "--json"}).out)[0]["stopped_at_line"], 131071);

  EXPECT_EQ(check({file, "--stream", "--all"}).exit, ExitCode::bad_input);
}

// Takes the place of this process's standard input.
class StandardInput {
 public:
  explicit StandardInput(const std::string& file) : before_(dup(STDIN_FILENO)) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_GE(descriptor, 0);
    dup2(descriptor, STDIN_FILENO);
    close(descriptor);
  }
  ~StandardInput() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int before_;
};

TEST_F(CheckStream, may_be_the_standard_input) {
  const std::string file = write("stale.jsonl", std::string(kStale));

  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{"-"}, {"-", "--stream"}}) {
    SCOPED_TRACE(arguments.back());
    const StandardInput input(file);
    const CommandOutcome outcome = check(arguments);
    EXPECT_EQ(outcome.exit, ExitCode::violated);
    EXPECT_NE(outcome.out.find("-: not_linearizable (3 operations, 1 key, "), std::string::npos) << outcome.out;
  }
}

}  // namespace
}  // namespace shardcheck::cli
