// Judges the log behind a copy: M11. A source keeps its log from the snapshot of a copy on for as long as the copy
// needs it, or its log is over the stated bound; a target replays without a gap.
#pragma once

#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

class LogMonitor {
 public:
  void reset(const Bounds& bounds) { copies_.assign(static_cast<std::size_t>(bounds.shards), Copy{}); }

  void on(const CopyCreated& fact, const MonitorContext& context);
  void on(const CaptureOpened& fact, const MonitorContext& context);
  void on(const LogTrimmed& fact, const MonitorContext& context) const;
  void on(const Replayed& fact, const MonitorContext& context);

 private:
  // The newest copy of a range for a move.
  struct Copy {
    MoveId move;  // 0: none, or its snapshot is not known
    LogPosition snapshot;
    LogPosition replayed_to;

    // Everything up to here is in the copy.
    LogPosition has() const { return replayed_to < snapshot ? snapshot : replayed_to; }
  };

  std::vector<Copy> copies_;  // by ShardId
};

}  // namespace shardcheck
