// What follows from the facts so far, for all monitors: the records of the directory, every grant ever committed, every
// move, which processes restarted, which keys are reported lost. Plain state; it judges nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/bounds.h"
#include "spec/observation.h"

namespace shardcheck {

// One grant that the directory committed. Its bounds and owner never change: changing them is another grant.
struct KnownGrant {
  ShardId shard;
  KeyRange range;
  NodeId owner = kNoNode;
  Epoch epoch;
  Instant lease_until;        // the latest the directory ever committed for it
  bool is_inherited = false;  // by split or merge from a grant of the same owner, lease included
  bool is_reported_lost = false;
  TrueTime committed_at;
};

struct KnownMove {
  MoveId id;
  ShardId shard;
  KeyRange range;
  NodeId source = kNoNode;
  NodeId target = kNoNode;
  Epoch source_epoch;
  Epoch granted;  // the target's, once committed
  TrueTime begun_at;
  TrueTime committed_at;
  bool is_committed = false;
  bool is_aborted = false;
  bool is_barrier_confirmed = false;  // by its source

  bool is_open() const { return !is_committed && !is_aborted; }
};

class KnownCluster {
 public:
  void reset(const Bounds& bounds);

  void apply(TrueTime at, const RecordCommitted& fact);
  void apply(const LeaseExtended& fact);
  void apply(NodeId by, const BarrierConfirmed& fact);
  void restart(TrueTime at, NodeId by, bool is_disk_lost);
  void leave(NodeId by) { left_.insert(by); }
  void heal(TrueTime at);
  // A fault after Healed takes the promise of quiet back.
  void fault(TrueTime at, NodeId by, const FaultInjected& fact);
  // This one does not: what overflows after Healed, the cluster has itself to thank for.
  void overflow(TrueTime at, NodeId by) { disturb(by, at); }

  // The record now; null if the shard has none.
  const ShardRecord* record(ShardId shard) const;
  // The record as it was before the step at `position`, whose records are told one after another.
  const ShardRecord* record_before(ShardId shard, DirectoryPosition position) const;
  TrueTime record_changed_at(ShardId shard) const { return slots_[shard.value].changed_at; }
  // Every shard that ever had a record, in order of appearance.
  const std::vector<ShardId>& shards() const { return shards_; }

  const std::vector<KnownGrant>& grants() const { return grants_; }
  // The latest grant of that epoch that covers the key; the shard is only a hint, because a range that was just split
  // is still served under its parent's epoch.
  const KnownGrant* grant(ShardId hint, Epoch epoch, Key key) const;
  const KnownGrant* grant(ShardId shard, Epoch epoch) const;
  bool is_granted_to(NodeId node, ShardId hint, Epoch epoch, Key key) const;
  // By the record that covers the key now; null if none does.
  const KnownGrant* newest_grant(Key key) const;

  const std::vector<KnownMove>& moves() const { return moves_; }
  const KnownMove* move(MoveId id) const;

  bool is_reported_lost(Key key) const {
    return key_space_.contains(key) && lost_keys_[key.value - key_space_.lo.value] != 0;
  }
  // Reported lost, or of a range whose every copy is out of reach: with members that are lost for good, and perhaps
  // with the disks of others. No cluster can serve it.
  bool is_unavailable(Key key) const;
  // Lost for good.
  bool is_gone(NodeId node) const { return gone_.contains(node); }
  // It answers nothing any more: lost for good, or drained and stopped.
  bool is_silent(NodeId node) const { return gone_.contains(node) || left_.contains(node); }
  std::optional<TrueTime> healed_at() const { return healed_at_; }
  // How often the process restarted, and how often without its disk.
  std::uint32_t restarts(NodeId node) const { return restarts_[node.value]; }
  std::uint32_t disk_losses(NodeId node) const { return disk_losses_[node.value]; }
  // Messages to the node may have arrived more than once.
  bool has_duplicates(NodeId node) const { return has_duplicates_[node.value] != 0; }
  // How many records were given other bounds.
  std::uint32_t reshaped() const { return reshaped_; }
  // From then on no fault has struck the process or a message to it, and none lasts.
  TrueTime quiet_since(NodeId node) const { return quiet_since_[node.value]; }
  // The same for all members of the directory.
  TrueTime directory_quiet_since() const { return directory_quiet_since_; }

 private:
  struct Slot {
    ShardRecord now;
    ShardRecord before;
    DirectoryPosition position;  // of the last change
    TrueTime changed_at;
    NodeSet without_copy;  // of those that the record names as holders of a copy: they lost their disks since
    std::uint32_t newest_grant = 0;
    bool exists = false;
    bool existed_before = false;
    bool is_listed = false;
  };

  void remember_grant(TrueTime at, const RecordCommitted& fact);
  void note_lost_copies(const RecordCommitted& fact);
  void disturb(NodeId by, TrueTime until);
  void remember_move(TrueTime at, const RecordCommitted& fact);
  KnownMove* mutable_move(MoveId id);

  KeyRange key_space_;
  std::vector<Slot> slots_;
  std::vector<ShardId> shards_;
  std::vector<KnownGrant> grants_;
  std::vector<KnownMove> moves_;
  std::vector<std::uint8_t> lost_keys_;
  std::vector<std::uint32_t> restarts_;
  std::vector<std::uint32_t> disk_losses_;
  std::vector<std::uint8_t> has_duplicates_;
  std::vector<TrueTime> quiet_since_;
  TrueTime directory_quiet_since_;
  std::uint64_t directory_ = 0;
  std::uint32_t reshaped_ = 0;
  std::optional<TrueTime> healed_at_;
  NodeSet gone_;
  NodeSet left_;
};

// Changes that make a grant: they set owner, epoch or bounds.
constexpr bool is_grant(RecordChange change) {
  return change == RecordChange::created || change == RecordChange::granted || change == RecordChange::bounds_changed ||
         change == RecordChange::move_committed;
}

}  // namespace shardcheck
