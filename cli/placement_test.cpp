// shardcheck placement: what it prints of schemes and of programs, and what it refuses.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/command_fixture.h"
#include "cli/markup_text.h"

namespace shardcheck::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// As long wherever the program is: of a command that is longer than 120 bytes or so the end is left out.
const std::string kServed = [] {
  setenv("SERVED", SHARDCHECK_PROGRAM, 1);
  return std::string("\"$SERVED\" placement --serve");
}();

TEST(MarkupText, is_escaped_and_valid_whatever_it_was) {
  EXPECT_EQ(markup_escaped("<a href=\"x\">&'</a>"), "&lt;a href=&quot;x&quot;&gt;&amp;'&lt;/a&gt;");
  EXPECT_EQ(markup_escaped("\xc3\xa9 \xf0\x9f\x98\x80"), "\xc3\xa9 \xf0\x9f\x98\x80");
  EXPECT_EQ(markup_escaped("a\x01\x7f\xff\xc3(\xe2\x82"),
            "a???"
            "?(??");
  EXPECT_EQ(markup_escaped("a\xe2\x80\xae"
                           "b"),
            "a?b");  // U+202E, which turns the rest around
  EXPECT_EQ(markup_escaped("\xc0\x80\xed\xa0\x80"), "?????");
}

TEST_F(Commands, placement_prints_laws_and_figures) {
  const CommandOutcome outcome = command({"placement", "--cases", "20", "--keys", "2000"});

  EXPECT_EQ(outcome.exit, ExitCode::held);
  EXPECT_THAT(outcome.out, HasSubstr("P3  MinimalMovement       held"));
  EXPECT_THAT(outcome.out, HasSubstr("figures: 10 members, 2000 keys"));
  EXPECT_THAT(outcome.out, HasSubstr("strayed between others\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nwords\n  deviation: "));
  EXPECT_THAT(outcome.out, HasSubstr("\n  by chance: the deviation that so many keys"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  routing state  "));
}

// Who states nothing must not think that all is well.
TEST_F(Commands, placement_says_what_a_program_does_not_promise) {
  const CommandOutcome modulo =
      command({"placement", "--exec", kServed + " --scheme modulo", "--cases", "5", "--no-figures"});
  const CommandOutcome ring = command({"placement", "--cases", "5", "--keys", "3"});

  EXPECT_THAT(modulo.out, HasSubstr("\nP3  MinimalMovement       not promised"));
  EXPECT_THAT(modulo.out, HasSubstr("the program's answer to `hello` does not promise it: P3, P4"));
  EXPECT_THAT(ring.out, Not(HasSubstr("does not promise")));
  EXPECT_THAT(ring.out, HasSubstr("\n  without a key  "));
}

TEST_F(Commands, placement_tells_a_counter_example_in_words) {
  const CommandOutcome outcome = command({"placement", "--mutant", "ring_mod_n", "--cases", "20", "--no-figures"});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_THAT(outcome.out, HasSubstr("P3 MinimalMovement is violated"));
  EXPECT_THAT(outcome.out, HasSubstr("neither of which it is about\n  Before: members '"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  Then:   "));
  EXPECT_THAT(outcome.out, HasSubstr("\n  After:  members "));
  EXPECT_THAT(outcome.out, HasSubstr("placement --seed 1 --cases 20 --mutant ring_mod_n\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("figures")));
}

// Movement of a ring is exact: what does not go to the one that joins is a fault.
TEST_F(Commands, placement_measures_what_strays) {
  const auto strayed = [](const std::string& scheme) {
    const CommandOutcome outcome =
        command({"placement", "--scheme", scheme, "--cases", "1", "--keys", "5000", "--json"});
    const nlohmann::json document = nlohmann::json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(document.is_object()) << outcome.out;
    return document["figures"]["strayed_by_join"].get<double>();
  };

  EXPECT_EQ(strayed("ring"), 0.0);
  EXPECT_GT(strayed("ring+ring_mod_n"), 0.5);
}

TEST_F(Commands, placement_judges_a_program_as_json_and_junit) {
  const std::string junit = path("junit.xml");
  const CommandOutcome outcome = command({"placement", "--exec", kServed + " --scheme ring+ring_no_wrap", "--cases",
                                          "20", "--keys", "2000", "--json", "--junit", junit});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  const nlohmann::json document = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(document.is_object()) << outcome.out;
  EXPECT_EQ(document["placement"], "exec " + kServed + " --scheme ring+ring_no_wrap");
  EXPECT_EQ(document["rows"][1]["outcome"], "violated");
  EXPECT_EQ(document["rows"][2]["outcome"], "held");
  EXPECT_EQ(document["figures"]["loads"].size(), 10U);
  EXPECT_EQ(document["breakdown"], nullptr);
  EXPECT_THAT(read(junit), HasSubstr("tests=\"10\""));
  EXPECT_THAT(read(junit), HasSubstr("name=\"P2 RingCoverage\"><failure message=\"with members"));
  EXPECT_THAT(read(junit), HasSubstr("name=\"answers to the end\"></testcase>"));
}

TEST_F(Commands, placement_tells_where_a_program_died) {
  const CommandOutcome outcome = command({"placement", "--exec",
                                          "while read verb rest; do case $verb in hello|reset) echo ok;; add) exit 7;; "
                                          "*) echo error none;; esac; done"});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_THAT(outcome.out, HasSubstr("It stopped answering (first in case "));
  EXPECT_THAT(outcome.out, HasSubstr("  Found: the program ended with exit code 7 on the line 'add "));
  EXPECT_THAT(outcome.out, HasSubstr("  Smallest case, 0 steps:\nplacement exec while read"));
  EXPECT_THAT(outcome.out, HasSubstr("figures: not measured: it stopped answering\n"));
}

TEST_F(Commands, placement_refuses_a_program_that_is_none) {
  struct Case {
    std::string exec;
    std::string error;
  };
  for (const Case& each :
       {Case{"cat", "answered 'hello 1' to the line 'hello 1'"}, Case{"yes", "answered 'y'"},
        Case{"true", "ended with exit code 0 on the line 'hello 1'"}, Case{"sleep 100", "gave no answer within 300 ms"},
        Case{"no_such_command_at_all", "the shell found no such command"},
        Case{"a\nb", "--exec: the command must be one line"}}) {
    SCOPED_TRACE(each.exec);

    const CommandOutcome outcome = command({"placement", "--exec", each.exec, "--timeout", "300ms", "--json"});

    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_THAT(outcome.errors, HasSubstr(each.error));
    EXPECT_THAT(outcome.out, HasSubstr("\"error\""));
  }
}

TEST_F(Commands, placement_of_a_slow_program_ends_with_the_budget) {
  const CommandOutcome outcome = command(
      {"placement", "--exec", kServed + " | while read line; do sleep 0.02; echo \"$line\"; done", "--budget", "2s"});

  EXPECT_EQ(outcome.exit, ExitCode::undecided);
  EXPECT_THAT(outcome.out, HasSubstr("The time was up before all cases were judged"));
  EXPECT_THAT(outcome.out, HasSubstr("P9  ScatterOnLeave        not judged"));
  EXPECT_THAT(outcome.out, HasSubstr("figures: not measured: the time was up\n"));
}

// One case alone asks more questions than a second has room for.
TEST_F(Commands, placement_of_one_case_ends_with_the_budget) {
  const std::string file =
      write("case", "placement ring\nclause P1\nmember A 1 -\nmember B 1 -\nmember C 1 -\nkey k\nkey l\n");
  const std::string slow = kServed + " | while read line; do sleep 0.1; echo \"$line\"; done";

  const CommandOutcome outcome = command({"placement", "--exec", slow, "--case", file, "--budget", "700ms"});

  EXPECT_EQ(outcome.exit, ExitCode::undecided);
  EXPECT_THAT(outcome.out, HasSubstr("The time was up before all cases were judged"));
  EXPECT_THAT(outcome.out, HasSubstr("P1  RingDeterminism       not judged"));
}

TEST_F(Commands, placement_refuses_a_case_that_contradicts_itself) {
  struct Case {
    std::string lines;
    std::string error;
  };
  for (const Case& each : {Case{"member A 1 -\nmember A 1 -\n", ": line 4: there is a member A already"},
                           Case{"member A 0 -\n", ": line 3: the weight of a member must be a whole number from 1 to"},
                           Case{"edit remove B\n", ": line 3: there is no member B at this point"},
                           Case{"edit set_weight B 2\n", ": line 3: there is no member B at this point"},
                           Case{"virtual_nodes 3\nvirtual_nodes 3\n", ": line 4: virtual_nodes is given a second"},
                           Case{"position_bits 33\n", "must be a whole number from 1 to 32, not '33'"}}) {
    SCOPED_TRACE(each.lines);
    const std::string file = write("case", "placement ring\nclause P1\n" + each.lines);

    const CommandOutcome outcome = command({"placement", "--case", file});

    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_THAT(outcome.errors, HasSubstr(file));
    EXPECT_THAT(outcome.errors, HasSubstr(each.error));
  }
}

// Whatever the one case draws, somebody leaves.
TEST_F(Commands, placement_finds_in_one_case_that_nobody_may_leave) {
  for (const char* instead : {"hello 1", "remove nobody_of_this_name"}) {  // ignored, and refused
    SCOPED_TRACE(instead);
    const std::string deaf = "sed -u 's/^remove .*/" + std::string(instead) + "/' | " + kServed;

    const CommandOutcome outcome = command({"placement", "--exec", deaf, "--cases", "1", "--no-figures"});

    EXPECT_EQ(outcome.exit, ExitCode::violated);
    EXPECT_THAT(outcome.out, HasSubstr("P1 RingDeterminism is violated (first by case 1)"));
    EXPECT_THAT(outcome.out, HasSubstr("P2 RingCoverage is violated (first by case 1)"));
  }
}

TEST_F(Commands, placement_judges_a_case_by_the_scheme_that_it_is_of) {
  const std::string lines = "clause P2\nvirtual_nodes 1\nmember A 1 -\nkey k\n";

  const CommandOutcome jump = command({"placement", "--case", write("jump", "placement jump\n" + lines)});
  const CommandOutcome none = command({"placement", "--case", write("none", "placement no_such\n" + lines)});
  const CommandOutcome program =
      command({"placement", "--case", write("program", "placement exec python3 r.py\n" + lines)});

  EXPECT_EQ(jump.exit, ExitCode::held);
  EXPECT_THAT(jump.out, HasSubstr("placement jump, the case of "));
  EXPECT_EQ(none.exit, ExitCode::bad_input);
  EXPECT_THAT(none.errors, HasSubstr("there is no placement scheme 'no_such'"));
  EXPECT_EQ(program.exit, ExitCode::bad_input);
  EXPECT_THAT(program.errors, HasSubstr("give the program to judge by it, with --exec"));
}

TEST_F(Commands, list_names_the_placement_schemes) {
  const CommandOutcome listed = command({"list", "schemes"});

  EXPECT_THAT(listed.out, HasSubstr("ring\nrendezvous\n"));
  EXPECT_THAT(listed.out, HasSubstr("redis-slots\n"));
}

TEST_F(Commands, placement_judges_one_case_of_a_file) {
  const std::string file = write("case", "# kept\nplacement ring\nclause P2\nvirtual_nodes 1\nmember A 1 -\nkey k\n");

  const CommandOutcome held = command({"placement", "--case", file});
  const CommandOutcome missing = command({"placement", "--case", path("missing")});
  const CommandOutcome broken = command({"placement", "--case", write("broken", "placement ring\nclause M1\n")});

  EXPECT_EQ(held.exit, ExitCode::held);
  EXPECT_THAT(held.out, HasSubstr("P2  RingCoverage          held"));
  EXPECT_THAT(held.out, HasSubstr("P3  MinimalMovement       not observable"));
  EXPECT_EQ(missing.exit, ExitCode::bad_input);
  EXPECT_EQ(broken.exit, ExitCode::bad_input);
  EXPECT_THAT(broken.errors, HasSubstr("line 2: expected 'clause' and one of P1 to P9"));
}

TEST_F(Commands, placement_compares_schemes_as_tables_and_as_one_page) {
  const std::string html = path("page.html");
  const CommandOutcome outcome =
      command({"placement", "--compare", "ring,ring+ring_mod_n", "--exec", kServed + " --scheme ring # <b>&'\"",
               "--cases", "10", "--keys", "2000", "--html", html});

  EXPECT_EQ(outcome.exit, ExitCode::violated);
  EXPECT_THAT(outcome.out, HasSubstr("Laws (-: not promised"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  ring+ring_mod_n"));
  EXPECT_THAT(outcome.out, HasSubstr("range scan  hot partition  moved by a join"));
  const std::string page = read(html);
  EXPECT_LT(page.size(), 1'000'000U);
  EXPECT_THAT(page, HasSubstr("--scheme ring # &lt;b&gt;&amp;'&quot;"));
  EXPECT_THAT(page, Not(HasSubstr("<b>&'")));
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST_F(Commands, placement_page_tells_whole_names_units_and_words) {
  const std::string html = path("page.html");
  const std::string command_line = kServed + " --scheme ring # a name of more than sixty characters to its very last";

  const CommandOutcome outcome = command({"placement", "--compare", "ring,modulo,redis-slots", "--exec", command_line,
                                          "--cases", "2", "--keys", "1000", "--html", html});

  const std::string page = read(html);
  // A plot tells the name in several lines.
  const std::string joined = std::regex_replace(page, std::regex("</text>\n<text x=\"10\" y=\"[0-9.]+\">"), "");
  EXPECT_THAT(joined, HasSubstr("# a name of more than sixty characters to its very last</text>"));
  EXPECT_THAT(page, Not(HasSubstr("ellipsis")));
  for (const char* unit : {">keys of the most loaded member, in times the mean</text>", ">% of all keys</text>",
                           ">nanoseconds a key, many asked for at once</text>", ">members</text>",
                           "keys of a member, in times the mean of 100 keys</text>"}) {
    EXPECT_THAT(page, HasSubstr(unit));
  }
  for (const char* word : {"by chance", "strayed", "hot partition"}) {
    EXPECT_THAT(page, HasSubstr("<dt>" + std::string(word) + "</dt><dd>"));
    EXPECT_THAT(outcome.out, HasSubstr("\n  " + std::string(word) + ": "));
  }
  // 10 members of 8 bytes each, and of 4.
  EXPECT_THAT(outcome.out, testing::ContainsRegex("modulo [^\n]* 8\n"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("redis-slots [^\n]* 4\n"));
}

TEST_F(Commands, placement_comparison_is_one_document_of_json) {
  const CommandOutcome outcome =
      command({"placement", "--compare", "ring,ring", "--cases", "5", "--keys", "1000", "--members", "3", "--json"});

  EXPECT_EQ(outcome.exit, ExitCode::held);
  const nlohmann::json document = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(document.is_object()) << outcome.out;
  EXPECT_EQ(document["schemes"].size(), 2U);
  EXPECT_EQ(document["schemes"][1]["figures"]["members"], 3);
  EXPECT_EQ(document["verdict"], "held");
}

TEST_F(Commands, placement_refuses_absurd_parameters) {
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--members", "0"},
                                             {"--members", "-1"},
                                             {"--members", "4097"},
                                             {"--members", "99999999999999999999"},
                                             {"--virtual-nodes", "0"},
                                             {"--virtual-nodes", "100001"},
                                             {"--members", "4096", "--virtual-nodes", "100000"},
                                             {"--keys", "0"},
                                             {"--keys", "1e6"},
                                             {"--keys", "99999999999"},
                                             {"--scheme", "no_such"},
                                             {"--scheme", ""},
                                             {"--scheme", "ring", "--exec", "cat"},
                                             {"--compare", "ring,no_such"},
                                             {"--compare", "ring,,ring"},
                                             {"--compare", "ring,"},
                                             {"--compare", ""},
                                             {"--exec", ""},
                                             {"--timeout", "1s"},
                                             {"--budget", "0s"},
                                             {"--budget", "soon"},
                                             {"--exec", "cat", "--timeout", "0s"},
                                             {"--exec", "cat", "--timeout", "soon"},

                                             {"--html", "/dev/null/page"},
                                             {"--junit", "/dev/null/x"},
                                             {"--demo", "--scheme", "ring"}}) {
    std::vector<std::string> arguments{"placement"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    SCOPED_TRACE(testing::PrintToString(arguments));

    const CommandOutcome outcome = command(arguments);

    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.errors, "");
  }
}

TEST_F(Commands, placement_says_what_it_could_not_write) {
  for (const char* flag : {"--junit", "--html"}) {
    const CommandOutcome outcome = command({"placement", "--cases", "2", "--keys", "100", flag, "/dev/full"});

    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_THAT(outcome.errors, HasSubstr("/dev/full: cannot write: No space left on device"));
  }
}

}  // namespace
}  // namespace shardcheck::cli
