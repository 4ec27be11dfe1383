#include "histories/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "histories/checker.h"
#include "histories/history_writer.h"

namespace shardcheck::histories {
namespace {

using testing::HasSubstr;

struct Head {
  std::string text;
  Format format;
};

TEST(Formats, are_told_by_their_content) {
  const std::vector<Head> heads{
      {R"({"process":0,"type":"invoke"})", Format::json_lines},
      {"\n  { \"process\" : 0", Format::json_lines},
      {R"([{"process":0}])", Format::json_lines},
      {"", Format::json_lines},
      {"\x1f\x8b garbage", Format::json_lines},
      {"{:process 0, :type :invoke, :f :read, :value nil}", Format::jepsen},
      {"; a comment\n[{:process 0, :type :invoke, :f :read, :value nil}", Format::jepsen},
      {"(\n{:process 0}", Format::jepsen},
      {"#jepsen.history.Op{:index 0, :process 0}", Format::jepsen},
      {"{:process 0, :type :invoke, :f :get, :key \"k\", :value nil}", Format::kv_log},
      {"{:process 0, :type :invoke, :f :read, :key \"k\", :value nil, :time 1}", Format::edn},
      {"INFO  jepsen.util - 0\t:invoke\t:read\tnil", Format::jepsen_log},
      {"0\t:invoke\t:read\tnil", Format::jepsen_log},
      {":nemesis\t:info\t:start\tnil", Format::jepsen_log},
  };
  for (const Head& head : heads) {
    SCOPED_TRACE(head.text);
    EXPECT_EQ(name_of(detect_format(head.text)), name_of(head.format));
  }
}

TEST(Formats, have_names_that_are_known) {
  for (const Format format : kFormats) {
    EXPECT_EQ(format_named(name_of(format)), format);
  }
  EXPECT_EQ(format_named("xml"), std::nullopt);
}

std::string lines_of(const std::string& text, const ReadOptions& options = {}) {
  const Result<History> history = parse_history(text, "h", options);
  if (!history) {
    return to_string(history.error());
  }
  std::string lines;
  write_json_lines(*history, lines);
  return lines;
}

std::string verdict_of(const std::string& text, const ReadOptions& options = {}) {
  const Result<History> history = parse_history(text, "h", options);
  return history ? std::string(name_of(check(*history).verdict)) : to_string(history.error());
}

TEST(Formats, jepsen_is_ordered_by_lines_whatever_the_times) {
  EXPECT_EQ(lines_of("[{:type :invoke, :f :write, :value 4, :process 0, :time 10, :index 0}\n"
                     " {:type :info, :f :start, :process :nemesis, :value \"cut\", :time 11}\n"
                     " {:type :ok, :f :write, :value 4, :process 0, :time 9, :index 1}]"),
            R"({"process":0,"type":"invoke","f":"write","key":"register","value":4,"time":10}
{"process":"nemesis","type":"info","f":"start","key":null,"value":"cut","time":11}
{"process":0,"type":"ok","f":"write","key":"register","value":4,"time":11}
)");
}

TEST(Formats, jepsen_reads_of_nil_tell_nothing_unless_asked) {
  const std::string text =
      "{:process 0, :type :invoke, :f :write, :value 4}{:process 0, :type :ok, :f :write, :value 4}"
      "{:process 0, :type :invoke, :f :read, :value nil}{:process 0, :type :ok, :f :read, :value nil}";

  EXPECT_EQ(verdict_of(text), "linearizable");
  EXPECT_EQ(verdict_of(text, {.nil_read_tells_nothing = false}), "not_linearizable");
}

TEST(Formats, an_initial_value_is_there_from_the_beginning) {
  const std::string text =
      "{:process 0, :type :invoke, :f :read, :value nil}{:process 0, :type :ok, :f :read, :value 0}";

  EXPECT_EQ(verdict_of(text), "not_linearizable");
  EXPECT_EQ(verdict_of(text, {.initial = "0"}), "linearizable");
  EXPECT_EQ(lines_of(text, {.initial = "0"}),
            R"({"process":"initial","type":"invoke","f":"write","key":"register","value":0,"time":0}
{"process":"initial","type":"ok","f":"write","key":"register","value":0,"time":1}
{"process":0,"type":"invoke","f":"read","key":"register","value":null,"time":3}
{"process":0,"type":"ok","f":"read","key":"register","value":0,"time":4}
)");
}

TEST(Formats, independent_keys_stand_in_the_values) {
  const std::string text =
      "{:process 0, :type :invoke, :f :cas, :value [7 [1 2]]}{:process 0, :type :fail, :f :cas, :value [7 [1 2]]}"
      "{:process 0, :type :invoke, :f :write, :value [8 1]}{:process 0, :type :info, :f :write, :value :timed-out}"
      "{:process 1, :type :invoke, :f :read, :value [8 nil]}{:process 1, :type :ok, :f :read, :value [8 1]}";

  EXPECT_EQ(lines_of(text, {.has_independent_keys = true}),
            R"({"process":0,"type":"invoke","f":"cas","key":7,"value":[1,2],"time":1}
{"process":0,"type":"fail","f":"cas","key":7,"value":[1,2],"time":2}
{"process":0,"type":"invoke","f":"write","key":8,"value":1,"time":3}
{"process":0,"type":"info","f":"write","key":8,"value":1,"time":4}
{"process":1,"type":"invoke","f":"read","key":8,"value":null,"time":5}
{"process":1,"type":"ok","f":"read","key":8,"value":1,"time":6}
)");
  EXPECT_THAT(lines_of("{\"process\":0}", {.has_independent_keys = true}), HasSubstr("only Jepsen's formats"));
}

TEST(Formats, a_mutex_is_held_once) {
  const std::string acquired = "{:process 0, :type :invoke, :f :acquire}{:process 0, :type :ok, :f :acquire}";
  const std::string released = "{:process 0, :type :invoke, :f :release}{:process 0, :type :ok, :f :release}";

  EXPECT_EQ(verdict_of(acquired + released + acquired), "linearizable");
  EXPECT_EQ(verdict_of(acquired + acquired), "not_linearizable");
  EXPECT_EQ(verdict_of(released), "not_linearizable");
}

TEST(Formats, kv_logs_say_absent_by_an_empty_string) {
  const auto line = [](const std::string& type, const std::string& f, const std::string& value) {
    return "{:process 0, :type :" + type + ", :f :" + f + ", :key \"k\", :value " + value + "}\n";
  };
  const std::string empty = line("invoke", "get", "nil") + line("ok", "get", "\"\"");
  const std::string nothing = line("invoke", "append", "\"\"") + line("ok", "append", "\"\"");
  const std::string some = line("invoke", "append", "\"x\"") + line("ok", "append", "\"x\"");

  EXPECT_EQ(verdict_of(empty + nothing + empty + some), "linearizable");
  EXPECT_EQ(verdict_of(some + empty), "not_linearizable");
}

TEST(Formats, logs_of_jepsen_observe_failed_compare_and_sets) {
  const std::string text =
      "INFO  jepsen.util - 0\t:invoke\t:write\t1\nINFO  jepsen.core - Running\nINFO  jepsen.util - 0\t:ok\t:write\t1\n"
      "INFO  jepsen.util - :nemesis\t:info\t:start\t\"Cut off {:n1 #{:n2}}\"\n"
      "INFO  jepsen.util - 1 :invoke :cas [1 2]\nINFO  jepsen.util - 1 :fail :cas [1 2]\n"
      "INFO  jepsen.util - 2\t:invoke\t:cas\t[1 3]\nINFO  jepsen.util - 2\t:info\t:cas\t:timed out with )\n";

  EXPECT_EQ(verdict_of(text), "not_linearizable");
  EXPECT_EQ(verdict_of(text, {.failed_cas_observes = false}), "linearizable");
  EXPECT_THAT(verdict_of(text + "what is this"), HasSubstr("h:9: "));
  EXPECT_THAT(verdict_of(text + "3 :invoke :read nil nil"), HasSubstr("h:9: something follows"));
}

// The labelled histories of other projects, where they are at hand.
class ExternalHistories : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(SHARDCHECK_SOURCE_DIR).parent_path() / "shared/histories/external";
    if (!std::filesystem::exists(folder_)) {
      GTEST_SKIP() << "the labelled histories of other projects are not on this machine";
    }
  }

  std::filesystem::path folder_;
};

ReadOptions options_for(const std::string& model) {
  return model.starts_with("cas-register init=0") || model.starts_with("multi-register") ? ReadOptions{.initial = "0"}
                                                                                         : ReadOptions{};
}

TEST_F(ExternalHistories, are_judged_as_labelled) {
  std::ifstream manifest(folder_ / "manifest.tsv");
  std::string line;
  std::getline(manifest, line);
  Checker checker;
  int judged = 0;
  while (std::getline(manifest, line)) {
    std::stringstream fields(line);
    std::string file, format, model, expected;
    for (std::string* const field : {&file, &format, &model, &expected}) {
      std::getline(fields, *field, '\t');
    }
    SCOPED_TRACE(file);
    const Result<History> history = read_history(folder_ / file, options_for(model));
    if (model.starts_with("list-append txn")) {
      ASSERT_FALSE(history);
      EXPECT_THAT(to_string(history.error()), HasSubstr("this is a transaction history"));
      continue;
    }
    ASSERT_TRUE(history) << to_string(history.error());
    const CheckReport report = checker.check(*history, {.explains = false});
    EXPECT_EQ(name_of(report.verdict), expected == "illegal" ? "not_linearizable" : expected);
    ++judged;
  }
  EXPECT_EQ(judged, 152);
}

}  // namespace
}  // namespace shardcheck::histories
