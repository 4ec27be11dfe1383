// Counters: the number is the version.
#include <algorithm>
#include <vector>

#include "histories/classify_parts.h"

namespace shardcheck::histories {
namespace {

// The largest number that had certainly been reached once these increments were acknowledged, if all that is lost is
// lost: answers tell it, and not how many there were.
struct Reached {
  Position at;
  std::int64_t number;
  const KeyOperation* by;
};

std::optional<std::int64_t> count_seen(const KeyHistory& whole, const KeyOperation& operation) {
  if (operation.observed == kAbsent) {
    return 0;
  }
  return whole.values->kind(operation.observed) == StoredKind::number
             ? std::optional(whole.values->number_of(operation.observed))
             : std::nullopt;
}

std::vector<Reached> reached_by(const KeyHistory& whole) {
  std::vector<const KeyOperation*> acknowledged;
  for (const KeyOperation& operation : whole.operations) {
    if (operation.kind == OperationKind::increment && operation.has_returned()) {
      acknowledged.push_back(&operation);
    }
  }
  std::ranges::sort(acknowledged, {}, &KeyOperation::returned);
  std::vector<Reached> reached;
  std::int64_t number = 0;
  for (const KeyOperation* increment : acknowledged) {
    number = std::max(number, count_seen(whole, *increment).value_or(0));
    reached.push_back({increment->returned, number, increment});
  }
  return reached;
}

struct Session {
  std::int64_t last_seen = 0;
  std::int64_t last_own = 0;
};

}  // namespace

void classify_counter(const History& history, const KeyHistory& whole, Classification& found) {
  const std::vector<Reached> reached = reached_by(whole);
  OfEachProcess<Session> sessions(history);
  FlatMap told;
  for (const KeyOperation& operation : whole.operations) {
    if (!operation.has_returned()) {
      continue;
    }
    const bool is_increment = operation.kind == OperationKind::increment;
    const std::optional<std::int64_t> seen = count_seen(whole, operation);
    const std::uint32_t line = line_of(history, operation);
    if (!seen || *seen < 0) {
      found.never_written.add(line);
      continue;
    }
    const bool is_lost =
        is_increment && told.find_or_insert(operation.observed.value, operation.source) != operation.source;
    if (is_lost) {
      found.lost_increments.add(line);
    }
    const std::int64_t before = *seen - (is_increment ? 1 : 0);
    const auto newer = std::ranges::upper_bound(reached, before, {}, &Reached::number);
    if (!is_lost && newer != reached.end() && newer->at < operation.invoked) {
      const auto last = std::prev(std::ranges::lower_bound(reached, operation.invoked, {}, &Reached::at));
      add_stale(history, operation, history.operations[newer->by->source].returned_at,
                static_cast<std::uint64_t>(last->number - before), found.stale_reads, found);
    }
    Session& session = sessions.of(operation);
    if (!is_increment) {
      if (*seen < session.last_seen) {
        found.reads_backwards.add(line);
      }
      if (*seen < session.last_own) {
        found.own_writes_missed.add(line);
      }
      session.last_seen = *seen;
    } else {
      session.last_own = std::max(session.last_own, *seen);
    }
  }
  found.has_monotonic_reads = holds_unless(found.reads_backwards, true);
  found.reads_its_writes = holds_unless(found.own_writes_missed, true);

  // What was counted beyond what had been asked for when it was told.
  std::vector<Position> asked;
  for (const KeyOperation& operation : whole.operations) {
    if (operation.kind == OperationKind::increment) {
      asked.push_back(operation.invoked);
    }
  }
  for (const KeyOperation& operation : whole.operations) {
    const auto by_then = std::ranges::lower_bound(asked, operation.returned) - asked.begin();
    const std::int64_t excess = operation.has_returned() ? count_seen(whole, operation).value_or(0) - by_then : 0;
    if (excess > static_cast<std::int64_t>(found.duplicated_increments.count)) {
      found.duplicated_increments = {.count = static_cast<std::uint64_t>(excess), .line = line_of(history, operation)};
    }
  }
}

}  // namespace shardcheck::histories
