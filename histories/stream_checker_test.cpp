#include "histories/stream_checker.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "histories/formats.h"
#include "histories/history_generator.h"
#include "histories/history_writer.h"
#include "histories/json_lines.h"
#include "histories/random_history.h"

namespace shardcheck::histories {
namespace {

using enum OperationKind;

// In windows as small as there are.
const StreamOptions kCutEverywhere{.window_operations = 1};

StreamReport streamed(const std::string& text, const StreamOptions& options = kCutEverywhere) {
  Result<std::unique_ptr<ByteSource>> source = ByteSource::of_text(text);
  EXPECT_TRUE(source);
  const Result<StreamReport> report = check_stream(*std::move(source), "h", {}, options);
  EXPECT_TRUE(report) << to_string(report.error());
  return report ? *report : StreamReport{};
}

std::string text_of(const History& history) {
  std::string text;
  write_json_lines(history, text);
  return text;
}

std::uint64_t cuts_of(const StreamReport& report) {
  std::uint64_t cuts = 0;
  for (const StreamedKey& key : report.keys) {
    cuts += key.cuts;
  }
  return cuts;
}

void expect_the_same(const std::string& text, const StreamReport& report) {
  const Result<History> history = parse_json_lines(text, "h");
  ASSERT_TRUE(history) << to_string(history.error());
  const CheckReport whole = check(*history, {.explains = false});
  ASSERT_EQ(report.verdict, whole.verdict);
  ASSERT_EQ(report.operations, whole.operations);
  ASSERT_EQ(report.keys.size(), whole.keys.size());
  for (std::size_t i = 0; i < whole.keys.size(); ++i) {
    EXPECT_EQ(report.keys[i].verdict, whole.keys[i].verdict) << report.keys[i].key;
    EXPECT_EQ(report.keys[i].operations, whole.keys[i].operations) << report.keys[i].key;
  }
}

struct Shape {
  std::string name;
  RandomHistoryShape shape;
};

TEST(StreamChecker, judges_random_histories_as_the_checker_does) {
  const std::vector<Shape> shapes{
      {"unique registers", {.kinds = {read, write}, .values = 0}},
      {"registers", {.kinds = {read, read, write, compare_and_set}, .values = 2}},
      {"deletes", {.kinds = {read, write, remove}, .values = 2}},
      {"unique deletes, mostly pending", {.kinds = {read, write, remove}, .values = 0, .pending_one_in = 3}},
      {"unique chains", {.kinds = {read, write, compare_and_set}, .values = 0}},
      {"counter", {.kinds = {read, increment}}},
      {"lists", {.kinds = {read, append}, .values = 0}},
      {"strings", {.kinds = {read, append}, .values = 0, .uses_strings = true}},
      {"all kinds", {.kinds = {read, read, write, remove, compare_and_set, append, increment}, .values = 2}},
  };
  // One of eleven of what is wanted: cut everywhere, they take that much longer.
  const std::uint64_t histories_of_each_shape = random_histories_wanted(100'000) / 11 / shapes.size();
  HistoryBuilder builder;
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.name);
    std::map<Verdict, std::uint64_t> verdicts;
    std::uint64_t cuts = 0;
    for (std::uint64_t seed = 1; seed <= histories_of_each_shape; ++seed) {
      RandomNumbers random(seed * 1'000'003 + 7);
      RandomHistoryShape one = shape.shape;
      one.operations_max = 30;
      one.clients = 1 + seed % 3;
      one.wrong_one_in = 40;
      one.pending_one_in = seed % 2 == 0 ? one.pending_one_in : 1'000;
      make_random_history(random, one, builder);
      const std::string text = text_of(builder.history());
      if (text.empty()) {
        continue;
      }
      SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
      const StreamReport report = streamed(text);
      expect_the_same(text, report);
      ASSERT_FALSE(HasFailure());
      ++verdicts[report.verdict];
      cuts += cuts_of(report);
    }
    EXPECT_GT(cuts, histories_of_each_shape);
    EXPECT_GT(verdicts[Verdict::linearizable], histories_of_each_shape / 40);
    EXPECT_GT(verdicts[Verdict::not_linearizable], histories_of_each_shape / 40);
  }
}

TEST(StreamChecker, judges_recorded_histories_as_the_checker_does) {
  const std::filesystem::path source = SHARDCHECK_SOURCE_DIR;
  std::uint64_t cuts = 0;
  int judged = 0;
  for (const std::filesystem::path& folder :
       {source / "histories/corpus", source.parent_path() / "shared/histories/own",
        source.parent_path() / "shared/histories/external/porcupine"}) {
    if (!std::filesystem::exists(folder)) {
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".jsonl" && extension != ".gz" && extension != ".log" && extension != ".txt") {
        continue;
      }
      SCOPED_TRACE(entry.path().string());
      const Result<History> history = read_history(entry.path());
      ASSERT_TRUE(history) << to_string(history.error());
      const std::string text = text_of(*history);
      const StreamReport report = streamed(text, {.window_operations = 100});
      expect_the_same(text, report);
      cuts += cuts_of(report);
      ++judged;
    }
  }
  EXPECT_GE(judged, 8);
  EXPECT_GT(cuts, 100U);
}

TEST(StreamChecker, keeps_no_more_than_what_is_asked_between_two_cuts) {
  for (const bool is_bad : {false, true}) {
    SCOPED_TRACE(is_bad);
    HistoryBuilder builder;
    ASSERT_TRUE(generate_history({.operations = 100'000,
                                  .clients = 10,
                                  .keys = 20,
                                  .pending = {500},
                                  .compare_and_sets = percent(10),
                                  .counters = percent(20),
                                  .is_bad = is_bad},
                                 builder));
    const StreamReport report = streamed(text_of(builder.history()), {.window_operations = 2'000});

    EXPECT_EQ(report.verdict, is_bad ? Verdict::not_linearizable : Verdict::linearizable);
    EXPECT_EQ(report.operations, 100'000U);
    EXPECT_LT(report.operations_kept_max, 60'000U);
    EXPECT_GT(cuts_of(report), 100U);
  }
}

constexpr std::string_view kStale =
    R"({"process":0,"type":"invoke","f":"write","key":"k","value":1,"time":10}
{"process":0,"type":"ok","f":"write","key":"k","value":1,"time":20}
{"process":0,"type":"invoke","f":"write","key":"k","value":2,"time":30}
{"process":0,"type":"ok","f":"write","key":"k","value":2,"time":40}
{"process":1,"type":"invoke","f":"read","key":"k","value":null,"time":60}
{"process":1,"type":"ok","f":"read","key":"k","value":1,"time":70}
{"process":1,"type":"invoke","f":"read","key":"k","value":null,"time":80}
{"process":1,"type":"ok","f":"read","key":"k","value":2,"time":90}
)";

TEST(StreamChecker, names_a_return_that_cannot_be_explained) {
  const StreamReport report = streamed(std::string(kStale));

  ASSERT_EQ(report.keys.size(), 1U);
  EXPECT_EQ(report.keys[0].key, "k");
  EXPECT_EQ(report.keys[0].verdict, Verdict::not_linearizable);
  EXPECT_EQ(report.keys[0].unexplained_line, 6U);
  EXPECT_EQ(report.keys[0].sentence,
            "from line 5 on, where the key held 2, the read (line 6) returned 1, but nobody had written 1 "
            "from there on");
  // Without a cut before.
  EXPECT_EQ(streamed(std::string(kStale), {}).keys[0].sentence,
            "the read (line 6) returned 1, but 2 was acknowledged (line 4) before it began, and 1 was written before "
            "that (line 2)");
}

// A counter that held 2 when it was cut, and what is said of this answer behind the cut.
TEST(StreamChecker, tells_of_counters_behind_a_cut_what_was_counted) {
  const std::string counted =
      R"({"process":0,"type":"invoke","f":"incr","key":"k","value":null,"time":10}
{"process":0,"type":"ok","f":"incr","key":"k","value":1,"time":20}
{"process":0,"type":"invoke","f":"incr","key":"k","value":null,"time":30}
{"process":0,"type":"ok","f":"incr","key":"k","value":2,"time":40}
)";
  const auto sentence_of = [&](const std::string& f, int answer) {
    const std::string head = R"({"process":1,"f":")" + f + R"(","key":"k","value":)";
    const StreamReport report = streamed(counted + head + R"(null,"time":50,"type":"invoke"})" + "\n" + head +
                                         std::to_string(answer) + R"(,"time":60,"type":"ok"})" + "\n");
    return report.keys[0].sentence;
  };

  EXPECT_EQ(sentence_of("read", 1),
            "from line 5 on, where the key held 2, the read (line 6) returned 1, but 2 had been counted before");
  EXPECT_EQ(sentence_of("read", 9),
            "from line 5 on, where the key held 2, the read (line 6) returned 9, but nobody had asked for an increment "
            "from there on by then");
  EXPECT_EQ(sentence_of("incr", 2),
            "from line 5 on, where the key held 2, the increment (line 6) returned 2, but 2 had been counted before");
  EXPECT_EQ(sentence_of("incr", 4),
            "from line 5 on, where the key held 2, the increment (line 6) returned 4, but an increment had been asked "
            "for only once from there on by then: one took effect twice");
  EXPECT_EQ(sentence_of("incr", 3), "");
}

TEST(StreamChecker, is_undecided_when_there_is_too_little_of_anything) {
  const std::string text(kStale);
  const StreamReport memory = streamed(text, {.memory_bytes_max = 2'000, .window_operations = 1});
  const StreamReport time = streamed(text, {.is_out_of_time = [] { return true; }, .window_operations = 1});

  EXPECT_EQ(memory.verdict, Verdict::undecided);
  ASSERT_EQ(memory.keys.size(), 1U);
  EXPECT_EQ(memory.keys[0].shortage, Shortage::memory);
  EXPECT_EQ(time.verdict, Verdict::undecided);
  EXPECT_EQ(time.keys[0].shortage, Shortage::time);
}

std::string written(int key, char letter, std::size_t length, int time) {
  const std::string head = R"({"process":0,"f":"write","key":"k)" + std::to_string(key) + R"(","value":")" +
                           std::string(length, letter) + R"(","time":)" + std::to_string(time) + R"(,"type":)";
  return head + "\"invoke\"}\n" + head + "\"ok\"}\n";
}

// Values count as memory: large ones of a few keys that can no longer be carried on.
TEST(StreamChecker, gives_up_the_keys_with_the_largest_values) {
  std::string text = written(0, 'a', 60'000, 0);
  for (int key = 1; key <= 20; ++key) {
    text += written(key, 'b', 100, key);
  }
  text += written(21, 'c', 60'000, 21) + written(0, 'd', 10, 22);
  const StreamReport report = streamed(text, {.memory_bytes_max = 400'000, .window_operations = 1});

  EXPECT_EQ(report.verdict, Verdict::undecided);
  EXPECT_EQ(report.shortage, Shortage::none);
  EXPECT_EQ(report.stopped_at_line, 0U);
  EXPECT_EQ(report.operations, 23U);
  ASSERT_EQ(report.keys.size(), 22U);
  for (std::size_t key = 0; key <= 21; ++key) {
    const bool is_large = key == 0 || key == 21;
    EXPECT_EQ(report.keys[key].verdict, is_large ? Verdict::undecided : Verdict::linearizable) << key;
    EXPECT_EQ(report.keys[key].shortage, is_large ? Shortage::memory : Shortage::none) << key;
  }
}

TEST(StreamChecker, reads_no_more_when_a_line_or_the_names_of_the_keys_take_too_much) {
  const StreamReport line = streamed(written(0, 'a', 10, 0) + written(1, 'b', 300'000, 1) + written(0, 'c', 10, 2),
                                     {.memory_bytes_max = 1'000'000});
  EXPECT_EQ(line.verdict, Verdict::undecided);
  EXPECT_EQ(line.shortage, Shortage::memory);
  EXPECT_EQ(line.stopped_at_line, 2U);
  ASSERT_EQ(line.keys.size(), 1U);
  EXPECT_EQ(line.keys[0].shortage, Shortage::memory);

  EXPECT_EQ(streamed(written(0, 'a', 300'000, 0), {.memory_bytes_max = 1'000'000}).verdict, Verdict::undecided);

  std::string many;
  for (int key = 0; key < 3'000; ++key) {
    many += written(key, 'x', 1, key);
  }
  const StreamReport names = streamed(many, {.memory_bytes_max = 100'000, .window_operations = 1});
  EXPECT_EQ(names.shortage, Shortage::memory);
  EXPECT_LT(names.stopped_at_line, 2'000U);
  EXPECT_EQ(names.verdict, Verdict::undecided);
}

TEST(StreamChecker, refuses_what_is_no_history) {
  const auto error_of = [](const std::string& text) {
    const Result<StreamReport> report = check_stream(*ByteSource::of_text(text), "h", {}, kCutEverywhere);
    return report ? std::string() : to_string(report.error());
  };

  EXPECT_EQ(error_of(""), "h: the history ends without a single operation");
  EXPECT_NE(error_of(std::string(kStale) + "what is this").find("h:9: "), std::string::npos);
  // A return is joined to its invocation over every cut.
  EXPECT_NE(error_of(std::string(kStale) + R"({"process":1,"type":"ok","f":"read","key":"k","value":1,"time":95})")
                .find("h:9: process 1 returns, though it has invoked nothing"),
            std::string::npos);
}

}  // namespace
}  // namespace shardcheck::histories
