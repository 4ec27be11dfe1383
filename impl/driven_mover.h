// For tests: the mover of a cluster with one range, driven by hand; what the directory and the sides say comes from
// here.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>

#include "impl/driven.h"
#include "impl/driven_roles.h"
#include "impl/mover.h"

namespace shardcheck::impl {

inline constexpr std::uint32_t kOrderTimer = 0;  // of range 0

// One range of A, [0, 8), is moved to B by move 5. An order is given 12 ms.
inline ClusterOptions options() {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 2;
  options.routers = 1;
  options.shards = 1;
  options.keys = 8;
  options.orders_max = 2;
  options.catch_up_rounds_max = 3;
  options.lag_at_fence_max = 2;
  return options;
}
constexpr ContentDigest content(std::uint64_t values) { return {.values = values, .source_epoch = Epoch{1}}; }

class DrivenMover : public Driven<Mover> {
 public:
  explicit DrivenMover(const ClusterOptions& options = impl::options()) : Driven(Mover(options, kMover)) {
    record_.range = {Key{0}, Key{8}};
    record_.owner = kA;
    record_.epoch = Epoch{1};
  }

  DrivenMover& at(std::int64_t ms) {
    Driven::at(ms);
    return *this;
  }
  DrivenMover& learns_of_range() { return tell(RecordUpdate{record_, position_, DirectoryPosition{}, position_}); }
  DrivenMover& is_asked_to_move() {
    receive(kNoNode, StartMove{ShardId{0}, kB});
    return *this;
  }
  // The directory accepts what the mover asked for last.
  DrivenMover& move_begins() {
    enter(MovePhase::preparing);
    return accept(CommandKind::begin_move);
  }
  DrivenMover& advances_to(MovePhase phase) {
    enter(phase);
    return accept(CommandKind::advance_move);
  }
  DrivenMover& commits() {
    enter(MovePhase::switched);
    record_.owner = kB;
    record_.epoch = epoch_of(next(position_));
    return accept(CommandKind::commit_move);
  }
  DrivenMover& aborts() {
    enter(MovePhase::aborted);
    return accept(CommandKind::abort_move);
  }
  DrivenMover& takes_over() {
    record_.mover = kMover;
    record_.mover_epoch = next(record_.mover_epoch);
    return accept(CommandKind::take_over_move);
  }
  DrivenMover& finishes() {
    record_.phase = MovePhase::none;
    record_.move = MoveId{};
    return accept(CommandKind::finish_move);
  }
  // Range 1 begins at `key`.
  DrivenMover& is_split_at(std::uint32_t key) {
    record_.epoch = epoch_of(next(position_));
    ShardRecord right = record_;
    right.shard = ShardId{1};
    right.range.lo = record_.range.hi = Key{key};
    const DirectoryPosition before = position_;
    position_ = next(position_);
    return tell(RecordUpdate{record_, position_, before, position_, Sibling{right}});
  }
  // A move in `phase` that `mover`, or an earlier life of this one, has driven so far becomes known by a watch.
  DrivenMover& finds_move_in(MovePhase phase, NodeId mover = kMover) {
    record_.mover = mover;
    enter(phase);
    position_ = next(position_);
    return tell(RecordUpdate{record_, position_, DirectoryPosition{}, position_});
  }

  DrivenMover& report(NodeId side, MoveReport report) {
    report.shard = ShardId{0};
    report.move = kMove;
    report.side = side;
    receive(side, report);
    return *this;
  }
  DrivenMover& target_is_prepared() { return report(kB, {.kind = OrderKind::prepare_target}); }
  DrivenMover& chunk_is_staged(std::uint32_t cursor, bool is_last, std::uint64_t position = 3) {
    return report(kB, {.kind = OrderKind::send_chunk,
                       .cursor = CopyCursor{cursor},
                       .is_copied = is_last,
                       .position = LogPosition{position}});
  }
  DrivenMover& log_is_replayed(std::uint64_t to, std::uint64_t source_tail, std::uint64_t values = 77) {
    return report(kB, {.kind = OrderKind::send_log,
                       .position = LogPosition{to},
                       .source_tail = LogPosition{source_tail},
                       .digest = content(values)});
  }
  DrivenMover& is_fenced_at(std::uint64_t barrier, std::uint64_t values = 77) {
    return report(kA, {.kind = OrderKind::fence, .position = LogPosition{barrier}, .digest = content(values)});
  }
  DrivenMover& side_cannot(NodeId side, OrderKind kind) { return report(side, {.kind = kind, .is_possible = false}); }

  // Everything as it should be, up to the beginning of this phase.
  DrivenMover& moved_up_to(MovePhase phase) {
    learns_of_range().is_asked_to_move().move_begins().target_is_prepared();
    report(kA, {.kind = OrderKind::open_capture, .position = LogPosition{3}});
    for (const MovePhase next : {MovePhase::copying, MovePhase::catching_up, MovePhase::fenced}) {
      if (next <= phase) {
        advances_to(next);
      }
      if (next == MovePhase::copying && next < phase) {
        chunk_is_staged(12, true);
      }
    }
    return *this;
  }

  std::optional<MoveOrder> order() const { return sent<MoveOrder>(); }
  std::optional<Command> command() const { return sent<Command>(); }

 private:
  DrivenMover& tell(const RecordUpdate& update) {
    receive(kDirectory, update);
    return *this;
  }
  void enter(MovePhase phase) {
    record_.phase = phase;
    record_.move = kMove;
    record_.source = kA;
    record_.target = kB;
    record_.source_epoch = Epoch{1};
    record_.mover = record_.mover == kNoNode ? kMover : record_.mover;
    record_.mover_epoch = std::max(record_.mover_epoch, MoverEpoch{1});
  }
  DrivenMover& accept(CommandKind kind) {
    position_ = next(position_);
    receive(kDirectory, CommandResult{kind, true, record_, position_});
    return *this;
  }

  ShardRecord record_;
  DirectoryPosition position_{4};
};

}  // namespace shardcheck::impl
