// How operations and values of a contradiction are called in a sentence.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "histories/history.h"
#include "histories/key_history.h"

namespace shardcheck::histories {

// How an operation (an index into History::operations) is called; absent: by its line.
using OperationNames = std::function<std::string(std::uint32_t)>;

// A set of operations that contradict one another, with all that a sentence about them may want to know. Everything
// must outlive it.
struct ContradictionCase {
  const History& history;
  const KeyHistory& whole;
  const KeyHistory& known;               // what is known after the last answer of the set (contradiction.h)
  std::vector<KeyOperation> operations;  // the set, as known, in the order of invocation
  KeyOperation last;                     // the one whose answer made it a contradiction
  const OperationNames& names;

  static bool precedes(const KeyOperation& first, const KeyOperation& second) {
    return first.has_returned() && first.returned < second.invoked;
  }
  bool is_last(const KeyOperation& operation) const { return operation.source == last.source; }

  // "line 7", of the return, or of the invocation when no return is known.
  std::string place(const KeyOperation& operation) const;
  // "lines 3, 5 and 9", of at least one operation; of very many, how many more there are.
  std::string places(std::span<const KeyOperation> of) const;
  // A value as a reader wants to see it: of a long one the end, which is where a log says something.
  std::string text(ValueId value) const;
  // "the read at line 7 returned 3": the beginning of a sentence.
  std::string subject(const KeyOperation& operation) const;
  // "3 was read".
  std::string happening(const KeyOperation& operation) const;
  // "3 was read (line 7)".
  std::string event(const KeyOperation& operation) const;
  // "9 was acknowledged (line 640)".
  std::string acknowledged(const KeyOperation& operation) const;
};

// "once", "twice", "3 times".
std::string times(std::int64_t count);

// One sentence, in plain words, without a line end.
std::string sentence_of(const ContradictionCase& found);

// Those of one structure; nothing when none of their patterns fits.
std::optional<std::string> sentence_about_register(const ContradictionCase& found);
std::optional<std::string> sentence_about_log(const ContradictionCase& found);
std::optional<std::string> sentence_about_counter(const ContradictionCase& found);

}  // namespace shardcheck::histories
