// Registers. Of each read (and each compare-and-set, which saw what it expected) it is known between which positions
// the version that it saw was written: a change certainly newer was invoked behind the latest return of what may have
// been seen, a change certainly older returned before the earliest invocation.
#include <algorithm>
#include <limits>
#include <utility>

#include "histories/classify_parts.h"
#include "histories/contradiction.h"
#include "histories/reductions.h"
#include "histories/stale_reads.h"

namespace shardcheck::histories {
namespace {

using SignedPosition = std::int64_t;
constexpr SignedPosition kBeforeAll = -1;

// The producers that a read may have seen.
struct Seen {
  bool is_any = false;
  bool is_unique = true;
  SignedPosition first_invoked = kBeforeAll;
  SignedPosition last_returned = kBeforeAll;  // kNever: perhaps it has not returned yet
};

class RegisterFacts {
 public:
  explicit RegisterFacts(const KeyHistory& whole) {
    for (const KeyOperation& operation : whole.operations) {
      if (operation.kind != OperationKind::read) {
        Versions& versions = versions_of(product_of(operation));
        const SignedPosition latest = versions.empty() ? kBeforeAll : versions.back().last_returned;
        versions.push_back({operation.invoked, std::max<SignedPosition>(latest, operation.returned)});
        if (operation.has_returned()) {
          changes_.push_back(operation);
        }
      }
    }
  }

  Seen seen_by(const KeyOperation& observer, ValueId value) {
    const Versions& versions = versions_of(value);
    const auto end = std::ranges::lower_bound(versions, SignedPosition{observer.returned}, {}, &Version::invoked);
    const bool was_absent_first = value == kAbsent;
    if (end == versions.begin()) {
      return {.is_any = was_absent_first};
    }
    return {.is_any = true,
            .is_unique = end - versions.begin() == 1 && !was_absent_first,
            .first_invoked = was_absent_first ? kBeforeAll : versions.front().invoked,
            .last_returned = std::prev(end)->last_returned};
  }

  // In the order of their invocations.
  const std::vector<KeyOperation>& changes() const { return changes_; }

 private:
  struct Version {
    SignedPosition invoked;
    SignedPosition last_returned;  // of this one and all that were invoked before
  };
  using Versions = std::vector<Version>;

  Versions& versions_of(ValueId value) {
    const auto next = static_cast<std::uint32_t>(versions_.size());
    const std::uint32_t index = index_of_value_.find_or_insert(value.value, next);
    if (index == next) {
      versions_.emplace_back();
    }
    return versions_[index];
  }

  FlatMap index_of_value_;
  std::vector<Versions> versions_;
  std::vector<KeyOperation> changes_;
};

struct Observation {
  KeyOperation operation;
  Seen seen;
};

struct StaleObservation {
  KeyOperation operation;
  SignedPosition arrived_by;  // by then, everything that it may have seen had taken effect
  std::uint32_t witness;      // index into History::operations: showed something newer
};

// Of each stale observation, how many changes were invoked behind what it saw and acknowledged before it began: a sweep
// over invocations from the last to the first, with the returns so far in a Fenwick tree.
std::vector<std::uint64_t> count_newer(const std::vector<StaleObservation>& stale,
                                       const std::vector<KeyOperation>& changes) {
  std::vector<Position> returns;
  for (const KeyOperation& change : changes) {
    returns.push_back(change.returned);
  }
  std::ranges::sort(returns);
  std::vector<std::uint64_t> tree(returns.size() + 1);
  const auto rank_of = [&](Position position) {
    return static_cast<std::size_t>(std::ranges::lower_bound(returns, position) - returns.begin());
  };
  std::vector<std::size_t> by_version(stale.size());
  for (std::size_t i = 0; i < stale.size(); ++i) {
    by_version[i] = i;
  }
  std::ranges::sort(by_version, std::ranges::greater{},
                    [&](std::size_t i) { return std::pair(stale[i].arrived_by, i); });
  std::vector<std::uint64_t> counts(stale.size());
  std::size_t added = changes.size();
  for (const std::size_t i : by_version) {
    for (; added > 0 && changes[added - 1].invoked > stale[i].arrived_by; --added) {
      for (std::size_t at = rank_of(changes[added - 1].returned) + 1; at < tree.size(); at += at & (~at + 1)) {
        ++tree[at];
      }
    }
    for (std::size_t at = rank_of(stale[i].operation.invoked); at > 0; at &= at - 1) {
      counts[i] += tree[at];
    }
  }
  return counts;
}

// What the processes by themselves saw.
class Sessions {
 public:
  Sessions(const History& history, Classification& found) : history_(history), found_(found), processes_(history) {}

  void change(const KeyOperation& operation) {
    Session& session = processes_.of(operation);
    session.newest_own = std::max<SignedPosition>(session.newest_own, operation.invoked);
    session.own_changes.find_or_insert(product_of(operation).value, 0) = ++session.own_count;
  }

  void observe(const KeyOperation& operation, ValueId value, const Seen& seen) {
    Session& session = processes_.of(operation);
    // A process's changes are in its order even where clocks are too coarse to tell.
    const std::uint32_t* const found_own = seen.is_unique ? session.own_changes.find(value.value) : nullptr;
    const std::uint32_t own = found_own == nullptr ? 0 : *found_own;
    if (operation.kind == OperationKind::read) {
      const bool is_back = seen.is_unique && value != session.last && value != session.newest &&
                           session.seen.find(value.value) != nullptr;
      if (seen.last_returned < session.newest_seen || is_back || (own != 0 && own < session.own_seen)) {
        found_.reads_backwards.add(line_of(history_, operation));
      } else {
        session.newest = value;
      }
      if (seen.last_returned < session.newest_own || (own != 0 && own < session.own_count)) {
        found_.own_writes_missed.add(line_of(history_, operation));
      }
      session.last = value;
      session.seen.find_or_insert(value.value, 1);
    }
    session.own_seen = std::max(session.own_seen, own);
    session.newest_seen = std::max(session.newest_seen, seen.first_invoked);
  }

 private:
  struct Session {
    SignedPosition newest_seen = kBeforeAll;  // invocation of the oldest that the newest one seen can be
    SignedPosition newest_own = kBeforeAll;   // invocation of the last acknowledged change
    FlatMap own_changes;                      // what each acknowledged change left behind -> its number, from 1
    std::uint32_t own_count = 0;
    std::uint32_t own_seen = 0;  // the newest of them that was seen
    ValueId last;
    ValueId newest;  // what was read last without going back: to read it again is not to go back
    FlatMap seen;
  };

  const History& history_;
  Classification& found_;
  OfEachProcess<Session> processes_;
};

// When acknowledged deletes were over, by what they came behind.
class Deletes {
 public:
  explicit Deletes(const std::vector<KeyOperation>& changes) {
    for (const KeyOperation& change : changes) {
      if (change.kind == OperationKind::remove) {
        deletes_.push_back({change.invoked, change.returned});
      }
    }
    for (std::size_t i = deletes_.size(); i-- > 1;) {
      deletes_[i - 1].over_by = std::min(deletes_[i - 1].over_by, deletes_[i].over_by);
    }
  }

  // Whether one was invoked behind `after` and over before `before`.
  bool any_between(SignedPosition after, Position before) const {
    const auto first = std::ranges::upper_bound(deletes_, after, {}, &Delete::invoked);
    return first != deletes_.end() && first->over_by < before;
  }

 private:
  struct Delete {
    SignedPosition invoked;
    Position over_by;  // the earliest return of this one and all that were invoked later
  };

  std::vector<Delete> deletes_;
};

// Whether acknowledged changes, invoked before a position, may have come behind another change.
class Overwrites {
 public:
  explicit Overwrites(const std::vector<KeyOperation>& changes) : changes_(changes) {
    Position latest = 0;
    for (const KeyOperation& change : changes) {
      latest = std::max(latest, change.returned);
      latest_return_.push_back(latest);
    }
  }

  // Of changes that may have overwritten each other, the one that returned last was not.
  bool any(const KeyOperation& change, Position invoked_before) const {
    const auto end = std::ranges::lower_bound(changes_, invoked_before, {}, &KeyOperation::invoked);
    const auto count = static_cast<std::size_t>(end - changes_.begin());
    return count != 0 && latest_return_[count - 1] > change.returned;
  }

 private:
  const std::vector<KeyOperation>& changes_;  // in the order of their invocations
  std::vector<Position> latest_return_;       // of the changes up to this one
};

// classify.h says what is lost.
class LostWrites {
 public:
  LostWrites(const std::vector<Observation>& observations, const RegisterFacts& facts)
      : observations_(observations),
        overwrites_(facts.changes()),
        newest_from_(observations.size() + 1, std::numeric_limits<SignedPosition>::min()),
        next_cas_(observations.size() + 1, observations.size()) {
    for (std::size_t i = observations.size(); i-- > 0;) {
      const KeyOperation& operation = observations[i].operation;
      newest_from_[i] = std::max(newest_from_[i + 1], observations[i].seen.last_returned);
      next_cas_[i] = operation.kind == OperationKind::compare_and_set ? i : next_cas_[i + 1];
      is_seen_.find_or_insert(needed_value(operation)->value, 1);
    }
  }

  bool is_lost(const KeyOperation& write) {
    if (is_seen_.find(product_of(write).value) != nullptr) {
      return false;
    }
    const auto behind = std::ranges::upper_bound(observations_, write.returned, {}, [](const Observation& observation) {
      return observation.operation.invoked;
    });
    const auto first = static_cast<std::size_t>(behind - observations_.begin());
    const std::size_t cas = next_cas_[first];
    if (cas != observations_.size() && observations_[cas].seen.last_returned < write.invoked &&
        !overwrites_.any(write, observations_[cas].operation.invoked)) {
      return true;
    }
    return first + 1 < observations_.size() && newest_from_[first] < write.invoked &&
           !overwrites_.any(write, observations_[first + 1].operation.returned);
  }

 private:
  const std::vector<Observation>& observations_;  // in the order of their invocations
  Overwrites overwrites_;
  std::vector<SignedPosition> newest_from_;  // the newest version that this observation or a later one saw
  std::vector<std::size_t> next_cas_;        // the first from here on
  FlatMap is_seen_;
};

void count_lost_writes(const History& history, const std::vector<Observation>& observations, const RegisterFacts& facts,
                       Classification& found) {
  LostWrites lost(observations, facts);
  for (const KeyOperation& change : facts.changes()) {
    if (change.kind != OperationKind::remove && lost.is_lost(change)) {
      found.lost_writes.add(line_of(history, change));
    }
  }
}

// Goes through the operations in the order of their invocations.
class StaleSweep {
 public:
  explicit StaleSweep(std::size_t operations) : witnesses_(static_cast<Position>(2 * operations)) {}

  void change(const KeyOperation& operation) {
    witnesses_.add({.not_before = operation.invoked,
                    .end = operation.returned,
                    .value = product_of(operation),
                    .source = operation.source});
  }

  void observe(const KeyOperation& operation, ValueId value, const Seen& seen) {
    SignedPosition arrived_by = seen.last_returned;
    if (seen.is_unique) {
      // Whoever saw it first proves that it was there by then.
      Position& first = first_seen_by_.find_or_insert(value.value, operation.returned);
      first = std::min(first, operation.returned);
      arrived_by = std::min<SignedPosition>(arrived_by, first);
    }
    const std::optional<StaleWitness> witness = witnesses_.against(value, arrived_by, operation.invoked);
    if (witness) {
      stale_.push_back({operation, arrived_by, witness->source});
    } else if (operation.kind == OperationKind::read) {
      // What is stale itself tells nothing about others. (A compare-and-set tells by what it left behind.)
      witnesses_.add({.not_before = std::max<SignedPosition>(operation.invoked, seen.first_invoked),
                      .end = operation.returned,
                      .value = value,
                      .source = operation.source});
    }
  }

  const std::vector<StaleObservation>& stale() const { return stale_; }

 private:
  StaleWitnesses witnesses_;
  FlatMap first_seen_by_;  // of values that are unique: the first return of an observer
  std::vector<StaleObservation> stale_;
};

}  // namespace

std::optional<Position> first_stale_return(const KeyHistory& whole) {
  RegisterFacts facts(whole);
  StaleSweep staleness(whole.operations.size());
  Position first = kNever;
  for (const KeyOperation& operation : whole.operations) {
    const std::optional<ValueId> value = needed_value(operation);
    if (value && operation.has_returned()) {
      const Seen seen = facts.seen_by(operation, *value);
      if (seen.is_any) {
        staleness.observe(operation, *value, seen);
      } else {
        first = std::min(first, operation.returned);
      }
    }
    if (operation.kind != OperationKind::read && operation.has_returned()) {
      staleness.change(operation);
    }
  }
  for (const StaleObservation& stale : staleness.stale()) {
    first = std::min(first, stale.operation.returned);
  }
  return first == kNever ? std::nullopt : std::optional(first);
}

void classify_register(const History& history, const KeyHistory& whole, Classification& found) {
  RegisterFacts facts(whole);
  Sessions sessions(history, found);
  StaleSweep staleness(whole.operations.size());
  std::vector<Observation> observations;
  bool is_all_told_apart = true;
  for (const KeyOperation& operation : whole.operations) {
    const std::optional<ValueId> value = needed_value(operation);
    if (value && operation.has_returned()) {
      const Seen seen = facts.seen_by(operation, *value);
      if (!seen.is_any) {
        const bool is_read = operation.kind == OperationKind::read;
        (is_read ? found.never_written : found.never_there).add(line_of(history, operation));
      } else {
        is_all_told_apart &= seen.is_unique;
        observations.push_back({operation, seen});
        sessions.observe(operation, *value, seen);
        staleness.observe(operation, *value, seen);
      }
    }
    if (operation.kind != OperationKind::read && operation.has_returned()) {
      sessions.change(operation);
      staleness.change(operation);
    }
  }
  const std::vector<std::uint64_t> versions = count_newer(staleness.stale(), facts.changes());
  const Deletes deletes(facts.changes());
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const StaleObservation& stale = staleness.stale()[i];
    const bool is_resurrected =
        *needed_value(stale.operation) != kAbsent && deletes.any_between(stale.arrived_by, stale.operation.invoked);
    // One that only a read showed counts too.
    add_stale(history, stale.operation, history.operations[stale.witness].returned_at,
              std::max<std::uint64_t>(versions[i], 1), is_resurrected ? found.resurrected_deletes : found.stale_reads,
              found);
  }
  count_lost_writes(history, observations, facts, found);
  found.has_monotonic_reads = holds_unless(found.reads_backwards, is_all_told_apart);
  found.reads_its_writes = holds_unless(found.own_writes_missed, is_all_told_apart);
}

}  // namespace shardcheck::histories
