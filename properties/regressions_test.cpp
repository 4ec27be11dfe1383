// Every bug that was ever found in the reference or in its judge, as the small scenario that once showed it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "harness/scenario_runner.h"

namespace shardcheck {
namespace {

using harness::RunReport;
using harness::Scenario;

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SHARDCHECK_SOURCE_DIR) + "/properties/regressions")) {
    if (entry.path().extension() == ".scenario") {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Hears whether the data of a range was lost for good: such a range serves nothing, and nobody waits for it.
class LossListener final : public harness::TraceSink {
 public:
  void line(TrueTime, const std::string&) override {}
  void happened(const Observed& observed) override {
    const auto* committed = std::get_if<RecordCommitted>(&observed.fact);
    heard_ = heard_ || (committed != nullptr && committed->change == RecordChange::reported_lost);
  }
  bool has_heard() const { return heard_; }

 private:
  bool heard_ = false;
};

TEST(Regressions, no_bug_comes_back) {
  harness::ScenarioRunner runner;
  ASSERT_GE(files().size(), 8U);
  for (const std::filesystem::path& path : files()) {
    const std::string name = path.filename().string();
    SCOPED_TRACE(name);
    const Result<Scenario> scenario = harness::parse_scenario(text_of(path), name);
    ASSERT_TRUE(scenario.has_value()) << to_string(scenario.error());
    ASSERT_EQ(scenario->cluster.mutant, impl::Mutant::none);

    LossListener losses;
    const RunReport& report = runner.run(*scenario, &losses);

    for (const Violation& violation : report.violations) {
      ADD_FAILURE() << clause(violation.clause).text_id << ": " << violation.message;
    }
    EXPECT_FALSE(report.is_undecided);
    EXPECT_FALSE(report.was_cut_short);
    EXPECT_TRUE(report.checked(ClauseId::V1) > 0 || losses.has_heard());
  }
}

// The first line says the bug, by the rows that caught it.
TEST(Regressions, each_one_says_what_it_showed) {
  for (const std::filesystem::path& path : files()) {
    SCOPED_TRACE(path.filename().string());
    const std::string text = text_of(path);

    ASSERT_TRUE(text.starts_with("# "));
    const std::size_t colon = text.find(':');
    ASSERT_LT(colon, text.find('\n'));
    std::istringstream rows(text.substr(2, colon - 2));
    for (std::string row; std::getline(rows, row, ',');) {
      row.erase(0, row.find_first_not_of(' '));
      EXPECT_TRUE(clause_by_text_id(row).has_value()) << row;
    }
  }
}

}  // namespace
}  // namespace shardcheck
