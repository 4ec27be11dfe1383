#include "spec/log_monitor.h"

#include <algorithm>

#include "spec/wording.h"

namespace shardcheck {

// A copy begins, perhaps once more for the same move: its snapshot comes later.
void LogMonitor::on(const CopyCreated& fact, const MonitorContext& /*context*/) {
  if (fact.move != MoveId{}) {
    copies_[fact.shard.value] = Copy{};
  }
}

// Told again for the same copy, by a mover that asks again: what was replayed since stays.
void LogMonitor::on(const CaptureOpened& fact, const MonitorContext& /*context*/) {
  Copy& copy = copies_[fact.shard.value];
  if (copy.move != fact.move) {
    copy = Copy{fact.move, fact.snapshot, LogPosition{}};
  }
  copy.snapshot = std::max(copy.snapshot, fact.snapshot);
}

void LogMonitor::on(const LogTrimmed& fact, const MonitorContext& context) const {
  const Copy& copy = copies_[fact.shard.value];
  const KnownMove* move = context.known.move(copy.move);
  if (move == nullptr || !move->is_open() || move->source != context.by) {
    return;
  }
  const bool is_over_bound = fact.entries > context.bounds.log_entries_max;
  context.expect(ClauseId::M11, fact.up_to <= copy.has() || is_over_bound, [&] {
    return fmt::format(
        "{} trimmed its log of {} up to position {} at {}, but the copy for {} has it up to {} only, and with {} "
        "entries the log was not longer than the {} that it may always keep",
        words(context.by), words(fact.shard), fact.up_to.value, words(context.at), words(copy.move), copy.has().value,
        fact.entries, context.bounds.log_entries_max);
  });
}

void LogMonitor::on(const Replayed& fact, const MonitorContext& context) {
  Copy& copy = copies_[fact.shard.value];
  if (copy.move != fact.move || fact.move == MoveId{}) {
    return;
  }
  context.expect(ClauseId::M11, fact.after <= copy.has(), [&] {
    return fmt::format("{} replayed the log of {} for {} from position {} on at {}, but its copy ends at {}: a gap",
                       words(context.by), words(fact.shard), words(fact.move), fact.after.value + 1, words(context.at),
                       copy.has().value);
  });
  copy.replayed_to = std::max(copy.replayed_to, fact.to);
}

}  // namespace shardcheck
