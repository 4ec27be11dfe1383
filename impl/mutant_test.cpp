#include "impl/mutant.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace shardcheck::impl {
namespace {

TEST(Mutants, every_row_is_found_by_its_mutant_and_its_name) {
  for (const MutantRow& row : mutants()) {
    SCOPED_TRACE(row.text_id);
    EXPECT_EQ(&row_of(row.mutant), &row);
    EXPECT_EQ(mutant_by_name(row.name), row.mutant);
    EXPECT_FALSE(row.clauses.empty());
  }
  EXPECT_EQ(mutants().size(), static_cast<std::size_t>(Mutant::scan_orphans));
}

TEST(Mutants, what_is_no_mutant_has_no_row) {
  EXPECT_EQ(mutant_by_name("no_such_mutant"), std::nullopt);
  EXPECT_EQ(mutant_by_name("none"), std::nullopt);
}

struct ListedRow {
  std::string component;
  std::string name;
  std::string what;
  std::string clauses;  // "P8,P2": remarks in brackets are left out
};

std::string without_remarks(const std::string& text) {
  std::string kept;
  int depth = 0;
  for (const char character : text) {
    depth += character == '(' ? 1 : 0;
    if (depth == 0) {
      kept += character;
    }
    depth -= character == ')' ? 1 : 0;
  }
  return kept;
}

std::string joined(const std::vector<ClauseId>& ids) {
  std::string text;
  for (const ClauseId id : ids) {
    text += (text.empty() ? "" : ",") + std::string(clause(id).text_id);
  }
  return text;
}

// The first edition of the catalogue is a table outside of the source tree, longer than ours; where it is at hand, our
// rows must agree with it.
TEST(Mutants, agree_with_the_first_edition) {
  const std::filesystem::path table = std::filesystem::path(SHARDCHECK_SOURCE_DIR).parent_path() / "shared/mutants.tsv";
  if (!std::filesystem::exists(table)) {
    GTEST_SKIP() << "the first edition is not on this machine";
  }
  std::ifstream file(table);
  std::map<std::string, ListedRow> listed;
  for (std::string line; std::getline(file, line);) {
    std::stringstream fields(line);
    std::string id;
    ListedRow row;
    std::getline(fields, id, '\t');
    std::getline(fields, row.component, '\t');
    std::getline(fields, row.name, '\t');
    if (const std::size_t at = row.name.find("_dest"); at != std::string::npos) {
      row.name.replace(at, 5, "_target");  // the glossary's word
    }
    std::getline(fields, row.what, '\t');
    std::getline(fields, row.clauses, '\t');
    listed[id] = row;
  }

  for (const MutantRow& row : mutants()) {
    SCOPED_TRACE(row.text_id);
    const auto found = listed.find(std::string(row.text_id));
    ASSERT_NE(found, listed.end());
    EXPECT_EQ(row.component, found->second.component);
    EXPECT_EQ(row.name, found->second.name);
    EXPECT_EQ(row.what, found->second.what);
    EXPECT_EQ(joined(row.clauses), without_remarks(found->second.clauses));
  }
}

}  // namespace
}  // namespace shardcheck::impl
