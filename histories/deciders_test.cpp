// The deciders against trying every order, and against the search, on random histories of exactly their structures.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "histories/checker.h"
#include "histories/history_writer.h"
#include "histories/oracle.h"
#include "histories/random_history.h"

namespace shardcheck::histories {
namespace {

using enum OperationKind;

struct Shape {
  std::string name;
  RandomHistoryShape shape;
  // Of a hundred histories, so many at least must be decided without the search.
  std::uint64_t decided_in_100 = 100;
  // As long as the search can be expected to manage.
  std::uint64_t operations_when_long = 40;
};

std::vector<Shape> shapes() {
  return {
      {"writes", {.kinds = {read, write}, .values = 0}},
      {"writes, mostly pending", {.kinds = {read, write}, .values = 0, .pending_one_in = 2}},
      {"writes, many clients", {.kinds = {read, read, write}, .clients = 8, .values = 0}},
      {"writes and deletes", {.kinds = {read, read, write, remove}, .values = 0}},
      {"writes and deletes, mostly pending", {.kinds = {read, read, write, remove}, .values = 0, .pending_one_in = 3}},
      {"writes and deletes, many clients", {.kinds = {read, read, write, remove}, .clients = 6, .values = 0}},
      {"mostly deletes", {.kinds = {read, read, write, remove, remove}, .clients = 4, .values = 0}},
      {"chains", {.kinds = {read, write, compare_and_set}, .values = 0}, 50},
      {"chains, mostly pending", {.kinds = {read, write, compare_and_set}, .values = 0, .pending_one_in = 2}, 50},
      {"chains, many clients", {.kinds = {read, read, write, compare_and_set}, .clients = 6, .values = 0}, 25},
      {"chains and deletes", {.kinds = {read, write, write, compare_and_set, remove}, .clients = 4, .values = 0}, 50},
      {"increments", {.kinds = {read, increment}}},
      {"increments, mostly pending", {.kinds = {read, increment, increment}, .pending_one_in = 2}},
      {"increments, many clients", {.kinds = {read, increment}, .clients = 8}},
      {"lists", {.kinds = {read, append}, .values = 0}},
      {"lists, mostly pending", {.kinds = {read, append}, .values = 0, .pending_one_in = 2}},
      {"strings", {.kinds = {read, append}, .values = 0, .uses_strings = true}},
      {"strings, many clients, mostly pending",
       {.kinds = {read, append, append}, .clients = 6, .values = 0, .pending_one_in = 2, .uses_strings = true}},
      {"lists that are written", {.kinds = {read, append, append, write}, .values = 0, .writes_pieces = true}, 100, 14},
      {"lists that are written, mostly pending",
       {.kinds = {read, read, append, append, write}, .values = 0, .pending_one_in = 2, .writes_pieces = true},
       100,
       14},
      {"strings that are written",
       {.kinds = {read, append, append, write}, .values = 0, .uses_strings = true, .writes_pieces = true},
       100,
       14},
      {"strings that are written, many clients",
       {.kinds = {read, append, append, append, write},
        .clients = 6,
        .values = 0,
        .pending_one_in = 4,
        .uses_strings = true,
        .writes_pieces = true},
       100,
       14},
      {"strings that are seldom written",
       {.kinds = {read, read, read, append, append, append, append, write},
        .clients = 4,
        .values = 0,
        .uses_strings = true,
        .writes_pieces = true},
       100,
       14},
  };
}

std::string text_of(const History& history) {
  std::string text;
  write_json_lines(history, text);
  return text;
}

TEST(Deciders, agree_with_every_order) {
  const std::uint64_t histories_of_each_shape = random_histories_wanted(50'000) / shapes().size();
  Checker checker;
  HistoryBuilder builder;
  std::uint64_t seed = 0;

  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    std::uint64_t linearizable = 0;
    std::uint64_t decided = 0;
    for (std::uint64_t i = 0; i < histories_of_each_shape; ++i) {
      RandomNumbers random(++seed * 1'000'003 + 17);
      RandomHistoryShape as_wrong_as_drawn = shape.shape;
      as_wrong_as_drawn.wrong_one_in = 1 + random.below(4);
      make_random_history(random, as_wrong_as_drawn, builder);
      const bool expected = is_linearizable_by_brute_force(builder.history());
      const CheckReport report = checker.check(builder.history(), {.explains = false});
      ASSERT_EQ(report.verdict, expected ? Verdict::linearizable : Verdict::not_linearizable)
          << report.keys[0].method << ", seed " << seed << "\n"
          << text_of(builder.history());
      linearizable += expected ? 1 : 0;
      decided += report.keys.empty() || report.keys[0].method != "search" ? 1U : 0U;
    }
    EXPECT_GT(linearizable, histories_of_each_shape / 10);
    EXPECT_LT(linearizable, histories_of_each_shape * 19 / 20);
    EXPECT_GE(decided * 100, histories_of_each_shape * shape.decided_in_100);
  }
}

TEST(Deciders, agree_with_the_search_on_longer_histories) {
  const std::uint64_t histories_of_each_shape = random_histories_wanted(50'000) / 5 / shapes().size();
  Checker checker;
  HistoryBuilder builder;
  std::uint64_t seed = 0;

  for (Shape shape : shapes()) {
    SCOPED_TRACE(shape.name);
    shape.shape.operations_max = shape.operations_when_long;
    shape.shape.wrong_one_in = 15;
    shape.shape.clients += 2;
    std::map<Verdict, std::uint64_t> verdicts;
    for (std::uint64_t i = 0; i < histories_of_each_shape; ++i) {
      RandomNumbers random(++seed * 1'000'003 + 29);
      make_random_history(random, shape.shape, builder);
      const CheckReport fast = checker.check(builder.history(), {.explains = false});
      const CheckReport searched = checker.check(builder.history(), {.explains = false, .only_searches = true});
      ASSERT_EQ(fast.verdict, searched.verdict) << fast.keys[0].method << ", seed " << seed << "\n"
                                                << text_of(builder.history());
      ++verdicts[searched.verdict];
    }
    EXPECT_EQ(verdicts[Verdict::undecided], 0U);
    EXPECT_GT(verdicts[Verdict::linearizable], histories_of_each_shape / 50);
    EXPECT_GT(verdicts[Verdict::not_linearizable], histories_of_each_shape / 50);
  }
}

}  // namespace
}  // namespace shardcheck::histories
