// Runs in words, for people: processes, faults and events as a trace prints them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/scenario.h"
#include "impl/cluster.h"
#include "sim/world.h"
#include "spec/cluster.h"
#include "spec/operation.h"
#include "spec/system.h"

namespace shardcheck::harness {

// What processes and kinds of messages are called.
struct Wording {
  std::function<std::string(NodeId)> process;
  std::function<std::string(std::uint8_t)> message_kind;
};
Wording wording_of(const impl::ClusterOptions& cluster);
Wording wording_of(const ClusterShape& shape);
// As far as the scenario says it: processes of another system than the reference have numbers.
Wording wording_of(const Scenario& scenario);

// "the 3rd chunk from storage node 1 to storage node 2 is lost".
std::string describe(const Wording& wording, const sim::Deviation& deviation);
// Steps strike processes, with no message.
constexpr bool is_of_message(const sim::Deviation& deviation) { return deviation.anchor.from != deviation.anchor.to; }
// The same, or, for what a step does: "storage node 2 crashes, and restarts after 10 ms".
std::string describe_strike(const Wording& wording, NodeId process, const sim::Deviation& deviation);
// "write of 7 to key 3".
std::string describe(const Operation& operation);
// "client 2 asks for write of 7 to key 3 (request 32)".
std::string describe(const Wording& wording, const Step& step);
// "the clock of storage node 1 is ahead by 0.5 ms and gains 100 us a second".
std::string describe(const Wording& wording, const ClockSetting& clock);

// `message` is the event's own, in words; empty if it has none.
template <class Protocol>
std::string describe_event(const Wording& wording, const sim::TraceEvent<Protocol>& event, const std::string& message) {
  using Kind = typename sim::TraceEvent<Protocol>::Kind;
  const std::string process = wording.process(event.process);
  switch (event.kind) {
    case Kind::sent: return process + " -> " + wording.process(event.peer) + ": " + message;
    case Kind::delivered: return process + " <- " + wording.process(event.peer) + ": " + message;
    case Kind::lost: return process + " x- " + wording.process(event.peer) + ": " + message;
    case Kind::timer: return process + " timer";
    case Kind::synced: return process + " disk synced";
    case Kind::started: return process + " starts";
    case Kind::fault: return "FAULT " + describe_strike(wording, event.process, *event.fault);
  }
  return "";
}

// The same for the reference: "directory", "storage node 2", "router 5", "mover".
std::string describe_process(const impl::ClusterOptions& cluster, NodeId id);
std::string describe(const impl::ClusterOptions& cluster, const sim::Deviation& deviation);
std::string describe(const impl::ClusterOptions& cluster, const sim::TraceEvent<impl::Protocol>& event);

}  // namespace shardcheck::harness
