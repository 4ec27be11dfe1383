#include "histories/contradiction_words.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "histories/checker.h"
#include "histories/explain.h"
#include "histories/story_fixture.h"

namespace shardcheck::histories {
namespace {

std::string sentence_about(const History& history) {
  const CheckReport report = check(history);
  const std::optional<Explanation>& explanation = report.keys.front().explanation;
  return explanation ? explanation->sentence : std::string();
}

TEST(ContradictionWords, of_a_read_that_misses_an_append_which_later_reads_show_calls_the_read_stale) {
  const History history =
      story({R"(0 invoke append "1.")", R"(0 ok append "1.")", R"(0 invoke append "2.")", R"(0 ok append "2.")",
             "1 invoke read null", R"(1 ok read "1.")", "1 invoke read null", R"(1 ok read "1.2.")"});

  EXPECT_EQ(sentence_about(history),
            "the read at line 6 returned \"1.\", but the append of \"2.\" was acknowledged (line 4) before it began: "
            "the read is stale, as the last read (line 8) shows it");
}

TEST(ContradictionWords, of_a_read_that_misses_an_append_which_no_later_read_shows_calls_the_append_lost) {
  const History history =
      story({R"(0 invoke append "1.")", R"(0 ok append "1.")", R"(0 invoke append "2.")", R"(0 ok append "2.")",
             "1 invoke read null", R"(1 ok read "1.")", "1 invoke read null", R"(1 ok read "1.")"});

  EXPECT_EQ(sentence_about(history),
            "the read at line 6 returned \"1.\", but the append of \"2.\" was acknowledged (line 4) before it began: "
            "the append is lost, as the last read (line 8) does not show it either");
}

TEST(ContradictionWords, of_strings_without_a_separator_is_told_by_their_pieces) {
  const History lost = story({R"(0 invoke append "a")", R"(0 ok append "a")", R"(0 invoke append "b")",
                              R"(0 ok append "b")", "1 invoke read null", R"(1 ok read "a")"});
  const History gap =
      story({R"(0 invoke append "a")", R"(0 ok append "a")", R"(0 invoke append "b")", R"(0 ok append "b")",
             R"(0 invoke append "c")", R"(0 ok append "c")", "1 invoke read null", R"(1 ok read "ac")"});
  const History unknown = story({R"(0 invoke append "ab")", R"(0 ok append "ab")", R"(0 invoke append "cd")",
                                 R"(0 ok append "cd")", "1 invoke read null", R"(1 ok read "abcdx")"});

  EXPECT_EQ(sentence_about(lost),
            "the read at line 6 returned \"a\", but the append of \"b\" was acknowledged (line 4) before it began: the "
            "append is lost, or the read is stale: nothing was read later");
  EXPECT_EQ(
      sentence_about(gap),
      "the read at line 8 returned \"ac\", but the append of \"b\" was acknowledged (line 4) before it began: the "
      "append is lost, as \"c\", which was asked for later, is there");
  EXPECT_EQ(sentence_about(unknown), "the read at line 6 returned \"abcdx\", but nobody had appended \"x\"");
}

TEST(ContradictionWords, of_strings_that_begin_with_one_another_is_told_by_what_is_missing) {
  const History nowhere = story({R"(0 invoke append "a")", R"(0 ok append "a")", R"(0 invoke append "ab")",
                                 R"(0 ok append "ab")", "1 invoke read null", R"(1 ok read "a")"});
  const History too_short =
      story({R"(0 invoke append "a")", R"(0 ok append "a")", R"(0 invoke append "a")", R"(0 ok append "a")",
             "1 invoke read null", R"(1 ok read "a")", R"(0 invoke append "ab")"});

  EXPECT_EQ(sentence_about(nowhere),
            "the read at line 6 returned \"a\", but the append of \"ab\", which is nowhere in it, was acknowledged "
            "(line 4) before it began");
  EXPECT_EQ(sentence_about(too_short),
            "the read at line 6 returned \"a\", which is shorter than what had been appended and acknowledged before "
            "it began (lines 2 and 4)");
}

TEST(ContradictionWords, of_a_stale_read_is_proved_by_what_happened_shortly_before) {
  const auto is_proved = [](const std::vector<std::string>& lines) {
    const History history = story(lines);
    Partition partition;
    partition.cut(history);
    KeyHistory whole;
    partition.key_history(0, whole);
    const Decide decide = [&](KeyHistory& tried) {
      Search search;
      return search.run(tried, structure_of(tried), {.steps_max = 1'000, .memory_bytes_max = 1'000'000}).verdict;
    };
    return is_contradicted_nearby(whole, whole.operations.back(), decide);
  };

  EXPECT_TRUE(is_proved({"0 invoke write 1", "0 ok write 1", "0 invoke write 1", "0 ok write 1", "0 invoke write 2",
                         "0 ok write 2", "1 invoke read null", "1 ok read 1"}));
  EXPECT_FALSE(is_proved({"0 invoke write 1", "0 ok write 1", "0 invoke write 2", "0 ok write 2", "2 invoke write 1",
                          "1 invoke read null", "1 ok read 1"}));
}

TEST(ContradictionWords, of_an_append_that_was_refused_and_asked_for_again_later) {
  const History history = story({"0 invoke append [1]", "0 fail append [1]", "1 invoke read null", "1 ok read [1]",
                                 "0 invoke append [1]", "0 ok append [1]"});

  EXPECT_EQ(sentence_about(history),
            "the read at line 4 returned [1], but its append was refused (line 2), and it was asked for again only "
            "afterwards (line 5)");
}

}  // namespace
}  // namespace shardcheck::histories
