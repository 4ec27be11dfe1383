#include "spec/clauses.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace shardcheck {
namespace {

TEST(Clauses, every_row_is_found_under_its_own_id) {
  for (const Clause& row : clauses()) {
    SCOPED_TRACE(row.text_id);
    EXPECT_EQ(&clause(row.id), &row);
    EXPECT_EQ(clause_by_text_id(row.text_id), row.id);
    EXPECT_FALSE(row.sentence.empty());
  }
  EXPECT_EQ(clause_by_text_id("Z9"), std::nullopt);
}

// The first edition of the catalogue is a table outside of the source tree; where it is at hand, the two must agree.
TEST(Clauses, agree_with_the_first_edition) {
  const std::filesystem::path table = std::filesystem::path(SHARDCHECK_SOURCE_DIR).parent_path() / "shared/clauses.tsv";
  if (!std::filesystem::exists(table)) {
    GTEST_SKIP() << "the first edition is not on this machine";
  }
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);
  std::size_t index = 0;

  while (std::getline(file, line)) {
    std::stringstream fields(line);
    std::string id, name, sentence;
    std::getline(fields, id, '\t');
    std::getline(fields, name, '\t');
    std::getline(fields, sentence, '\t');
    ASSERT_LT(index, clauses().size());
    EXPECT_EQ(clauses()[index].text_id, id);
    EXPECT_EQ(clauses()[index].name, name);
    EXPECT_EQ(clauses()[index].sentence, sentence);
    ++index;
  }

  EXPECT_EQ(index, clauses().size());
}

}  // namespace
}  // namespace shardcheck
