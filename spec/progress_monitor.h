// Judges parts of V2: a move comes to a decision, and one stuck move does not block others. A move whose sides, replica
// set, movers and directory are disturbed by nothing is decided in the time that its own work takes, also while another
// one that began before it is not over.
#pragma once

#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

class ProgressMonitor {
 public:
  void reset(const Bounds& bounds);

  void on(const RecordCommitted& fact, const MonitorContext& context);
  void on(const ReplayRound& fact, const MonitorContext& context);
  void on(const CopyCreated& fact, const MonitorContext& context);
  void finish(const MonitorContext& context) const;

 private:
  // The newest move of a range, until it is decided, and then until it is over.
  struct Move {
    MoveId id;
    TrueTime begun_at;
    NodeSet takes_part;
    std::int64_t rounds = 0;  // of replay
    std::int64_t copies = 0;
    bool is_decided = false;
    bool is_over = true;
  };

  void check(const Move& judged, ShardId shard, const MonitorContext& context) const;
  const Move* stuck_beside(const Move& judged) const;
  static TrueTime disturbed_until(const Move& judged, const MonitorContext& context);

  std::vector<Move> moves_;  // by ShardId
};

}  // namespace shardcheck
