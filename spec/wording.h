// How violations name things: "node 3", "range 1", "epoch 7", "[0, 16)", "12.500 ms". Only called when a violation is
// written down, so that judging a correct run never formats anything.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "spec/types.h"
#include "spec/violation.h"

namespace shardcheck {

inline std::string words(NodeId node) { return node == kNoNode ? "nobody" : fmt::format("node {}", node.value); }
inline std::string words(ShardId shard) { return fmt::format("range {}", shard.value); }
inline std::string words(Key key) { return fmt::format("key {}", key.value); }
inline std::string words(Epoch epoch) { return fmt::format("epoch {}", epoch.value); }
inline std::string words(MoveId move) { return fmt::format("move {}", move.value); }
inline std::string words(DirectoryPosition position) { return fmt::format("directory position {}", position.value); }
inline std::string words(Version version) {
  return fmt::format("version {}.{}", version.epoch.value, version.position.value);
}
inline std::string words(RequestId request) {
  return fmt::format("request {} of client {}", request.sequence, request.client.value);
}
inline std::string words(KeyRange range) { return fmt::format("[{}, {})", range.lo.value, range.hi.value); }
inline std::string words_of_nanoseconds(std::int64_t count) {
  const char* sign = count < 0 ? "-" : "";
  const std::int64_t micros = (count < 0 ? -count : count) / 1'000;
  return fmt::format("{}{}.{:03} ms", sign, micros / 1'000, micros % 1'000);
}
inline std::string words(TrueTime time) { return words_of_nanoseconds(time.value); }
inline std::string words(Instant instant) { return words_of_nanoseconds(instant.value); }
inline std::string words(Duration duration) { return words_of_nanoseconds(duration.value); }
// "until 12.500 ms", or "for ever" for a claim without an end.
inline std::string until_words(TrueTime time) { return time.value == INT64_MAX ? "for ever" : "until " + words(time); }
// " (at 65.600 ms)", or nothing for what has no time or says it.
inline std::string when(const Violation& violation) {
  const std::string at = "at " + words(violation.at);
  const bool is_said = violation.message.find(at) != std::string::npos;
  return violation.at == TrueTime{} || is_said ? "" : fmt::format(" ({})", at);
}

}  // namespace shardcheck
