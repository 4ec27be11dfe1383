// Judges who splits first: D6 (the owner's durable split precedes the directory's entry, and the owner accepts the
// parent's epoch until it has applied that entry). Only of clusters that tell their owners' splits
// (Bounds::tells_owner_splits).
#pragma once

#include <cstdint>
#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

class SplitMonitor {
 public:
  void reset();

  void on(const OwnerSplit& fact, const MonitorContext& context);
  void on(const SplitApplied& fact, const MonitorContext& context);
  void on(const RecordCommitted& fact, const MonitorContext& context);
  void on(const Served& fact, const MonitorContext& context) const;
  void on(const Answered& fact, const MonitorContext& context) const;
  void on(const Restarted& fact, const MonitorContext& context);

 private:
  struct Noted {
    NodeId owner;
    ShardId shard;
    Key at;
    Epoch epoch;
    std::uint32_t disk_losses = 0;  // of the owner before

    friend bool operator==(const Noted&, const Noted&) = default;
  };
  // In the directory, and not yet applied by the owner.
  struct Entered {
    NodeId owner;
    ShardId shard;
    KeyRange range;  // of the parent
    Epoch epoch;     // of the parent
  };

  void forget(NodeId owner, ShardId shard);

  std::vector<Noted> noted_;
  std::vector<Entered> entered_;
};

}  // namespace shardcheck
