// A process of a cluster as a pure state machine: handle(input, now) -> outputs. It reads no clock, sends nothing by
// itself and remembers across a crash only the records that its disk had synced. This is the form in which the
// reference's own processes are written, over typed messages; spec/cluster.h is the same seam over bytes.
//
// Handling is atomic: what a process decides at `now` takes effect at `now`, then the process is busy for the declared
// cost of its work.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "spec/observation.h"
#include "spec/types.h"

namespace shardcheck {

// What a process chose to be woken with; it means something to that process only.
struct TimerToken : Strong<TimerToken, std::uint32_t> {
  using Strong::Strong;
};

// The first input of every incarnation. `durable` is all that the disk kept, oldest first; valid during the call.
template <class Record>
struct Started {
  std::span<const Record> durable;
};
// The message is valid during the call. `from` is kNoNode for a request from outside of the cluster.
template <class Message>
struct Received {
  NodeId from;
  const Message& message;
};
struct TimerFired {
  TimerToken token;
};
// The first `count` records ever appended in this incarnation and before are now durable.
struct Synced {
  std::uint64_t count;
};

template <class Message, class Record>
using Input = std::variant<Started<Record>, Received<Message>, TimerFired, Synced>;

// What a process wants done. Reused between calls; the caller clears it.
template <class Message, class Record>
struct Outputs {
  struct Send {
    NodeId to;
    Message message;
  };
  struct Timer {
    TimerToken token;
    Instant at;  // on the process's own clock; at or before now means: as soon as possible
  };

  std::vector<Send> sends;  // to kNoNode: an answer to the outside
  std::vector<Timer> timers;
  std::vector<Record> records;  // appended to the process's disk, in order; volatile until synced
  std::vector<Observation> observations;
  bool wants_sync = false;  // a Synced input follows once all records appended so far are durable
  Duration cost;            // how long the work of this call keeps the process busy

  void send(NodeId to, const Message& message) { sends.emplace_back(to, message); }
  // An alternative of a Message that is a variant: written once, into its place.
  template <class Part>
    requires(!std::is_same_v<Part, Message> && std::is_constructible_v<Message, const Part&>)
  void send(NodeId to, const Part& part) {
    sends.emplace_back(to, part);
  }
  void wake_at(Instant at, TimerToken token) { timers.push_back({token, at}); }
  void append(const Record& record) { records.push_back(record); }
  template <class Fact>
  void observe(const Fact& fact) {
    observations.emplace_back(fact);
  }
  void clear() {
    sends.clear();
    timers.clear();
    records.clear();
    observations.clear();
    wants_sync = false;
    cost = Duration{};
  }
};

}  // namespace shardcheck
