#include "spec/scan_monitor.h"

#include <algorithm>

#include "spec/key_set.h"
#include "spec/wording.h"

namespace shardcheck {

void ScanMonitor::reset(const Bounds& bounds) {
  key_space_ = bounds.key_space;
  now_ = 0;
  has_scans_ = bounds.answers_scans;
  keys_.assign(has_scans_ ? bounds.key_space.hi.value - bounds.key_space.lo.value : 0, KeyState{});
  requests_.clear();
}

ScanMonitor::KeyState* ScanMonitor::key_state(Key key) {
  return has_scans_ && key_space_.contains(key) ? &keys_[key.value - key_space_.lo.value] : nullptr;
}

ScanMonitor::Presence ScanMonitor::presence_of(const KeyState& key) const {
  // Nothing was applied since a read at rest began, and nothing can be that was asked for later.
  const Moment last_change = std::max({key.last_put, key.last_remove, key.last_applied});
  if (key.read != Presence::undecided && last_change < key.read_at) {
    return key.read;
  }
  if (key.put_begin_max > key.remove_end && key.open_removes == 0) {
    return Presence::present;
  }
  const bool is_deleted = key.remove_begin_max > key.put_end;
  const bool is_untouched = key.put_end == 0;
  return key.open_puts == 0 && (is_deleted || is_untouched) ? Presence::absent : Presence::undecided;
}

void ScanMonitor::on(const Invoked& fact, std::uint32_t request, const MonitorContext& context) {
  KeyState* key = key_state(fact.operation.key);
  if (key == nullptr) {
    return;
  }
  if (request >= requests_.size()) {
    requests_.resize(request + 1);
  }
  Request& begun = requests_[request];
  begun.operation = fact.operation;
  begun.begun = ++now_;
  begun.is_running = true;
  begun.is_at_rest = context.known.healed_at().has_value();
  if (fact.operation.kind == OperationKind::scan) {
    begin_scan(begun);
  } else if (is_remove(fact.operation)) {
    ++key->open_removes;
    key->last_remove = now_;
  } else if (may_change_state(fact.operation.kind)) {
    ++key->open_puts;
    key->last_put = now_;
  }
}

void ScanMonitor::begin_scan(Request& scan) {
  const KeyRange interval = keys_of(scan.operation);
  scan.expectation.clear();
  for (Key key = interval.lo; key < interval.hi; key = next(key)) {
    const KeyState* state = key_state(key);
    scan.expectation.push_back(state == nullptr ? Presence::undecided : presence_of(*state));
  }
}

void ScanMonitor::on(const Returned& fact, std::uint32_t request, const MonitorContext& context) {
  if (request >= requests_.size() || !requests_[request].is_running) {
    return;
  }
  ++now_;
  Request& done = requests_[request];
  done.is_running = false;
  if (done.operation.kind == OperationKind::scan) {
    end_scan(done, fact, context);
  } else {
    end_operation(done, fact, *key_state(done.operation.key));
  }
}

void ScanMonitor::end_operation(const Request& done, const Returned& fact, KeyState& key) {
  if (fact.outcome.kind == OutcomeKind::unknown) {
    return;  // it may take effect at any later time
  }
  const bool is_done = fact.outcome.kind == OutcomeKind::ok;
  if (is_remove(done.operation)) {
    --key.open_removes;
    key.remove_end = is_done ? now_ : key.remove_end;
    key.remove_begin_max = is_done ? std::max(key.remove_begin_max, done.begun) : key.remove_begin_max;
  } else if (may_change_state(done.operation.kind)) {
    --key.open_puts;
    key.put_end = is_done ? now_ : key.put_end;
    key.put_begin_max = is_done ? std::max(key.put_begin_max, done.begun) : key.put_begin_max;
  } else if (is_done && done.is_at_rest && done.begun >= key.read_at) {
    key.read_at = done.begun;
    key.read = fact.outcome.value.kind == ValueKind::absent ? Presence::absent : Presence::present;
  }
}

void ScanMonitor::on(const Applied& fact) {
  KeyState* key = key_state(fact.key);
  if (key != nullptr && fact.cause == ApplyCause::client) {
    key->last_applied = now_;
  }
}

void ScanMonitor::end_scan(const Request& scan, const Returned& fact, const MonitorContext& context) {
  if (fact.outcome.kind != OutcomeKind::ok || fact.outcome.value.kind != ValueKind::keys) {
    return;
  }
  const KeySet found(fact.outcome.value);
  context.expect(ClauseId::S1, !found.has_twice(), [&] {
    return fmt::format("{}, a scan of {}, showed {} twice: {}", words(fact.request), words(keys_of(scan.operation)),
                       words(found.twice()), to_string(fact.outcome.value));
  });
  const KeyRange interval = keys_of(scan.operation);
  for (Key key = interval.lo; key < interval.hi; key = next(key)) {
    if (key_state(key) != nullptr && !context.known.is_reported_lost(key)) {
      check_key(key, scan, fact, context);
    }
  }
}

void ScanMonitor::check_key(Key key, const Request& scan, const Returned& fact, const MonitorContext& context) {
  const KeyState& state = *key_state(key);
  const bool is_shown = KeySet(fact.outcome.value).contains(key);
  const Presence before = scan.expectation[key.value - scan.operation.key.value];
  const auto says = [&](std::string_view what) {
    return fmt::format("{}, a scan of {}, {}: it showed {}", words(fact.request), words(keys_of(scan.operation)), what,
                       to_string(fact.outcome.value));
  };
  const bool is_applied_since = state.last_applied >= scan.begun;
  if (before == Presence::present && state.last_remove < scan.begun && !is_applied_since) {
    context.expect(ClauseId::S1, is_shown, [&] {
      return says(fmt::format("left out {}, which was there when it began and which nobody deleted", words(key)));
    });
  } else if (before == Presence::absent && state.last_put < scan.begun && !is_applied_since) {
    context.expect(ClauseId::S1, !is_shown, [&] {
      return says(fmt::format("showed {}, which was not there when it began and which nobody wrote", words(key)));
    });
  }
}

}  // namespace shardcheck
