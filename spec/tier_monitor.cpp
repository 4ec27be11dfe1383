#include "spec/tier_monitor.h"

#include <algorithm>

#include "spec/wording.h"

namespace shardcheck {

void TierMonitor::reset() {
  version_ = {};
  is_told_anew_ = false;
  top_.clear();
  records_.clear();
  highest_ = {};
}

void TierMonitor::on(const TopRow& fact, const MonitorContext&) {
  if (fact.version != version_) {
    version_ = fact.version;
    top_.clear();
    records_.clear();
  }
  is_told_anew_ = true;
  top_.push_back(fact);
}

void TierMonitor::on(const MetadataRow& fact, const MonitorContext&) { records_.push_back(fact); }

// Within one metadata shard the order of grants is D2's. Halves of a split share a position, and may be parted later.
void TierMonitor::on(const RecordCommitted& fact, const MonitorContext& context) {
  const auto row =
      std::find_if(top_.begin(), top_.end(), [&](const TopRow& it) { return it.keys.contains(fact.record.range.lo); });
  if (row == top_.end() || !is_grant(fact.change)) {
    return;
  }
  const Granted granted{row->metadata, fact.record.shard, fact.record.epoch, fact.position};
  if (highest_.epoch != Epoch{} && granted.by != highest_.by && granted.position != highest_.position) {
    context.expect(ClauseId::D5, granted.epoch > highest_.epoch, [&] {
      return fmt::format(
          "at {} metadata shard {} granted {} under {}, after metadata shard {} had granted {} under {}: their grants "
          "have no one order",
          words(granted.position), granted.by.value, words(granted.shard), words(granted.epoch), highest_.by.value,
          words(highest_.shard), words(highest_.epoch));
    });
  }
  if (granted.epoch > highest_.epoch) {
    highest_ = granted;
  }
}

void TierMonitor::on(const DirectoryStepped&, const MonitorContext& context) {
  if (!is_told_anew_) {
    return;
  }
  is_told_anew_ = false;
  check_top(context);
  for (const ShardId shard : context.known.shards()) {
    if (const ShardRecord* record = context.known.record(shard)) {
      check_record(*record, context);
    }
  }
}

void TierMonitor::check_top(const MonitorContext& context) {
  std::sort(top_.begin(), top_.end(), [](const TopRow& left, const TopRow& right) { return left.keys < right.keys; });
  Key covered_to = context.bounds.key_space.lo;
  for (const TopRow& row : top_) {
    context.expect(ClauseId::D5, row.keys.lo == covered_to && !row.keys.is_empty(), [&] {
      return fmt::format("the top table of {} gives {} to metadata shard {}, but is complete only up to key {}",
                         words(version_), words(row.keys), row.metadata.value, covered_to.value);
    });
    covered_to = std::max(covered_to, row.keys.hi);
  }
  context.expect(ClauseId::D5, covered_to == context.bounds.key_space.hi, [&] {
    return fmt::format("the top table of {} ends at key {}, the key space at {}", words(version_), covered_to.value,
                       context.bounds.key_space.hi.value);
  });
}

// Kept exactly once, and where the top table sends whoever looks for any of its keys.
void TierMonitor::check_record(const ShardRecord& record, const MonitorContext& context) const {
  const auto is_of = [&](const MetadataRow& row) { return row.shard == record.shard; };
  const auto kept = std::find_if(records_.begin(), records_.end(), is_of);
  const auto times = std::count_if(records_.begin(), records_.end(), is_of);
  context.expect(ClauseId::D5, times == 1, [&] {
    return fmt::format("at {} the record of {} {} is in {} metadata shards", words(version_), words(record.shard),
                       words(record.range), times);
  });
  if (kept == records_.end()) {
    return;
  }
  const bool is_found = std::any_of(top_.begin(), top_.end(), [&](const TopRow& row) {
    return row.metadata == kept->metadata && row.keys.lo <= record.range.lo && record.range.hi <= row.keys.hi;
  });
  context.expect(ClauseId::D5, is_found && kept->range == record.range, [&] {
    return fmt::format(
        "at {} the record of {} {} is kept in metadata shard {} for {}, where the top table does not send "
        "all of its keys",
        words(version_), words(record.shard), words(record.range), kept->metadata.value, words(kept->range));
  });
}

void TierMonitor::on(const LookupCrossed& fact, const MonitorContext& context) const {
  const std::size_t splits = top_.empty() ? 0 : top_.size() - 1;
  context.expect(ClauseId::D5, fact.relied_on < fact.current && fact.crossings <= splits, [&] {
    return fmt::format(
        "a lookup of {} by {} that relied on the top table of {} is sent to that of {}, and is so for the {}. time, "
        "after "
        "{} splits of metadata shards: it would never end",
        words(fact.key), words(context.by), words(fact.relied_on), words(fact.current), fact.crossings, splits);
  });
}

void TierMonitor::on(const LookupAnswered& fact, const MonitorContext& context) const {
  context.expect(ClauseId::D5, fact.range.contains(fact.key), [&] {
    return fmt::format("{} looked {} up and was given the record of {} {}", words(context.by), words(fact.key),
                       words(fact.shard), words(fact.range));
  });
}

}  // namespace shardcheck
