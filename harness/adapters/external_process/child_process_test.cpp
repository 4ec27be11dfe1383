#include "harness/adapters/external_process/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <fstream>

namespace shardcheck::external {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr milliseconds kLong{30'000};
constexpr milliseconds kShort{300};

// What the program's first question ends in, as an error. A program reads the question before it answers: an answer
// that comes before is one that nobody asked for.
std::string error_of(const std::string& command, milliseconds timeout = kLong, const std::string& line = "hello 1") {
  const auto process = ChildProcess::start(command);
  if (!process) {
    return to_string(process.error());
  }
  const Result<std::string> answer = (*process)->ask(line, timeout);
  return answer ? "answered " + *answer : to_string(answer.error());
}

TEST(ChildProcess, answers_a_line_with_a_line) {
  const auto process = ChildProcess::start("cat").value();

  EXPECT_EQ(process->ask("one two", kLong).value(), "one two");
  EXPECT_EQ(process->ask("", kLong).value(), "");
  const std::string long_line(3'000'000, 'x');
  EXPECT_EQ(process->ask(long_line, kLong).value(), long_line);
}

TEST(ChildProcess, a_carriage_return_is_no_part_of_an_answer) {
  EXPECT_EQ(error_of("read line; printf 'ok\\r\\n'; cat"), "answered ok");
}

TEST(ChildProcess, says_how_a_program_ended) {
  EXPECT_EQ(error_of("true"), "child process 'true': the program ended with exit code 0 on the line 'hello 1'");
  EXPECT_THAT(error_of("no_such_command_at_all"),
              HasSubstr("ended with exit code 127 (the shell found no such command) on the line 'hello 1'"));
  EXPECT_THAT(error_of("kill -9 $$"), HasSubstr("was killed by signal 9 on the line"));
  EXPECT_THAT(error_of("echo first >&2; echo 'second one' >&2; exit 3"),
              HasSubstr("ended with exit code 3 on the line 'hello 1'; its standard error says: second one"));
}

TEST(ChildProcess, a_line_that_never_ends_is_no_answer) {
  EXPECT_THAT(error_of("read line; printf 'ok\\377\\001'"),
              HasSubstr("ended with exit code 0 after 'ok%FF%01' without an end of line"));
  EXPECT_THAT(error_of("read line; head -c 1000000000 /dev/zero"),
              HasSubstr("wrote more than 16 MiB without an end of line"));
  EXPECT_THAT(error_of("read line; printf ok; sleep 100", kShort),
              HasSubstr("gave no answer within 300 ms but 'ok' without an end"));
}

TEST(ChildProcess, silence_ends_with_the_time) {
  EXPECT_THAT(error_of("sleep 100", kShort), HasSubstr("gave no answer within 300 ms on the line 'hello 1'"));
  EXPECT_THAT(error_of("yes >&2", kShort), HasSubstr("gave no answer within 300 ms"));
  EXPECT_THAT(error_of("kill -STOP $$", kShort), HasSubstr("gave no answer within 300 ms"));
}

TEST(ChildProcess, closed_ends_are_told) {
  EXPECT_THAT(error_of("exec 1>&-; sleep 100"), HasSubstr("closed its standard output"));
  EXPECT_THAT(error_of("exec 0<&-; sleep 100", kShort, std::string(5'000'000, 'x')), HasSubstr("gave no answer"));
  EXPECT_THAT(error_of("exec 0<&-; exec 1>&-; sleep 1; exit 4", kLong, std::string(5'000'000, 'x')),
              HasSubstr("closed its standard output"));
}

TEST(ChildProcess, answers_that_nobody_asked_for_are_told) {
  const auto process = ChildProcess::start("read line; yes").value();

  EXPECT_EQ(process->ask("hello 1", kLong).value(), "y");
  EXPECT_THAT(to_string(process->ask("reset 1 32", kLong).error()), HasSubstr("wrote 'y%0Ay%0A"));
}

std::string state_of(const std::string& process_id) {
  std::ifstream status("/proc/" + process_id + "/stat");
  std::string number, name, state = "gone";
  status >> number >> name >> state;
  return state;
}

TEST(ChildProcess, nothing_that_it_started_outlives_it) {
  auto process = ChildProcess::start("sleep 1000 & read line; echo $!; sleep 1000").value();
  const std::string grandchild = process->ask("first", kLong).value();
  ASSERT_NE(state_of(grandchild), "gone");

  process.reset();

  // Gone, or dead and waiting for whoever inherited it; a signal takes a moment.
  for (int tries = 0; tries < 1'000 && state_of(grandchild).find_first_of("RSD") == 0; ++tries) {
    const timespec pause{.tv_sec = 0, .tv_nsec = 10'000'000};
    nanosleep(&pause, nullptr);
  }
  EXPECT_THAT(state_of(grandchild), testing::AnyOf("gone", "Z", "X"));
}

TEST(ChildProcess, foreign_text_is_shown_on_one_short_line) {
  EXPECT_EQ(shown("a b\n\x80"), "a b%0A%80");
  EXPECT_EQ(shown("0123456789", 4), "0123... (10 bytes)");
}

}  // namespace
}  // namespace shardcheck::external
