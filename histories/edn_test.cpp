#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "histories/byte_source.h"
#include "histories/edn_cursor.h"
#include "histories/edn_forms.h"
#include "histories/edn_values.h"
#include "histories/formats.h"
#include "histories/history_writer.h"
#include "histories/random_history.h"

namespace shardcheck::histories {
namespace {

using testing::HasSubstr;

TEST(EdnCursor, knows_where_a_form_ends) {
  const std::vector<std::string> forms{
      "nil", ":a/b",      "-1.5e3", "\"a\\\"]\"", "[1 [2 {}] ()]", "{:a 1, :b [2]}", "#{1 2}",     "#inst \"2020\"",
      "\\]", "\\newline", "#_1 2",  "; [\n3",     "##Inf",         "#a #b [1]",      "#_ #_ 1 2 3"};
  for (const std::string& form : forms) {
    SCOPED_TRACE(form);
    const std::string text = form + " ]";
    EdnCursor cursor(text, true);
    EXPECT_TRUE(cursor.skip_form()) << cursor.problem();
    EXPECT_EQ(cursor.since(0), form);
  }
}

TEST(EdnCursor, says_where_a_form_is_cut) {
  for (const std::string form : {"ni", "[1", "\"a", "\"a\\", "{:a", "#", "#_", "#a", "\\", "; x", "(1 ; )"}) {
    SCOPED_TRACE(form);
    EdnCursor cursor(form, false);
    EXPECT_FALSE(cursor.skip_form());
    EXPECT_TRUE(cursor.is_cut());
    EdnCursor whole(form, true);
    EXPECT_EQ(whole.skip_form(), form == "ni");
    EXPECT_FALSE(whole.is_cut());
  }
}

TEST(EdnValues, are_read) {
  ValueTable values;
  const auto text_of = [&](std::string_view form) {
    const Result<ValueId> id = edn_value(form, values);
    return id ? values.to_text(*id) : "error: " + id.error().what;
  };
  EXPECT_EQ(text_of("nil"), "null");
  EXPECT_EQ(text_of("+7"), "7");
  EXPECT_EQ(text_of("7N"), "7");
  EXPECT_EQ(text_of("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(text_of("9223372036854775808"), "error: a number does not fit 64 bits with a sign");
  EXPECT_EQ(text_of(":timed-out"), "\":timed-out\"");
  EXPECT_EQ(text_of(R"("a\n\u00e9\ud83d\ude00\\")"), "\"a\\u000a\u00e9\U0001F600\\\\\"");
  EXPECT_EQ(text_of("[1 (\"a\" nil), []]"), R"([1,["a",null],[]])");
  for (const std::string_view form :
       {"1.5", "1/2", "true", "sym", "{}", "#{}", "\\a", "#inst \"x\"", R"("\q")", R"("\ud800")", "\"\xff\"", "+-1"}) {
    EXPECT_THAT(text_of(form), HasSubstr("error: "));
  }
}

const std::string kInvoke = "{:process 0, :type :invoke, :f :write, :value 1, :time 10}\n";

struct BrokenText {
  std::string name;
  std::string text;
  std::string where;
  std::string what;
};

std::vector<BrokenText> broken_texts() {
  return {
      {"never closed", "[" + kInvoke, "h:2", "ends too early: ']' is missing"},
      {"cut in a map", kInvoke + "\n{:process 0, :type", "h:3", "ends in the middle"},
      {"cut in a string", kInvoke + "{:process \"", "h:2", "ends in the middle"},
      {"closed twice", "[" + kInvoke + "]]", "h:2", "something follows the end"},
      {"closed by another", "[" + kInvoke + ")", "h:2", "not a map"},
      {"a map behind the end", "[" + kInvoke + "]" + kInvoke, "h:2", "something follows the end"},
      {"no map", kInvoke + "17", "h:2", "not a map"},
      {"a set", kInvoke + "#{1}", "h:2", "not a map"},
      {"a key without value", "{:process}", "h:1", "a key without a value"},
      {"zeros", kInvoke + std::string(100, '\0'), "h:2", "not a map"},
      {"a zero in a map", std::string("{:process 0\0}", 13), "h:1", "byte 0x00"},
      {"nested too deep", "{:value " + std::string(100'000, '[') + "}", "h:1", "nested deeper than 64"},
      {"a list nested too deep",
       "{:process 0 :type :invoke :f :write :value " + std::string(17, '[') + std::string(17, ']') + "}", "h:1",
       "nested deeper"},
      {"no process", "{:type :invoke, :f :read}", "h:1", ":process is missing"},
      {"no type", "{:process 0, :f :read}", "h:1", ":type is missing"},
      {"an unknown type", "{:process 0, :type :begin, :f :read}", "h:1", "\"begin\", not one of"},
      {"an unknown f", "{:process 0, :type :invoke, :f :enqueue}", "h:1", "\"enqueue\", not one of"},
      {"a field given twice", "{:process 0, :process 1}", "h:1", ":process is given twice"},
      {"a key", kInvoke + "{:process 1, :type :invoke, :f :read, :key 1, :time 11}", "h:2", ":key is given"},
      {"an absurd time", "{:process 0, :type :invoke, :f :read, :time 9223372036854775808}", "h:1", "too large"},
      {"a negative time", "{:process 0, :type :invoke, :f :read, :time -1}", "h:1", "negative"},
      {"a fraction of a time", "{:process 0, :type :invoke, :f :read, :time 1.5}", "h:1", "not a whole number"},
      {"a value that is a fraction", "{:process 0, :type :invoke, :f :write, :value 1.5}", "h:1", "\"value\" is not"},
      {"a huge value", "{:process 0, :type :invoke, :f :write, :value " + std::string(1000, '9') + "}", "h:1",
       "does not fit"},
      {"a cas of one value", "{:process 0, :type :invoke, :f :cas, :value 1}", "h:1", "[from to]"},
      {"tuples", "{:process 0, :type :invoke, :f :read, :value [7 nil]}", "h:1", "--independent"},
      {"a transaction", "{:process 0, :type :invoke, :f :txn, :value [[:append 1 2]]}", "h:1",
       "this is a transaction history"},
      {"a transaction without f", "{:type :invoke, :value [[:r 1 nil]]}", "h:1", "this is a transaction history"},
  };
}

TEST(Edn, refuses_broken_input_with_its_place) {
  for (const BrokenText& broken : broken_texts()) {
    SCOPED_TRACE(broken.name);
    const Result<History> history = parse_history(broken.text, "h");
    ASSERT_FALSE(history);
    EXPECT_EQ(history.error().where, broken.where);
    EXPECT_THAT(history.error().what, HasSubstr(broken.what));
  }
}

TEST(EdnForms, refuse_a_form_that_is_too_long) {
  const std::string text = kInvoke + "{:value \"" + std::string(3'000'000, 'x');
  Result<std::unique_ptr<ByteSource>> source = ByteSource::of_text(text);
  ASSERT_TRUE(source);
  EdnForms forms(*std::move(source), "h", nullptr, std::size_t{1} << 20U);

  ASSERT_TRUE(forms.next());
  const auto next = forms.next();

  ASSERT_FALSE(next);
  EXPECT_EQ(to_string(next.error()), "h:2: a form is longer than 1 MiB");
}

TEST(Edn, written_and_read_again_is_the_same_history) {
  HistoryBuilder builder;
  RandomNumbers random(3);
  using enum OperationKind;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    make_random_history(
        random, {.kinds = {read, write, remove, compare_and_set, append, increment}, .uses_strings = i % 2 == 0},
        builder);
    std::string text;
    write_edn(builder.history(), text);

    const Result<History> again = parse_history(text, "h");

    ASSERT_TRUE(again) << to_string(again.error()) << "\n" << text;
    EXPECT_TRUE(is_same(builder.history(), *again, true)) << text;
  }
}

TEST(Edn, lines_of_the_nemesis_are_the_same_when_they_become_json_lines_again) {
  const std::string lines = R"({"process":"nemesis","type":"info","f":"cut 1 2","key":null,"value":null,"time":1}
{"process":0,"type":"invoke","f":"read","key":"k","value":null,"time":2}
{"process":"nemesis", "type":"info","f":"say \"so\"","value":{"any":[1.50,"\\\u00e9"]},"more":true,"time":3}
{"process":"nemesis","type":"info","f":"heal","key":null,"value":"a \"b\" \\ c","time":4}
{"process":0,"type":"ok","f":"read","key":"k","value":null,"time":5}
)";
  const Result<History> history = parse_history(lines, "h");
  ASSERT_TRUE(history) << to_string(history.error());
  std::string edn;
  write_edn(*history, edn);
  EXPECT_THAT(edn, testing::HasSubstr(R"(:f "heal", :key nil, :value "a \"b\" \\ c", :time 4)"));

  const Result<History> again = parse_history(edn, "h");

  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_TRUE(is_same(*history, *again, true));
  std::string written;
  write_json_lines(*again, written);
  EXPECT_EQ(written, lines);
}

TEST(Edn, what_claims_to_be_a_json_line_of_the_nemesis_and_is_none_is_not_kept) {
  const std::string edn =
      R"({:process :nemesis, :type :info, :f "cut", :key nil, :value "x", :json "{\"process\":0}", :time 1}
{:process 0, :type :invoke, :f :read, :key "k", :value nil, :time 2})";

  const Result<History> history = parse_history(edn, "h");

  ASSERT_TRUE(history) << to_string(history.error());
  EXPECT_EQ(history->nemesis[0].text,
            R"({"process":"nemesis","type":"info","f":"cut","key":null,"value":"x","time":1})");
}

// Its maps lie across the borders of what is read at once.
TEST(Edn, may_be_longer_than_what_is_read_at_once) {
  std::string text = "[";
  for (int i = 0; i < 20'000; ++i) {
    text += i % 2 == 0 ? "{:process 0, :type :invoke, :f :write, :value \"" +
                             std::string(static_cast<std::size_t>(i % 97), 'x') + "\"}\n"
                       : "{:process 0, :type :ok, :f :write, ; so\n :value nil}\n";
  }
  const Result<History> history = parse_history(text + "]", "h");

  ASSERT_TRUE(history) << to_string(history.error());
  EXPECT_EQ(history->operations.size(), 10'000U);
  EXPECT_EQ(history->operations[1].invoke_line, 4U);
  EXPECT_EQ(history->operations[1].return_line, 5U);
}

}  // namespace
}  // namespace shardcheck::histories
