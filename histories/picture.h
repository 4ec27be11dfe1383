// A judged history as one self-contained HTML page: the verdict and the explanation in words, the window of time round
// the contradiction with a lane for each process, faults and moves as bands, the whole history as a strip.
//
// The page asks for nothing: its style, scripts and data are inside, and its policy forbids connections. It has at most
// kPictureBytesMax bytes, however long the history is; what was left out is said on it. Texts of the history stand in
// it as JSON alone (script_text.h), and its scripts only ever show them as text.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "histories/checker.h"
#include "histories/history.h"

namespace shardcheck::histories {

inline constexpr std::size_t kPictureBytesMax = 2'000'000;

struct PictureOptions {
  std::string title{};  // the history's file, say
  std::size_t operations_max = 4'000;
  // What else there is to say about a key that is violated or undecided, a sentence each: why it is not decided, what
  // still holds of it. Absent: nothing.
  std::function<std::vector<std::string>(const KeyVerdict&)> remarks{};
};

// Takes about n log n. The report must be of this history; keys that it does not judge are said to be unjudged.
std::string picture_of(const History& history, const CheckReport& report, const PictureOptions& options = {});

}  // namespace shardcheck::histories
