// For tests: storage node A or B of a cluster with one range, [0, 4), that A owns under epoch 1 and that move 5 takes
// to B under epoch 9. Driven by hand; what the directory and the mover say comes from here, so that a test names only
// what matters to it.
#pragma once

#include <gtest/gtest.h>

#include "impl/driven.h"
#include "impl/driven_roles.h"
#include "impl/storage_node.h"

namespace shardcheck::impl {

inline constexpr std::uint32_t kTick = 0xffff;
inline constexpr std::uint32_t kFenceTimer = 0;  // of range 0

// Leases last 60 ms, a source keeps its copy for 30 ms, and a fence is left alone for 70 ms.
inline ClusterOptions two_nodes(Mutant mutant = Mutant::none) {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 2;
  options.routers = 1;
  options.clients = 2;
  options.shards = 1;
  options.shards_max = 3;
  options.keys = 4;
  options.mutant = mutant;
  return options;
}

// The record before the move, or in a phase of it.
inline ShardRecord record_in(MovePhase phase, MoverEpoch mover = MoverEpoch{1}) {
  ShardRecord record;
  record.shard = kShard;
  record.range = {Key{0}, Key{4}};
  record.owner = kA;
  record.epoch = Epoch{1};
  if (phase == MovePhase::none) {
    return record;
  }
  record.phase = phase;
  record.move = kMove;
  record.source = kA;
  record.target = kB;
  record.source_epoch = Epoch{1};
  record.mover_epoch = mover;
  if (phase == MovePhase::switched || phase == MovePhase::cleaning) {
    record.owner = kB;
    record.epoch = Epoch{9};
    record.is_granted_by_move = true;
    record.lease_until = at_ms(100);
  }
  return record;
}
// When it changed: 5 for `preparing`, 6 for `copying`, and so on.
constexpr DirectoryPosition position_of(MovePhase phase) {
  return DirectoryPosition{4U + static_cast<std::uint64_t>(phase)};
}

class DrivenStorage : public Driven<StorageNode> {
 public:
  explicit DrivenStorage(NodeId self, Mutant mutant = Mutant::none) : DrivenStorage(self, two_nodes(mutant)) {}
  DrivenStorage(NodeId self, const ClusterOptions& options)
      : Driven(StorageNode(options, self), initial_disk(options, self)) {}

  DrivenStorage& at(std::int64_t ms) {
    Driven::at(ms);
    return *this;
  }
  DrivenStorage& sync() {
    Driven::sync();
    return *this;
  }
  DrivenStorage& with_lease_until(std::int64_t ms, Epoch epoch = Epoch{1}) {
    receive(kDirectory, Renewed{kShard, epoch, at_ms(ms)});
    return *this;
  }

  // Clients.

  DrivenStorage& ask(const Operation& operation, Attempt attempt, Epoch epoch = Epoch{1}) {
    receive(kRouter, Request{attempt, epoch, operation});
    return *this;
  }
  DrivenStorage& write(std::uint32_t key, std::int64_t n, std::uint32_t sequence) {
    return ask({OperationKind::write, Key{key}, number(n), absent()}, try_of(sequence));
  }
  DrivenStorage& remove(std::uint32_t key, std::uint32_t sequence) {
    return ask({OperationKind::remove, Key{key}, absent(), absent()}, try_of(sequence));
  }
  DrivenStorage& increment(std::uint32_t key, std::uint32_t sequence, std::uint8_t attempt = 0) {
    return ask({OperationKind::increment, Key{key}, absent(), absent()}, try_of(sequence, attempt));
  }
  DrivenStorage& read(std::uint32_t key, std::uint32_t sequence, Epoch epoch = Epoch{1}) {
    return ask({OperationKind::read, Key{key}, absent(), absent()}, try_of(sequence), epoch);
  }
  static constexpr Attempt try_of(std::uint32_t sequence, std::uint8_t attempt = 0) {
    return {{ClientId{0}, sequence}, attempt};
  }

  // The directory and the mover.

  DrivenStorage& learn(MovePhase phase, MoverEpoch mover = MoverEpoch{1}) {
    return learn(record_in(phase, mover), position_of(phase));
  }
  DrivenStorage& learn(const ShardRecord& record, DirectoryPosition changed_at) {
    receive(kDirectory, RecordUpdate{record, changed_at, DirectoryPosition{}, changed_at});
    return *this;
  }
  DrivenStorage& order(OrderKind kind, MovePhase phase, std::uint32_t cursor = 0, std::uint64_t after = 0) {
    MoveOrder order{.kind = kind, .record = record_in(phase), .changed_at = position_of(phase)};
    order.cursor = CopyCursor{cursor};
    order.after = LogPosition{after};
    receive(kMover, order);
    return *this;
  }
  DrivenStorage& order_fence() { return order(OrderKind::fence, MovePhase::fenced); }

  const ShardCopy& copy() { return node().state().copy(kShard); }
  Value value(std::uint32_t key) { return node().state().cell(Key{key}).value; }
};

// Node A with its lease, ready to serve.
class ServingA : public DrivenStorage {
 public:
  explicit ServingA(Mutant mutant = Mutant::none) : ServingA(two_nodes(mutant)) {}
  explicit ServingA(const ClusterOptions& options) : DrivenStorage(kA, options) { with_lease_until(60).sync(); }
};

// Node B with a copy of whatever `source` has, complete and ready for replay.
class StagedB : public DrivenStorage {
 public:
  explicit StagedB(DrivenStorage& source, Mutant mutant = Mutant::none) : DrivenStorage(kB, mutant) {
    order(OrderKind::prepare_target, MovePhase::preparing).sync();
    const LogPosition snapshot = source.copy().tail;
    std::uint32_t cursor = 0;
    while (!copy().is_copied && cursor < 100) {
      source.order(OrderKind::send_chunk, MovePhase::copying, cursor, snapshot.value);
      cursor = forward<Chunk>(source)->next.value;
    }
  }
  // What the source has just sent arrives, and is made durable.
  template <class Carrier>
  std::optional<Carrier> forward(const DrivenStorage& source) {
    const std::optional<Carrier> carrier = source.sent<Carrier>();
    EXPECT_TRUE(carrier.has_value());
    receive(kA, *carrier);
    Driven::sync();
    return carrier;
  }
};

}  // namespace shardcheck::impl
