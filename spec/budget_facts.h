// Facts about what a move costs: rounds of replay, what is decided when writes outrun them, what throttling adds, and
// why a move is given up. A part of spec/observation.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "spec/types.h"

namespace shardcheck {

// The mover finished one round of replay while the source takes writes; `lag` entries were still to come.
struct ReplayRound {
  MoveId move;
  ShardId shard;
  MoverEpoch mover;
  std::uint64_t lag;
};
// What the mover does about writes that outrun the replay. `split_first`: it gives the move up and has the range split,
// whose halves are then moved one after the other.
enum class CatchUpDecision : std::uint8_t { give_up, throttle, longer_pause, split_first };
inline constexpr int kCatchUpDecisions = 4;
std::string_view name_of(CatchUpDecision decision);
struct CatchUpDecided {
  MoveId move;
  ShardId shard;
  MoverEpoch mover;
  CatchUpDecision decision;
  std::uint8_t splits = 0;  // so often the wish that this move stands for has split a range before
};
// The mover asks for the fence: `lag` entries were still to be replayed, as far as it has heard.
struct FenceDecided {
  MoveId move;
  ShardId shard;
  MoverEpoch mover;
  std::uint64_t lag;
};
// An admitted write had to wait, because its range is throttled for a move.
struct WriteThrottled {
  MoveId move;
  ShardId shard;
  Duration added;
};
// The move is over: what being throttled for it has cost writes in all, since its source last restarted.
struct ThrottleEnded {
  MoveId move;
  ShardId shard;
  std::uint32_t writes;
  Duration added;
};
// Why a mover asks for the abort of its move.
enum class GiveUpReason : std::uint8_t { silent_side, impossible, outrun, log_trimmed, split_first };
inline constexpr int kGiveUpReasons = 5;
std::string_view name_of(GiveUpReason reason);
struct MoveGaveUp {
  MoveId move;
  ShardId shard;
  GiveUpReason reason;
};

}  // namespace shardcheck
