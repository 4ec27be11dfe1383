// Judges what moves cost: V2's budget (a copy that is outrun by writes is throttled, paused for longer, given up, or
// given up to be split, and says so), V5 (the pause of a range) and V6 (the space that copies take).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

class CapacityMonitor {
 public:
  void reset(const Bounds& bounds);

  void on(const RecordCommitted& fact, const MonitorContext& context);
  void on(const ReplayRound& fact, const MonitorContext& context);
  void on(const CatchUpDecided& fact, const MonitorContext& context);
  void on(const MoveGaveUp& fact, const MonitorContext& context);
  void on(const FenceDecided& fact, const MonitorContext& context);
  void on(const WriteThrottled& fact, const MonitorContext& context);
  void on(const ThrottleEnded& fact, const MonitorContext& context);
  void on(const CaptureOpened& fact, const MonitorContext& context);
  void on(const Replayed& fact, const MonitorContext& context);
  void on(const AdmissionStopped& fact, const MonitorContext& context);
  void on(const BarrierConfirmed& fact, const MonitorContext& context);
  void on(const ClaimChanged& fact, const MonitorContext& context);
  void on(const CopyCreated& fact, const MonitorContext& context);
  void on(const CopyRemoved& fact, const MonitorContext& context);
  void on(const FaultInjected& /*fact*/, const MonitorContext& /*context*/) { had_fault_ = true; }
  void on(const Restarted& fact, const MonitorContext& context);

 private:
  // The newest move of a range.
  struct Move {
    MoveId id;
    MoverEpoch mover_epoch;
    std::uint32_t rounds = 0;    // of replay since its mover began to count
    std::uint32_t copies = 0;    // begun by its target
    bool is_throttled = false;   // by the mover that drives it now
    bool was_throttled = false;  // by any
    bool is_given_up = false;
    MoverEpoch given_up_by;           // the mover that decided to end it for its costs
    bool takes_longer_pause = false;  // as the mover that drives it now decided
    std::uint64_t last_lag = 0;       // that was told
    std::uint64_t lag_beyond = 0;     // entries beyond the stated bound, left when its fence was asked for
    NodeId throttled_by = kNoNode;
    std::uint32_t throttled_writes = 0;
    Duration throttled_time;
    LogPosition replayed_to;
    std::optional<TrueTime> stopped_at;  // its source admits nothing since
    LogPosition replayed_at_stop;
    LogPosition barrier;
  };

  Move* move(ShardId shard, MoveId id);
  static void check_split_first(const CatchUpDecided& fact, const MonitorContext& context);
  void hold(NodeId node, KeyRange range, bool is_held);

  KeyRange key_space_;
  std::vector<Move> moves_;               // by ShardId
  std::vector<std::uint8_t> has_key_;     // by node, then key
  std::vector<std::uint32_t> held_keys_;  // by node
  bool had_fault_ = false;                // V5 is promised without faults only
};

}  // namespace shardcheck
