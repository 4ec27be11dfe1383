#include "spec/split_monitor.h"

#include <algorithm>

#include "spec/wording.h"

namespace shardcheck {

void SplitMonitor::reset() {
  noted_.clear();
  entered_.clear();
}

void SplitMonitor::on(const OwnerSplit& fact, const MonitorContext& context) {
  const Noted noted{context.by, fact.shard, fact.at, fact.epoch, context.known.disk_losses(context.by)};
  if (std::ranges::find(noted_, noted) == noted_.end()) {
    noted_.push_back(noted);
  }
}

void SplitMonitor::forget(NodeId owner, ShardId shard) {
  std::erase_if(entered_, [&](const Entered& each) { return each.owner == owner && each.shard == shard; });
}

void SplitMonitor::on(const SplitApplied& fact, const MonitorContext& context) { forget(context.by, fact.shard); }

void SplitMonitor::on(const RecordCommitted& fact, const MonitorContext& context) {
  const ShardRecord* before = context.known.record(fact.record.shard);
  if (before == nullptr || !context.bounds.tells_owner_splits || !is_grant(fact.change)) {
    return;
  }
  forget(before->owner, before->shard);
  const KeyRange left = fact.record.range;
  const bool is_split =
      fact.change == RecordChange::bounds_changed && left.lo == before->range.lo && left.hi < before->range.hi;
  if (!is_split) {
    return;
  }
  const auto noted = std::ranges::find_if(noted_, [&](const Noted& it) {
    return it.owner == before->owner && it.shard == before->shard && it.at == left.hi && it.epoch == before->epoch;
  });
  context.expect(ClauseId::D6, noted != noted_.end(), [&] {
    return fmt::format("at {} the directory split {} {} at key {}, which its owner {} under {} had not done before",
                       words(fact.position), words(before->shard), words(before->range), left.hi.value,
                       words(before->owner), words(before->epoch));
  });
  if (noted != noted_.end() && noted->disk_losses != context.known.disk_losses(before->owner)) {
    return;  // its disk is lost since, and with it the parent
  }
  entered_.push_back({before->owner, before->shard, before->range, before->epoch});
}

void SplitMonitor::on(const Served& fact, const MonitorContext& context) const {
  for (const Entered& each : entered_) {
    if (each.owner == context.by && each.range.contains(fact.key) && each.epoch == fact.request_epoch) {
      context.findings.checked(ClauseId::D6);
    }
  }
}

void SplitMonitor::on(const Answered& fact, const MonitorContext& context) const {
  for (const Entered& each : entered_) {
    if (each.owner != context.by || !each.range.contains(fact.key) || each.epoch != fact.request_epoch) {
      continue;
    }
    context.expect(ClauseId::D6, fact.signal == Signal::transient, [&] {
      return fmt::format("{} answered {} to {} ({}) at {}, under which it holds {} {} until it applies their split",
                         words(context.by), name_of(fact.signal), words(fact.attempt.request), words(fact.key),
                         words(fact.request_epoch), words(each.shard), words(each.range));
    });
  }
}

// What it had on disk it may have applied without saying so. That the split came first stays true, whatever becomes of
// that disk: the directory may enter it after the loss.
void SplitMonitor::on(const Restarted&, const MonitorContext& context) {
  std::erase_if(entered_, [&](const Entered& each) { return each.owner == context.by; });
}

}  // namespace shardcheck
