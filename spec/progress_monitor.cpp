#include "spec/progress_monitor.h"

#include <algorithm>

#include "spec/wording.h"

namespace shardcheck {

void ProgressMonitor::reset(const Bounds& bounds) { moves_.assign(static_cast<std::size_t>(bounds.shards), Move{}); }

void ProgressMonitor::on(const RecordCommitted& fact, const MonitorContext& context) {
  const ShardRecord& record = fact.record;
  Move& newest = moves_[record.shard.value];
  if (record.move != MoveId{} && record.move != newest.id) {
    newest = Move{};
    newest.id = record.move;
    newest.begun_at = context.at;
    newest.is_over = false;
  }
  for (const NodeId node : {record.source, record.target, record.mover, record.joining}) {
    newest.takes_part.insert(node);
  }
  record.members.for_each([&](NodeId node) { newest.takes_part.insert(node); });
  const bool is_decision = fact.change == RecordChange::move_committed || fact.change == RecordChange::move_aborted;
  if (is_decision && !newest.is_decided) {
    check(newest, record.shard, context);
  }
  newest.is_over = record.phase == MovePhase::none;
  newest.is_decided = newest.is_over || record.phase >= MovePhase::switched;
}

void ProgressMonitor::on(const ReplayRound& fact, const MonitorContext& /*context*/) {
  Move& newest = moves_[fact.shard.value];
  newest.rounds += newest.id == fact.move ? 1 : 0;
}

void ProgressMonitor::on(const CopyCreated& fact, const MonitorContext& /*context*/) {
  Move& newest = moves_[fact.shard.value];
  newest.copies += newest.id == fact.move && !fact.is_found ? 1 : 0;
}

void ProgressMonitor::finish(const MonitorContext& context) const {
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    if (!moves_[i].is_decided && !moves_[i].is_over) {
      check(moves_[i], ShardId{static_cast<std::uint16_t>(i)}, context);
    }
  }
}

// The oldest one that began before this one and is not over.
const ProgressMonitor::Move* ProgressMonitor::stuck_beside(const Move& judged) const {
  const Move* found = nullptr;
  for (const Move& other : moves_) {
    const bool is_older = !other.is_over && other.id < judged.id;
    if (is_older && (found == nullptr || other.id < found->id)) {
      found = &other;
    }
  }
  return found;
}

// When what struck those who take part has no effect any more; the beginning of the move if nothing did.
TrueTime ProgressMonitor::disturbed_until(const Move& judged, const MonitorContext& context) {
  TrueTime last = context.known.directory_quiet_since();
  judged.takes_part.for_each([&](NodeId node) {
    if (node.value < context.bounds.nodes) {
      last = std::max(last, context.known.quiet_since(node));
    }
  });
  return last == TrueTime{} ? judged.begun_at : std::max(judged.begun_at, last + context.bounds.quiet_after);
}

void ProgressMonitor::check(const Move& judged, ShardId shard, const MonitorContext& context) const {
  const Bounds& bounds = context.bounds;
  const Move* const stuck = stuck_beside(judged);
  if (bounds.undisturbed_move_within == Duration{}) {
    return;
  }
  const Duration allowed =
      bounds.undisturbed_move_within + bounds.replay_round * judged.rounds + bounds.copy_within * judged.copies;
  const TrueTime since = disturbed_until(judged, context);
  const TrueTime deadline = since + allowed;
  if (context.at < since) {
    return;  // decided while it was disturbed: that says nothing
  }
  context.expect(ClauseId::V2, context.at <= deadline, [&] {
    return fmt::format(
        "{} of {}, begun at {}, was not decided until {}, though nothing disturbed its sides, its mover or the "
        "directory after {}, and it takes {} at most{}",
        words(judged.id), words(shard), words(judged.begun_at), words(context.at), words(since), words(allowed),
        stuck == nullptr ? "" : fmt::format(": {} is not over, and must block nobody", words(stuck->id)));
  });
}

}  // namespace shardcheck
