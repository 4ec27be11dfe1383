#include "spec/refresh_monitor.h"

#include <algorithm>
#include <utility>

#include "spec/router_words.h"
#include "spec/wording.h"

namespace shardcheck {
namespace {

bool has(std::uint64_t set, NodeId node) { return node.value < 64 && (set >> node.value & 1U) != 0; }

}  // namespace

void RefreshMonitor::reset(const Bounds& bounds) {
  readers_.resize(static_cast<std::size_t>(bounds.nodes));
  for (Reader& reader : readers_) {
    reader.reads = reader.restarts = reader.unanswered = 0;
    reader.is_reading = false;
    reader.met.clear();
  }
  request_via_.clear();
  refused_for_load_.clear();
}

void RefreshMonitor::on(const Hop& fact, std::uint32_t request, const MonitorContext& context) {
  if (request >= request_via_.size()) {
    request_via_.resize(request + 1, kNoNode.value);
  }
  request_via_[request] = context.by.value;
  if (request < refused_for_load_.size() && refused_for_load_[request].by != kNoNode) {
    check_after_overload(fact, request, context);
  }
  const KnownGrant* newest = has(context.bounds.watchers, context.by) ? context.known.newest_grant(fact.key) : nullptr;
  if (newest == nullptr) {
    return;
  }
  const TrueTime quiet_since = std::max(context.known.quiet_since(context.by), context.known.directory_quiet_since());
  const TrueTime since = std::max(newest->committed_at, quiet_since);
  const bool is_fresh = fact.epoch >= newest->epoch || context.at <= since + context.bounds.staleness_max;
  context.expect(ClauseId::R4, is_fresh, [&] {
    return fmt::format(
        "{} sent attempt {} of {} ({}) under {} at {}, though {} was committed at {}, no fault has struck it or the "
        "directory since {}, and it knows what was committed within {}",
        router_words(context.by), fact.attempt.number, words(fact.attempt.request), words(fact.key), words(fact.epoch),
        words(context.at), words(newest->epoch), words(newest->committed_at), words(quiet_since),
        words(context.bounds.staleness_max));
  });
}

// Nothing is known now that was not known before, unless the map has changed meanwhile.
void RefreshMonitor::check_after_overload(const Hop& fact, std::uint32_t request, const MonitorContext& context) {
  const RefusedForLoad refused = std::exchange(refused_for_load_[request], {});
  if (fact.cause != HopCause::transient) {
    return;
  }
  context.expect(ClauseId::R3, fact.to == refused.by || fact.epoch != refused.epoch, [&] {
    return fmt::format(
        "{} sent attempt {} of {} to {} at {} because {} was overloaded, still under {}: a transient error says "
        "nothing about the map, and the same node is asked again",
        router_words(context.by), fact.attempt.number, words(fact.attempt.request), words(fact.to), words(context.at),
        words(refused.by), words(fact.epoch));
  });
}

void RefreshMonitor::on(const Answered& fact, std::uint32_t request, const MonitorContext& context) {
  if (fact.is_overloaded) {
    if (request >= refused_for_load_.size()) {
      refused_for_load_.resize(request + 1);
    }
    refused_for_load_[request] = {context.by, fact.request_epoch};
    return;
  }
  if (fact.signal != Signal::stale_epoch || request >= request_via_.size() ||
      request_via_[request] >= readers_.size()) {
    return;
  }
  auto& met = readers_[request_via_[request]].met;
  const std::pair named{fact.shard, fact.highest_seen};
  if (std::ranges::find(met, named) == met.end()) {
    met.push_back(named);
  }
}

void RefreshMonitor::on(const RefreshStarted& fact, const MonitorContext& context) {
  Reader& reader = readers_[context.by.value];
  if (fact.cause == HopCause::first) {
    return;
  }
  context.expect(ClauseId::R3, fact.cause != HopCause::transient, [&] {
    return fmt::format("{} read the directory at {} because of a transient error, which says nothing about the map",
                       router_words(context.by), words(context.at));
  });
  context.expect(ClauseId::R4, fact.cause != HopCause::unanswered, [&] {
    return fmt::format(
        "{} read the directory at {} because of a missing answer: a dead owner is learned by watching or polling",
        router_words(context.by), words(context.at));
  });
  check_count(reader, fact, context);
  reader.is_reading = true;
}

void RefreshMonitor::check_count(Reader& reader, const RefreshStarted& fact, const MonitorContext& context) const {
  context.expect(ClauseId::R3, !reader.is_reading, [&] {
    return fmt::format("{} read the directory at {} while it was reading it already: whoever needs it can wait for one",
                       router_words(context.by), words(context.at));
  });
  if (fact.needed != Epoch{}) {
    const bool is_named = std::ranges::any_of(reader.met, [&](const auto& met) { return met.second == fact.needed; });
    context.expect(ClauseId::R3, is_named, [&] {
      return fmt::format("{} read the directory at {} for {}, which no stale signal had named to it",
                         router_words(context.by), words(context.at), words(fact.needed));
    });
  }
  ++reader.reads;
  // Who reads one record at a time may have to read again for keys that are no longer in the range that was named.
  const std::size_t moved_apart = has(context.bounds.watchers, context.by) ? 0 : context.known.reshaped();
  const std::size_t reasons = reader.restarts + reader.met.size() + reader.unanswered + moved_apart;
  context.expect(ClauseId::R3, reader.reads <= reasons, [&] {
    return fmt::format(
        "{} began its {}th read of the directory that an error caused at {}, with only {} restarts, {} new grants that "
        "signals named and {} unanswered reads",
        router_words(context.by), reader.reads, words(context.at), reader.restarts, reader.met.size(),
        reader.unanswered);
  });
}

void RefreshMonitor::on(const RefreshEnded& fact, const MonitorContext& context) {
  Reader& reader = readers_[context.by.value];
  reader.unanswered += reader.is_reading && !fact.is_answered ? 1 : 0;
  reader.is_reading = false;
}

void RefreshMonitor::on(const Restarted& /*fact*/, const MonitorContext& context) {
  Reader& reader = readers_[context.by.value];
  ++reader.restarts;
  reader.is_reading = false;
}

}  // namespace shardcheck
