// Judges the directory by what it committed: D1 (ranges tile the key space), D2 (epochs only grow and name one owner),
// D3 (changes commit only against what they were planned on).
#pragma once

#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

class DirectoryMonitor {
 public:
  void reset();

  void on(const RecordCommitted& fact, const MonitorContext& context);
  void on(const DirectoryStepped& fact, const MonitorContext& context);

 private:
  void check_grant(const RecordCommitted& fact, const MonitorContext& context) const;
  void check_keeps_grant(const RecordCommitted& fact, const MonitorContext& context) const;
  void check_planned(const RecordCommitted& fact, const ShardRecord& before, const MonitorContext& context) const;
  void check_phase_order(const RecordCommitted& fact, const ShardRecord& before, const MonitorContext& context) const;
  void check_begin(const RecordCommitted& fact, const ShardRecord& before, const MonitorContext& context) const;

  DirectoryPosition last_position_;
  bool is_tiling_to_check_ = false;  // bounds or owners changed since the last step
  std::vector<const ShardRecord*> by_lo_;
};

}  // namespace shardcheck
