// shardcheck generate-history and convert, and how check reads other formats.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "cli/command_fixture.h"

namespace shardcheck::cli {
namespace {

using testing::HasSubstr;

class HistoriesMade : public Commands {};

TEST_F(HistoriesMade, are_judged_as_they_were_asked_for) {
  const std::string good = path("good.jsonl");
  const std::string bad = path("bad.edn");
  const std::vector<std::string> shape{"--n", "2000", "--keys", "20", "--clients", "8", "--pending", "0.01"};
  std::vector<std::string> make_good{"generate-history", good, "--append", "0.3", "--incr", "0.3", "--deletes", "0.1"};
  std::vector<std::string> make_bad{"generate-history", bad, "--bad", "--format", "edn", "--cas", "0.2"};
  make_good.insert(make_good.end(), shape.begin(), shape.end());
  make_bad.insert(make_bad.end(), shape.begin(), shape.end());

  ASSERT_EQ(command(make_good).exit, ExitCode::held);
  ASSERT_EQ(command(make_bad).exit, ExitCode::held);

  EXPECT_EQ(command({"check", good}).exit, ExitCode::held);
  EXPECT_EQ(command({"check", bad}).exit, ExitCode::violated);
  EXPECT_EQ(command({"check", good, bad, "--format", "edn"}).exit, ExitCode::bad_input);
}

TEST_F(HistoriesMade, are_the_same_for_the_same_seed) {
  const auto made = [](const std::string& seed) {
    return command({"generate-history", "-", "--n", "50", "--seed", seed}).out;
  };

  EXPECT_EQ(made("7"), made("7"));
  EXPECT_NE(made("7"), made("8"));
}

TEST_F(HistoriesMade, are_the_same_after_two_conversions) {
  ASSERT_EQ(command({"generate-history", path("a.jsonl"), "--n", "200", "--append", "1"}).exit, ExitCode::held);

  ASSERT_EQ(command({"convert", path("a.jsonl"), path("b.edn")}).exit, ExitCode::held);
  ASSERT_EQ(command({"convert", path("b.edn"), path("c.jsonl")}).exit, ExitCode::held);

  EXPECT_THAT(read(path("b.edn")), testing::StartsWith("{:process "));
  EXPECT_EQ(read(path("a.jsonl")), read(path("c.jsonl")));
}

TEST_F(HistoriesMade, mean_what_the_flags_of_reading_say) {
  const std::string file = write("history.edn",
                                 "[{:process 0, :type :invoke, :f :read, :value [1 nil]}\n"
                                 " {:process 0, :type :ok, :f :read, :value [1 0]}\n"
                                 " {:process 0, :type :invoke, :f :cas, :value [1 [0 5]]}\n"
                                 " {:process 0, :type :fail, :f :cas, :value [1 [0 5]]}]\n");

  EXPECT_THAT(command({"check", file}).errors, HasSubstr("history.edn:1: a read is invoked with a vector"));
  EXPECT_EQ(command({"check", file, "--independent"}).exit, ExitCode::violated);
  EXPECT_EQ(command({"check", file, "--independent", "--initial", "0"}).exit, ExitCode::held);
  EXPECT_EQ(command({"check", file, "--independent", "--initial", "0", "--failed-cas", "other"}).exit,
            ExitCode::violated);
  const CommandOutcome too_big = command({"check", file, "--independent", "--initial", "99999999999999999999"});
  EXPECT_EQ(too_big.exit, ExitCode::bad_input);
  EXPECT_THAT(too_big.errors, HasSubstr("--initial: '99999999999999999999' is beyond a whole number of 64 bits"));
}

TEST_F(HistoriesMade, refuse_what_they_cannot_do) {
  const std::string transactions = write("elle.edn", "{:type :invoke, :process 0, :f :txn, :value [[:append 1 1]]}\n");
  const std::vector<std::vector<std::string>> wrong{
      {"check", transactions},
      {"convert", transactions, path("out.jsonl")},
      {"check", path("a.jsonl"), "--format", "xml"},
      {"check", path("a.jsonl"), "--nil-read", "maybe"},
      {"generate-history", path("a.jsonl"), "--n", "0"},
      {"generate-history", path("a.jsonl"), "--n", "-1"},
      {"generate-history", path("a.jsonl"), "--pending", "1.5"},
      {"generate-history", path("a.jsonl"), "--pending", "nan"},
      {"generate-history", path("a.jsonl"), "--writes", "-0.1"},
      {"generate-history", path("a.jsonl"), "--deletes", "1.0000001"},
      {"generate-history", path("a.jsonl"), "--cas", "inf"},
      {"generate-history", path("a.jsonl"), "--append", "0.6", "--incr", "0.6"},
      {"generate-history", path("a.jsonl"), "--deletes", "0.6", "--cas", "0.6"},
      {"generate-history", path("a.jsonl"), "--bad", "--n", "2"},
      {"generate-history", ""},
      {"generate-history", "/dev/full", "--n", "10"},
  };
  for (const std::vector<std::string>& arguments : wrong) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    EXPECT_EQ(command(arguments).exit, ExitCode::bad_input);
  }
  EXPECT_FALSE(std::filesystem::exists(path("a.jsonl")));
  EXPECT_THAT(command({"check", transactions}).errors, HasSubstr("elle.edn:1: this is a transaction history"));
}

}  // namespace
}  // namespace shardcheck::cli
