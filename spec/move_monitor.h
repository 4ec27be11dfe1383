// Judges online moves: M4 (versions only grow), M5 (equal content at the cutover), M6 (the fence holds), M7 (the target
// waits for the commit), M8 (one decision, no residue), M9 (cleanup is safe and happens), M10 (nothing outside of the
// range is touched).
#pragma once

#include <cstdint>
#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

class MoveMonitor {
 public:
  void reset(const Bounds& bounds);

  void on(const RecordCommitted& fact, const MonitorContext& context);
  void on(const Served& fact, const MonitorContext& context) const;
  void on(const Applied& fact, const MonitorContext& context);
  void on(const CopyCreated& fact, const MonitorContext& context);
  void on(const KeyErased& fact, const MonitorContext& context);
  void on(const CopyRemoved& fact, const MonitorContext& context);
  void on(const BarrierConfirmed& fact, const MonitorContext& context);
  void on(const CutoverContent& fact, const MonitorContext& context) const;
  void on(const Restarted& fact, const MonitorContext& context);
  void on(const CopyHeld& fact, const MonitorContext& context) const;

 private:
  // One node's copy of one shard.
  struct Copy {
    std::uint32_t generation = 0;  // names the copy: versions of an earlier one do not bind it
    MoveId barrier;                // the move for which the node promised to serve nothing; 0: none
    TrueTime barrier_at;           // when it first did
    bool is_forgetful = false;     // it restarted since it promised that
    // Begun by a node that was a member already, having lost what made it one, and still without a version: nobody
    // counts on it, and the node may forget it when it hears late of a time when it was no member.
    bool is_amnesiacs = false;
  };
  // The version of one key in the copy that `generation` names.
  struct Held {
    std::uint32_t generation = 0;
    Version version;
  };

  Copy& copy(NodeId node, ShardId shard) { return copies_[node.value * shards_ + shard.value]; }
  const Copy& copy(NodeId node, ShardId shard) const { return copies_[node.value * shards_ + shard.value]; }
  Held* held(NodeId node, Key key);
  void begin_copy(Copy& copy) { copy.generation = ++last_generation_; }
  static void check_forwarded(const Served& fact, const MonitorContext& context);
  void check_decision(const RecordCommitted& fact, const MonitorContext& context) const;
  void check_mover(const RecordCommitted& fact, const MonitorContext& context) const;
  void check_retention(const CopyRemoved& fact, const KnownMove& move, const MonitorContext& context) const;
  bool is_overdue(const CopyHeld& fact, const MonitorContext& context) const;

  KeyRange key_space_;
  std::size_t shards_ = 0;
  std::size_t keys_ = 0;
  std::vector<Copy> copies_;
  std::vector<Held> held_;             // by node, then key; kept over resets, because generations never repeat
  std::uint32_t last_generation_ = 0;  // over all runs
};

}  // namespace shardcheck
