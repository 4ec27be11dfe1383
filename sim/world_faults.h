// What a World does with deviations: the second half of world.h, which includes it. Messages are delayed, held,
// dropped, duplicated or cut off as they are sent; processes are struck right then, or as the message arrives.
#pragma once

#include "sim/world.h"

namespace shardcheck::sim {

template <class Protocol, class Host>
void World<Protocol, Host>::signal(std::uint8_t signal) {
  deviations_->signalled(signal);
  for (std::size_t i = 0; i < held_.size();) {
    if (held_[i].until_signal == signal) {
      push(now_, held_[i].event);
      held_[i] = held_.back();
      held_.pop_back();
    } else {
      ++i;
    }
  }
}

template <class Protocol, class Host>
void World<Protocol, Host>::heal() {
  is_healed_ = true;
  network_.heal();
  for (const Held& held : held_) {
    push(now_, held.event);
  }
  held_.clear();
  for (std::size_t i = 0; i < processes_; ++i) {
    const NodeId id{static_cast<std::uint16_t>(i)};
    machines_[i].paused_until = TrueTime{};
    if (machines_[i].is_gone) {
      continue;
    }
    if (!machines_[i].is_up) {
      restart(id);
    } else {
      schedule_drain(id);
    }
  }
}

template <class Protocol, class Host>
void World<Protocol, Host>::send_deviating(NodeId from, NodeId to, const Message& message, TrueTime arrival,
                                           const Deviation& deviation) {
  const auto put = [&] { return Event{Event::Kind::deliver, to, 0, envelopes_.put(message, from, to)}; };
  const auto deliver = [&](TrueTime at) { push(at, put()); };
  switch (deviation.kind) {
    case FaultKind::delayed:
      note_fault(to, deviation);
      deliver(arrival + deviation.duration);
      return;
    case FaultKind::held_until_phase:
      note_fault(to, deviation);
      held_.push_back({put(), deviation.until_signal});
      return;
    case FaultKind::dropped: note_fault(to, deviation); return;
    case FaultKind::duplicated:
      note_fault(to, deviation);
      deliver(arrival);
      deliver(arrival + deviation.duration);
      return;
    case FaultKind::link_cut:
      note_fault(to, deviation);
      network_.cut(from, to, now_ + deviation.duration);
      if (deviation.is_both_ways) {
        network_.cut(to, from, now_ + deviation.duration);
      }
      return;
    case FaultKind::crashed:
    case FaultKind::disk_lost:
    case FaultKind::paused:
    case FaultKind::clock_shifted:
    case FaultKind::lost_for_good:
      if (deviation.moment == Moment::after_sending) {
        pending_strikes_.emplace_back(deviation, to);
        deliver(arrival);
      } else {
        const Event event = put();
        envelopes_.at(event.argument).deviation = deviation;
        push(arrival, event);
      }
      return;
  }
}

// What strikes the receiver as the message arrives. If it goes down, the message finds nobody.
template <class Protocol, class Host>
void World<Protocol, Host>::strike_before_receiving(const Event& event) {
  Envelope& envelope = envelopes_.at(event.argument);
  if (envelope.deviation && envelope.deviation->moment == Moment::before_receiving) {
    const Deviation deviation = *std::exchange(envelope.deviation, std::nullopt);
    strike(event.process, deviation, envelope.from);
  }
}

template <class Protocol, class Host>
void World<Protocol, Host>::strike(NodeId id, const Deviation& deviation, NodeId peer) {
  Machine& it = machine(id);
  if (!it.is_up || is_healed_) {
    return;
  }
  note_fault(id, deviation);
  switch (deviation.kind) {
    case FaultKind::crashed:
    case FaultKind::disk_lost:
    case FaultKind::lost_for_good: crash(id, deviation); return;
    case FaultKind::paused: it.paused_until = std::max(it.paused_until, now_ + deviation.duration); return;
    case FaultKind::clock_shifted:
      it.clock.shift_to(deviation.duration, now_);
      host_.handled(id, now_);
      return;
    case FaultKind::link_cut:
      network_.cut(id, peer, now_ + deviation.duration);
      if (deviation.is_both_ways) {
        network_.cut(peer, id, now_ + deviation.duration);
      }
      return;
    case FaultKind::delayed:
    case FaultKind::held_until_phase:
    case FaultKind::dropped:
    case FaultKind::duplicated: return;  // these happen to messages only
  }
}

template <class Protocol, class Host>
void World<Protocol, Host>::crash(NodeId id, const Deviation& deviation) {
  Machine& it = machine(id);
  it.crash(deviation);
  host_.observed(now_, id, Crashed{});
  if (it.is_gone) {
    return;
  }
  push(now_ + deviation.duration, {Event::Kind::restart, id, it.incarnation, 0});
}

template <class Protocol, class Host>
void World<Protocol, Host>::note_fault(NodeId id, const Deviation& deviation) {
  ++events_;
  trace(Trace::Kind::fault, id, deviation.anchor.from, nullptr, &deviation);
  const bool lasts = deviation.kind == FaultKind::link_cut || deviation.kind == FaultKind::crashed ||
                     deviation.kind == FaultKind::disk_lost || deviation.kind == FaultKind::paused;
  host_.observed(now_, id, FaultInjected{deviation.kind, lasts ? now_ + deviation.duration : now_});
}

}  // namespace shardcheck::sim
