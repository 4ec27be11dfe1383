// The checker against trying every order, on many small histories of every shape.
#include "histories/oracle.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "histories/checker.h"
#include "histories/history_writer.h"
#include "histories/random_history.h"

namespace shardcheck::histories {
namespace {

using enum OperationKind;

struct Shape {
  std::string name;
  RandomHistoryShape shape;
};

std::vector<Shape> shapes() {
  const std::vector<OperationKind> register_kinds{read, read, write, remove};
  return {
      {"register, unique values", {.kinds = {read, write}, .values = 0}},
      {"register, repeated values", {.kinds = {read, write}}},
      {"register with deletes, unique values", {.kinds = register_kinds, .values = 0}},
      {"register with deletes, repeated values", {.kinds = register_kinds, .values = 2}},
      {"register, mostly pending", {.kinds = register_kinds, .values = 2, .pending_one_in = 3}},
      {"compare-and-set, unique values", {.kinds = {read, write, compare_and_set}, .values = 0}},
      {"compare-and-set, repeated values", {.kinds = {read, write, compare_and_set, remove}}},
      {"compare-and-set, mostly pending", {.kinds = {read, compare_and_set, write}, .pending_one_in = 3}},
      {"counter", {.kinds = {read, increment}}},
      {"counter, mostly pending", {.kinds = {read, increment, increment}, .pending_one_in = 3}},
      {"log of lists, unique items", {.kinds = {read, append}, .values = 0}},
      {"log of lists, repeated items", {.kinds = {read, append}, .values = 2}},
      {"log of strings, unique pieces", {.kinds = {read, append}, .values = 0, .uses_strings = true}},
      {"log of strings, mostly pending",
       {.kinds = {read, append}, .values = 2, .pending_one_in = 3, .uses_strings = true}},
      {"log of strings, unique and mostly pending",
       {.kinds = {read, append}, .values = 0, .pending_one_in = 3, .uses_strings = true}},
      {"log of lists, one of them empty",
       {.kinds = {read, append}, .values = 2, .pending_one_in = 3, .has_empty_piece = true}},
      {"log of strings, one of them empty",
       {.kinds = {read, append}, .values = 2, .pending_one_in = 3, .uses_strings = true, .has_empty_piece = true}},
      {"all kinds", {.kinds = {read, read, write, remove, compare_and_set, append, increment}, .values = 2}},
      {"all kinds of strings",
       {.kinds = {read, read, write, append, append, compare_and_set}, .values = 2, .uses_strings = true}},
      {"counter that is also written", {.kinds = {read, increment, write, remove}, .values = 3}},
      {"many clients", {.kinds = {read, read, write, compare_and_set}, .clients = 8, .values = 2}},
      {"one client", {.kinds = {read, write, append, increment, remove}, .clients = 1, .values = 2}},
  };
}

// The search alone, in windows of two operations and no attempt to do without.
const CheckOptions kCutEverywhere{
    .only_searches = true, .cutting = {.operations_in_one = 0, .steps_for_each_operation = 0, .window_operations = 1}};

TEST(Oracle, agrees_with_the_checker_on_100000_histories) {
  const std::uint64_t histories_of_each_shape = random_histories_wanted(100'000) / shapes().size();
  Checker checker;
  HistoryBuilder builder;
  std::uint64_t seed = 0;

  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    std::uint64_t linearizable = 0;
    for (std::uint64_t i = 0; i < histories_of_each_shape; ++i) {
      RandomNumbers random(++seed * 1'000'003);
      make_random_history(random, shape.shape, builder);
      const bool expected = is_linearizable_by_brute_force(builder.history());
      const CheckReport report = checker.check(builder.history());
      if (report.verdict != (expected ? Verdict::linearizable : Verdict::not_linearizable)) {
        std::string text;
        write_json_lines(builder.history(), text);
        FAIL() << "checker: " << name_of(report.verdict) << ", oracle: " << expected << ", seed " << seed << "\n"
               << text;
      }
      const CheckReport cut = checker.check(builder.history(), kCutEverywhere);
      ASSERT_EQ(cut.verdict, report.verdict) << "when cut, seed " << seed;
      linearizable += expected ? 1 : 0;
    }
    // A shape of which nearly all histories have one verdict would compare next to nothing.
    EXPECT_GT(linearizable, histories_of_each_shape / 10);
    EXPECT_LT(linearizable, histories_of_each_shape * 19 / 20);
  }
}

TEST(Oracle, agrees_with_itself_when_longer_histories_are_cut) {
  const std::uint64_t histories_of_each_shape = random_histories_wanted(20'000) / 4 / shapes().size();
  Checker checker;
  HistoryBuilder builder;
  std::uint64_t seed = 0;
  std::uint64_t cut_and_refuted = 0;
  std::uint64_t cut_and_accepted = 0;

  for (Shape shape : shapes()) {
    SCOPED_TRACE(shape.name);
    shape.shape.operations_max = 40;
    shape.shape.wrong_one_in = 20;
    for (std::uint64_t i = 0; i < histories_of_each_shape; ++i) {
      RandomNumbers random(++seed * 1'000'003 + 41);
      make_random_history(random, shape.shape, builder);
      const CheckReport whole = checker.check(builder.history(), {.explains = false, .only_searches = true});
      CheckOptions cutting = kCutEverywhere;
      cutting.explains = false;
      cutting.cutting.window_operations = static_cast<std::uint32_t>(1 + random.below(5));
      const CheckReport cut = checker.check(builder.history(), cutting);
      ASSERT_EQ(whole.verdict, cut.verdict) << "seed " << seed;
      const bool is_cut = !cut.keys.empty() && cut.keys[0].method == "windows";
      cut_and_refuted += is_cut && cut.verdict == Verdict::not_linearizable ? 1U : 0U;
      cut_and_accepted += is_cut && cut.verdict == Verdict::linearizable ? 1U : 0U;
    }
  }

  EXPECT_GT(cut_and_refuted, histories_of_each_shape);
  EXPECT_GT(cut_and_accepted, histories_of_each_shape);
}

// A history as it was known just after the given return, or just before it.
History known_until(const History& whole, const RecordedOperation& last, bool includes_last) {
  History beginning = whole;
  std::erase_if(beginning.operations,
                [&](const RecordedOperation& operation) { return operation.invoked_at > last.returned_at; });
  for (RecordedOperation& operation : beginning.operations) {
    const auto order = std::tuple(operation.returned_at, operation.return_line);
    const auto last_order = std::tuple(last.returned_at, last.return_line);
    if (order > last_order || (order == last_order && !includes_last)) {
      operation.return_line = 0;
      // What was refused later had no effect before either.
      operation.outcome = operation.outcome == OutcomeKind::refused ? OutcomeKind::refused : OutcomeKind::unknown;
      operation.is_refusal_observed = false;
    }
  }
  return beginning;
}

TEST(Oracle, agrees_with_the_first_return_that_cannot_be_explained) {
  Checker checker;
  HistoryBuilder builder;
  std::uint64_t explained = 0;

  for (const Shape& shape : shapes()) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      SCOPED_TRACE(shape.name + ", seed " + std::to_string(seed));
      RandomNumbers random(seed);
      make_random_history(random, shape.shape, builder);
      const CheckReport report = checker.check(builder.history());
      if (report.verdict != Verdict::not_linearizable) {
        continue;
      }
      ++explained;
      ASSERT_TRUE(report.keys[0].explanation);
      const CheckReport cut = checker.check(builder.history(), kCutEverywhere);
      ASSERT_TRUE(cut.keys[0].explanation);
      EXPECT_EQ(cut.keys[0].explanation->operation, report.keys[0].explanation->operation);
      const RecordedOperation& last = builder.history().operations[report.keys[0].explanation->operation];
      EXPECT_TRUE(is_linearizable_by_brute_force(known_until(builder.history(), last, false)));
      EXPECT_FALSE(is_linearizable_by_brute_force(known_until(builder.history(), last, true)));
    }
  }

  EXPECT_GT(explained, 1'000U);
}

}  // namespace
}  // namespace shardcheck::histories
