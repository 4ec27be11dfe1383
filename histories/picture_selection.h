// Which operations of a history a picture shows. A page has room for some thousands; a history may have millions. So:
// all of the contradictions, then what was near them in time on their keys, then what was near them on other keys, then
// a thin sample of the rest. What is left out is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "histories/checker.h"
#include "histories/history.h"

namespace shardcheck::histories {

// Why an operation is shown; the first reason counts.
enum class Role : std::uint8_t { contradiction, neighbour, context, sample };

struct ShownOperation {
  std::uint32_t index = 0;  // into History::operations
  Role role = Role::sample;

  friend bool operator==(const ShownOperation&, const ShownOperation&) = default;
};

// A key that is violated, with what contradicts.
struct PictureFinding {
  std::uint32_t verdict = 0;              // index into CheckReport::keys
  std::vector<std::uint32_t> operations;  // of the contradiction, by invocation; indexes into History::operations
  // Every operation of the key that was under way less than so long before or after one of the contradiction is shown.
  // Absent: every operation of the key is.
  std::optional<Duration> shown_within;
};

struct PictureSelection {
  std::vector<PictureFinding> findings;    // in the report's order
  std::uint64_t findings_left_out = 0;     // keys with a contradiction for which there was no room
  std::vector<ShownOperation> operations;  // the most important first
};

// Takes about n log n. At most `operations_max` operations, and every one when there are no more.
PictureSelection select_for_picture(const History& history, const CheckReport& report, std::size_t operations_max);

// The end of an operation's time: its return, or its invocation when it never returned (it may then act at any later
// time, but to draw it as near to all that follows would leave no room for what is).
TrueTime end_of(const RecordedOperation& operation);

}  // namespace shardcheck::histories
