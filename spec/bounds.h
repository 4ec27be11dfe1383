// The bounds that a run promises and by which it is judged. Set by whoever configures the cluster.
#pragma once

#include <cstdint>

#include "spec/types.h"

namespace shardcheck {

// Identifiers in facts must keep to these sizes: the judge indexes dense tables by them.
struct Bounds {
  int nodes = 0;    // NodeId.value < nodes, all roles together
  int shards = 0;   // ShardId.value < shards
  int clients = 0;  // ClientId.value < clients
  KeyRange key_space;
  Duration clock_offset_max;        // every clock is within this of true time, at all times
  Duration retention;               // a source keeps its copy at least this long (true time) after the commit
  Duration service_within;          // V1: after Healed, every range serves again within this
  Duration move_within;             // V2: after Healed, every accepted move is over within this
  bool tells_owner_splits = false;  // D6 can be judged
  bool answers_scans = false;       // clients may ask for scans, of as many keys as key_set.h has room for
  // What moves may cost; 0: not promised.
  std::uint64_t log_entries_max = 0;    // M11: a longer log may be trimmed although a copy needs it
  std::uint32_t replay_rounds_max = 0;  // V2: then something is decided about writes that outrun the replay
  // V2: a move that nothing disturbs is decided within this, replay_round for each round that it tells of and
  // copy_within for each copy that it begins; 0: no promise.
  Duration undisturbed_move_within;
  Duration copy_within;
  std::uint8_t splits_first_max = 0;      // V2: so often in a row a wish to move a range splits it
  std::uint32_t copies_per_move_max = 0;  // V2: so often a target begins its copy for one move
  Duration pause_without_tail;            // V5: one directory commit and 4 message delay bounds, all work included
  Duration replay_round;                  // V5: to replay entries_per_round
  std::uint64_t entries_per_round = 0;
  std::uint64_t lag_at_fence_max = UINT64_MAX;         // V5: entries left to replay when the fence is asked for
  std::uint64_t lag_of_longer_pause_max = UINT64_MAX;  // V5: the same where a longer pause was decided
  std::uint32_t node_keys_max = 0;                     // V6: a node has room for the copies of so many keys
  Duration answer_within;  // V4: an operation on a range that nothing happens to is answered within this; 0: no promise
  Duration quiet_after;    // V4: no fault has an effect any more when it is over for so long
  int hops_per_epoch_max = 4;  // R2: redirected or stale hops of one request while the epochs it meets do not change
  // R4, V4: routers that poll or watch the directory, and the directory's members, as sets of bits by NodeId below 64;
  // a router knows of a grant within staleness_max (one refresh interval and one round trip) of its commit.
  std::uint64_t watchers = 0;
  std::uint64_t directory = 0;
  Duration staleness_max;
};

}  // namespace shardcheck
