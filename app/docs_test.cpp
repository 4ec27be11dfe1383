#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "spec/clauses.h"

namespace shardcheck::app {
namespace {

// A clause is quoted as `> **M1 NoLostWrite** sentence`, on one line.
TEST(Docs, quote_clauses_as_the_table_has_them) {
  const std::regex quote(R"(> \*\*([A-Z][0-9]+) (\w+)\*\* (.*))");
  int quotes = 0;
  for (const char* name : {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "spec/README.md"}) {
    std::ifstream file(std::filesystem::path(SHARDCHECK_SOURCE_DIR) / name);
    ASSERT_TRUE(file.good()) << name;
    for (std::string line; std::getline(file, line);) {
      SCOPED_TRACE(std::string(name) + ": " + line);
      std::smatch parts;
      if (std::regex_match(line, parts, quote)) {
        const auto id = clause_by_text_id(parts[1].str());
        ASSERT_TRUE(id.has_value());
        EXPECT_EQ(clause(*id).name, parts[2].str());
        EXPECT_EQ(clause(*id).sentence, parts[3].str());
        ++quotes;
      }
    }
  }

  EXPECT_GE(quotes, 1);
}

}  // namespace
}  // namespace shardcheck::app
