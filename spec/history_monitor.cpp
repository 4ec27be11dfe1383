#include "spec/history_monitor.h"

#include <algorithm>
#include <array>
#include <utility>

#include "spec/wording.h"

namespace shardcheck {

namespace {

constexpr std::uint8_t bit_of(OperationKind kind) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
}
constexpr std::uint8_t kRegister = bit_of(OperationKind::read) | bit_of(OperationKind::write) |
                                   bit_of(OperationKind::remove) | bit_of(OperationKind::compare_and_set);
constexpr std::uint8_t kList =
    bit_of(OperationKind::read) | bit_of(OperationKind::append) | bit_of(OperationKind::remove);
constexpr std::uint8_t kCounter = bit_of(OperationKind::read) | bit_of(OperationKind::increment);

bool is_within(std::uint8_t kinds, std::uint8_t allowed) { return (kinds & ~allowed) == 0; }

DenseIndex::Identity identity_of(Key key, const Value& value) {
  const bool is_item = value.kind == ValueKind::list;
  const std::uint64_t content = is_item ? value.items[0] : static_cast<std::uint64_t>(value.number);
  return {(std::uint64_t{key.value} << 1U) | (is_item ? 1U : 0U), content};
}

}  // namespace

void HistoryMonitor::reset(const Bounds& bounds) {
  key_space_ = bounds.key_space;
  now_ = 0;
  requests_.clear();
  applied_.clear();
  for (const Key key : touched_) {
    KeyState& state = keys_[key.value];
    std::vector<std::uint32_t> required = std::move(state.required);
    std::vector<std::uint32_t> numbers = std::move(state.numbers);
    required.clear();
    numbers.clear();
    state = KeyState{};
    state.required = std::move(required);
    state.numbers = std::move(numbers);
  }
  touched_.clear();
  keys_.resize(std::max<std::size_t>(keys_.size(), bounds.key_space.hi.value));
  written_index_.clear();
  written_.clear();
}

HistoryMonitor::KeyState* HistoryMonitor::key_state(Key key) {
  return key_space_.contains(key) ? &keys_[key.value] : nullptr;
}

std::uint32_t HistoryMonitor::find_written(Key key, const Value& value) const {
  return written_index_.find(identity_of(key, value));
}

void HistoryMonitor::on(const Invoked& fact, std::uint32_t request, const MonitorContext& context) {
  KeyState* key = key_state(fact.operation.key);
  if (key == nullptr || fact.operation.kind == OperationKind::scan) {
    return;
  }
  if (key->kinds == 0) {
    touched_.push_back(fact.operation.key);
  }
  key->kinds |= bit_of(fact.operation.kind);
  if (request >= requests_.size()) {
    requests_.resize(request + 1);
  }
  const Operation& operation = fact.operation;
  Request& begun = requests_[request];
  if (begun.invoked != 0) {
    key->is_ambiguous = true;
    return;
  }
  begun = {operation,
           fact.request,
           ++now_,
           key->put_floor,
           key->remove_floor,
           key->increments_acked,
           DenseIndex::kAbsent,
           true,
           context.known.healed_at().has_value(),
           context.at,
           TrueTime{}};
  if (is_remove(operation)) {
    ++key->open_removes;
  } else if (is_put(operation) || operation.kind == OperationKind::append) {
    const bool is_item = operation.argument.kind == ValueKind::list && operation.argument.list_length == 1;
    const bool is_plain =
        operation.kind == OperationKind::append ? is_item : operation.argument.kind == ValueKind::number;
    const DenseIndex::Found entry = written_index_.index_of(identity_of(operation.key, operation.argument));
    if (!is_plain || !entry.is_new) {
      key->is_ambiguous = true;
    }
    if (entry.is_new) {
      written_.push_back({now_, kNever, fact.request});
    }
    begun.written = entry.index;
  } else if (operation.kind == OperationKind::increment) {
    ++key->increments_possible;
  }
}

void HistoryMonitor::on(const Returned& fact, std::uint32_t request, const MonitorContext& context) {
  if (request >= requests_.size() || !requests_[request].is_running) {
    return;
  }
  ++now_;
  Request& done = requests_[request];
  done.is_running = false;
  const Operation& operation = done.operation;
  KeyState& key = *key_state(operation.key);
  if (fact.outcome.kind == OutcomeKind::unknown) {
    return;
  }
  if (fact.outcome.kind == OutcomeKind::refused) {
    if (is_remove(operation)) {
      --key.open_removes;
    } else if (operation.kind == OperationKind::increment) {
      --key.increments_possible;
    }
    return;
  }
  done.acknowledged_at = context.at;
  // A write is acknowledged before what it saw is judged: a compare-and-set never saw itself.
  acknowledge(done, key);
  if (key.is_ambiguous || context.known.is_reported_lost(operation.key)) {
    return;
  }
  if (operation.kind == OperationKind::read) {
    const Value& seen = fact.outcome.value;
    if (is_within(key.kinds, kCounter) && (key.kinds & bit_of(OperationKind::increment)) != 0) {
      check_counter(request, key, seen, context);
    } else if (is_within(key.kinds, kList) && (key.kinds & bit_of(OperationKind::append)) != 0) {
      check_list(done, key, seen, context);
    } else if (is_within(key.kinds, kRegister)) {
      check_register(done, key, seen, context);
    }
  } else if (operation.kind == OperationKind::compare_and_set && is_within(key.kinds, kRegister)) {
    check_register(done, key, operation.expected, context);
  } else if (operation.kind == OperationKind::increment && is_within(key.kinds, kCounter)) {
    check_counter(request, key, fact.outcome.value, context);
  }
}

void HistoryMonitor::acknowledge(const Request& request, KeyState& key) {
  const Operation& operation = request.operation;
  if (is_remove(operation)) {
    --key.open_removes;
    key.remove_floor = std::max(key.remove_floor, request.invoked);
    key.remove_end = now_;
  } else if (request.written != DenseIndex::kAbsent) {
    key.put_floor = std::max(key.put_floor, request.invoked);
    written_[request.written].end = now_;
    if (operation.kind == OperationKind::append) {
      key.required.push_back(request.written);
    }
  } else if (operation.kind == OperationKind::increment) {
    ++key.increments_acked;
  }
}

const HistoryMonitor::Request* HistoryMonitor::request_of(RequestId id) const {
  const auto found = std::ranges::find(requests_, id, &Request::id);
  return found == requests_.end() ? nullptr : &*found;
}

const HistoryMonitor::Request* HistoryMonitor::request_begun(Moment moment) const {
  const auto found = std::ranges::find(requests_, moment, &Request::invoked);
  return found == requests_.end() ? nullptr : &*found;
}

// "the final read of key 3 (request 16 of client 1, begun at 84.600 ms)".
std::string HistoryMonitor::read_words(const Request& request) const {
  const bool is_final_read = request.is_final && request.operation.kind == OperationKind::read;
  return fmt::format("the {}{} of {} ({}, begun at {})", is_final_read ? "final " : "", name_of(request.operation.kind),
                     words(request.operation.key), words(request.id), words(request.invoked_at));
}

std::string HistoryMonitor::acknowledged_words(const Request* request, std::string_view did) const {
  if (request == nullptr) {
    return fmt::format("a request had {} it", did);
  }
  const bool has_argument = request->operation.kind != OperationKind::increment && !is_remove(request->operation);
  return fmt::format("{} had {} {} (asked for at {}, acknowledged at {})", words(request->id), did,
                     has_argument ? to_string(request->operation.argument) : std::string("it"),
                     words(request->invoked_at), words(request->acknowledged_at));
}

void HistoryMonitor::check_register(const Request& request, const KeyState& key, const Value& seen,
                                    const MonitorContext& context) {
  if (seen.kind == ValueKind::absent) {
    check_absent(request, key, context);
    return;
  }
  const std::uint32_t index =
      seen.kind == ValueKind::number ? find_written(request.operation.key, seen) : DenseIndex::kAbsent;
  if (index == DenseIndex::kAbsent) {
    return;  // Never written at all: the general checker says so.
  }
  const Written& source = written_[index];
  const auto says = [&](Moment superseded, std::string_view did) {
    return fmt::format("{} saw {}, written by {}, but after that {}", read_words(request), to_string(seen),
                       words(source.request), acknowledged_words(request_begun(superseded), did));
  };
  const bool is_resurrected = source.end < request.remove_floor;
  if (request.remove_floor != 0) {
    context.expect(ClauseId::M2, !is_resurrected, [&] { return says(request.remove_floor, "deleted"); });
  }
  if (request.put_floor != 0 && !is_resurrected && request.is_final) {
    context.expect(ClauseId::M1, !(source.end < request.put_floor), [&] { return says(request.put_floor, "written"); });
  }
}

// A delete explains "absent" unless it was over before the acknowledged write began.
void HistoryMonitor::check_absent(const Request& request, const KeyState& key, const MonitorContext& context) {
  if (request.put_floor == 0 || !request.is_final) {
    return;
  }
  const bool is_explained = key.open_removes != 0 || key.remove_end > request.put_floor;
  context.expect(ClauseId::M1, is_explained, [&] {
    return fmt::format("{} found nothing, but {} and no delete can have followed", read_words(request),
                       acknowledged_words(request_begun(request.put_floor), "written"));
  });
}

void HistoryMonitor::check_list(const Request& request, KeyState& key, const Value& seen,
                                const MonitorContext& context) {
  if (seen.kind == ValueKind::number) {
    return;
  }
  check_list_items(request, key, seen, context);
  if (key.open_removes == 0 && request.is_final) {
    check_list_is_whole(request, key, seen, context);
  }
  if ((key.kinds & bit_of(OperationKind::remove)) == 0) {
    check_list_order(request, key, seen, context);
  }
}

void HistoryMonitor::check_list_is_whole(const Request& request, KeyState& key, const Value& seen,
                                         const MonitorContext& context) {
  std::array<std::uint32_t, Value::kListLengthMax> seen_entries{};
  const auto last = seen_entries.begin() + seen.list_length;
  std::transform(seen.items.begin(), seen.items.begin() + seen.list_length, seen_entries.begin(),
                 [&](std::uint16_t item) { return find_written(request.operation.key, list_of_one(item)); });
  std::erase_if(key.required, [&](std::uint32_t entry) { return written_[entry].begin < key.remove_end; });
  for (const std::uint32_t entry : key.required) {
    const Written& item = written_[entry];
    if (item.end > request.invoked) {
      continue;
    }
    context.expect(ClauseId::M1, std::find(seen_entries.begin(), last, entry) != last, [&] {
      return fmt::format("{} showed {}, but {}", read_words(request), to_string(seen),
                         acknowledged_words(request_of(item.request), "appended"));
    });
  }
}

void HistoryMonitor::check_list_items(const Request& request, const KeyState& key, const Value& seen,
                                      const MonitorContext& context) {
  for (std::size_t place = 0; place < seen.list_length; ++place) {
    const auto here = seen.items.begin() + static_cast<std::ptrdiff_t>(place);
    if (place > 0) {
      context.expect(ClauseId::M3, std::find(seen.items.begin(), here, *here) == here, [&] {
        return fmt::format("{} showed {}: item {} is there twice, but was appended once", read_words(request),
                           to_string(seen), *here);
      });
    }
    if (request.remove_floor == 0 || (key.kinds & bit_of(OperationKind::remove)) == 0) {
      continue;
    }
    const std::uint32_t index = find_written(request.operation.key, list_of_one(*here));
    if (index != DenseIndex::kAbsent) {
      context.expect(ClauseId::M2, !(written_[index].end < request.remove_floor), [&] {
        return fmt::format("{} showed {}: item {} had been appended by {}, but after that {}", read_words(request),
                           to_string(seen), *here, words(written_[index].request),
                           acknowledged_words(request_begun(request.remove_floor), "deleted"));
      });
    }
  }
}

// Lists that only grow are prefixes of one another.
void HistoryMonitor::check_list_order(const Request& request, KeyState& key, const Value& seen,
                                      const MonitorContext& context) {
  const std::size_t common = std::min(seen.list_length, key.longest.list_length);
  if (common > 0 && request.is_final) {
    const bool is_prefix = std::equal(seen.items.begin(), seen.items.begin() + static_cast<std::ptrdiff_t>(common),
                                      key.longest.items.begin());
    context.expect(ClauseId::M1, is_prefix, [&] {
      return fmt::format("{} showed {}, but an earlier read had shown {}: what was there is gone", read_words(request),
                         to_string(seen), to_string(key.longest));
    });
  }
  if (seen.list_length > key.longest.list_length) {
    key.longest = seen;
  }
}

void HistoryMonitor::check_counter(std::uint32_t number, KeyState& key, const Value& seen,
                                   const MonitorContext& context) {
  const Request& request = requests_[number];
  if (seen.kind == ValueKind::list) {
    return;
  }
  const std::int64_t shown = seen.number;  // 0 when absent
  const bool is_increment = request.operation.kind == OperationKind::increment;
  const std::int64_t least = std::int64_t{request.increments_floor} + (is_increment ? 1 : 0);
  if (request.increments_floor > 0 && request.is_final) {
    context.expect(ClauseId::M1, shown >= least, [&] {
      return fmt::format("{} gave {}, but {} increments had been acknowledged before it began", read_words(request),
                         shown, request.increments_floor);
    });
  }
  const bool is_possible = shown <= std::int64_t{key.increments_possible};
  context.expect(ClauseId::M3, is_possible, [&] {
    return fmt::format("{} gave {}, but only {} increments were ever asked for", read_words(request), shown,
                       key.increments_possible);
  });
  if (!is_increment || !is_possible || shown < 0) {
    return;
  }
  const std::size_t place = static_cast<std::size_t>(shown);
  if (place >= key.numbers.size()) {
    key.numbers.resize(place + 1, 0);
  }
  context.expect(ClauseId::M3, key.numbers[place] == 0, [&] {
    return fmt::format("{} gave {}, which {} had been given already", read_words(request), shown,
                       words(requests_[key.numbers[place] - 1U].id));
  });
  key.numbers[place] = number + 1U;
}

// What a disk took with it when it was lost does not count: the request may take effect anew.
void HistoryMonitor::on(const Applied& fact, std::uint32_t request, const MonitorContext& context) {
  if (request >= applied_.size()) {
    applied_.resize(request + 1);
  }
  // An owner may find its disk done when another member has long taken over: then nobody goes on from what it wrote.
  const ShardRecord* record = context.known.record(fact.shard);
  if (record != nullptr && !record->members.is_empty() && record->owner != context.by &&
      fact.version.epoch < record->epoch) {
    return;
  }
  AppliedOnce& once = applied_[request];
  const bool is_still_there = once.is_set && once.disk_losses == context.known.disk_losses(once.by);
  if (is_still_there && !context.known.is_reported_lost(fact.key)) {
    context.expect(ClauseId::M3, once.version == fact.version, [&] {
      return fmt::format("{} of {} was applied as {} at {} and again as {} at {}", words(fact.request), words(fact.key),
                         words(once.version), words(once.by), words(fact.version), words(context.by));
    });
    return;
  }
  once = {fact.version, context.by, context.known.disk_losses(context.by), true, fact.key, {}};
}

void HistoryMonitor::on_replicated(const Applied& fact, std::uint32_t request, const MonitorContext& context) {
  if (request < applied_.size() && applied_[request].is_set && applied_[request].version == fact.version) {
    applied_[request].followers.insert(context.by);
  }
}

// Another member takes over: what its predecessor had executed and not passed on is gone, and may take effect anew.
void HistoryMonitor::on(const RecordCommitted& fact) {
  if (fact.change != RecordChange::granted) {
    return;
  }
  for (AppliedOnce& once : applied_) {
    const bool has_it = once.by == fact.record.owner || once.followers.contains(fact.record.owner);
    once.is_set = once.is_set && (has_it || !fact.record.range.contains(once.key));
  }
}

void HistoryMonitor::on(const CopyRemoved& fact, const MonitorContext& context) {
  for (AppliedOnce& once : applied_) {
    if (fact.range.contains(once.key)) {
      once.followers.erase(context.by);
    }
  }
}

}  // namespace shardcheck
