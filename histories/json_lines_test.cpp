#include "histories/json_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "histories/history_writer.h"
#include "histories/random_history.h"

namespace shardcheck::histories {
namespace {

using testing::HasSubstr;

const std::string kInvoke = R"({"process":0,"type":"invoke","f":"write","key":"k","value":1,"time":10})"
                            "\n";

struct BrokenText {
  std::string name;
  std::string text;
  std::string where;
  std::string what;
};

std::vector<BrokenText> broken_texts() {
  const std::string million_digits(1'000'000, '7');
  const std::string deep = std::string(40, '[') + std::string(40, ']');
  return {
      {"empty", "", "h", "without a single operation"},
      {"blank lines only", "\n\n", "h:2", "without a single operation"},
      {"nemesis only", R"({"process":"nemesis","type":"info","f":"cut","key":null,"value":null,"time":1})", "h:1",
       "without a single operation"},
      {"truncated", kInvoke + R"({"process":0,"type":"ok","f":"wri)", "h:2", "not JSON"},
      {"two objects in a line", R"({"process":0}{"process":1})", "h:1", "not JSON"},
      {"no object", kInvoke + "[1]", "h:2", "not a JSON object"},
      {"zeros", std::string(1000, '\0'), "h:1", "not JSON"},
      {"binary", "\x7f\x45\x4c\x46\xff\xfe\x01\n", "h:1", "not JSON"},
      {"value of a million digits",
       R"({"process":0,"type":"invoke","f":"write","key":"k","value":)" + million_digits + "}", "h:1", "not JSON"},
      {"value beyond 64 bits", R"({"process":0,"type":"invoke","f":"write","key":"k","value":9223372036854775808})",
       "h:1", "does not fit"},
      {"value that is a fraction", R"({"process":0,"type":"invoke","f":"write","key":"k","value":1.5})", "h:1",
       "\"value\" is not"},
      {"value that is an object", R"({"process":0,"type":"invoke","f":"write","key":"k","value":{}})", "h:1",
       "\"value\" is not"},
      {"value nested too deep", R"({"process":0,"type":"invoke","f":"write","key":"k","value":)" + deep + "}", "h:1",
       "nested deeper"},
      {"write without value", R"({"process":0,"type":"invoke","f":"write","key":"k"})", "h:1", "needs a \"value\""},
      {"append of nothing", R"({"process":0,"type":"invoke","f":"append","key":"k","value":null})", "h:1",
       "an append needs"},
      {"cas of one value", R"({"process":0,"type":"invoke","f":"cas","key":"k","value":[1]})", "h:1", "[from, to]"},
      {"incr by more", R"({"process":0,"type":"invoke","f":"incr","key":"k","value":2})", "h:1", "always adds one"},
      {"return without call", R"({"process":0,"type":"ok","f":"read","key":"k","value":1})", "h:1",
       "has invoked nothing"},
      {"two calls at once", kInvoke + kInvoke, "h:2", "of line 1 has not returned"},
      {"return of another key", kInvoke + R"({"process":0,"type":"ok","f":"write","key":"j","value":1,"time":11})",
       "h:2", "but invoked write of key \"k\" in line 1"},
      {"return of another f", kInvoke + R"({"process":0,"type":"ok","f":"read","key":"k","value":1,"time":11})", "h:2",
       "but invoked write"},
      {"echo of another value", kInvoke + R"({"process":0,"type":"ok","f":"write","key":"k","value":2,"time":11})",
       "h:2", "not the one of its invocation"},
      {"answer without value",
       R"({"process":0,"type":"invoke","f":"read","key":"k"})"
       "\n"
       R"({"process":0,"type":"ok","f":"read","key":"k"})",
       "h:2", "has no \"value\""},
      {"incr answered by a string",
       R"({"process":0,"type":"invoke","f":"incr","key":"k"})"
       "\n"
       R"({"process":0,"type":"ok","f":"incr","key":"k","value":"1"})",
       "h:2", "not a number"},
      {"negative time", R"({"process":0,"type":"invoke","f":"read","key":"k","time":-1})", "h:1", "negative"},
      {"absurd time", R"({"process":0,"type":"invoke","f":"read","key":"k","time":18446744073709551615})", "h:1",
       "too large"},
      {"time that is a fraction", R"({"process":0,"type":"invoke","f":"read","key":"k","time":1e300})", "h:1",
       "not a whole number"},
      {"time that is a string", R"({"process":0,"type":"invoke","f":"read","key":"k","time":"1"})", "h:1",
       "not a whole number"},
      {"time that goes backwards", kInvoke + R"({"process":1,"type":"invoke","f":"read","key":"k","time":9})", "h:2",
       "backwards, from 10 to 9"},
      {"time that is missing later", kInvoke + R"({"process":1,"type":"invoke","f":"read","key":"k"})", "h:2",
       "is missing"},
      {"key that is a list", R"({"process":0,"type":"invoke","f":"read","key":[1]})", "h:1", "\"key\" is neither"},
      {"key that is null", R"({"process":0,"type":"invoke","f":"read","key":null})", "h:1", "\"key\" is neither"},
      {"key of another type than before", kInvoke + R"({"process":1,"type":"invoke","f":"read","key":1,"time":11})",
       "h:2", "a string in some lines"},
      {"key that is missing", R"({"process":0,"type":"invoke","f":"read"})", "h:1", "\"key\" is missing"},
      {"process that is missing", R"({"type":"invoke","f":"read","key":"k"})", "h:1", "\"process\" is missing"},
      {"process that is a list", R"({"process":[],"type":"invoke","f":"read","key":"k"})", "h:1",
       "\"process\" is neither"},
      {"unknown f", R"({"process":0,"type":"invoke","f":"swap","key":"k"})", "h:1", "\"swap\", not one of"},
      {"unknown type", R"({"process":0,"type":"begin","f":"read","key":"k"})", "h:1", "\"begin\", not one of"},
      {"type that is a number", R"({"process":0,"type":1,"f":"read","key":"k"})", "h:1", "\"type\" is missing or not"},
      {"field given twice", R"({"process":0,"process":1,"type":"invoke","f":"read","key":"k"})", "h:1", "given twice"},
  };
}

TEST(JsonLines, refuse_broken_input_with_its_place) {
  for (const BrokenText& broken : broken_texts()) {
    SCOPED_TRACE(broken.name);
    const Result<History> history = parse_json_lines(broken.text, "h");
    ASSERT_FALSE(history);
    EXPECT_EQ(history.error().where, broken.where);
    EXPECT_THAT(history.error().what, HasSubstr(broken.what));
  }
}

TEST(JsonLines, refuse_a_line_of_100_megabytes) {
  const std::string text = kInvoke + std::string(100'000'000, ' ');

  const Result<History> history = parse_json_lines(text, "h");

  ASSERT_FALSE(history);
  EXPECT_EQ(to_string(history.error()), "h:2: the line is longer than 64 MiB");
}

TEST(JsonLines, become_operations) {
  const Result<History> read = parse_json_lines(
      R"({"process":3,"type":"invoke","f":"cas","key":"k","value":[null,"a"],"time":5,"node":1}
{"process":"nemesis","type":"info","f":"cut 1 2","key":null,"value":{"any":[1.5]},"time":6}
{"process":4,"type":"invoke","f":"get","key":"k","value":null,"time":6}

{"process":4,"type":"ok","f":"read","key":"k","value":["a",[1]],"time":7}
{"process":3,"type":"info","f":"cas","key":"k","value":"timed out","time":7}
{"process":3,"type":"invoke","f":"del","key":"k","value":null,"time":8}
{"process":3,"type":"fail","f":"del","key":"k","value":null,"time":9}
{"process":"c","type":"invoke","f":"incr","key":"k","time":9})",
      "h");
  ASSERT_TRUE(read) << to_string(read.error());
  const History& history = *read;
  const ValueTable& values = history.values;

  ASSERT_EQ(history.operations.size(), 4U);
  const RecordedOperation& cas = history.operations[0];
  EXPECT_EQ(cas.kind, OperationKind::compare_and_set);
  EXPECT_EQ(values.to_text(cas.process), "3");
  EXPECT_EQ(cas.expected, kAbsent);
  EXPECT_EQ(values.string_of(cas.argument), "a");
  EXPECT_EQ(cas.outcome, OutcomeKind::unknown);
  EXPECT_EQ(cas.invoke_line, 1U);
  EXPECT_EQ(cas.return_line, 6U);
  EXPECT_EQ(cas.invoked_at, TrueTime{5});
  const RecordedOperation& get = history.operations[1];
  EXPECT_EQ(get.kind, OperationKind::read);
  EXPECT_EQ(get.outcome, OutcomeKind::ok);
  EXPECT_EQ(values.to_text(get.observed), R"(["a",[1]])");
  EXPECT_EQ(get.returned_at, TrueTime{7});
  EXPECT_EQ(history.operations[2].outcome, OutcomeKind::refused);
  EXPECT_FALSE(history.operations[3].has_returned());
  EXPECT_EQ(history.operations[3].outcome, OutcomeKind::unknown);
  ASSERT_EQ(history.nemesis.size(), 1U);
  EXPECT_EQ(history.nemesis[0].what, "cut 1 2");
  EXPECT_EQ(history.nemesis[0].line, 2U);
  EXPECT_EQ(history.nemesis[0].at, TrueTime{6});
}

TEST(JsonLines, without_times_are_ordered_by_their_lines) {
  const Result<History> history = parse_json_lines(R"({"process":0,"type":"invoke","f":"write","key":"k","value":1}
{"process":0,"type":"ok","f":"write","key":"k","value":1})",
                                                   "h");

  ASSERT_TRUE(history) << to_string(history.error());
  EXPECT_EQ(history->operations[0].invoked_at, TrueTime{1});
  EXPECT_EQ(history->operations[0].returned_at, TrueTime{2});
}

TEST(JsonLines, written_and_read_again_are_the_same_history) {
  HistoryBuilder builder;
  RandomNumbers random(3);
  using enum OperationKind;
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(i);
    make_random_history(
        random, {.kinds = {read, write, remove, compare_and_set, append, increment}, .uses_strings = i % 2 == 0},
        builder);
    builder.nemesis(TrueTime{1'000'000}, "kill \"node\"\n1");
    std::string text;
    write_json_lines(builder.history(), text);

    const Result<History> again = parse_json_lines(text, "h");

    ASSERT_TRUE(again) << to_string(again.error()) << "\n" << text;
    EXPECT_TRUE(is_same(builder.history(), *again, true)) << text;
  }
}

TEST(JsonLines, that_differ_are_not_the_same_history) {
  const Result<History> one = parse_json_lines(kInvoke, "h");
  const Result<History> other =
      parse_json_lines(R"({"process":0,"type":"invoke","f":"write","key":"k","value":2,"time":10})", "h");

  ASSERT_TRUE(one && other);
  EXPECT_TRUE(is_same(*one, *one, true));
  EXPECT_FALSE(is_same(*one, *other, false));
}

struct BrokenFile {
  std::string name;
  std::string where_end;
  std::string what;
};

TEST(JsonLines, refuse_broken_files_with_their_place) {
  const std::filesystem::path folder = std::filesystem::path(SHARDCHECK_SOURCE_DIR) / "histories/testdata";
  const std::vector<BrokenFile> files{
      {"truncated.jsonl", "truncated.jsonl:4", "not JSON"},
      {"truncated.jsonl.gz", "truncated.jsonl.gz:3", "ends too early"},
      {"damaged.jsonl.gz", "damaged.jsonl.gz:1", "damaged"},
      {"followed_by_garbage.jsonl.gz", "followed_by_garbage.jsonl.gz:5", "not gzip"},
      {"empty.jsonl", "empty.jsonl", "without a single operation"},
      {"zeros.jsonl", "zeros.jsonl:1", "not JSON"},
      {"no_such_file.jsonl", "no_such_file.jsonl", "cannot be opened"},
      {".", "testdata/.", "is a directory"},
  };

  for (const BrokenFile& file : files) {
    SCOPED_TRACE(file.name);
    const Result<History> history = read_json_lines(folder / file.name);
    ASSERT_FALSE(history);
    EXPECT_TRUE(history.error().where.ends_with(file.where_end)) << history.error().where;
    EXPECT_THAT(history.error().what, HasSubstr(file.what));
  }
}

TEST(JsonLines, may_be_packed_in_several_gzip_members) {
  const std::filesystem::path folder = std::filesystem::path(SHARDCHECK_SOURCE_DIR) / "histories/testdata";

  const Result<History> packed = read_json_lines(folder / "two_members.jsonl.gz");
  const Result<History> plain = read_json_lines(folder / "two_members.jsonl");

  ASSERT_TRUE(packed) << to_string(packed.error());
  ASSERT_TRUE(plain) << to_string(plain.error());
  EXPECT_EQ(plain->operations.size(), 2U);
  EXPECT_TRUE(is_same(*packed, *plain, true));
}

}  // namespace
}  // namespace shardcheck::histories
