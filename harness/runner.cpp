#include "harness/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/history_words.h"
#include "harness/workload.h"
#include "spec/assert.h"
#include "spec/key_set.h"

namespace shardcheck::harness {
namespace {

constexpr Duration kSlice = milliseconds(1);  // how late a client's next operation may begin
constexpr Duration kSettlingSlice = milliseconds(2);
constexpr Duration kClientTimeout = milliseconds(200);  // then a client takes its operation's outcome for unknown
constexpr Duration kDrainFor = milliseconds(250);
constexpr std::uint64_t kCheckerSteps = 2'000'000;
constexpr std::uint64_t kCheckerMemory = std::uint64_t{64} << 20U;
constexpr std::int64_t kFirstFinalValue = 1'000'000'000;  // above whatever a workload writes
constexpr std::int64_t kLastFinalItem = 65'535;

}  // namespace

const Violation* RunReport::violation_of(ClauseId id) const {
  const auto found = std::ranges::find(violations, id, &Violation::clause);
  return found == violations.end() ? nullptr : &*found;
}

const RunReport& Runner::run(System& system, const std::vector<Step>& steps, TraceSink* trace) {
  trace_ = trace;
  report_ = RunReport{};
  is_cut_short_ = false;
  builder_.clear();
  recorded_.clear();
  last_stamp_ = TrueTime{};
  final_writes_ = 0;
  bounds_ = system.bounds();
  changed_by_.assign(bounds_.key_space.hi.value - bounds_.key_space.lo.value, OperationKind::write);
  judge_.reset(bounds_);
  clients_.assign(static_cast<std::size_t>(bounds_.clients), Client{});
  records_.assign(static_cast<std::size_t>(bounds_.shards), ShardRecord{});
  system_ = &system;
  system.start(*this);
  for (const Step& step : steps) {
    if (!advance(system, std::max(step.at, system.now()))) {
      break;
    }
    if (const auto* client = std::get_if<ClientStep>(&step.what)) {
      Client& asking = clients_[client->request.client.value];
      asking.waiting.push_back(*client);
      asking.last_sequence = std::max(asking.last_sequence, client->request.sequence);
      start_waiting(system);
    } else {
      if (is_of_missing_range(step)) {
        report_.not_applicable.push_back(static_cast<std::size_t>(&step - steps.data()));
        ++report_.figures.steps_not_applicable;
      }
      system.apply(step);
    }
  }
  drain(system, kDrainFor);
  system.heal();
  settle(system);
  ask_everything(system);
  scan_everything(system);
  settle(system);
  system.tell_end();
  judge_.finish(system.now());
  for (Client& client : clients_) {
    if (client.running) {
      end(client, Outcome{}, system.now());
    }
  }
  judge_history();
  for (std::size_t i = 0; i < kClauses; ++i) {
    report_.checks[i] += judge_.findings().checks(static_cast<ClauseId>(i));
  }
  const auto& found = judge_.findings().violations();
  report_.violations.insert(report_.violations.begin(), found.begin(), found.end());
  report_.events = system.events();
  report_.digest = system.digest();
  report_.was_cut_short = is_cut_short_;
  return report_;
}

void Runner::on(const Observed& observed) {
  if (const auto* returned = std::get_if<Returned>(&observed.fact)) {
    const Client& client = clients_[returned->request.client.value];
    if (!client.running || client.running->request != returned->request) {
      return;  // its client has given it up long ago
    }
    judge_.on(observed);
    take(*returned, observed.at);
    return;
  }
  note_reached(observed);
  report_.figures.note(observed.fact);
  judge_.on(observed);
}

void Runner::tell(const Observed& observed) {
  if (trace_ != nullptr) {
    trace_->happened(observed);
  }
  judge_.on(observed);
}

// Things that happened at one instant still happened one after the other; the history keeps their order.
TrueTime Runner::stamp(TrueTime at) {
  last_stamp_ = std::max(at, last_stamp_ + nanoseconds(1));
  return last_stamp_;
}

void Runner::take(const Returned& returned, TrueTime at) {
  end(clients_[returned.request.client.value], returned.outcome, at);
}

void Runner::end(Client& client, const Outcome& outcome, TrueTime at) {
  if (client.running->operation.kind != OperationKind::scan) {
    record_end(client, outcome, at);
  }
  const Operation& asked = client.running->operation;
  const bool is_full_list = asked.kind == OperationKind::append && outcome.kind == OutcomeKind::refused;
  was_refused_ |= outcome.kind != OutcomeKind::ok && !is_full_list && !judge_.known().is_unavailable(asked.key);
  client.running.reset();
}

void Runner::record_end(const Client& client, const Outcome& outcome, TrueTime at) {
  switch (outcome.kind) {
    case OutcomeKind::ok: builder_.ok(stamp(at), client.recorded, intern(outcome.value)); break;
    case OutcomeKind::refused: builder_.refused(stamp(at), client.recorded); break;
    case OutcomeKind::unknown: builder_.unknown(stamp(at), client.recorded); break;
  }
}

void Runner::note_reached(const Observed& observed) {
  if (const auto* committed = std::get_if<RecordCommitted>(&observed.fact)) {
    records_[committed->record.shard.value] = committed->record;
  } else if (const auto* fault = std::get_if<FaultInjected>(&observed.fact)) {
    const ProcessRole role = system_->role_of(observed.by);
    for (const ShardRecord& record : records_) {
      report_.reached.note({record.phase, fault->kind, participant_of(observed.by, role, record)});
    }
  } else if (const auto* answered = std::get_if<Answered>(&observed.fact)) {
    report_.signals.set(static_cast<std::size_t>(answered->signal));
  }
}

// An operator may ask for it all the same, and is refused. Of a system that tells no records nobody can say.
bool Runner::is_of_missing_range(const Step& step) const {
  const auto is_missing = [&](ShardId shard) {
    const bool tells = std::ranges::any_of(records_, [](const ShardRecord& it) { return it.epoch != Epoch{}; });
    const bool exists =
        shard.value < records_.size() && records_[shard.value].epoch != Epoch{} && !records_[shard.value].is_removed();
    return tells && !exists;
  };
  if (const auto* move = std::get_if<MoveStep>(&step.what)) {
    return is_missing(move->shard);
  }
  if (const auto* split = std::get_if<SplitStep>(&step.what)) {
    return is_missing(split->shard);
  }
  const auto* merge = std::get_if<MergeStep>(&step.what);
  return merge != nullptr && is_missing(merge->shard);
}

histories::ValueId Runner::intern(const Value& value) {
  switch (value.kind) {
    case ValueKind::absent:
    case ValueKind::keys: return histories::kAbsent;  // scans are not in the history
    case ValueKind::number: return builder_.values().number(value.number);
    case ValueKind::list: {
      std::array<histories::ValueId, Value::kListLengthMax> items;
      for (std::size_t i = 0; i < value.list_length; ++i) {
        items[i] = builder_.values().number(value.items[i]);
      }
      return builder_.values().list({items.data(), value.list_length});
    }
  }
  return histories::kAbsent;
}

void Runner::start(System& system, ClientId id, const ClientStep& step) {
  Client& client = clients_[id.value];
  client.running = step;
  client.gives_up_at = system.now() + kClientTimeout;
  if (step.operation.kind != OperationKind::scan) {
    record_call(system.now(), id, step.operation);
  }
  ++report_.operations;
  tell({system.now(), kNoNode, Invoked{step.request, step.operation}});
  system.apply({system.now(), step});
}

// Scans are about many keys at once and are judged elsewhere: the history is judged key by key.
void Runner::record_call(TrueTime at, ClientId id, const Operation& operation) {
  histories::HistoryBuilder::Call call;
  call.process = builder_.values().number(id.value);
  call.key = builder_.values().number(operation.key.value);
  call.kind = operation.kind;
  call.argument = intern(operation.argument);
  call.expected = intern(operation.expected);
  const bool is_change = operation.kind == OperationKind::append || operation.kind == OperationKind::increment;
  if (is_change && bounds_.key_space.contains(operation.key)) {
    changed_by_[operation.key.value - bounds_.key_space.lo.value] = operation.kind;
  }
  clients_[id.value].recorded = builder_.invoke(stamp(at), call);
  recorded_.push_back(clients_[id.value].running->request);
}

// Every idle client starts what waits for it; one that has waited too long for an answer gives up.
void Runner::start_waiting(System& system) {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Client& client = clients_[i];
    if (system.is_cut_off(ClientId{static_cast<std::uint16_t>(i)})) {
      client.waiting.clear();
    }
    if (client.running && system.now() >= client.gives_up_at) {
      tell({system.now(), kNoNode, Returned{client.running->request, Outcome{}, true, true}});
      end(client, Outcome{}, system.now());
    }
    if (!client.running && !client.waiting.empty()) {
      const ClientStep step = client.waiting.front();
      client.waiting.pop_front();
      start(system, ClientId{static_cast<std::uint16_t>(i)}, step);
    }
  }
}

bool Runner::is_idle() const {
  return std::ranges::all_of(clients_, [](const Client& it) { return !it.running && it.waiting.empty(); });
}

// In slices while operations wait for their clients, at once otherwise.
bool Runner::advance(System& system, TrueTime until) {
  while (!is_cut_short_ && system.now() < until) {
    const bool waits = std::ranges::any_of(clients_, [](const Client& it) { return !it.waiting.empty(); });
    const TrueTime next = waits ? std::min(until, system.now() + kSlice) : until;
    is_cut_short_ = !system.advance(next);
    start_waiting(system);
  }
  return !is_cut_short_;
}

void Runner::drain(System& system, Duration at_most) {
  const TrueTime end = system.now() + at_most;
  while (!is_idle() && system.now() < end && advance(system, system.now() + kSlice * 4)) {
  }
}

// Until nothing is under way, but no longer than liveness allows. What was asked for last is on its way first.
void Runner::settle(System& system) {
  const TrueTime end = system.now() + std::max(bounds_.move_within, bounds_.service_within) + bounds_.retention;
  bool is_over = false;
  while (!is_over && system.now() < end && advance(system, system.now() + kSettlingSlice)) {
    is_over = is_idle() && system.is_settled();
  }
}

// The final requests: every key is read; then, since a range that reads may still hold its writes back, each range is
// written to, and that is read. What was acknowledged before is read before it is overwritten.
void Runner::ask_everything(System& system) {
  std::vector<Operation> reads;
  for (Key key = bounds_.key_space.lo; key < bounds_.key_space.hi; key = next(key)) {
    reads.push_back({OperationKind::read, key, absent(), absent()});
  }
  ask_until_served(system, reads);
  std::vector<Operation> written = reads;
  std::erase_if(written, [this](const Operation& it) { return !is_first_of_range(it.key); });
  std::vector<Operation> writes = written;
  for (Operation& write : writes) {
    write.kind = changed_by_[write.key.value - bounds_.key_space.lo.value];
  }
  ask_until_served(system, writes);
  ask_until_served(system, written);
}

// Of a system that tells no records every key may be.
bool Runner::is_first_of_range(Key key) const {
  const auto exists = [](const ShardRecord& it) { return it.epoch != Epoch{} && !it.is_removed(); };
  return std::ranges::none_of(records_, exists) ||
         std::ranges::any_of(records_, [&](const ShardRecord& it) { return exists(it) && it.range.lo == key; });
}

// Until all have been answered, or the time for V1 has passed and they were tried once more. What is asked of a range
// that nobody can serve again is asked once and not waited for.
void Runner::ask_until_served(System& system, const std::vector<Operation>& operations) {
  const TrueTime last = system.now() + bounds_.service_within;
  bool is_last = false;
  bool is_first = true;
  while (!is_cut_short_ && !are_served(system, operations, is_first) && !is_last) {
    is_first = false;
    is_last = system.now() > last;
  }
}

// The clients that can ask for something.
std::vector<std::uint16_t> Runner::connected(const System& system) const {
  std::vector<std::uint16_t> ids;
  for (std::uint16_t i = 0; i < clients_.size(); ++i) {
    if (!system.is_cut_off(ClientId{i})) {
      ids.push_back(i);
    }
  }
  return ids;
}

// Never the same one again: that keeps the history easy to judge.
Value Runner::final_argument(OperationKind kind) {
  switch (kind) {
    case OperationKind::write: return number(kFirstFinalValue + final_writes_++);
    case OperationKind::append: return list_of_one(static_cast<std::uint16_t>(kLastFinalItem - final_writes_++));
    default: return absent();
  }
}

bool Runner::are_served(System& system, const std::vector<Operation>& operations, bool is_first) {
  const std::vector<std::uint16_t> asking = connected(system);
  std::size_t turn = 0;
  for (const Operation& operation : operations) {
    ++turn;
    if (asking.empty() || (!is_first && judge_.known().is_unavailable(operation.key))) {
      continue;
    }
    const std::uint16_t id = asking[turn % asking.size()];
    Client& client = clients_[id];
    client.last_sequence = sequence_after(client.last_sequence);
    ClientStep step{{ClientId{id}, client.last_sequence}, operation};
    step.operation.argument = final_argument(operation.kind);
    client.waiting.push_back(step);
  }
  was_refused_ = false;
  start_waiting(system);
  while (!is_idle() && advance(system, system.now() + kSlice)) {
  }
  return !was_refused_ && is_idle();
}

// The final scans, after the final reads: what is there is known, key by key.
void Runner::scan_everything(System& system) {
  const std::vector<std::uint16_t> asking = connected(system);
  if (!bounds_.answers_scans || is_cut_short_ || asking.empty()) {
    return;
  }
  const ClientId id{asking.front()};
  Client& client = clients_[id.value];
  Key lo = bounds_.key_space.lo;
  while (lo < bounds_.key_space.hi) {
    const Key hi{std::min(bounds_.key_space.hi.value, lo.value + kScanWidthMax)};
    client.last_sequence = sequence_after(client.last_sequence);
    client.waiting.push_back({{id, client.last_sequence}, scan_of({lo, hi})});
    lo = hi;
  }
  start_waiting(system);
  while (!is_idle() && advance(system, system.now() + kSlice)) {
  }
}

void Runner::judge_history() {
  histories::CheckOptions options;
  options.steps_max = kCheckerSteps;
  options.memory_bytes_max = kCheckerMemory;
  options.telling.names = [this](std::uint32_t operation) {
    return fmt::format("request {} of client {}", recorded_[operation].sequence, recorded_[operation].client.value);
  };
  const histories::CheckReport verdict = checker_.check(builder_.history(), options);
  auto& checks = report_.checks[static_cast<std::size_t>(ClauseId::C1)];
  for (const histories::KeyVerdict& key : verdict.keys) {
    switch (key.verdict) {
      case histories::Verdict::linearizable: ++checks; break;
      case histories::Verdict::undecided: report_.is_undecided = true; break;
      case histories::Verdict::not_linearizable: {
        ++checks;
        if (report_.violation_of(ClauseId::C1) == nullptr) {
          const std::string why = key.explanation
                                      ? key.explanation->sentence + ". What was asked of the key: " +
                                            operations_up_to(builder_.history(), key.explanation->operation, options)
                                      : "no order of its operations explains it";
          const TrueTime at =
              key.explanation ? builder_.history().operations[key.explanation->operation].returned_at : TrueTime{};
          report_.violations.push_back(
              {ClauseId::C1, at, "key " + builder_.history().values.to_text(key.key) + " is not linearizable: " + why});
        }
        break;
      }
    }
  }
}

}  // namespace shardcheck::harness
