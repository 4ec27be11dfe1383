// Judges the two levels of the directory, D5: at each version the top table and the metadata shards agree with one
// another and with the records, their grants have one order, and every lookup ends, with the record of its key, after
// no more crossings than there were splits.
#pragma once

#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

class TierMonitor {
 public:
  void reset();

  void on(const TopRow& fact, const MonitorContext& context);
  void on(const MetadataRow& fact, const MonitorContext& context);
  void on(const RecordCommitted& fact, const MonitorContext& context);
  void on(const DirectoryStepped& fact, const MonitorContext& context);
  void on(const LookupCrossed& fact, const MonitorContext& context) const;
  void on(const LookupAnswered& fact, const MonitorContext& context) const;

 private:
  struct Granted {
    MetadataShardId by;
    ShardId shard;
    Epoch epoch;
    DirectoryPosition position;
  };
  void check_top(const MonitorContext& context);
  void check_record(const ShardRecord& record, const MonitorContext& context) const;

  DirectoryPosition version_;
  bool is_told_anew_ = false;  // since the last step
  std::vector<TopRow> top_;
  std::vector<MetadataRow> records_;
  Granted highest_;  // of all grants the one with the highest epoch; epoch 0: there was none
};

}  // namespace shardcheck
