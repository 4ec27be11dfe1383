// A deterministic world for a cluster of processes (spec/process.h): one thread, virtual time, a network that delays,
// reorders, drops, duplicates and cuts, disks that lose what was not synced, clocks inside a bound, processes that
// crash, restart and pause, and work that takes time. It knows nothing of what the processes are for.
//
// The ordinary run is quiet: links are in order and on time. Deviations come from a DeviationSource, one question a
// message sent. The same processes, options and deviations give the same run and the same digest.
//
// Protocol names the types of a cluster:
//   using Message, Record, Process;        Process: handle(const Input&, Instant now, Outputs&), copyable
//   static constexpr std::uint8_t kMessageKinds;
//   static std::uint8_t kind_of(const Message&);      for anchors, < kMessageKinds
//   static std::int64_t bytes_of(const Message&);     what a link has to carry
//   static std::uint64_t digest_of(const Message&);   whatever tells two messages apart cheaply
// Host receives what leaves the world:
//   void replied(NodeId from, const Message&, TrueTime);            a message to kNoNode
//   void observed(TrueTime, NodeId, const Observation&);
//   void handled(NodeId, TrueTime);                                 after every call of a process, and clock shift
//   void traced(const TraceEvent<Protocol>&);                       only while tracing is on
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/deviation.h"
#include "sim/digest.h"
#include "sim/envelope_pool.h"
#include "sim/event_queue.h"
#include "sim/machine.h"
#include "sim/network.h"
#include "sim/trace_event.h"
#include "spec/assert.h"
#include "spec/process.h"

namespace shardcheck::sim {

struct WorldOptions {
  NetworkOptions network;
  Duration sync_duration = microseconds(200);
  Duration clock_offset_max = milliseconds(2);

  friend bool operator==(const WorldOptions&, const WorldOptions&) = default;
};

template <class Protocol, class Host>
class World {
 public:
  using Message = typename Protocol::Message;
  using Record = typename Protocol::Record;
  using Process = typename Protocol::Process;
  using Trace = TraceEvent<Protocol>;

  explicit World(Host& host) : host_(host) {}

  // Forgets everything; every provision, {process, disk}, becomes a process with that disk, not yet started. Memory is
  // kept for the next run, that of the processes too: until it is started, a process still has the state of one of the
  // run before.
  template <class Provision>
  void reset(const WorldOptions& options, std::vector<Provision> provisions, DeviationSource& deviations) {
    options_ = options;
    deviations_ = &deviations;
    network_.reset(options.network, static_cast<std::uint16_t>(provisions.size()), Protocol::kMessageKinds);
    queue_.clear();
    envelopes_.clear();
    held_.clear();
    now_ = TrueTime{};
    events_ = 0;
    digest_ = Digest{};
    is_healed_ = false;
    machines_.resize(std::max(machines_.size(), provisions.size()));
    processes_ = provisions.size();
    for (std::size_t i = 0; i < processes_; ++i) {
      machines_[i].provide(std::move(provisions[i].process), provisions[i].disk);
      machines_[i].clock = Clock(Duration{}, 0, options.clock_offset_max);
    }
  }
  // Starts every process, in order of id. Clocks are set before.
  void start_all() {
    for (std::size_t i = 0; i < processes_; ++i) {
      start(NodeId{static_cast<std::uint16_t>(i)});
    }
  }

  void set_clock(NodeId process, Duration offset, std::int64_t drift_ppm) {
    machine(process).clock = Clock(offset, drift_ppm, options_.clock_offset_max);
  }

  // From then on the clock drifts like this; in order of time, after set_clock.
  void change_drift(NodeId process, DriftChange change) { machine(process).clock.change_drift(change); }

  TrueTime now() const { return now_; }
  // Deliveries, timers and faults so far.
  std::uint64_t events() const { return events_; }
  std::uint64_t digest() const { return digest_.value(); }
  const Process& process(NodeId id) const { return machines_[id.value].process; }
  const Clock& clock(NodeId id) const { return machines_[id.value].clock; }
  bool is_up(NodeId id) const { return machines_[id.value].is_up; }
  // Lost for good.
  bool is_gone(NodeId id) const { return machines_[id.value].is_gone; }
  void set_tracing(bool is_on) { is_tracing_ = is_on; }

  // Lets everything happen up to and including `until`, but at most `events_max` events in all since reset. False if
  // that bound was hit.
  bool run_until(TrueTime until, std::uint64_t events_max) {
    while (!queue_.is_empty() && queue_.next_at() <= until) {
      if (events_ >= events_max) {
        return false;
      }
      now_ = queue_.next_at();
      dispatch(queue_.pop());
    }
    now_ = std::max(now_, until);
    return true;
  }

  // A request from outside, delivered to `to` at once.
  void inject(NodeId to, const Message& message) {
    ++events_;
    push(now_, {Event::Kind::deliver, to, 0, envelopes_.put(message, kNoNode, to)});
  }

  // Releases every message that a deviation holds back until this signal.
  void signal(std::uint8_t signal);

  // Does a fault now, outside of any message; `peer` is the other end of a link to cut.
  void inject_fault(NodeId process, const Deviation& fault, NodeId peer) { strike(process, fault, peer); }

  // Stops a process for good, which must be up; what it has sent is still under way.
  void stop(NodeId id) {
    SHARDCHECK_ASSERT(machine(id).is_up);
    ++events_;
    Deviation last;
    last.kind = FaultKind::lost_for_good;
    machine(id).crash(last);
    host_.observed(now_, id, Crashed{});
  }

  // Ends all faults: links are whole, everybody runs who is not lost for good, no deviation strikes any more.
  void heal();

 private:
  using Event = WorldEvent;
  using Machine = sim::Machine<Protocol>;
  using Envelope = sim::Envelope<Message>;

  struct Held {
    Event event;
    std::uint8_t until_signal;
  };

  Machine& machine(NodeId id) {
    SHARDCHECK_ASSERT(id.value < processes_);
    return machines_[id.value];
  }
  void push(TrueTime at, const Event& event) { queue_.push(at, event); }

  void trace(typename Trace::Kind kind, NodeId process, NodeId peer, const Message* message, const Deviation* fault) {
    if (is_tracing_) [[unlikely]] {
      host_.traced({kind, now_, process, peer, message, fault});
    }
  }

  void restart(NodeId id) {
    ++events_;
    host_.observed(now_, id, Restarted{machine(id).is_disk_lost});
    start(id);
  }

  void start(NodeId id) {
    Machine& it = machine(id);
    it.start(now_);
    trace(Trace::Kind::started, id, kNoNode, nullptr, nullptr);
    digest_.add(mix(static_cast<std::uint64_t>(now_.value)) ^ (0x5354U + id.value));
    call(id, Started<Record>{it.disk.records()});
  }

  void dispatch(const Event& event) {
    Machine& it = machine(event.process);
    switch (event.kind) {
      case Event::Kind::restart:
        if (!it.is_up && it.incarnation == event.incarnation) {
          restart(event.process);
        }
        return;
      case Event::Kind::drain:
        if (it.drain_at && *it.drain_at <= now_) {
          it.drain_at.reset();
        }
        drain(event.process);
        return;
      case Event::Kind::deliver: break;
      case Event::Kind::timer:
      case Event::Kind::synced:
        if (!it.is_running(event)) {
          return;
        }
        if (event.kind == Event::Kind::timer && it.clock.read(now_) < event.due) {
          push(it.clock.when_reads(event.due, now_), event);  // the clock was set back meanwhile
          return;
        }
        break;
    }
    if (event.kind == Event::Kind::deliver) {
      strike_before_receiving(event);
    }
    if (it.is_occupied(now_)) {
      if (event.kind == Event::Kind::deliver && is_full(it)) [[unlikely]] {
        overflow(event);
        return;
      }
      it.inbox.push(event);
      schedule_drain(event.process);
      return;
    }
    serve(event);
  }

  bool is_full(const Machine& it) const {
    return options_.network.inbox_max != 0 && it.inbox.size() >= options_.network.inbox_max;
  }

  void overflow(const Event& event) {
    ++events_;
    const Envelope& envelope = envelopes_.at(event.argument);
    digest_.add(Protocol::digest_of(envelope.message) ^ (static_cast<std::uint64_t>(now_.value) << 8U));
    trace(Trace::Kind::lost, event.process, envelope.from, &envelope.message, nullptr);
    host_.observed(now_, event.process, InboxOverflowed{});
    envelopes_.release(event.argument);
  }

  void schedule_drain(NodeId id) {
    Machine& it = machine(id);
    if (it.inbox.is_empty()) {
      return;
    }
    // What is scheduled may be too late: for the end of a pause that a heal or a crash has ended before.
    const TrueTime ready_at = it.ready_at(now_);
    if (!it.drain_at || ready_at < *it.drain_at) {
      it.drain_at = ready_at;
      push(ready_at, {Event::Kind::drain, id, 0, 0});
    }
  }

  void drain(NodeId id) {
    Machine& it = machine(id);
    while (it.is_up && !it.inbox.is_empty() && it.is_ready(now_)) {
      const Event event = it.inbox.pop();
      if (event.kind == Event::Kind::deliver || event.incarnation == it.incarnation) {
        serve(event);
      }
    }
    schedule_drain(id);
  }

  // Hands one arrived event to a process that is free.
  void serve(const Event& event) {
    const NodeId id = event.process;
    digest_.add(static_cast<std::uint64_t>(now_.value) ^ (static_cast<std::uint64_t>(id.value) << 48U) ^
                (static_cast<std::uint64_t>(event.kind) << 60U));
    switch (event.kind) {
      case Event::Kind::timer:
        ++events_;
        digest_.add(event.argument);
        trace(Trace::Kind::timer, id, kNoNode, nullptr, nullptr);
        call(id, TimerFired{TimerToken{static_cast<std::uint32_t>(event.argument)}});
        return;
      case Event::Kind::synced: serve_sync(id, event.argument); return;
      case Event::Kind::deliver: serve_delivery(id, event.argument); return;
      case Event::Kind::drain:
      case Event::Kind::restart: return;
    }
  }

  void serve_sync(NodeId id, std::uint64_t count) {
    Machine& it = machine(id);
    it.disk.complete_sync(count);
    it.is_syncing = false;
    if (it.wants_another_sync) {
      it.wants_another_sync = false;
      begin_sync(id);
    }
    trace(Trace::Kind::synced, id, kNoNode, nullptr, nullptr);
    call(id, Synced{count});
  }

  void serve_delivery(NodeId id, std::uint64_t index) {
    ++events_;
    const Envelope& envelope = envelopes_.at(index);
    digest_.add(Protocol::digest_of(envelope.message) ^ (static_cast<std::uint64_t>(envelope.from.value) << 52U));
    const bool is_received = machine(id).is_up;
    trace(is_received ? Trace::Kind::delivered : Trace::Kind::lost, id, envelope.from, &envelope.message, nullptr);
    if (is_received) {
      call(id, Received<Message>{envelope.from, envelope.message});
      if (envelope.deviation && envelope.deviation->moment == Moment::after_receiving) {
        strike(id, *envelope.deviation, envelope.from);
      }
    }
    envelopes_.release(index);
  }

  void call(NodeId id, const Input<Message, Record>& input) {
    Machine& it = machine(id);
    outputs_.clear();
    it.process.handle(input, it.clock.read(now_), outputs_);
    it.busy_until = now_ + outputs_.cost;
    for (const Observation& observation : outputs_.observations) {
      host_.observed(now_, id, observation);
    }
    for (const Record& record : outputs_.records) {
      it.disk.append(record);
    }
    if (outputs_.wants_sync) {
      begin_sync(id);
    }
    for (const auto& timer : outputs_.timers) {
      push(it.clock.when_reads(timer.at, now_), {Event::Kind::timer, id, it.incarnation, timer.token.value, timer.at});
    }
    pending_strikes_.clear();
    for (const auto& sent : outputs_.sends) {
      send(id, sent.to, sent.message);
    }
    host_.handled(id, now_);
    for (const auto& [deviation, peer] : std::exchange(pending_strikes_, {})) {
      strike(id, deviation, peer);
    }
  }

  void begin_sync(NodeId id) {
    Machine& it = machine(id);
    if (it.is_syncing) {
      it.wants_another_sync = true;
      return;
    }
    it.is_syncing = true;
    push(now_ + options_.sync_duration, {Event::Kind::synced, id, it.incarnation, it.disk.appended()});
  }

  void send(NodeId from, NodeId to, const Message& message) {
    if (to == kNoNode) {
      host_.replied(from, message, now_);
      return;
    }
    const Anchor anchor = network_.count(Protocol::kind_of(message), from, to);
    trace(Trace::Kind::sent, from, to, &message, nullptr);
    const Deviation* deviation = is_healed_ ? nullptr : deviations_->at(anchor);
    if (network_.is_cut(from, to, now_)) {
      trace(Trace::Kind::lost, to, from, &message, nullptr);
      return;
    }
    const TrueTime arrival = network_.arrival(from, to, Protocol::bytes_of(message), now_);
    if (deviation == nullptr) {
      push(arrival, {Event::Kind::deliver, to, 0, envelopes_.put(message, from, to)});
      return;
    }
    send_deviating(from, to, message, arrival, *deviation);
  }

  // world_faults.h
  void send_deviating(NodeId from, NodeId to, const Message& message, TrueTime arrival, const Deviation& deviation);
  void strike_before_receiving(const Event& event);
  void strike(NodeId id, const Deviation& deviation, NodeId peer);
  void crash(NodeId id, const Deviation& deviation);
  void note_fault(NodeId id, const Deviation& deviation);

  Host& host_;
  WorldOptions options_;
  DeviationSource* deviations_ = nullptr;
  Network network_;
  EventQueue<Event> queue_;
  EnvelopePool<Message> envelopes_;
  std::vector<Held> held_;
  std::vector<std::pair<Deviation, NodeId>> pending_strikes_;
  std::vector<Machine> machines_;  // the first processes_ of them; the others wait for a larger run
  std::size_t processes_ = 0;
  Outputs<Message, Record> outputs_;
  TrueTime now_;
  std::uint64_t events_ = 0;
  Digest digest_;
  bool is_healed_ = false;
  bool is_tracing_ = false;
};

}  // namespace shardcheck::sim

#include "sim/world_faults.h"
