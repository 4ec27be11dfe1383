// What is said about a key that is not linearizable, or could not be decided: data, for printing and for pictures.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "spec/types.h"

namespace shardcheck::histories {

// How an operation (an index into History::operations) is called; absent: by its process and line.
using OperationNames = std::function<std::string(std::uint32_t)>;

// What sentences are about, where that is not the whole history of a file.
struct Telling {
  OperationNames names{};
  // An initial write stands for what the key held at a cut; what was asked before is not known.
  bool is_behind_cut = false;
  bool is_counter = false;  // the key was only ever read and incremented
};

// A beginning of a key's history that is linearizable: its first `answers` returns in the order of time, with all that
// was invoked until the last of them.
struct LinearizablePrefix {
  std::uint64_t answers = 0;
  std::uint32_t last_line = 0;  // of the return of the last of them; 0 when there is none
  TrueTime ends_at{};           // when that was; meaningless when there is none
};

// The history up to and including one return is not linearizable, though up to just before it it is.
struct Explanation {
  std::uint32_t operation = 0;  // index into History::operations: the first that cannot be explained
  std::uint32_t line = 0;       // of its return
  std::string sentence;         // why, in plain words that name operations by line; no line end in it

  LinearizablePrefix prefix;  // up to just before `operation` returned: none is longer
  // False: that none before it is unexplained was too much to find out, and of `prefix` there may be more.
  bool is_first = true;

  // Operations that contradict one another (contradiction.h says what that means), as indexes into
  // History::operations, in the order of their invocations; `operation` is one of them.
  std::vector<std::uint32_t> contradiction;
  bool is_minimal = false;  // whether all of them are needed; false when that was too much work to find out

  // From the first invocation to the last return of `contradiction`.
  TrueTime window_begin{};
  TrueTime window_end{};
};

}  // namespace shardcheck::histories
