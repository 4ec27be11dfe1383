#include "histories/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <filesystem>
#include <string>

namespace shardcheck::histories {
namespace {

const std::filesystem::path kSource = SHARDCHECK_SOURCE_DIR;

void expect_as_labelled(const Result<std::vector<CorpusRow>>& rows, std::size_t count) {
  ASSERT_TRUE(rows) << to_string(rows.error());
  EXPECT_EQ(rows->size(), count);
  for (const CorpusRow& row : *rows) {
    SCOPED_TRACE(row.label.file);
    EXPECT_EQ(name_of(row.verdict), name_of(row.label.expected));
    EXPECT_EQ(row.keys_found, row.label.keys_expected);
    EXPECT_GT(row.operations, 0U);
  }
}

TEST(Corpus, is_judged_as_labelled) { expect_as_labelled(judge_corpus(kSource / "histories/corpus"), 8); }

TEST(Corpus, has_both_verdicts) {
  const auto labels = read_corpus_manifest(kSource / "histories/corpus");

  ASSERT_TRUE(labels) << to_string(labels.error());
  EXPECT_EQ(std::ranges::count(*labels, Verdict::linearizable, &CorpusLabel::expected), 4);
  EXPECT_EQ(std::ranges::count(*labels, Verdict::not_linearizable, &CorpusLabel::expected), 4);
}

TEST(Corpus, without_a_manifest_is_an_error) {
  const auto rows = judge_corpus(kSource / "histories/testdata");

  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().what, "cannot be opened");
}

// The corpus is a selection; where all recorded histories are at hand, all of them are judged.
TEST(Corpus, all_recorded_histories_are_judged_as_labelled) {
  const std::filesystem::path folder = kSource.parent_path() / "shared/histories/own";
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << "the full collection of recorded histories is not on this machine";
  }
  expect_as_labelled(judge_corpus(folder), 41);
}

}  // namespace
}  // namespace shardcheck::histories
