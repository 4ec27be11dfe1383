#include "histories/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "histories/json_lines.h"
#include "histories/picture_selection.h"
#include "histories/picture_template.h"

namespace shardcheck::histories {
namespace {

std::string_view data_text_of(std::string_view page) {
  page.remove_prefix(picture_template_head().size());
  page.remove_suffix(picture_template_tail().size());
  return page;
}

nlohmann::json data_of(std::string_view page) { return nlohmann::json::parse(data_text_of(page)); }

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

// Clients that write and read in turn, one operation after another, ten nanoseconds each; over so many keys.
History long_history(std::uint32_t operations, std::uint32_t keys, std::uint32_t text_bytes = 0) {
  HistoryBuilder builder;
  ValueTable& values = builder.values();
  const auto named = [&](char letter, std::uint32_t number) {
    return text_bytes == 0 ? values.number(number)
                           : values.string(letter + std::to_string(number) + std::string(text_bytes, '<'));
  };
  for (std::uint32_t i = 0; i < operations; ++i) {
    const bool is_write = i % 2 == 0;
    const ValueId value = named('v', i / 2);
    const std::uint32_t operation =
        builder.invoke(TrueTime{std::int64_t{i} * 10}, {.process = named('p', text_bytes == 0 ? i % 64 : i),
                                                        .key = named('k', text_bytes == 0 ? i / 2 % keys : i),
                                                        .kind = is_write ? OperationKind::write : OperationKind::read,
                                                        .argument = is_write ? value : kAbsent});
    builder.ok(TrueTime{std::int64_t{i} * 10 + 7}, operation, is_write ? kAbsent : value);
  }
  return builder.history();
}

// As a checker would have said it, of one key.
CheckReport violated_at(const History& history, std::uint32_t operation) {
  CheckReport report{.verdict = Verdict::not_linearizable, .keys = {}, .operations = history.operations.size()};
  KeyVerdict& key = report.keys.emplace_back();
  key.key = history.operations[operation].key;
  key.verdict = Verdict::not_linearizable;
  key.operations = history.operations.size();
  key.explanation.emplace();
  key.explanation->operation = operation;
  key.explanation->line = history.operations[operation].return_line;
  key.explanation->sentence = "a sentence";
  return report;
}

TEST(Picture, a_hostile_text_stays_data) {
  const std::string hostile = "</script><img src=x onerror=\"alert(1)\"><!-- & \xe2\x80\xa8";
  HistoryBuilder builder;
  ValueTable& values = builder.values();
  const std::uint32_t read =
      builder.invoke(TrueTime{1}, {.process = values.string(hostile), .key = values.string(hostile)});
  builder.nemesis(TrueTime{2}, hostile);
  builder.ok(TrueTime{3}, read, values.string(hostile));
  CheckReport report = violated_at(builder.history(), read);
  report.keys[0].explanation->sentence = hostile;

  const std::string page = picture_of(builder.history(), report, {.title = hostile});

  EXPECT_EQ(count_of(page, "<script"), 2U);
  EXPECT_EQ(count_of(page, "</script"), 2U);
  EXPECT_EQ(count_of(page, "<img"), 0U);
  EXPECT_EQ(data_text_of(page).find_first_of("<>&"), std::string_view::npos);
  EXPECT_TRUE(std::ranges::all_of(page, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); }));
  // What would reorder or break lines is shown by its number.
  const std::string shown = "</script><img src=x onerror=\"alert(1)\"><!-- & \\u2028";
  const nlohmann::json data = data_of(page);
  for (const nlohmann::json& text : {data["title"], data["key_names"][0], data["process_names"][0], data["bands"][0][2],
                                     data["findings"][0]["sentence"]}) {
    EXPECT_EQ(text, shown);
  }
}

TEST(Picture, the_page_asks_for_nothing) {
  const History history = long_history(10, 1);

  const std::string page = picture_of(history, violated_at(history, 5));

  EXPECT_EQ(count_of(page, "default-src 'none'; connect-src 'none'"), 1U);
  EXPECT_THAT(page, testing::ContainsRegex("script-src 'sha256-[A-Za-z0-9+/]{43}='"));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("://")));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("innerHTML")));
}

TEST(Picture, a_short_history_is_drawn_whole) {
  const History history = long_history(100, 3);

  const nlohmann::json data = data_of(picture_of(history, violated_at(history, 51)));

  EXPECT_EQ(data["operations"].size(), 100U);
  EXPECT_EQ(data["left_out"].size(), 0U);
  EXPECT_EQ(data["findings"][0]["within"], -1);
  EXPECT_EQ(data["verdict"], "not_linearizable");
  // The contradiction comes first: a read by process 51, of key 1, from 510 to 517.
  const nlohmann::json row = data["operations"][0];
  EXPECT_EQ(data["process_names"][row[0].get<std::size_t>()], "51");
  EXPECT_EQ(data["key_names"][row[1].get<std::size_t>()], "1");
  EXPECT_EQ(nlohmann::json(std::vector(row.begin() + 2, row.end())),
            nlohmann::json::parse(R"(["read","ok",0,510,517,103,104,null,null,"25"])"));
}

TEST(Picture, of_a_long_history_the_contradiction_and_what_is_near_it_on_its_key_stay) {
  const History history = long_history(100'000, 10);
  const std::uint32_t bad = 77'777;

  const PictureSelection selection = select_for_picture(history, violated_at(history, bad), 1'000);

  ASSERT_EQ(selection.operations.size(), 1'000U);
  EXPECT_EQ(selection.operations.front(), (ShownOperation{bad, Role::contradiction}));
  std::map<Role, int> counts;
  std::set<std::uint32_t> shown;
  for (const ShownOperation& operation : selection.operations) {
    ++counts[operation.role];
    shown.insert(operation.index);
  }
  EXPECT_EQ(shown.size(), 1'000U) << "none is drawn twice";
  EXPECT_EQ(counts, (std::map<Role, int>{
                        {Role::contradiction, 1}, {Role::neighbour, 500}, {Role::context, 250}, {Role::sample, 249}}));
  ASSERT_EQ(selection.findings.size(), 1U);
  ASSERT_TRUE(selection.findings[0].shown_within);
  const std::int64_t within = selection.findings[0].shown_within->value;
  EXPECT_GT(within, 20'000) << "500 operations on one of ten keys, ten nanoseconds each, on both sides";
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const RecordedOperation& operation = history.operations[i];
    const bool is_near = operation.key == history.operations[bad].key &&
                         operation.returned_at.value > history.operations[bad].invoked_at.value - within &&
                         operation.invoked_at.value < history.operations[bad].returned_at.value + within;
    EXPECT_TRUE(!is_near || shown.contains(i)) << i;
  }
}

TEST(Picture, a_history_of_a_million_operations_gives_a_page_below_two_megabytes) {
  const History history = long_history(1'000'000, 1);

  const std::string page = picture_of(history, violated_at(history, 900'001));

  EXPECT_LT(page.size(), 600'000U);
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["counts"]["operations"], 1'000'000);
  EXPECT_EQ(data["operations"].size(), 4'000U);
  EXPECT_THAT(data["left_out"].dump(), testing::HasSubstr("4,000 of 1,000,000 operations are drawn"));
  std::uint64_t counted = 0;
  for (const nlohmann::json& count : data["density"]["all"]) {
    counted += count.get<std::uint64_t>();
  }
  EXPECT_EQ(counted, 1'000'000U);
}

// Every text long and to be escaped, and each operation with a key, a process and a value of its own.
TEST(Picture, no_history_gives_a_page_of_two_megabytes) {
  History history = long_history(5'000, 1, 400);
  CheckReport report = violated_at(history, 5);
  report.keys.reserve(history.operations.size() + 1);
  report.keys[0].explanation->sentence = std::string(10'000, '<');
  for (const RecordedOperation& operation : history.operations) {
    report.keys.push_back(report.keys[0]);
    report.keys.back().key = operation.key;
    history.nemesis.push_back(
        {.line = operation.invoke_line, .at = {}, .what = std::string(900, '&'), .text = std::string(900, '>')});
  }

  const std::string page = picture_of(history, report, {.title = std::string(1'000'000, '<')});

  EXPECT_LT(page.size(), kPictureBytesMax);
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["operations"][0][4], 0) << "the contradiction is in, whatever is not";
  EXPECT_GE(data["left_out"].size(), 4U);
}

TEST(Picture, a_history_that_holds_or_is_undecided_has_a_picture_too) {
  const History history = long_history(10'000, 2);
  CheckReport report;
  report.keys.resize(2);
  report.keys[0].key = history.operations[0].key;
  report.keys[0].verdict = Verdict::linearizable;
  report.keys[1].key = history.operations[2].key;
  report.keys[1].verdict = Verdict::undecided;
  report.verdict = Verdict::undecided;

  const nlohmann::json data = data_of(picture_of(
      history, report, {.remarks = [](const KeyVerdict&) { return std::vector<std::string>{"the time was up"}; }}));

  EXPECT_EQ(data["verdict"], "undecided");
  EXPECT_EQ(data["findings"].size(), 0U);
  EXPECT_EQ(data["verdicts"][0][1], "undecided") << "before the key that holds";
  EXPECT_EQ(data["verdicts"][0][4], nlohmann::json{"the time was up"});
  EXPECT_EQ(data["operations"].size(), 4'000U);
  EXPECT_THAT(data["left_out"][0].get<std::string>(), testing::HasSubstr("4,000 picked evenly from the history"));
}

TEST(Picture, a_history_without_times_is_drawn_by_its_lines) {
  const Result<History> history = parse_json_lines(R"({"process":0,"type":"invoke","f":"write","key":"k","value":1}
{"process":"nemesis","type":"info","f":"kill"}
{"process":0,"type":"ok","f":"write","key":"k","value":1}
)",
                                                   "no times");
  ASSERT_TRUE(history) << to_string(history.error());

  const nlohmann::json data = data_of(picture_of(*history, check(*history)));

  EXPECT_EQ(data["has_times"], false);
  EXPECT_EQ(data["begin"], "1");
  EXPECT_EQ(data["operations"][0][5], 0);
  EXPECT_EQ(data["operations"][0][6], 2);
  EXPECT_EQ(data["bands"][0][1], -1);
}

}  // namespace
}  // namespace shardcheck::histories
