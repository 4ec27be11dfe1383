// Judges who acts under which grant: L1 (one owner at each instant), L2 (no effect past a lease), L3 (the epoch fence),
// L4 (amnesia is not trusted), L5 (only committed grants are acted on).
#pragma once

#include <cstdint>
#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

class LeaseMonitor {
 public:
  void reset(const Bounds& bounds);

  void on(const RecordCommitted& fact, const MonitorContext& context);
  void on(const LeaseExtended& fact, const MonitorContext& context) const;
  void on(const LeaseHeld& fact, const MonitorContext& context);
  void on(const ClaimChanged& fact, const MonitorContext& context);
  void on(const ClaimEnded& fact, const MonitorContext& context);
  void on(const Served& fact, const MonitorContext& context);
  void on(const Answered& fact, const MonitorContext& context);
  void on(const CopyCreated& fact, const MonitorContext& context);
  void on(const CopyRemoved& fact, const MonitorContext& context);
  void on(const Crashed& fact, const MonitorContext& context);
  void on(const Restarted& fact, const MonitorContext& context);

 private:
  // What one node said about one shard.
  struct Told {
    Epoch highest_seen;
    Epoch lease_epoch;                 // of the last LeaseHeld
    std::uint32_t lease_restarts = 0;  // in which incarnation it was held
    Epoch untrusted_to;                // after a disk loss: epochs up to here are not to be served
    Epoch granted;                     // the largest epoch committed to the node
    bool has_copy = false;             // so that what it saw is durable
    bool is_amnesiac = false;          // lost its disk, and has begun no copy since
  };
  struct Claim {
    NodeId node;
    ShardId shard;
    KeyRange range;
    Epoch epoch;
    TrueTime until;
  };

  Told& told(NodeId node, ShardId shard) { return told_[node.value * shards_ + shard.value]; }
  Claim* claim(NodeId node, ShardId shard);
  void end_claim(NodeId node, ShardId shard);
  static bool carries_its_epoch(const Served& fact, const MonitorContext& context);
  void check_claimed(const Served& fact, const MonitorContext& context);
  void check_lease_runs(const Served& fact, const MonitorContext& context) const;
  void check_trusted(const Served& fact, const Told& told, const MonitorContext& context) const;
  static bool acts_too_early(ShardId shard, Epoch epoch, const MonitorContext& context);
  void check_granted(const Served& fact, const MonitorContext& context) const;
  void check_highest(ShardId shard, Epoch highest_seen, const MonitorContext& context);
  void check_failover(const RecordCommitted& fact, const MonitorContext& context) const;
  void inherit_amnesia(const RecordCommitted& fact, const MonitorContext& context);
  void check_reported_lost(const RecordCommitted& fact, const MonitorContext& context);
  bool has_lease_since_restart(NodeId node, const Served& fact, const MonitorContext& context) const;

  std::size_t shards_ = 0;
  std::vector<Told> told_;
  std::vector<Claim> claims_;  // at most one for each (node, shard)
  bool has_claims_ = false;    // this cluster tells its claims
};

}  // namespace shardcheck
