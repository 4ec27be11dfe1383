// How violations name the sides of a move, and what a copy is for that a node keeps or forgets.
#pragma once

#include <string>

#include "spec/known_cluster.h"
#include "spec/monitor_context.h"
#include "spec/wording.h"

namespace shardcheck {

inline std::string sides(const KnownMove& move) {
  return fmt::format("from {} to {}", words(move.source), words(move.target));
}

// What the copy was for that a node forgets.
inline std::string copy_of(NodeId node, MoveId id, const MonitorContext& context) {
  if (id == MoveId{}) {
    return "kept as a member of a replica set";
  }
  const KnownMove* move = context.known.move(id);
  if (move == nullptr || (move->source != node && move->target != node)) {
    return fmt::format("kept for {}", words(id));
  }
  if (move->source == node) {
    return fmt::format("kept as the source of {}", words(id));
  }
  return move->is_committed ? fmt::format("which {} had brought", words(id))
                            : fmt::format("begun as the target of {}", words(id));
}

// A clean-up may be the late one of an earlier move, which had taken the range away.
inline std::string earlier_departure(NodeId node, ShardId shard, const MonitorContext& context) {
  std::string text;
  for (const KnownMove& move : context.known.moves()) {
    if (move.shard == shard && move.source == node && move.is_committed) {
      text = fmt::format(" ({} had taken the range away at {}, and it came back)", words(move.id),
                         words(move.committed_at));
    }
  }
  return text;
}

}  // namespace shardcheck
