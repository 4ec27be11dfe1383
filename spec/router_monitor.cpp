#include "spec/router_monitor.h"

#include <algorithm>

#include "spec/router_words.h"
#include "spec/wording.h"

namespace shardcheck {

void RouterMonitor::reset(const Bounds& bounds) {
  key_space_ = bounds.key_space;
  shards_ = static_cast<std::size_t>(bounds.shards);
  keys_ = bounds.key_space.hi.value - bounds.key_space.lo.value;
  const std::size_t nodes = static_cast<std::size_t>(bounds.nodes);
  if (knowledge_.size() < nodes * keys_ || last_generation_ > 0x80000000U) {
    knowledge_.assign(nodes * keys_, Knowledge{});
    last_generation_ = 0;
  }
  generations_.resize(nodes);
  for (std::uint32_t& generation : generations_) {
    generation = ++last_generation_;
  }
  copies_given_up_.assign(nodes * shards_, 0);
  requests_.clear();
  has_served_ = false;
}

void RouterMonitor::on(const RouterLearned& fact, const MonitorContext& context) {
  if (!context.known.grants().empty()) {
    bool is_real = false;
    for (std::size_t index = context.known.grants().size(); index-- > 0 && !is_real;) {
      const KnownGrant& grant = context.known.grants()[index];
      is_real = grant.epoch == fact.epoch && grant.range.lo <= fact.range.lo && fact.range.hi <= grant.range.hi &&
                (grant.owner == fact.owner || (fact.owner == kNoNode && grant.is_reported_lost));
    }
    context.expect(ClauseId::D4, is_real, [&] {
      return fmt::format("{} learned that {} belongs to {} under {}, but the directory never committed such a record",
                         router_words(context.by), words(fact.range), words(fact.owner), words(fact.epoch));
    });
  }
  const std::uint32_t generation = generations_[context.by.value];
  const Key end = std::min(fact.range.hi, key_space_.hi);
  for (Key key = std::max(fact.range.lo, key_space_.lo); key < end; key = next(key)) {
    Knowledge& knows = knowledge_[context.by.value * keys_ + key.value - key_space_.lo.value];
    const bool goes_back =
        knows.generation == generation && (fact.known_at < knows.known_at || fact.epoch < knows.epoch);
    if (goes_back) [[unlikely]] {
      context.accuse(ClauseId::D4, [&] {
        return fmt::format("{} went back for {}: it knew {} as of {} and put {} as of {} in its place",
                           router_words(context.by), words(key), words(knows.epoch), words(knows.known_at),
                           words(fact.epoch), words(fact.known_at));
      });
    }
    knows = {generation, fact.epoch, fact.known_at};
  }
  context.findings.checked(ClauseId::D4);
}

namespace {

std::uint64_t bit_of(Attempt attempt) { return attempt.number < 64 ? std::uint64_t{1} << attempt.number : 0; }
std::uint64_t bit_of(NodeId node) { return node.value < 64 ? std::uint64_t{1} << node.value : 0; }

// Other operations may be refused by being executed.
bool is_refused_only_unexecuted(OperationKind kind) {
  return kind == OperationKind::read || kind == OperationKind::write || kind == OperationKind::remove;
}

}  // namespace

void RouterMonitor::on(const Answered& fact, std::uint32_t request, const MonitorContext& context) {
  Request& asked = state(request);
  check_signal(fact, context);
  switch (fact.signal) {
    case Signal::transient: asked.had_transient = true; return;
    case Signal::stale_epoch: asked.had_stale = true; break;
    case Signal::not_owner:
      check_redirect(fact, context);
      asked.redirect_targets |= bit_of(fact.redirect_to);
      asked.not_owner_epoch_min =
          asked.had_not_owner ? std::min(asked.not_owner_epoch_min, fact.request_epoch) : fact.request_epoch;
      asked.had_not_owner = true;
      break;
  }
  // A node that lost its disk forgot what it handed on to the target of a move, so it may refuse the second copy of an
  // attempt whose first one is served there yet.
  const bool may_have_forgotten = context.known.disk_losses(context.by) > 0 && context.known.has_duplicates(context.by);
  asked.refused |= may_have_forgotten ? 0 : bit_of(fact.attempt);
  check_not_applied(fact, asked, context);
  // Of a cluster that tells only what it served, less can be said. Reads have no effect to deny. A node that gave its
  // copy up cannot know what it once did, nor can one for which a message came twice: the second arrival of an attempt
  // that was answered from memory is rightly refused when the epoch has moved on since.
  const bool may_know = asked.served_generation == copies_given_up_[context.by.value * shards_ + fact.shard.value] &&
                        !context.known.has_duplicates(context.by);
  if (asked.served != 0 && may_know && asked.is_invoked && may_change_state(asked.kind)) {
    context.expect(ClauseId::R1, (asked.served & bit_of(fact.attempt)) == 0, [&] {
      return fmt::format("{} answered {} to attempt {} of {} ({}), which had already taken effect", words(context.by),
                         name_of(fact.signal), fact.attempt.number, words(fact.attempt.request), words(fact.key));
    });
  }
}

// A node knows what it executed itself as long as it has its disk, however often the message comes.
void RouterMonitor::check_not_applied(const Answered& fact, const Request& asked, const MonitorContext& context) const {
  if (asked.applied == 0 || asked.applied_by != context.by ||
      asked.disk_losses != context.known.disk_losses(context.by)) {
    return;
  }
  context.expect(ClauseId::R1, (asked.applied & bit_of(fact.attempt)) == 0, [&] {
    return fmt::format("{} answered {} to attempt {} of {} ({}), which it had executed itself", words(context.by),
                       name_of(fact.signal), fact.attempt.number, words(fact.attempt.request), words(fact.key));
  });
}

void RouterMonitor::check_signal(const Answered& fact, const MonitorContext& context) const {
  if (fact.request_epoch == Epoch{}) {
    return;  // Without an epoch the server may redirect or forward.
  }
  const auto says = [&](std::string_view should) {
    return fmt::format("{} answered {} to {} ({}) at {} while the highest it saw is {}: it should have been {}",
                       words(context.by), name_of(fact.signal), words(fact.attempt.request), words(fact.key),
                       words(fact.request_epoch), words(fact.highest_seen), should);
  };
  if (fact.request_epoch < fact.highest_seen) {
    context.expect(ClauseId::R1, fact.signal == Signal::stale_epoch, [&] { return says("stale_epoch"); });
    return;
  }
  if (fact.request_epoch > fact.highest_seen) {
    context.expect(ClauseId::R1, fact.signal == Signal::transient, [&] { return says("transient"); });
    return;
  }
  const KnownGrant* grant = context.known.grant(fact.shard, fact.request_epoch, fact.key);
  if (grant == nullptr) {
    context.expect(ClauseId::R1, fact.signal != Signal::stale_epoch,
                   [&] { return says("not_owner, or transient by the owner"); });
    return;
  }
  const bool is_owner = grant->owner == context.by;
  const bool has_owner = grant->owner != kNoNode && !grant->is_reported_lost;
  const bool is_right = is_owner ? fact.signal == Signal::transient
                                 : fact.signal == Signal::not_owner || (fact.signal == Signal::transient && !has_owner);
  context.expect(ClauseId::R1, is_right, [&] { return says(is_owner ? "transient by the owner" : "not_owner"); });
}

void RouterMonitor::check_redirect(const Answered& fact, const MonitorContext& context) const {
  if (fact.redirect_to == kNoNode || context.known.grants().empty()) {
    return;
  }
  bool is_real = false;
  for (std::size_t index = context.known.grants().size(); index-- > 0 && !is_real;) {
    const KnownGrant& grant = context.known.grants()[index];
    is_real = grant.owner == fact.redirect_to && fact.request_epoch <= grant.epoch && grant.range.contains(fact.key);
  }
  context.expect(ClauseId::R1, is_real, [&] {
    return fmt::format("{} redirected {} ({}) at {} to {}, which owns it under no epoch from {} on", words(context.by),
                       words(fact.attempt.request), words(fact.key), words(fact.request_epoch), words(fact.redirect_to),
                       fact.request_epoch.value);
  });
}

void RouterMonitor::on(const Served& fact, std::uint32_t request, const MonitorContext& context) {
  Request& asked = state(request);
  if (asked.refused != 0) {
    context.expect(ClauseId::R1, (asked.refused & bit_of(fact.attempt)) == 0, [&] {
      return fmt::format("{} served attempt {} of {} ({}), which had been refused for good", words(context.by),
                         fact.attempt.number, words(fact.attempt.request), words(fact.key));
    });
  }
  has_served_ = true;
  asked.served |= bit_of(fact.attempt);
  asked.served_generation = copies_given_up_[context.by.value * shards_ + fact.shard.value];
}

void RouterMonitor::on(const Applied& fact, std::uint32_t request, const MonitorContext& context) {
  Request& asked = state(request);
  if (asked.is_returned_refused) {
    context.expect(ClauseId::R1, false, [&] {
      return fmt::format("{} applied {} ({}) as {}, although it had been returned as refused", words(context.by),
                         words(fact.request), words(fact.key), words(fact.version));
    });
  }
  if (fact.attempt != kNoAttempt) {
    const std::uint64_t bit = bit_of({fact.request, fact.attempt});
    asked.applied |= bit;
    asked.applied_by = context.by;
    asked.disk_losses = context.known.disk_losses(context.by);
    context.expect(ClauseId::R1, (asked.refused & bit) == 0, [&] {
      return fmt::format("{} applied attempt {} of {} ({}) as {}, which had been refused for good", words(context.by),
                         fact.attempt, words(fact.request), words(fact.key), words(fact.version));
    });
  } else if (asked.refused != 0 && !context.known.has_duplicates(context.by)) {
    const bool is_all_refused = asked.sent != 0 && (asked.sent & ~asked.refused) == 0;
    context.expect(ClauseId::R1, !is_all_refused, [&] {
      return fmt::format("{} applied {} ({}) as {}, although all of its attempts had been refused for good",
                         words(context.by), words(fact.request), words(fact.key), words(fact.version));
    });
  }
}

void RouterMonitor::on(const CopyRemoved& fact, const MonitorContext& context) {
  ++copies_given_up_[context.by.value * shards_ + fact.shard.value];
}

void RouterMonitor::on(const Hop& fact, std::uint32_t request, const MonitorContext& context) {
  Request& asked = state(request);
  check_cause(fact, asked, context);
  asked.sent |= bit_of(fact.attempt);
  const bool is_sent_on = fact.cause == HopCause::redirected || fact.cause == HopCause::stale;
  if (fact.cause == HopCause::first) {
    asked.carried_max = fact.epoch;  // a scan goes on with other keys, of another range
    asked.redirects = 0;
  } else if (asked.carried_max < fact.epoch) {
    asked.carried_max = fact.epoch;  // this hop met a new epoch: the count begins again
    asked.redirects = 0;
  } else if (is_sent_on) {
    ++asked.redirects;
  }
  if (is_sent_on) {
    context.expect(ClauseId::R2, asked.redirects <= context.bounds.hops_per_epoch_max, [&] {
      return fmt::format("{} ({}) was redirected {} times, now to {}, while it carried {}: at most {} are allowed",
                         words(fact.attempt.request), words(fact.key), asked.redirects, words(fact.to),
                         words(asked.carried_max), context.bounds.hops_per_epoch_max);
    });
  }
}

// Answers are lost and come late, so a hop is judged by what it says made it happen: some earlier attempt must have
// been answered so.
void RouterMonitor::check_cause(const Hop& fact, const Request& asked, const MonitorContext& context) const {
  const auto says = [&](std::string_view why) {
    return fmt::format("{} sent attempt {} of {} ({}) to {} under {}: {}", router_words(context.by),
                       fact.attempt.number, words(fact.attempt.request), words(fact.key), words(fact.to),
                       words(fact.epoch), why);
  };
  const auto says_not_answered = [&](Signal signal) {
    std::string had;
    const auto add = [&](bool is_so, Signal answer) {
      had += is_so ? fmt::format("{}{}", had.empty() ? "" : " and ", name_of(answer)) : "";
    };
    add(asked.had_stale, Signal::stale_epoch);
    add(asked.had_not_owner, Signal::not_owner);
    add(asked.had_transient, Signal::transient);
    const std::string instead = asked.sent == 0 ? "this request had no attempt before"
                                : had.empty()   ? "none was answered"
                                                : "the answers were " + had;
    return says(fmt::format("as if an earlier attempt had been answered {}, but {}", name_of(signal), instead));
  };
  switch (fact.cause) {
    case HopCause::first:
    case HopCause::unanswered: return;
    case HopCause::stale:
      context.expect(ClauseId::R1, asked.had_stale, [&] { return says_not_answered(Signal::stale_epoch); });
      return;
    case HopCause::transient:
      context.expect(ClauseId::R1, asked.had_transient, [&] { return says_not_answered(Signal::transient); });
      return;
    case HopCause::redirected:
      context.expect(ClauseId::R1, asked.had_not_owner, [&] { return says_not_answered(Signal::not_owner); });
      if (asked.had_not_owner && fact.to.value < 64) {
        const bool follows = (asked.redirect_targets & bit_of(fact.to)) != 0 || asked.not_owner_epoch_min < fact.epoch;
        context.expect(ClauseId::R1, follows,
                       [&] { return says("neither where it was redirected to nor under a later epoch"); });
      }
      return;
  }
}

void RouterMonitor::on(const Invoked& fact, std::uint32_t request) {
  Request& asked = state(request);
  asked.kind = fact.operation.kind;
  asked.is_invoked = true;
}

void RouterMonitor::on(const Returned& fact, std::uint32_t request, const MonitorContext& context) {
  Request& asked = state(request);
  if (fact.outcome.kind != OutcomeKind::refused || !asked.is_invoked) {
    return;
  }
  asked.is_returned_refused = true;
  const bool may_be_executed = !is_refused_only_unexecuted(asked.kind);
  const bool is_executed = may_be_executed && (asked.served != 0 || !has_served_);
  context.expect(ClauseId::R1, is_executed || (!fact.had_transient && !fact.had_unanswered), [&] {
    return fmt::format("{} ({}) was returned as refused after a {} attempt: its outcome is unknown",
                       words(fact.request), name_of(asked.kind), fact.had_transient ? "transient" : "never answered");
  });
  if (asked.kind == OperationKind::write || asked.kind == OperationKind::remove) {
    context.expect(ClauseId::R1, asked.served == 0, [&] {
      return fmt::format("{} ({}) was returned as refused, but it was served", words(fact.request),
                         name_of(asked.kind));
    });
  }
}

void RouterMonitor::on(const Restarted& fact, const MonitorContext& context) {
  generations_[context.by.value] = ++last_generation_;
  if (fact.is_disk_lost) {
    for (std::size_t shard = 0; shard < shards_; ++shard) {
      ++copies_given_up_[context.by.value * shards_ + shard];
    }
  }
}

}  // namespace shardcheck
