// Judges a folder of labelled histories: files, and a manifest.tsv with the columns file, system, scenario,
// linearizable (yes or no) and keys_not_linearizable (separated by commas).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "histories/checker.h"
#include "spec/error.h"

namespace shardcheck::histories {

struct CorpusLabel {
  std::string file;
  std::string system;
  std::string scenario;
  Verdict expected = Verdict::undecided;
  std::vector<std::string> keys_expected;  // those not linearizable, in the order of their names
};

struct CorpusRow {
  CorpusLabel label;
  Verdict verdict = Verdict::undecided;
  std::vector<std::string> keys_found;  // those found not linearizable, in the order of their names
  std::uint64_t operations = 0;

  bool is_as_labelled() const { return verdict == label.expected && keys_found == label.keys_expected; }
};

Result<std::vector<CorpusLabel>> read_corpus_manifest(const std::filesystem::path& folder);

// One row for each row of the manifest, in its order. A file that cannot be read is an error of the whole.
Result<std::vector<CorpusRow>> judge_corpus(const std::filesystem::path& folder, const CheckOptions& options = {});

}  // namespace shardcheck::histories
