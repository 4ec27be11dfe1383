// How operations and values of a contradiction are called in a sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "histories/explanation.h"
#include "histories/history.h"
#include "histories/key_history.h"

namespace shardcheck::histories {

// A set of operations that contradict one another, with all that a sentence about them may want to know. Everything
// must outlive it.
struct ContradictionCase {
  const History& history;
  const KeyHistory& whole;
  const KeyHistory& known;               // what is known after the last answer of the set (contradiction.h)
  std::vector<KeyOperation> operations;  // the set, as known, in the order of invocation
  KeyOperation last;                     // the one whose answer made it a contradiction
  const Telling& telling;

  static bool precedes(const KeyOperation& first, const KeyOperation& second) {
    return first.has_returned() && first.returned < second.invoked;
  }
  bool is_last(const KeyOperation& operation) const { return operation.source == last.source; }

  // How an operation is called that is not one of the key's: one that was refused, say; else by this line.
  std::string name_or_line(std::uint32_t index, std::uint32_t line) const;
  // Behind a cut, " from there on"; else nothing.
  std::string_view since() const { return telling.is_behind_cut ? " from there on" : ""; }
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
