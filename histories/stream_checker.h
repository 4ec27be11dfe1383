// Judges histories that are longer than memory while they are read: JSON lines, each key cut where it is quiet.
//
// A key is quiet at a moment when nothing that has an answer is outstanding. What was asked before such a cut is judged
// and forgotten; what its value can be there is carried on. Which values those are is found out by asking the checker:
// from each value that can have been there at the cut before, can the operations in between be linearized with a read
// of the value at the end? So a stretch is judged by the same deciders as a whole history, and memory stays with what
// is asked between two cuts of a key.
//
// A key is not cut where that would leave open what is carried on (stream_window.cpp says when); then it is kept until
// a later cut, or the end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "histories/byte_source.h"
#include "histories/checker.h"
#include "histories/history_assembler.h"

namespace shardcheck::histories {

struct StreamOptions {
  std::uint64_t steps_max = CheckOptions{}.steps_max;                // for each question asked about a key
  std::uint64_t memory_bytes_max = CheckOptions{}.memory_bytes_max;  // of all that is kept, and for judging a key
  std::function<bool()> is_out_of_time{};
  // Read and judge no more once a key is found to be violated.
  bool stops_at_first_violation = false;
  // So many operations at least are read before keys are cut again. Decides nothing.
  std::uint64_t window_operations = 1U << 16U;
};

struct StreamedKey {
  std::string key;  // as JSON, but a string without its quotes
  Verdict verdict = Verdict::undecided;
  Shortage shortage = Shortage::none;
  std::uint64_t operations = 0;
  std::uint64_t cuts = 0;
  std::uint32_t unexplained_line = 0;  // of a key that is violated: a return that cannot be explained
  // Why, in plain words that name operations by line. What was asked before the last cut is told by the value that the
  // key can have held there.
  std::string sentence{};
};

struct StreamReport {
  Verdict verdict = Verdict::linearizable;
  std::vector<StreamedKey> keys;  // those judged, in the order in which they appear
  std::uint64_t operations = 0;   // read, of all keys
  // No line behind this was read (0: it was read to the end): for want of something, or because a violation was found
  // and nothing else was wanted. Then so many keys of those seen until there were not judged.
  std::uint64_t stopped_at_line = 0;
  Shortage shortage = Shortage::none;
  std::uint64_t keys_not_judged = 0;
  std::uint64_t operations_kept_max = 0;  // at one time
};

// `rules.initial` must not be given. Errors name `name` and the line.
Result<StreamReport> check_stream(std::unique_ptr<ByteSource> source, const std::string& name, ReadingRules rules,
                                  const StreamOptions& options);

}  // namespace shardcheck::histories
