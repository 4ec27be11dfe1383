#include "spec/judge.h"

#include <type_traits>

#include "spec/assert.h"

namespace shardcheck {

void Judge::reset(const Bounds& bounds) {
  bounds_ = bounds;
  findings_.clear();
  known_.reset(bounds);
  requests_.clear();
  directory_.reset();
  tier_.reset();
  lease_.reset(bounds);
  move_.reset(bounds);
  router_.reset(bounds);
  refresh_.reset(bounds);
  history_.reset(bounds);
  liveness_.reset();
  split_.reset();
  scan_.reset(bounds);
  log_.reset(bounds);
  capacity_.reset(bounds);
  service_.reset(bounds);
  progress_.reset(bounds);
}

std::uint32_t Judge::number_of(RequestId request) {
  return requests_.index_of({request.client.value, request.sequence}).index;
}

void Judge::judge_operation(const Invoked& fact, const MonitorContext& context) {
  const std::uint32_t request = number_of(fact.request);
  router_.on(fact, request);
  history_.on(fact, request, context);
  liveness_.on(fact, request, context);
  scan_.on(fact, request, context);
  service_.on(fact, request, context);
}

void Judge::judge_operation(const Returned& fact, const MonitorContext& context) {
  const std::uint32_t request = number_of(fact.request);
  router_.on(fact, request, context);
  history_.on(fact, request, context);
  liveness_.on(fact, request, context);
  scan_.on(fact, request, context);
  service_.on(fact, request, context);
}

void Judge::judge_hop(const Hop& fact, const MonitorContext& context) {
  const std::uint32_t request = number_of(fact.attempt.request);
  router_.on(fact, request, context);
  refresh_.on(fact, request, context);
}

void Judge::judge_answered(const Answered& fact, const MonitorContext& context) {
  const std::uint32_t request = number_of(fact.attempt.request);
  lease_.on(fact, context);
  split_.on(fact, context);
  router_.on(fact, request, context);
  refresh_.on(fact, request, context);
  service_.on(fact, request);
}

void Judge::judge_applied(const Applied& fact, const MonitorContext& context) {
  move_.on(fact, context);
  scan_.on(fact);
  if (fact.cause == ApplyCause::client && fact.request.sequence != 0) {
    const std::uint32_t request = number_of(fact.request);
    router_.on(fact, request, context);
    history_.on(fact, request, context);
  } else if (fact.cause == ApplyCause::replication && fact.request.sequence != 0) {
    history_.on_replicated(fact, number_of(fact.request), context);
  }
}

// Every other fact about a process goes to all monitors that take it.
template <class Fact>
void Judge::judge_copy(const Fact& fact, const MonitorContext& context) {
  constexpr bool kIsForLease = requires { lease_.on(fact, context); };
  constexpr bool kIsForMove = requires { move_.on(fact, context); };
  constexpr bool kIsForRouter = requires { router_.on(fact, context); };
  constexpr bool kIsForRefresh = requires { refresh_.on(fact, context); };
  constexpr bool kIsForLog = requires { log_.on(fact, context); };
  constexpr bool kIsForCapacity = requires { capacity_.on(fact, context); };
  constexpr bool kIsForHistory = std::is_same_v<Fact, CopyRemoved>;
  static_assert(kIsForLease || kIsForMove || kIsForRouter || kIsForRefresh || kIsForLog || kIsForCapacity);
  if constexpr (kIsForLease) {
    lease_.on(fact, context);
  }
  if constexpr (kIsForMove) {
    move_.on(fact, context);
  }
  if constexpr (kIsForRouter) {
    router_.on(fact, context);
  }
  if constexpr (kIsForRefresh) {
    refresh_.on(fact, context);
  }
  if constexpr (kIsForLog) {
    log_.on(fact, context);
  }
  if constexpr (kIsForCapacity) {
    capacity_.on(fact, context);
  }
  if constexpr (std::is_same_v<Fact, ReplayRound> || std::is_same_v<Fact, CopyCreated>) {
    progress_.on(fact, context);
  }
  if constexpr (kIsForHistory) {
    history_.on(fact, context);
  }
  if constexpr (std::is_same_v<Fact, BarrierConfirmed>) {
    known_.apply(context.by, fact);
  }
}

template <class Fact>
void Judge::judge_process(const Fact& fact, const MonitorContext& context) {
  SHARDCHECK_ASSERT(context.by.value < bounds_.nodes);
  if constexpr (requires { fact.shard; }) {
    SHARDCHECK_ASSERT(fact.shard.value < bounds_.shards);
  }
  if constexpr (std::is_same_v<Fact, Applied>) {
    judge_applied(fact, context);
  } else if constexpr (std::is_same_v<Fact, Hop>) {
    judge_hop(fact, context);
  } else if constexpr (std::is_same_v<Fact, Served>) {
    lease_.on(fact, context);
    move_.on(fact, context);
    split_.on(fact, context);
    router_.on(fact, number_of(fact.attempt.request), context);
  } else if constexpr (std::is_same_v<Fact, Answered>) {
    judge_answered(fact, context);
  } else if constexpr (std::is_same_v<Fact, OwnerSplit> || std::is_same_v<Fact, SplitApplied>) {
    split_.on(fact, context);
  } else if constexpr (std::is_same_v<Fact, Restarted>) {
    split_.on(fact, context);
    known_.restart(context.at, context.by, fact.is_disk_lost);
    lease_.on(fact, context);
    move_.on(fact, context);
    router_.on(fact, context);
    refresh_.on(fact, context);
    capacity_.on(fact, context);
  } else {
    judge_copy(fact, context);
  }
}

template <class Fact>
constexpr bool kIsOfTiers = std::is_same_v<Fact, TopRow> || std::is_same_v<Fact, MetadataRow> ||
                            std::is_same_v<Fact, LookupCrossed> || std::is_same_v<Fact, LookupAnswered>;

// Monitors see what was known before the fact; then the fact becomes known.
template <class Fact>
void Judge::judge(const Fact& fact, const MonitorContext& context) {
  if constexpr (std::is_same_v<Fact, RecordCommitted>) {
    SHARDCHECK_ASSERT(fact.record.shard.value < bounds_.shards);
    SHARDCHECK_ASSERT(fact.record.owner == kNoNode || fact.record.owner.value < bounds_.nodes);
    directory_.on(fact, context);
    lease_.on(fact, context);
    move_.on(fact, context);
    split_.on(fact, context);
    capacity_.on(fact, context);
    history_.on(fact);
    service_.on(fact, context);
    progress_.on(fact, context);
    tier_.on(fact, context);
    known_.apply(context.at, fact);
  } else if constexpr (std::is_same_v<Fact, DirectoryStepped>) {
    directory_.on(fact, context);
    tier_.on(fact, context);
  } else if constexpr (kIsOfTiers<Fact>) {
    tier_.on(fact, context);
  } else if constexpr (std::is_same_v<Fact, LeaseExtended>) {
    SHARDCHECK_ASSERT(fact.shard.value < bounds_.shards);
    lease_.on(fact, context);
    known_.apply(fact);
  } else if constexpr (std::is_same_v<Fact, Invoked> || std::is_same_v<Fact, Returned>) {
    judge_operation(fact, context);
  } else if constexpr (std::is_same_v<Fact, Left>) {
    known_.leave(context.by);
  } else if constexpr (std::is_same_v<Fact, Healed>) {
    known_.heal(context.at);
  } else if constexpr (std::is_same_v<Fact, FaultInjected>) {
    known_.fault(context.at, context.by, fact);
    capacity_.on(fact, context);
    service_.on(fact, context);
  } else if constexpr (std::is_same_v<Fact, InboxOverflowed>) {
    const FaultInjected loss{FaultKind::dropped, context.at};
    known_.overflow(context.at, context.by);
    capacity_.on(loss, context);
    service_.on(loss, context);
  } else {
    judge_process(fact, context);
  }
}

void Judge::on(const Observed& observed) {
  const MonitorContext context{observed.at, observed.by, bounds_, known_, findings_};
  std::visit([&](const auto& fact) { judge(fact, context); }, observed.fact);
}

void Judge::finish(TrueTime end) {
  const MonitorContext context{end, kNoNode, bounds_, known_, findings_};
  liveness_.finish(context);
  progress_.finish(context);
}

}  // namespace shardcheck
