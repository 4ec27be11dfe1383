// The exit codes of shardcheck check: what scripts rely on.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/check_fixture.h"

namespace shardcheck::cli {
namespace {

using Outcome = CommandOutcome;

TEST(Check, holds_when_all_files_are_linearizable) {
  const Outcome outcome = check({kGood});

  EXPECT_EQ(outcome.exit, ExitCode::held);
  EXPECT_NE(outcome.out.find("redis-client-noasking-1.jsonl.gz: linearizable (1759 operations"), std::string::npos);
}

TEST(Check, is_violated_when_one_file_is_not_linearizable) {
  const Outcome outcome = check({kGood, kBad, "--all"});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_NE(outcome.out.find("\n  {b}:r0: not_linearizable: the "), std::string::npos);
}

TEST(Check, reports_bad_input_and_judges_the_other_files) {
  const Outcome outcome = check({kBroken, kBad, "--json"});

  EXPECT_EQ(outcome.exit, ExitCode::bad_input);
  EXPECT_NE(outcome.errors.find("truncated.jsonl:4: not JSON"), std::string::npos);
  const nlohmann::json rows = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["file"], kBroken);
  EXPECT_EQ(rows[0]["error"]["where"], kBroken + ":4");
  EXPECT_EQ(rows[1]["file"], kBad);
  EXPECT_EQ(rows[1]["verdict"], "not_linearizable");
  EXPECT_EQ(rows[1]["operations"], 201);
  EXPECT_TRUE(rows[1]["seconds"].is_number());
  ASSERT_EQ(rows[1]["keys"].size(), 5U);
  EXPECT_EQ(rows[1]["keys"][0]["key"], "{b}:a0");
  EXPECT_EQ(rows[1]["keys"][0]["verdict"], "not_linearizable");
  EXPECT_EQ(rows[1]["keys"][0]["method"], "log");
}

class CheckFile : public Commands {};

TEST_F(CheckFile, says_what_contradicts_and_what_still_holds) {
  const Outcome outcome = check({write("stale.jsonl", std::string(kStale))});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_NE(
      outcome.out.find(
          "  k: not_linearizable: the read at line 6 returned 1, but 2 was acknowledged (line 4) before it "
          "began, and 1 was written before that (line 2)\n"
          "    its first 2 answers, until line 4, can be explained; contradictory: lines 1 and 2; 3 and 4; 5 and 6\n"
          "    sequentially consistent: yes, monotonic reads: yes, reads its own writes: yes\n"
          "    1 stale read (line 6)\n"
          "    stalest: by 2.000 ms (line 6), by 1 version (line 6)\n"),
      std::string::npos)
      << outcome.out;
}

TEST_F(CheckFile, says_the_same_to_programs) {
  const Outcome outcome = check({write("stale.jsonl", std::string(kStale)), "--json"});

  const nlohmann::json row = nlohmann::json::parse(outcome.out)[0]["keys"][0];
  EXPECT_EQ(row["explanation"]["line"], 6);
  EXPECT_EQ(row["explanation"]["is_minimal"], true);
  EXPECT_EQ(row["explanation"]["linearizable_prefix"]["answers"], 2);
  EXPECT_EQ(row["explanation"]["window"]["begin"], 1'000'000);
  ASSERT_EQ(row["explanation"]["contradiction"].size(), 3U);
  EXPECT_EQ(row["explanation"]["contradiction"][2]["f"], "read");
  EXPECT_EQ(row["explanation"]["contradiction"][2]["return_line"], 6);
  EXPECT_EQ(row["classification"]["sequential"], "yes");
  EXPECT_EQ(row["classification"]["stale_reads"]["count"], 1);
  EXPECT_EQ(row["classification"]["worst_staleness"]["nanoseconds"], 2'000'000);
  EXPECT_EQ(row["availability"]["successes"], 3);
  EXPECT_EQ(row["availability"]["dead"], nullptr);
}

TEST_F(CheckFile, a_clock_error_makes_what_is_close_concurrent) {
  const std::string file = write("stale.jsonl", std::string(kStale));

  // Between the two writes is 1 ms.
  EXPECT_EQ(check({file, "--clock-error", "499us"}).exit, ExitCode::violated);
  EXPECT_EQ(check({file, "--clock-error", "500us"}).exit, ExitCode::held);
}

TEST_F(CheckFile, a_key_on_which_nothing_succeeds_any_more_is_told_and_violated_when_asked_for) {
  std::string text(kStale.substr(0, kStale.find(R"({"process":0,"type":"invoke","f":"write","key":"k","value":2)")));
  for (int i = 0; i < 3; ++i) {
    const std::string line = R"({"process":2,"f":"read","key":"k","value":null,"time":)" + std::to_string(5 + i);
    text += line + R"(000000,"type":"invoke"})" + "\n" + line + R"(000000,"type":"info"})" + "\n";
  }
  const std::string file = write("dead.jsonl", text);

  const Outcome told = check({file});
  EXPECT_EQ(told.exit, ExitCode::held);
  EXPECT_NE(told.out.find("  k: dead: nothing succeeded for 2.000 ms, from 5.000 ms to the end, though 3 operations "
                          "waited (the first, of process 2, at line 3)\n"),
            std::string::npos)
      << told.out;
  EXPECT_EQ(check({file, "--availability", "5s"}).exit, ExitCode::violated);
}

TEST_F(CheckFile, a_long_time_without_a_success_is_violated_when_asked_for) {
  const std::string file = write(
      "slow.jsonl",
      std::string(kStale.substr(0, kStale.find(R"({"process":0,"type":"invoke","f":"write","key":"k","value":2)"))));

  EXPECT_EQ(check({file, "--availability", "1ms"}).exit, ExitCode::held);
  const Outcome outcome = check({file, "--availability", "900us"});
  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_NE(outcome.out.find("  k: unavailable: nothing succeeded for 1.000 ms, from 1.000 ms to 2.000 ms"),
            std::string::npos)
      << outcome.out;
}

// A value that is written twice has to be searched for.
constexpr std::string_view kTwice =
    R"({"process":0,"type":"invoke","f":"write","key":"k","value":1,"time":1}
{"process":0,"type":"ok","f":"write","key":"k","value":1,"time":2}
{"process":0,"type":"invoke","f":"write","key":"k","value":2,"time":3}
{"process":1,"type":"invoke","f":"write","key":"k","value":1,"time":4}
{"process":0,"type":"ok","f":"write","key":"k","value":2,"time":5}
{"process":1,"type":"ok","f":"write","key":"k","value":1,"time":6}
{"process":1,"type":"invoke","f":"read","key":"k","value":null,"time":7}
{"process":1,"type":"ok","f":"read","key":"k","value":2,"time":8}
)";

TEST_F(CheckFile, is_undecided_without_a_step_or_time_or_memory_and_says_which_flag_gives_more) {
  struct Case {
    std::string flag;
    std::string value;
    std::string reason;
  };
  const std::string file = write("twice.jsonl", std::string(kTwice));
  ASSERT_EQ(check({file}).exit, ExitCode::held);

  for (const Case& one : std::vector<Case>{{"--steps", "1", "it took more steps than --steps allows"},
                                           {"--budget", "0s", "the time of --budget was up"},
                                           {"--memory", "600B", "it needed more memory than --memory allows"}}) {
    SCOPED_TRACE(one.flag);
    const Outcome outcome = check({file, one.flag, one.value});
    EXPECT_EQ(outcome.exit, ExitCode::undecided);
    EXPECT_NE(outcome.out.find("undecided: " + one.reason), std::string::npos) << outcome.out;
  }
}

// The whole of a history is read, or nothing of it is judged.
TEST_F(CheckFile, that_takes_too_much_to_be_read_is_undecided) {
  std::string text;
  for (int i = 0; i < 500; ++i) {
    const std::string line = R"({"process":0,"f":"write","key":"k","value":)" + std::to_string(i) + R"(,"time":)" +
                             std::to_string(i) + R"(,"type":)";
    text += line + "\"invoke\"}\n" + line + "\"ok\"}\n";
  }
  const std::string file = write("long.jsonl", text);

  const Outcome memory = check({file, "--memory", "10KiB"});
  EXPECT_EQ(memory.exit, ExitCode::undecided);
  EXPECT_NE(memory.out.find("  nothing was judged: while reading " + file + ":"), std::string::npos) << memory.out;
  EXPECT_NE(memory.out.find(", it needed more memory than --memory allows\n"), std::string::npos) << memory.out;
  const Outcome time = check({file, "--budget", "0s", "--json", "--html", path("none.html")});
  EXPECT_EQ(time.exit, ExitCode::undecided);
  EXPECT_EQ(nlohmann::json::parse(time.out)[0]["reason"], "the time of --budget was up");
  EXPECT_EQ(nlohmann::json::parse(time.out)[0]["stopped_at"], file + ":64");
  // Enough for the history, and not for judging it.
  const Outcome both = check({file, "--memory", "60KiB"});
  EXPECT_EQ(both.exit, ExitCode::undecided);
  EXPECT_NE(both.out.find("  k: undecided: it needed more memory than --memory allows"), std::string::npos) << both.out;
}

// Never a wrong verdict, and never an error, however little a run may take.
TEST_F(CheckFile, is_never_judged_wrongly_for_want_of_anything) {
  const std::string hard = write("twice.jsonl", std::string(kTwice));
  const std::string stale = write("stale.jsonl", std::string(kStale));
  for (const std::string& file : {kGood, kBad, hard, stale}) {
    const ExitCode right = check({file}).exit;
    for (const auto& [flag, value] : std::vector<std::pair<std::string, std::string>>{{"--memory", "0B"},
                                                                                      {"--memory", "1KiB"},
                                                                                      {"--memory", "20KiB"},
                                                                                      {"--memory", "300KiB"},
                                                                                      {"--budget", "0s"},
                                                                                      {"--budget", "1us"},
                                                                                      {"--budget", "1ms"},
                                                                                      {"--budget", "5ms"},
                                                                                      {"--steps", "0"},
                                                                                      {"--steps", "10"},
                                                                                      {"--steps", "1000"}}) {
      SCOPED_TRACE(file + " " + flag + " " + value);
      const ExitCode exit = check({file, flag, value}).exit;
      EXPECT_TRUE(exit == right || exit == ExitCode::undecided) << static_cast<int>(exit);
    }
  }
}

TEST_F(CheckFile, an_undecided_key_says_how_far_it_got) {
  const Outcome outcome = check({write("twice.jsonl", std::string(kTwice)), "--steps", "1", "--json"});

  EXPECT_EQ(outcome.exit, ExitCode::undecided);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)[0]["keys"][0]["reached"]["answers"], 2) << outcome.out;
}

TEST_F(CheckFile, a_byte_order_mark_is_named) {
  const std::string file = write("marked.jsonl", "\xef\xbb\xbf{\"process\":0,\"type\":\"invoke\"}\n");

  const Outcome outcome = check({file});

  EXPECT_EQ(outcome.exit, ExitCode::bad_input);
  EXPECT_NE(outcome.errors.find(file + ":1: the file begins with a byte order mark"), std::string::npos);
}

TEST_F(CheckFile, what_would_steer_a_terminal_is_shown_by_its_number) {
  const std::string file =
      write("steering.jsonl",
            R"({"process":0,"type":"invoke","f":"read","key":"a\u001b[2J\u0085b","value":null,"time":1}
{"process":0,"type":"ok","f":"read","key":"a\u001b[2J\u0085b","value":7,"time":2}
)");

  const Outcome outcome = check({file});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_NE(outcome.out.find("  a\\x1b[2J\\x85b: not_linearizable"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
}

TEST_F(CheckFile, what_would_reorder_or_hide_text_is_shown_by_its_number) {
  const std::string file =
      write("bidi.jsonl",
            R"({"process":0,"type":"invoke","f":"read","key":"a\u202eb\u200b\u2066\u00e9","value":null,"time":1}
{"process":0,"type":"ok","f":"read","key":"a\u202eb\u200b\u2066\u00e9","value":7,"time":2}
)");

  const Outcome outcome = check({file});

  EXPECT_NE(outcome.out.find("  a\\u202eb\\u200b\\u2066\u00e9: not_linearizable"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("\xe2\x80\xae"), std::string::npos);
}

std::uint64_t keys_with(const nlohmann::json& row, const std::string& verdict) {
  std::uint64_t count = 0;
  for (const nlohmann::json& key : row["keys"]) {
    count += key["verdict"] == verdict ? 1U : 0U;
  }
  return count;
}

TEST(Check, stops_at_the_first_violated_key_and_says_what_it_did_not_judge) {
  const Outcome outcome = check({kBad});
  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_NE(outcome.out.find("(201 operations, 5 keys, "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\n  4 of 5 keys were not judged: the first that is violated ended the work; --all judges "
                             "every key\n"),
            std::string::npos)
      << outcome.out;

  const nlohmann::json row = nlohmann::json::parse(check({kBad, "--json"}).out)[0];
  EXPECT_EQ(row["keys_not_judged"], 4);
  EXPECT_EQ(keys_with(row, "not_linearizable"), 1U);
  EXPECT_EQ(keys_with(row, "not_judged"), 4U);
}

TEST(Check, judges_every_key_when_told_to) {
  const Outcome outcome = check({kBad, "--all"});
  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_EQ(outcome.out.find("not judged"), std::string::npos) << outcome.out;

  const nlohmann::json row = nlohmann::json::parse(check({kBad, "--json", "--all"}).out)[0];
  EXPECT_EQ(row["keys_not_judged"], 0);
  EXPECT_EQ(keys_with(row, "not_linearizable"), 4U);
  EXPECT_EQ(keys_with(row, "linearizable"), 1U);
}

// "Linearizable" is only ever said of a history of which every key was judged.
TEST(Check, judges_every_key_of_a_history_that_is_linearizable) {
  const nlohmann::json row = nlohmann::json::parse(check({kGood, "--json"}).out)[0];
  EXPECT_EQ(row["keys_not_judged"], 0);
  EXPECT_EQ(keys_with(row, "linearizable"), row["keys"].size());
}

TEST(Check, refuses_wrong_usage) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {kGood, "--budget", "soon"},
                                             {kGood, "--budget", "-1s"},
                                             {kGood, "--steps", "-1"},
                                             {kGood, "--memory", "lots"},
                                             {kGood, "--memory", "-1"},
                                             {kGood, "--memory", "16EiB"},
                                             {kGood, "--clock-error", "-1s"},
                                             {kGood, "--availability", "x"},
                                             {kGood, "--availability", "0"},
                                             {kGood, "--no-such-flag"}}) {
    SCOPED_TRACE(arguments.size() < 2 ? "no file" : arguments[1] + " " + arguments.back());
    EXPECT_EQ(check(arguments).exit, ExitCode::bad_input);
  }
}

TEST(Check, names_the_flag_of_a_value_that_it_refuses) {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  for (const Case& one : std::vector<Case>{
           {{""}, "FILE: it is empty"},
           {{kGood, "--memory", "99999999999999999999"}, "--memory: '99999999999999999999' must be a size such as "},
           {{kGood, "--memory", "16777216TiB"}, "--memory: '16777216TiB' must be a size such as "},
           {{kGood, "--availability", "0"}, "--availability: it must be a time such as 60s, from 1ns to 1000h"},
           {{kGood, "--availability", "0s"}, "--availability: it must be a time such as 60s, from 1ns to 1000h"}}) {
    SCOPED_TRACE(one.arguments.back());
    const Outcome outcome = check(one.arguments);
    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_NE(outcome.errors.find(one.message), std::string::npos) << outcome.errors;
  }
}

TEST_F(CheckFile, that_is_empty_has_no_line_that_could_be_named) {
  const std::string file = write("empty.jsonl", "");

  const Outcome outcome = check({file});

  EXPECT_EQ(outcome.exit, ExitCode::bad_input);
  EXPECT_NE(outcome.errors.find(file + ": the history ends without a single operation"), std::string::npos)
      << outcome.errors;
}

TEST(Check, takes_units_of_time_and_memory) {
  EXPECT_EQ(check({kGood, "--budget", "60s", "--memory", "1GiB"}).exit, ExitCode::held);
  EXPECT_EQ(check({kGood, "--budget", "1m", "--memory", "512MiB"}).exit, ExitCode::held);
  EXPECT_EQ(check({kGood, "--budget", "30"}).exit, ExitCode::held);
}

}  // namespace
}  // namespace shardcheck::cli
